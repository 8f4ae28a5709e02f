-- Notes of the collectors of run ?1 in trials that count.
SELECT collector.name, note.value, count(*)
FROM trial
	CROSS JOIN trial_collector ON trial_collector.trial = trial.id
	CROSS JOIN json_each(trial_collector.notes) AS note
	CROSS JOIN collector ON collector.id = trial_collector.collector
WHERE trial.run = ?1 AND trial.state = 'done' AND trial.warmup = 0
GROUP BY collector.name, note.value ORDER BY collector.name, min(trial.id), note.key;
