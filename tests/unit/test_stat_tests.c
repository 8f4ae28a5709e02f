/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The two tests of location, their intervals and what they are made of. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>

#include "base/rng.h"
#include "stat/location.h"
#include "stat/signed_rank.h"

static void assert_near(double got, double want, double tolerance)
{
	if (!(fabs(got - want) <= tolerance))
		fail_msg("got %.12g, want %.12g", got, want);
}

/* All 2^n sign patterns. */
static void signed_rank_by_enumeration(void **state)
{
	(void)state;
	for (size_t n = 1; n <= 14; n++) {
		long max = (long)(n * (n + 1) / 2), count[106] = { 0 }, below = 0;
		struct signed_rank *dist = signed_rank_new(n);

		for (unsigned signs = 0; signs < 1u << n; signs++) {
			long w = 0;

			for (size_t i = 0; i < n; i++)
				if (signs >> i & 1)
					w += (long)i + 1;
			count[w]++;
		}
		assert_near(signed_rank_cdf(dist, -1), 0, 0);
		for (long w = 0; w <= max + 1; w++) {
			if (w <= max)
				below += count[w];
			assert_near(signed_rank_cdf(dist, w), ldexp((double)below, -(int)n), 1e-15);
		}
		signed_rank_free(dist);
	}
}

/* Critical values of every textbook's table (two-sided .05, .01), n = 10, 20, 25. */
static void signed_rank_tables(void **state)
{
	static const struct {
		size_t n;
		double p;
		long critical;
	} table[] = { { 10, .05, 8 }, { 10, .01, 3 }, { 20, .05, 52 }, { 20, .01, 37 },
		{ 25, .05, 89 }, { 25, .01, 68 }, { 5, .05, -1 }, { 6, .05, 0 } };

	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		struct signed_rank *dist = signed_rank_new(table[i].n);

		assert_int_equal(signed_rank_quantile(dist, table[i].p / 2), table[i].critical);
		signed_rank_free(dist);
	}
}

/* n = 256 neither overflows nor loses the tail, and is near its normal limit in the middle. */
static void signed_rank_large(void **state)
{
	struct signed_rank *dist = signed_rank_new(256);
	double n = 256, mean = n * (n + 1) / 4, sd = sqrt(n * (n + 1) * (2 * n + 1) / 24);
	long max = 256 * 257 / 2;

	(void)state;
	assert_near(signed_rank_cdf(dist, 0) / 0x1p-256, 1, 1e-12);
	assert_near(signed_rank_cdf(dist, 3) / (5 * 0x1p-256), 1, 1e-12);
	assert_near(signed_rank_cdf(dist, max), 1, 0);
	for (long w = 10000; w < 23000; w += 500) {
		double z = ((double)w + .5 - mean) / sd;

		assert_near(signed_rank_cdf(dist, w), erfc(-z * M_SQRT1_2) / 2, 1e-3);
		assert_near(
			signed_rank_cdf(dist, w) + signed_rank_cdf(dist, max - w - 1), 1, 1e-13);
	}
	for (double p = 1e-6; p < .5; p *= 1.7) {
		long q = signed_rank_quantile(dist, p);

		assert_true(signed_rank_cdf(dist, q) <= p && signed_rank_cdf(dist, q + 1) > p);
	}
	signed_rank_free(dist);
	signed_rank_free(NULL);
}

/* The Walsh averages of 1, 2, 4 are 1 1.5 2 2.5 3 4. */
static void walsh_averages(void **state)
{
	static const double d[] = { 4, 1, 2 }, sorted[] = { 1, 1.5, 2, 2.5, 3, 4 };
	struct walsh w;

	(void)state;
	walsh_init(&w, d, 3);
	assert_int_equal(w.n, 6);
	assert_near(walsh_median(&w), 2.25, 0);
	for (size_t k = 0; k < 6; k++)
		assert_near(walsh_order(&w, k), sorted[k], 0);
	assert_int_equal(walsh_not_above(&w, 2), 3);
	assert_int_equal(walsh_not_below(&w, 2), 4);
	walsh_release(&w);
}

