-- The newest ?1 runs, newest first; columns as in run_get.sql.
SELECT id, name, state, job_path, job_text, job, benchmark_text, facts, target, seed, baseline, metric,
	verdict, error, started_ns, ended_ns, version
FROM run ORDER BY id DESC LIMIT ?1;
