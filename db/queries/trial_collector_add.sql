-- What one collector saw in a trial: trial, collector's id, cells, error, notes.
INSERT INTO trial_collector (trial, collector, cells, error, notes) VALUES (?1, ?2, ?3, ?4, ?5);