/* Number of Walsh averages below a centre = sum of ranks of the negative differences from it. */
static void walsh_counts_are_rank_sums(void **state)
{
	struct rng rng;

	(void)state;
	rng_seed(&rng, 9);
	for (int trial = 0; trial < 200; trial++) {
		double d[30], c = rng_normal(&rng) / 3;
		size_t n = 1 + rng_below(&rng, 30);
		long sum = 0;
		struct walsh w;

		for (size_t i = 0; i < n; i++)
			d[i] = rng_normal(&rng);
		for (size_t i = 0; i < n; i++)
			for (size_t j = 0; j < n && d[i] < c; j++)
				sum += fabs(d[j] - c) <= fabs(d[i] - c);
		walsh_init(&w, d, n);
		assert_int_equal(walsh_not_above(&w, c), sum);
		assert_int_equal(w.n - (size_t)walsh_not_below(&w, c), sum);
		walsh_release(&w);
	}
}

/* Student's sleep data (1908): t = -4.0621, df 9, p = .002833; interval -2.4599 … -0.7001. */
static void paired_t_sleep(void **state)
{
	static const double d[] = { -1.2, -2.4, -1.3, -1.3, 0, -1.0, -1.8, -.8, -4.6, -1.4 };
	struct location loc;
	double low, high;

	(void)state;
	location_init(&loc, d, 10);
	assert_false(loc.rank);
	assert_near(loc.t.mean / loc.t.se, -4.0621, 5e-5);
	assert_near(location_p(&loc), .002833, 5e-7);
	location_interval(&loc, .05, &low, &high);
	assert_near(low, -2.4598858, 1e-6);
	assert_near(high, -.7001142, 1e-6);
	location_release(&loc);
}

/* Quantiles of t at the far levels that early looks use: closed forms for 1, 2 and 4 degrees. */
static void t_quantiles(void **state)
{
	(void)state;
	for (double level = .5; level > 1e-9; level /= 3) {
		double a = level * (2 - level), x;
		struct paired_t t = { .mean = 0, .se = 1, .df = 1 };

		assert_near(paired_t_half_width(&t, level) * tan(level * M_PI_2), 1, 1e-5);
		t.df = 2;
		x = 2 * (1 - level) / sqrt(2 * a);
		assert_near(paired_t_half_width(&t, level) / x, 1, 1e-5);
		x = 2 * sqrt(cos(acos(sqrt(a)) / 3) / sqrt(a) - 1);
		t.df = 4;
		assert_near(paired_t_half_width(&t, level) / x, 1, 1e-5);
	}
	for (double df = 1; df < 13; df++)
		for (double level = .9; level > 1e-12; level /= 2) {
			struct paired_t t = { .mean = 0, .se = 1, .df = df };
			double q = paired_t_half_width(&t, level);

			assert_near(2 * paired_t_p_below(&t, q) / level, 1, 1e-5);
		}
}

/* Depression scores of Hollander & Wolfe (example 3.1): 9 patients, W = 40 of 45, one-sided exact
 * p = .0195; estimate and interval as R's wilcox.test(exact = TRUE, conf.int = TRUE) gives them. */
static void hollander_wolfe(void **state)
{
	static const double x[] = { 1.83, .50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30 };
	static const double y[] = { .878, .647, .598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29 };
	struct signed_rank *dist = signed_rank_new(9);
	struct walsh w;
	double d[9];

	(void)state;
	for (int i = 0; i < 9; i++)
		d[i] = x[i] - y[i];
	walsh_init(&w, d, 9);
	assert_int_equal(walsh_not_above(&w, 0), 5);
	assert_near(signed_rank_cdf(dist, 5), 10. / 512, 1e-15);
	assert_near(walsh_median(&w), .46, 1e-9);
	walsh_release(&w);
	signed_rank_free(dist);
}

enum shape { NORMAL, HEAVY, COARSE, SHAPES };

static void draw(struct rng *rng, enum shape shape, double *d, size_t n)
{
	double shift = rng_normal(rng) * .5;

	for (size_t i = 0; i < n; i++) {
		d[i] = rng_normal(rng) + shift;
		if (shape == HEAVY)
			d[i] /= .05 + rng_double(rng);
		if (shape == COARSE)
			d[i] = rint(d[i]);
	}
}

/* p <= level exactly when the interval at that level leaves out 0, whatever data and level. */
static void interval_inverts_test(void **state)
{
	struct rng rng;
	int outside = 0, inside = 0;

	(void)state;
	rng_seed(&rng, 3);
	for (int trial = 0; trial < 6000; trial++) {
		double d[40], level = exp(-12 * rng_double(&rng)), low, high, estimate, p;
		size_t n = 2 + rng_below(&rng, 39);
		struct location loc;

		draw(&rng, trial % SHAPES, d, n);
		location_init(&loc, d, n);
		p = location_p(&loc);
		location_interval(&loc, level, &low, &high);
		estimate = location_estimate(&loc);
		assert_true(p >= 0 && p <= 1 && low <= high);
		assert_true(!loc.rank || (low <= estimate && estimate <= high));
		assert_int_equal(p <= level, low > 0 || high < 0);
		outside += p <= level;
		inside += p > level;
		location_release(&loc);
	}
	assert_true(outside > 500 && inside > 500);
}

