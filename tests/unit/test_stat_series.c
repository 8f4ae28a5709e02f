/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Equal arms on a machine that drifts or steps: random order within blocks must not report a
 * difference where all of A before all of B does. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/rng.h"
#include "stat/compare.h"
#include "stat/summary.h"

enum { MAX_RUNS = 128 };

/* struct series - logs of one metric, run after run */
struct series {
	double y[MAX_RUNS];
	size_t n;
};

/* Genuine runs of benchmarks, second column: "1,468900,switches_per_s,0,928997,5.90". */
static struct series series_read(const char *name)
{
	struct series s = { .n = 0 };
	char path[128], line[256];
	FILE *f;

	snprintf(path, sizeof(path), "tests/fixtures/noise/%s.csv", name);
	f = fopen(path, "r");
	if (!f)
		fail_msg("cannot open %s", path);
	while (fgets(line, sizeof(line), f) && s.n < MAX_RUNS) {
		double value;

		if (sscanf(line, "%*d,%lf", &value) == 1)
			s.y[s.n++] = log(value);
	}
	fclose(f);
	assert_int_equal(s.n, 20);
	return s;
}

static bool differs(const struct comparison *c)
{
	return c->verdict == VERDICT_BETTER || c->verdict == VERDICT_WORSE;
}

/* Which arm goes first in block i is bit i of coins. */
static bool blocked_differs(const struct compare_plan *plan, const struct series *s, uint64_t coins)
{
	double d[MAX_RUNS / 2];
	const double *row = d;
	size_t n = s->n / 2;
	struct comparison c;

	for (size_t i = 0; i < n; i++) {
		d[i] = s->y[2 * i + 1] - s->y[2 * i];
		if (coins >> i & 1)
			d[i] = -d[i];
	}
	compare_arms(plan, &row, &n, 1, true, true, &c);
	return differs(&c);
}

/* Welch's t of the first half against the second. */
static double halves_t(const struct series *s)
{
	size_t n = s->n / 2;
	double sd1 = summary_sd(s->y, n), sd2 = summary_sd(s->y + n, n);

	return (summary_mean(s->y + n, n) - summary_mean(s->y, n)) /
	       sqrt((sd1 * sd1 + sd2 * sd2) / (double)n);
}

enum { SERIES = 7 };

/* For each real series, how many of the 1,024 orders of its ten blocks report a difference. */
static void count_wrong(int max_blocks, int wrong[SERIES])
{
	static const char *const names[SERIES] = { "context_switch2-pipe-0-0",
		"context_switch2-pipe-0-1", "hackbench-pipe-threads",
		"hackbench-pipe-threads-pass2", "schbench-wakeup-p99", "stress-ng-switch",
		"stress-ng-switch-pass2" };
	struct compare_plan plan;

	assert_int_equal(
		compare_plan_init(&plan, max_blocks, compare_alpha(.99), .05, .01, NULL), 0);
	for (size_t i = 0; i < SERIES; i++) {
		struct series s = series_read(names[i]);

		wrong[i] = 0;
		for (unsigned coins = 0; coins < 1024; coins++)
			wrong[i] += blocked_differs(&plan, &s, coins);
	}
}

/* 64 blocks planned, time is out after ten: at most 1 % for each series. */
static void real_series_time_out(void **state)
{
	int wrong[SERIES];

	(void)state;
	count_wrong(64, wrong);
	for (size_t i = 0; i < SERIES; i++)
		assert_in_range(wrong[i], 0, 10);
}

/* Ten blocks planned. With so few orders one series may be above 1 %; all together must not. */
static void real_series_short_plan(void **state)
{
	int wrong[SERIES], sum = 0;

	(void)state;
	count_wrong(10, wrong);
	for (size_t i = 0; i < SERIES; i++) {
		assert_in_range(wrong[i], 0, 20);
		sum += wrong[i];
	}
	assert_in_range(sum, 0, SERIES * 10);
}

/* That these series are worth testing: A before B would be "significant", or far off. */
static void real_series_mislead_without_blocks(void **state)
{
	struct series s = series_read("context_switch2-pipe-0-0");

	(void)state;
	assert_true(halves_t(&s) > 5);
	s = series_read("stress-ng-switch");
	assert_true(summary_median(s.y + 10, 10) - summary_median(s.y, 10) > log(1.5));
}

/* A step of +9 % in the middle, as in mapequation/infomap#943, here within a block. */
static void step_in_the_middle(void **state)
{
	struct compare_plan plan;
	struct rng rng;
	int wrong = 0, misled = 0;

	(void)state;
	assert_int_equal(compare_plan_init(&plan, 64, compare_alpha(.99), .05, .01, NULL), 0);
	rng_seed(&rng, 943);
	for (int trial = 0; trial < 2000; trial++) {
		struct series s = { .n = MAX_RUNS };

		for (size_t i = 0; i < s.n; i++)
			s.y[i] = .01 * rng_normal(&rng) + (i > s.n / 2 ? log(1.09) : 0);
		misled += fabs(halves_t(&s)) > 10;
		wrong += blocked_differs(&plan, &s, rng_u64(&rng));
	}
	assert_int_equal(misled, 2000);
	/* 1 % is 20; 36 would be beyond chance. */
	assert_in_range(wrong, 0, 35);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(real_series_time_out),
		cmocka_unit_test(real_series_short_plan),
		cmocka_unit_test(real_series_mislead_without_blocks),
		cmocka_unit_test(step_in_the_middle),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
