-- Run ?1, the newest for 0; columns as in runs.sql.
SELECT id, name, state, job_path, job_text, job, benchmark_text, facts, target, seed, baseline, metric,
	verdict, error, started_ns, ended_ns, version
FROM run WHERE id = iif(?1 = 0, (SELECT max(id) FROM run), ?1);
