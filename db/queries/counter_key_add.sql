INSERT INTO counter_key (collector, name, unit, labels)
VALUES ((SELECT id FROM collector WHERE name = ?1), ?2, ?3, ?4);
