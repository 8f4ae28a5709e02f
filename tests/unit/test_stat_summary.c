/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <math.h>

#include "stat/summary.h"

static const double x[] = { 9, 2, 4, 4, 5, 5, 7, 4 };
enum { N = sizeof(x) / sizeof(x[0]) };

static void assert_near(double got, double want)
{
	if (!(fabs(got - want) <= 1e-9))
		fail_msg("got %.12g, want %.12g", got, want);
}

static void eight_numbers(void **state)
{
	(void)state;
	assert_near(summary_mean(x, N), 5);
	assert_near(summary_sd(x, N), sqrt(32. / 7));
	assert_near(summary_min(x, N), 2);
	assert_near(summary_max(x, N), 9);
	assert_near(summary_median(x, N), 4.5);
	assert_near(summary_median(x, N - 1), 5);
	/* |x - 4.5|: .5 .5 .5 .5 .5 2.5 2.5 4.5 */
	assert_near(summary_mad(x, N), .5 * 1.48260221850560);
}

/* quantile(x, c(0, .1, .25, .9, 1)) of R. */
static void quantiles_of_type_7(void **state)
{
	(void)state;
	assert_near(summary_quantile(x, N, 0), 2);
	assert_near(summary_quantile(x, N, .1), 3.4);
	assert_near(summary_quantile(x, N, .25), 4);
	assert_near(summary_quantile(x, N, .9), 7.6);
	assert_near(summary_quantile(x, N, 1), 9);
}

static void all_at_once(void **state)
{
	struct summary s;

	(void)state;
	summary_init(&s, x, N);
	assert_int_equal(s.n, N);
	assert_near(s.min, 2);
	assert_near(s.max, 9);
	assert_near(s.mean, 5);
	assert_near(s.sd, summary_sd(x, N));
	assert_near(s.median, 4.5);
	assert_near(s.p90, 7.6);
	assert_near(s.p99, 8.86);
	assert_near(s.mad, summary_mad(x, N));
	assert_near(x[0], 9);
}

static void one_and_none(void **state)
{
	struct summary s;

	(void)state;
	summary_init(&s, x, 1);
	assert_near(s.min + s.max + s.mean + s.median + s.p90 + s.p99, 6 * 9);
	assert_near(s.sd, 0);
	assert_near(s.mad, 0);
	summary_init(&s, NULL, 0);
	assert_int_equal(s.n, 0);
	assert_near(s.max, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(eight_numbers),
		cmocka_unit_test(quantiles_of_type_7),
		cmocka_unit_test(all_at_once),
		cmocka_unit_test(one_and_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
