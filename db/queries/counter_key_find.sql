SELECT id FROM counter_key
WHERE collector = (SELECT id FROM collector WHERE name = ?1) AND name = ?2 AND unit = ?3
	AND labels = ?4;
