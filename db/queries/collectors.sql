-- All collectors there ever were (a dozen), or the one named ?1.
SELECT id, name FROM collector WHERE ?1 IS NULL OR name = ?1 ORDER BY name;
