/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Benchmarks from text, and outputs to read, for the tests of runners/bench. */
#ifndef TESTS_BENCH_UTIL_H
#define TESTS_BENCH_UTIL_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "runners/bench/bench.h"

/** bench_from() - a benchmark from YAML text that has to be right. */
static inline struct benchmark *bench_from(const char *yaml)
{
	struct diags diags = DIAGS_INIT;
	struct benchmark *bench = NULL;

	if (benchmark_parse("test.yaml", yaml, strlen(yaml), &bench, &diags) < 0)
		fail_msg("%s", diags_text(&diags));
	diags_release(&diags);
	return bench;
}

/** bench_with() - a benchmark with these rows of its one metric "m", and what may follow. */
static inline struct benchmark *bench_with(const char *rows)
{
	char yaml[2048];

	snprintf(
		yaml, sizeof(yaml), "command: [x]\nmetrics:\n- name: m\n  better: lower\n%s", rows);
	return bench_from(yaml);
}

/** output_of() - a run that ended well with this on stdout. */
static inline struct bench_output output_of(const char *out)
{
	return (struct bench_output){ .out = out, .out_len = strlen(out) };
}

/**
 * gives_values() - extraction has to give these values, in order
 * The benchmark is freed.
 */
static inline void gives_values(
	struct benchmark *bench, const struct bench_output *output, size_t n, const double *want)
{
	struct values samples = VALUES_INIT;
	struct error err = ERROR_INIT;

	if (bench_extract(bench, output, &samples, &err) < 0)
		fail_msg("%s", error_text(&err));
	assert_int_equal(samples.n, n);
	for (size_t i = 0; i < n; i++)
		assert_true(samples.v[i].value == want[i]);
	values_release(&samples);
	benchmark_free(bench);
}

/** gives_value() - gives_values() of one. */
static inline void gives_value(struct benchmark *bench, const char *out, double want)
{
	struct bench_output output = output_of(out);

	gives_values(bench, &output, 1, &want);
}

/**
 * refuses() - extraction has to fail with this code and a message that holds a text
 * The benchmark is freed.
 */
static inline void refuses(
	struct benchmark *bench, const struct bench_output *output, int code, const char *part)
{
	struct values samples = VALUES_INIT;
	struct error err = ERROR_INIT;
	int r = bench_extract(bench, output, &samples, &err);

	if (r != code)
		fail_msg("%d instead of %d: %s", r, code, error_text(&err));
	assert_int_equal(samples.n, 0);
	if (!strstr(error_text(&err), part))
		fail_msg("'%s' does not hold '%s'", error_text(&err), part);
	error_release(&err);
	benchmark_free(bench);
}

/** refuses_text() - refuses() of a stdout. */
static inline void refuses_text(struct benchmark *bench, const char *out, const char *part)
{
	struct bench_output output = output_of(out);

	refuses(bench, &output, -EBADMSG, part);
}

#endif
