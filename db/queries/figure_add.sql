INSERT INTO figure (trial, metric, value) VALUES (?1, ?2, ?3);