/* The same at any centre: just inside an end is not rejected, just outside is. */
static void interval_ends(void **state)
{
	struct rng rng;

	(void)state;
	rng_seed(&rng, 4);
	for (int trial = 0; trial < 2000; trial++) {
		double d[40], level = .001 + .3 * rng_double(&rng), low, high, eps = 1e-7;
		size_t n = 8 + rng_below(&rng, 33);
		struct location loc;

		draw(&rng, trial % SHAPES, d, n);
		location_init(&loc, d, n);
		location_interval(&loc, level, &low, &high);
		if (isfinite(low)) {
			assert_true(location_p_above(&loc, low - eps) <= level / 2);
			assert_true(location_p_above(&loc, low + eps) > level / 2);
			assert_true(location_p_below(&loc, high + eps) <= level / 2);
			assert_true(location_p_below(&loc, high - eps) > level / 2);
		}
		location_release(&loc);
	}
}

/* With ties and zeros p is at least that of any way of breaking them. */
static void ties_are_conservative(void **state)
{
	struct rng rng;

	(void)state;
	rng_seed(&rng, 6);
	for (int trial = 0; trial < 500; trial++) {
		double d[20];
		struct location tied, broken;

		draw(&rng, COARSE, d, 20);
		location_init(&tied, d, 20);
		for (int i = 0; i < 20; i++)
			d[i] += 1e-6 * rng_normal(&rng);
		location_init(&broken, d, 20);
		assert_true(location_p_above(&tied, 0) >= location_p_above(&broken, 0));
		assert_true(location_p_below(&tied, 0) >= location_p_below(&broken, 0));
		location_release(&tied);
		location_release(&broken);
	}
}

static void no_noise(void **state)
{
	double d[20], low, high;
	struct location loc;

	(void)state;
	for (int i = 0; i < 20; i++)
		d[i] = i % 2 ? .02 : .02 + 1e-15;
	for (size_t n = 2; n <= 20; n++) {
		location_init(&loc, d, n);
		assert_true(loc.rank);
		assert_near(location_p(&loc), ldexp(1, 1 - (int)n), 1e-15);
		assert_near(location_estimate(&loc), .02, 1e-12);
		location_interval(&loc, .001, &low, &high);
		/* 2^-10 is the first below .001. */
		if (n < 11) {
			assert_true(isinf(low) && isinf(high));
			assert_true(isinf(location_detectable(&loc, .001, .8, (high - low) / 2)));
		} else {
			assert_near(low, .02, 1e-12);
			assert_near(high, .02, 1e-12);
		}
		location_release(&loc);
	}
	for (int i = 0; i < 20; i++)
		d[i] = 0;
	location_init(&loc, d, 20);
	assert_near(location_p(&loc), 1, 0);
	assert_near(location_p_above(&loc, -.01), 0x1p-20, 0);
	assert_near(location_estimate(&loc), 0, 0);
	location_release(&loc);
}

/* log(x / y) and log(y / x) cancel only nearly; such a pair is a tie, for neither side. */
static void rounding_is_a_tie(void **state)
{
	double d[2] = { log(113. / 127), log(127. / 113) };
	struct walsh w;

	(void)state;
	walsh_init(&w, d, 2);
	assert_int_equal(walsh_not_above(&w, 0), 2);
	assert_int_equal(walsh_not_below(&w, 0), 2);
	walsh_release(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(signed_rank_by_enumeration),
		cmocka_unit_test(signed_rank_tables),
		cmocka_unit_test(signed_rank_large),
		cmocka_unit_test(walsh_averages),
		cmocka_unit_test(walsh_counts_are_rank_sums),
		cmocka_unit_test(paired_t_sleep),
		cmocka_unit_test(t_quantiles),
		cmocka_unit_test(hollander_wolfe),
		cmocka_unit_test(interval_inverts_test),
		cmocka_unit_test(interval_ends),
		cmocka_unit_test(ties_are_conservative),
		cmocka_unit_test(no_noise),
		cmocka_unit_test(rounding_is_a_tie),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
