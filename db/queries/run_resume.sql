-- Run ?1 goes on.
UPDATE run SET state = 'running', verdict = NULL, error = NULL, ended_ns = NULL WHERE id = ?1;
