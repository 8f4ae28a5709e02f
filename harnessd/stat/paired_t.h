/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Student's t test on paired differences (Biometrika 6, 1908). */
#ifndef STAT_PAIRED_T_H
#define STAT_PAIRED_T_H

#include <stddef.h>

/** struct paired_t - @mean, its standard error @se and degrees of freedom @df */
struct paired_t {
	double mean, se, df;
};

/** paired_t_init() - from n >= 2 differences; they must not all be equal for the rest to work. */
void paired_t_init(struct paired_t *t, const double *d, size_t n);
/** paired_t_p_above() - one-sided p of "the mean is c or less"; small: it is above. */
double paired_t_p_above(const struct paired_t *t, double c);
/** paired_t_p_below() - one-sided p of "the mean is c or more"; small: it is below. */
double paired_t_p_below(const struct paired_t *t, double c);
/** paired_t_half_width() - half the interval that leaves out the two-sided level, in (0, 1). */
double paired_t_half_width(const struct paired_t *t, double level);

#endif
