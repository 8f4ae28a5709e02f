INSERT INTO collector (name) VALUES (?1);
