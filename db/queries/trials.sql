-- Trials of run ?1 in the order they ran.
SELECT id, arm, block, position, repeat, attempt, warmup, state, reason, nonce, started_ns,
	elapsed_ns, result
FROM trial WHERE run = ?1 ORDER BY id;
