/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stat/paired_t.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>

void paired_t_init(struct paired_t *t, const double *d, size_t n)
{
	t->mean = gsl_stats_mean(d, 1, n);
	t->se = gsl_stats_sd_m(d, 1, n, t->mean) / sqrt((double)n);
	t->df = (double)n - 1;
}

double paired_t_p_above(const struct paired_t *t, double c)
{
	return gsl_cdf_tdist_Q((t->mean - c) / t->se, t->df);
}

double paired_t_p_below(const struct paired_t *t, double c)
{
	return gsl_cdf_tdist_P((t->mean - c) / t->se, t->df);
}

double paired_t_half_width(const struct paired_t *t, double level)
{
	return gsl_cdf_tdist_Qinv(level / 2, t->df) * t->se;
}
