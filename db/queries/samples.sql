-- Samples of trial ?1 in order.
SELECT metric.name, metric.unit, metric.better, metric.labels, sample.value
FROM sample CROSS JOIN metric ON metric.id = sample.metric
WHERE sample.trial = ?1 ORDER BY sample.n;
