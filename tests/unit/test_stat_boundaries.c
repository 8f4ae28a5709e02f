/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "stat/boundaries.h"
#include "stat/compare.h"

static const int looks_64[] = { 5, 7, 10, 14, 19, 26, 34, 46, 64 };

static void assert_p(double got, double want)
{
	/* The published numbers have five decimals. */
	if (fabs(got - want) > 5.1e-6)
		fail_msg("p is %.7f, published %.5f", got, want);
}

static void published_boundaries(void **state)
{
	static const double differ[] = { .00062, .00039, .00052, .00070, .00092, .00128, .00161,
		.00230, .00338 };
	static const double equal[] = { .00391, .00283, .00379, .00519, .00694, .00979, .01263,
		.01814, .02692 };
	struct compare_plan plan;

	(void)state;
	assert_int_equal(compare_plan_init(&plan, 64, .008, .05, .01, NULL), 0);
	assert_int_equal(plan.n_looks, 9);
	assert_memory_equal(plan.looks, looks_64, sizeof(looks_64));
	for (size_t i = 0; i < 9; i++) {
		assert_p(plan.p_differ[i], differ[i]);
		assert_p(plan.p_equal[i], equal[i]);
	}
}

static void published_boundaries_128(void **state)
{
	static const int looks[] = { 5, 7, 10, 14, 19, 26, 34, 46, 61, 82, 128 };
	static const double differ[] = { .00039, .00024, .00032, .00043, .00056, .00078, .00098,
		.00139, .00184, .00256, .00479 };
	struct compare_plan plan;

	(void)state;
	assert_int_equal(compare_plan_init(&plan, 128, .01, .05, .01, NULL), 0);
	assert_int_equal(plan.n_looks, 11);
	assert_memory_equal(plan.looks, looks, sizeof(looks));
	for (size_t i = 0; i < 11; i++)
		assert_p(plan.p_differ[i], differ[i]);
}

/* Inverse of the two-sided p by bisection, independent of the library. */
static double z_of(double p)
{
	double low = 0, high = 40;

	for (int i = 0; i < 60; i++) {
		double mid = (low + high) / 2;

		if (erfc(mid * M_SQRT1_2) > p)
			low = mid;
		else
			high = mid;
	}
	return low;
}

static void one_look_spends_all(void **state)
{
	static const int looks[] = { 8 };
	double p;

	(void)state;
	boundaries_linear(looks, 1, 8, .05, &p);
	assert_true(fabs(p - .05) < 1e-9);
}

/* Random walks leave at each look as often as the error spent there says. */
static void spends_alpha(void **state)
{
	static const int looks[] = { 8, 16, 17, 40 };
	enum { TRIALS = 400000 };
	double p[4], z[4];
	struct rng rng;
	long crossed[4] = { 0 };

	(void)state;
	boundaries_linear(looks, 4, 40, .2, p);
	for (int k = 0; k < 4; k++)
		z[k] = z_of(p[k]);
	rng_seed(&rng, 5);
	for (int t = 0; t < TRIALS; t++) {
		double score = 0;
		int n = 0;

		for (int k = 0; k < 4; k++) {
			score += sqrt(looks[k] - n) * rng_normal(&rng);
			n = looks[k];
			if (fabs(score) >= z[k] * sqrt(n)) {
				crossed[k]++;
				break;
			}
		}
	}
	for (int k = 0, before = 0; k < 4; before = looks[k++]) {
		double want = .2 * (looks[k] - before) / 40;
		double se = sqrt(want / TRIALS);

		assert_true(fabs((double)crossed[k] / TRIALS - want) < 4 * se);
	}
}

static double normal(double x, double sd)
{
	return exp(-x * x / (2 * sd * sd)) / (sd * sqrt(2 * M_PI));
}

enum { STEPS = 1000 };

static double simpson(int i, double width)
{
	return (i == 0 || i == STEPS ? 1 : i % 2 ? 4 : 2) * width / STEPS / 3;
}

/* Density of the score after one more look, on an even grid over ±b. */
static void convolve(const double *f, double b, double *next, double b_next, double sd)
{
	for (int j = 0; j <= STEPS; j++) {
		double y = b_next * (2. * j / STEPS - 1);

		next[j] = 0;
		for (int i = 0; i <= STEPS; i++)
			next[j] +=
				simpson(i, 2 * b) * f[i] * normal(y - b * (2. * i / STEPS - 1), sd);
	}
}

/* Chance to stay within ±b[k] at all looks but the last and to leave there, by plain sums. */
static double exit_at_last(const int *n, const double *b, int looks)
{
	double f[STEPS + 1], g[STEPS + 1], sum = 0, sd = sqrt(n[looks - 1] - n[looks - 2]);

	for (int i = 0; i <= STEPS; i++)
		f[i] = normal(b[0] * (2. * i / STEPS - 1), sqrt(n[0]));
	for (int k = 1; k < looks - 1; k++) {
		convolve(f, b[k - 1], g, b[k], sqrt(n[k] - n[k - 1]));
		memcpy(f, g, sizeof(f));
	}
	for (int i = 0; i <= STEPS; i++) {
		double x = b[looks - 2] * (2. * i / STEPS - 1), to = b[looks - 1];

		sum += simpson(i, 2 * b[looks - 2]) * f[i] *
		       (erfc((to - x) * M_SQRT1_2 / sd) + erfc((to + x) * M_SQRT1_2 / sd)) / 2;
	}
	return sum;
}

