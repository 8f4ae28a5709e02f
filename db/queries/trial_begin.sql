-- A trial in state started: run, arm, block, position, repeat, attempt, warmup, nonce, started_ns.
INSERT INTO trial (run, arm, block, position, repeat, attempt, warmup, state, nonce, started_ns,
	elapsed_ns)
VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, 'started', ?8, ?9, 0);
