/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From a benchmark's output to samples. */
#ifndef RUNNERS_BENCH_BENCH_H
#define RUNNERS_BENCH_BENCH_H

#include <jansson.h>
#include <stdbool.h>

#include "base/cpulist.h"
#include "base/error.h"
#include "base/values.h"
#include "spec/benchmark.h"

/**
 * struct bench_output - all that one run of a benchmark left
 * @out, @err: the streams (not trusted: any bytes, any length)
 * @truncated: the capture limit was hit
 * @exit_status: of the process, or -1 when it was killed by @signal
 * @signalled: the harness sent it a signal: then nothing it printed counts
 * @files: object name → json_blob(), or NULL
 */
struct bench_output {
	const char *out, *err;
	size_t out_len, err_len;
	bool truncated;
	int exit_status, signal;
	bool signalled, timed_out;
	const json_t *files;
};

/**
 * bench_extract() - the samples, or why there are none
 * @samples: one value for each sample found, in order, with the metric's name, unit and direction;
 *	samples of one metric share its name (label "interval" counts them when there are several)
 *
 * All or nothing: a metric that isn't optional and wasn't found, a number that isn't plain C-locale,
 * a value that its metric rules out, a failure pattern, a wrong exit status, a signal of ours or a
 * truncated stream give an error and no sample.
 * Return: 0, or -ENODATA (no result), -EBADMSG (there is one, but it must not count), with the reason.
 */
int bench_extract(const struct benchmark *bench, const struct bench_output *output,
	struct values *samples, struct error *err);

/**
 * bench_figure() - one trial's figure of a metric from its samples (bench_metric.take)
 * @name: the metric as named in @samples
 * Return: 0, or -ENOENT when the samples hold no such metric.
 */
int bench_figure(const struct benchmark *bench, const struct values *samples, const char *name,
	double *figure, struct error *err);

/**
 * bench_primary() - name of the primary metric that a trial's samples have
 *
 * Of several primary metrics in a benchmark file (one for each version or mode of the tool) the first
 * that was found. Return: borrowed from @samples, or NULL when they hold none.
 */
const char *bench_primary(const struct benchmark *bench, const struct values *samples);

/** bench_metric_of() - the metric of the benchmark that a sample's name belongs to, or NULL. */
const struct bench_metric *bench_metric_of(const struct benchmark *bench, const char *name);

/**
 * bench_command() - the arguments of one trial
 * @params: object or NULL, replaces the benchmark's defaults; unknown names are an error with the nearest
 * @cpus: of the arm's placement; empty or NULL: none, then arguments that name a CPU are left out,
 *	unless the benchmark needs CPUs (benchmark.cpus)
 *
 * An argument with an unset (null) or false parameter is left out; true is replaced by nothing, so that
 * "--pipe{pipe}" is a switch.
 * Return: 0 with *argv a new JSON array of strings, or -EINVAL.
 */
int bench_command(const struct benchmark *bench, const json_t *params, const struct cpulist *cpus,
	json_t **argv, struct error *err);

/** bench_params_check() - are these names and values parameters of the benchmark? 0 or -EINVAL. */
int bench_params_check(const struct benchmark *bench, const json_t *params, struct error *err);

/**
 * bench_version_text() - the tool's version in what its version command printed
 *
 * Its pattern's group 1, or the first line when it has no pattern. Return: owned by the caller, NULL
 * when that is not there.
 */
char *bench_version_text(const struct benchmark *bench, const char *text, size_t len);

#endif
