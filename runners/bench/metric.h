/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Samples of one metric from the texts of a run. */
#ifndef RUNNERS_BENCH_METRIC_H
#define RUNNERS_BENCH_METRIC_H

#include <stdint.h>

#include "runners/bench/bench.h"
#include "runners/bench/texts.h"

/** Most samples and different names of one trial: more is no benchmark's output but a flood. */
enum { BENCH_MAX_SAMPLES = 100000, BENCH_MAX_NAMES = 1000 };

/**
 * struct bench_job - one extraction under way
 * @samples: what was found so far
 * @deadline_ns: clock_monotonic_ns() at which to give up
 */
struct bench_job {
	const struct benchmark *bench;
	const struct bench_output *output;
	struct values *samples;
	uint64_t deadline_ns;
};

/**
 * bench_metric_samples() - append the samples of a metric
 * Return: how many, or -EBADMSG for a value that must not count.
 */
int bench_metric_samples(
	struct bench_job *job, const struct bench_metric *metric, struct error *err);

/**
 * bench_add_sample() - append one number, scaled, unless its metric rules it out
 * Return: 0 or -EBADMSG.
 */
int bench_add_sample(struct bench_job *job, const struct bench_metric *metric, const char *name,
	double value, struct error *err);

/** bench_pattern_samples() - bench_metric_samples() by pattern in one text. */
int bench_pattern_samples(struct bench_job *job, const struct bench_metric *metric,
	const struct bench_text *text, struct error *err);

/** bench_json_samples() - bench_metric_samples() by JSON pointer in one text. */
int bench_json_samples(struct bench_job *job, const struct bench_metric *metric,
	const struct bench_text *text, struct error *err);

#endif