/* The integration holds for the narrowest steps there are, one block at a time at the far end. */
static void narrow_steps(void **state)
{
	static const int looks[][8] = { { 247, 250, 251, 252, 253, 254, 255, 256 },
		{ 5, 7, 10, 14, 254, 255, 256 }, { 5, 6, 7, 8, 9, 10, 11, 12 } };
	static const int n_looks[] = { 8, 7, 8 };

	(void)state;
	for (int c = 0; c < 3; c++) {
		const int *n = looks[c], last = n_looks[c] - 1;
		double p[8], b[8], want = .008 * (n[last] - n[last - 1]) / n[last];

		boundaries_linear(n, (size_t)last + 1, n[last], .008, p);
		for (int k = 0; k <= last; k++)
			b[k] = z_of(p[k]) * sqrt(n[k]);
		assert_true(fabs(exit_at_last(n, b, last + 1) / want - 1) < 1e-6);
	}
}

/* An entry depends on the looks up to it only, which is what allows unscheduled looks. */
static void earlier_looks_do_not_depend_on_later_ones(void **state)
{
	static const int dense[] = { 5, 100, 200, 254, 255, 256 };
	double all[6], some[6];

	(void)state;
	boundaries_linear(dense, 6, 256, .01, all);
	for (size_t n = 1; n <= 6; n++) {
		boundaries_linear(dense, n, 256, .01, some);
		assert_memory_equal(all, some, n * sizeof(double));
	}
}

static void added_look(void **state)
{
	struct compare_plan plan, before;
	struct error err = ERROR_INIT;

	(void)state;
	compare_plan_init(&plan, 64, .008, .05, .01, NULL);
	before = plan;
	assert_int_equal(compare_plan_add_look(&plan, 26, NULL), 0);
	assert_memory_equal(&plan, &before, sizeof(plan));
	assert_int_equal(compare_plan_add_look(&plan, 30, NULL), 0);
	assert_int_equal(plan.n_looks, 10);
	assert_int_equal(compare_is_look(&plan, 30), 6);
	for (int i = 0; i < 6; i++)
		assert_true(plan.p_differ[i] == before.p_differ[i]);
	/* What was spent at 30 is missing at 34, and the end hardly notices. */
	assert_true(plan.p_differ[7] < before.p_differ[6]);
	assert_true(fabs(plan.p_differ[9] - before.p_differ[8]) < 1e-4);
	assert_int_equal(compare_plan_add_look(&plan, 2, &err), -EINVAL);
	assert_string_equal(error_text(&err), "cannot look at 2 blocks; 3 to 64 are planned");
	assert_int_equal(compare_plan_add_look(&plan, 65, NULL), -EINVAL);
	for (int n = 50; plan.n_looks < COMPARE_MAX_LOOKS; n++)
		assert_int_equal(compare_plan_add_look(&plan, n < 64 ? n : n - 30, NULL), 0);
	assert_int_equal(compare_plan_add_look(&plan, 3, NULL), -ENOSPC);
	error_release(&err);
}

static void plan_sizes(void **state)
{
	static const struct {
		int max, looks;
	} sizes[] = { { 3, 1 }, { 4, 1 }, { 5, 1 }, { 6, 1 }, { 7, 2 }, { 10, 3 }, { 64, 9 },
		{ 256, 14 } };
	struct compare_plan plan;

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		assert_int_equal(compare_plan_init(&plan, sizes[i].max, .008, .05, 0, NULL), 0);
		assert_int_equal(plan.n_looks, sizes[i].looks);
		assert_int_equal(plan.looks[plan.n_looks - 1], sizes[i].max);
		for (size_t k = 1; k < plan.n_looks; k++)
			assert_true(plan.looks[k] > plan.looks[k - 1]);
	}
	for (int max = COMPARE_MIN_BLOCKS; max <= COMPARE_MAX_BLOCKS; max++)
		assert_int_equal(compare_plan_init(&plan, max, .008, .05, 0, NULL), 0);
}

static void plan_refusals(void **state)
{
	struct compare_plan plan;
	struct error err = ERROR_INIT;

	(void)state;
	assert_int_equal(compare_plan_init(&plan, 2, .008, .05, .01, &err), -EINVAL);
	assert_string_equal(error_text(&err), "cannot plan 2 blocks; 3 to 256 are possible");
	assert_int_equal(compare_plan_init(&plan, 257, .008, .05, .01, &err), -EINVAL);
	assert_int_equal(compare_plan_init(&plan, 64, 0, .05, .01, &err), -EINVAL);
	assert_int_equal(compare_plan_init(&plan, 64, 1, .05, .01, &err), -EINVAL);
	assert_int_equal(compare_plan_init(&plan, 64, NAN, .05, .01, &err), -EINVAL);
	assert_int_equal(compare_plan_init(&plan, 64, .008, .5, .01, &err), -EINVAL);
	assert_int_equal(compare_plan_init(&plan, 64, .008, .05, -.01, &err), -EINVAL);
	assert_int_equal(compare_plan_init(&plan, 64, .008, .05, INFINITY, &err), -EINVAL);
	error_release(&err);
}

static void margin_and_alpha(void **state)
{
	struct compare_plan plan;

	(void)state;
	assert_true(fabs(compare_alpha(.99) - .008) < 1e-12);
	compare_plan_init(&plan, 64, compare_alpha(.99), .05, .02, NULL);
	assert_true(fabs(plan.margin - log(1.02)) < 1e-15);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(published_boundaries),
		cmocka_unit_test(published_boundaries_128),
		cmocka_unit_test(one_look_spends_all),
		cmocka_unit_test(spends_alpha),
		cmocka_unit_test(narrow_steps),
		cmocka_unit_test(earlier_looks_do_not_depend_on_later_ones),
		cmocka_unit_test(added_look),
		cmocka_unit_test(plan_sizes),
		cmocka_unit_test(plan_refusals),
		cmocka_unit_test(margin_and_alpha),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
