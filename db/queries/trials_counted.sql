-- Trials of run ?1 that count, in the order they ran.
SELECT id, arm, block, elapsed_ns
FROM trial WHERE run = ?1 AND state = 'done' AND warmup = 0 ORDER BY id;
