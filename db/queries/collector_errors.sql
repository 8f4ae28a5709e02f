-- Why collectors of run ?1 had nothing in trials that count.
SELECT collector.name, trial_collector.error, count(*)
FROM trial
	CROSS JOIN trial_collector ON trial_collector.trial = trial.id
	CROSS JOIN collector ON collector.id = trial_collector.collector
WHERE trial.run = ?1 AND trial.state = 'done' AND trial.warmup = 0
	AND trial_collector.error IS NOT NULL
GROUP BY collector.name, trial_collector.error
ORDER BY collector.name, min(trial.id), trial_collector.error;
