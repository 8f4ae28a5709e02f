INSERT INTO raw (trial, name, length, data) VALUES (?1, ?2, ?3, ?4);
