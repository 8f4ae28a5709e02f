/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Walsh averages: the mean of each pair of differences, a difference with itself included.
 *
 * The signed rank statistic of the differences from a centre c is the number of Walsh averages
 * above c (Tukey 1949), so the test, its estimate and its interval are all read from one list
 * (Hodges & Lehmann, Ann. Math. Stat. 34, 1963; Hollander & Wolfe, chapter 3).
 *
 * Ties and zeros: an average equal to c counts for neither side. That is what the worst breaking of
 * the ties would give, so a p-value from it is never too small for any symmetric distribution,
 * lattice ones included, and the interval inverts the test exactly. The price is some power when a
 * metric is printed with few digits. */
#ifndef STAT_WALSH_H
#define STAT_WALSH_H

#include <stddef.h>

/* Log ratios nearer to each other than this are equal: it is rounding, no benchmark resolves it. */
#define WALSH_RESOLUTION 1e-12

/** struct walsh - the @n averages, in no order (reading order statistics moves them) */
struct walsh {
	double *a;
	size_t n;
};

/** walsh_init() - averages of n differences: n (n + 1) / 2 doubles on the heap. */
void walsh_init(struct walsh *w, const double *d, size_t n);
/** walsh_not_above() - number of averages <= c. */
long walsh_not_above(const struct walsh *w, double c);
/** walsh_not_below() - number of averages >= c. */
long walsh_not_below(const struct walsh *w, double c);
/** walsh_order() - the k-th smallest, k from 0. */
double walsh_order(struct walsh *w, size_t k);
/** walsh_median() - the Hodges-Lehmann estimate. */
double walsh_median(struct walsh *w);
/** walsh_release() - free it. */
void walsh_release(struct walsh *w);

#endif
