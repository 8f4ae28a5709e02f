/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stat/location.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>

#include "stat/signed_rank.h"

static bool all_equal(const double *d, size_t n)
{
	double low, high;

	gsl_stats_minmax(&low, &high, d, 1, n);
	return high - low <= WALSH_RESOLUTION;
}

void location_init(struct location *loc, const double *d, size_t n)
{
	*loc = (struct location){ .n = n };
	loc->rank = n >= LOCATION_RANK_FROM || all_equal(d, n);
	walsh_init(&loc->walsh, d, n);
	if (loc->rank)
		loc->dist = signed_rank_new(n);
	else
		paired_t_init(&loc->t, d, n);
}

double location_p_above(const struct location *loc, double c)
{
	if (loc->rank)
		return signed_rank_cdf(loc->dist, walsh_not_above(&loc->walsh, c));
	return paired_t_p_above(&loc->t, c);
}

double location_p_below(const struct location *loc, double c)
{
	if (loc->rank)
		return signed_rank_cdf(loc->dist, walsh_not_below(&loc->walsh, c));
	return paired_t_p_below(&loc->t, c);
}

double location_p(const struct location *loc)
{
	return fmin(1, 2 * fmin(location_p_above(loc, 0), location_p_below(loc, 0)));
}

void location_interval(struct location *loc, double level, double *low, double *high)
{
	if (loc->rank) {
		/* c is rejected from below when at most q averages are <= c: up to, but not
		 * including, the average with index q. */
		long q = signed_rank_quantile(loc->dist, level / 2);

		*low = q < 0 ? -INFINITY : walsh_order(&loc->walsh, (size_t)q);
		*high = q < 0 ? INFINITY : walsh_order(&loc->walsh, loc->walsh.n - 1 - (size_t)q);
	} else {
		double half_width = paired_t_half_width(&loc->t, level);

		*low = loc->t.mean - half_width;
		*high = loc->t.mean + half_width;
	}
}

double location_estimate(struct location *loc)
{
	return walsh_median(&loc->walsh);
}

double location_detectable(
	const struct location *loc, double level, double power, double half_width)
{
	double z = gsl_cdf_ugaussian_Pinv(power), t;

	if (!isfinite(half_width))
		return INFINITY;
	if (loc->rank)
		return half_width * (1 + z / gsl_cdf_ugaussian_Qinv(level / 2));
	t = half_width / loc->t.se;
	return loc->t.se * (t * (1 - 1 / (4 * loc->t.df)) + z * sqrt(1 + t * t / (2 * loc->t.df)));
}

void location_release(struct location *loc)
{
	walsh_release(&loc->walsh);
	signed_rank_free(loc->dist);
	*loc = (struct location){ 0 };
}
