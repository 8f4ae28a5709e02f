/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "runners/bench/metric.h"

#include <errno.h>
#include <math.h>

int bench_add_sample(struct bench_job *job, const struct bench_metric *metric, const char *name,
	double value, struct error *err)
{
	struct value *sample;

	value *= metric->scale;
	if (!isfinite(value))
		return error_set(err, -EBADMSG, "'%s' is too large for a number", name);
	if (metric->values == VALUES_POSITIVE && value <= 0)
		return error_set(err, -EBADMSG,
			"'%s' is %g, and only values above 0 can be real: nothing was measured, or "
			"too little to show",
			name, value);
	if (metric->values == VALUES_NOT_NEGATIVE && value < 0)
		return error_set(
			err, -EBADMSG, "'%s' is %g, and no value below 0 can be real", name, value);
	if (job->samples->n >= BENCH_MAX_SAMPLES)
		return error_set(err, -EBADMSG, "more than %d samples ('%s'): output gone wild",
			BENCH_MAX_SAMPLES, name);
	sample = values_add(job->samples, name, metric->unit, value);
	sample->better = (enum better)metric->better;
	return 0;
}

int bench_metric_samples(
	struct bench_job *job, const struct bench_metric *metric, struct error *err)
{
	struct bench_text texts[BENCH_MAX_TEXTS];
	size_t n = bench_texts(job->output, metric->stream, metric->file, texts), i;
	int found = 0;

	for (i = 0; i < n && !found; i++)
		found = metric->json.n ? bench_json_samples(job, metric, &texts[i], err)
				       : bench_pattern_samples(job, metric, &texts[i], err);
	bench_texts_release(texts, n);
	return found;
}
