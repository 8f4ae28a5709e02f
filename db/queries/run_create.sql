-- A run in state running: name, job_path, job_text, job, benchmark_text, facts, target, seed,
-- baseline, metric, started_ns, version.
INSERT INTO run (name, state, job_path, job_text, job, benchmark_text, facts, target, seed, baseline,
	metric, started_ns, version)
VALUES (?1, 'running', ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12);
