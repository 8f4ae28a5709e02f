SELECT id FROM collector WHERE name = ?1;
