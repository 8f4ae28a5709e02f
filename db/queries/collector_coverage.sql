-- In how many of the trials that count each collector of run ?1 did its work, by arm.
SELECT collector.name, trial.arm, count(*)
FROM trial
	CROSS JOIN trial_collector ON trial_collector.trial = trial.id
	CROSS JOIN collector ON collector.id = trial_collector.collector
WHERE trial.run = ?1 AND trial.state = 'done' AND trial.warmup = 0
	AND trial_collector.error IS NULL
GROUP BY collector.name, trial.arm ORDER BY collector.name, trial.arm;
