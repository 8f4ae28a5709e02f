-- Figures of the trials of run ?1 that count, in the order they ran; of metric ?2, NULL for all.
-- CROSS JOIN keeps the order of the loops, whatever the planner believes of the sizes.
SELECT trial.id, trial.arm, trial.block, trial.repeat, metric.name, metric.unit, metric.better,
	figure.value
FROM trial
	CROSS JOIN figure ON figure.trial = trial.id
	CROSS JOIN metric ON metric.id = figure.metric
WHERE trial.run = ?1 AND trial.state = 'done' AND trial.warmup = 0
	AND (?2 IS NULL OR metric.name = ?2)
ORDER BY trial.id, figure.metric;
