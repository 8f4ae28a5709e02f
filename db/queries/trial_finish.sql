-- The outcome of trial ?1: state, reason, started_ns (0: as it was), elapsed_ns, result.
UPDATE trial SET state = ?2, reason = ?3, started_ns = iif(?4 = 0, started_ns, ?4), elapsed_ns = ?5,
	result = ?6
WHERE id = ?1 AND state = 'started';
