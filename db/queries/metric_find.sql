SELECT id FROM metric WHERE name = ?1 AND unit = ?2 AND better = ?3 AND labels = ?4;
