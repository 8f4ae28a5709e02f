/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stat/summary.h"

#include <assert.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <stdlib.h>

#include "base/alloc.h"

static double *sorted_copy(const double *x, size_t n)
{
	double *copy = xcalloc(n, sizeof(*copy));

	for (size_t i = 0; i < n; i++)
		copy[i] = x[i];
	gsl_sort(copy, 1, n);
	return copy;
}

double summary_mean(const double *x, size_t n)
{
	assert(n > 0);
	return gsl_stats_mean(x, 1, n);
}

double summary_sd(const double *x, size_t n)
{
	assert(n > 0);
	return n > 1 ? gsl_stats_sd(x, 1, n) : 0;
}

double summary_min(const double *x, size_t n)
{
	assert(n > 0);
	return gsl_stats_min(x, 1, n);
}

double summary_max(const double *x, size_t n)
{
	assert(n > 0);
	return gsl_stats_max(x, 1, n);
}

double summary_median(const double *x, size_t n)
{
	return summary_quantile(x, n, 0.5);
}

double summary_quantile(const double *x, size_t n, double f)
{
	double *sorted, q;

	assert(n > 0 && f >= 0 && f <= 1);
	sorted = sorted_copy(x, n);
	q = gsl_stats_quantile_from_sorted_data(sorted, 1, n, f);
	free(sorted);
	return q;
}

double summary_mad(const double *x, size_t n)
{
	double *work, mad;

	assert(n > 0);
	work = xcalloc(n, sizeof(*work));
	mad = gsl_stats_mad(x, 1, n, work);
	free(work);
	return mad;
}

void summary_init(struct summary *s, const double *x, size_t n)
{
	double *sorted;

	*s = (struct summary){ .n = n };
	if (!n)
		return;
	sorted = sorted_copy(x, n);
	s->min = sorted[0];
	s->max = sorted[n - 1];
	s->mean = summary_mean(x, n);
	s->sd = summary_sd(x, n);
	s->median = gsl_stats_quantile_from_sorted_data(sorted, 1, n, 0.5);
	s->p90 = gsl_stats_quantile_from_sorted_data(sorted, 1, n, 0.9);
	s->p99 = gsl_stats_quantile_from_sorted_data(sorted, 1, n, 0.99);
	s->mad = summary_mad(x, n);
	free(sorted);
}
