INSERT INTO sample (trial, n, metric, value) VALUES (?1, ?2, ?3, ?4);
