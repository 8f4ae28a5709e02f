-- Trials of run ?1 that were under way when the program died.
UPDATE trial SET state = 'lost', reason = ?2 WHERE run = ?1 AND state = 'started';
