/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the centre of the block differences lies: one face over the two tests.
 *
 * Below LOCATION_RANK_FROM differences the paired t test, because the signed rank test has no
 * p-value small enough for an early look; from there on the exact signed rank test, which asks only
 * for symmetry, and which random order within a block gives. Fewer differences that are all equal
 * go to the signed rank test as well: they hold no noise for t to measure, and a metric printed
 * with few digits would give such a row by chance. */
#ifndef STAT_LOCATION_H
#define STAT_LOCATION_H

#include <stdbool.h>
#include <stddef.h>

#include "stat/paired_t.h"
#include "stat/walsh.h"

enum { LOCATION_RANK_FROM = 14 };

struct signed_rank;

/** struct location - n >= 2 differences, made ready; @rank: which test (@dist NULL: the t test) */
struct location {
	bool rank;
	size_t n;
	struct walsh walsh;
	struct signed_rank *dist;
	struct paired_t t;
};

/** location_init() - choose the test for n >= 2 finite differences; allocates n² / 2 doubles. */
void location_init(struct location *loc, const double *d, size_t n);
/** location_p_above() - one-sided p of "the centre is c or less"; small: it is above. */
double location_p_above(const struct location *loc, double c);
/** location_p_below() - one-sided p of "the centre is c or more"; small: it is below. */
double location_p_below(const struct location *loc, double c);
/** location_p() - two-sided p of "the centre is 0". */
double location_p(const struct location *loc);
/**
 * location_interval() - the centres that the two-sided test does not reject at @level
 * @level: in (0, 1)
 *
 * location_p() <= level exactly when 0 is outside. The signed rank test on few differences rejects
 * no centre at a small level: then -INFINITY and INFINITY.
 */
void location_interval(struct location *loc, double level, double *low, double *high);
/** location_estimate() - Hodges-Lehmann estimate: median of the Walsh averages. */
double location_estimate(struct location *loc);
/**
 * location_detectable() - centre that the test at @level would have found with chance @power
 * @half_width: half of location_interval() at the same level
 *
 * For the t test the standard error times the noncentrality that Johnson & Welch (Biometrika 31,
 * 1940) give: t (1 - 1/4f) + z(power) sqrt(1 + t²/2f), where t is the quantile of the level and f the
 * degrees of freedom. For the signed rank test half_width (1 + z(power) / z(level / 2)): its
 * interval's half width over its quantile estimates the standard error of the Hodges-Lehmann
 * estimate (Lehmann, Ann. Math. Stat. 34, 1963), and outliers do not inflate that. INFINITY when
 * half_width is.
 */
double location_detectable(
	const struct location *loc, double level, double power, double half_width);
/** location_release() - free it. */
void location_release(struct location *loc);

#endif
