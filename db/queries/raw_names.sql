SELECT name FROM raw WHERE trial = ?1 ORDER BY id;
