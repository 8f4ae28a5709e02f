/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Plain descriptions of a row of numbers. */
#ifndef STAT_SUMMARY_H
#define STAT_SUMMARY_H

#include <stddef.h>

/**
 * struct summary - n numbers in a few
 * @sd: sample standard deviation (n - 1); 0 for one number
 * @mad: median absolute deviation from the median × 1.4826, which is the sd of normal data
 */
struct summary {
	size_t n;
	double min, max, mean, sd, median, p90, p99, mad;
};

/* Each of these takes n >= 1 finite numbers in any order and leaves them alone; those that need
 * them sorted allocate n doubles for the time of the call. */

/** summary_mean() - arithmetic mean. */
double summary_mean(const double *x, size_t n);
/** summary_sd() - sample standard deviation (n - 1); 0 for one number. */
double summary_sd(const double *x, size_t n);
/** summary_min() - the smallest. */
double summary_min(const double *x, size_t n);
/** summary_max() - the largest. */
double summary_max(const double *x, size_t n);
/** summary_median() - the middle one, or the mean of the two in the middle. */
double summary_median(const double *x, size_t n);
/** summary_quantile() - quantile @f in [0, 1], type 7 of Hyndman & Fan (1996), R's default. */
double summary_quantile(const double *x, size_t n, double f);
/** summary_mad() - median absolute deviation from the median × 1.4826. */
double summary_mad(const double *x, size_t n);
/** summary_init() - all of it at once; n may be 0, then every member is 0. */
void summary_init(struct summary *s, const double *x, size_t n);

#endif
