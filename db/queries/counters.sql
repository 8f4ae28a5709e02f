-- Cells of collector ?2 (id) in the trials of run ?1 that count, in the order they ran.
SELECT trial.id, trial_collector.cells
FROM trial CROSS JOIN trial_collector
	ON trial_collector.trial = trial.id AND trial_collector.collector = ?2
WHERE trial.run = ?1 AND trial.state = 'done' AND trial.warmup = 0
ORDER BY trial.id;
