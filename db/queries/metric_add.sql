INSERT INTO metric (name, unit, better, labels) VALUES (?1, ?2, ?3, ?4);
