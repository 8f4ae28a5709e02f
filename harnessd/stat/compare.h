/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The sequential comparison of arms with their baseline, on block-wise log ratios.
 *
 * docs/statistics.md gives the whole procedure and where each number comes from. */
#ifndef STAT_COMPARE_H
#define STAT_COMPARE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

enum { COMPARE_MAX_LOOKS = 24, COMPARE_MIN_BLOCKS = 3, COMPARE_MAX_BLOCKS = 256 };

/** enum verdict - what is said of an arm against the baseline */
enum verdict {
	VERDICT_UNDECIDED,
	VERDICT_BETTER,
	VERDICT_WORSE,
	VERDICT_EQUIVALENT,
};

/**
 * struct compare_plan - looks and boundaries, fixed before the first block
 * @looks: blocks at which the data are looked at, rising; n_looks of them
 * @p_differ: two-sided p at or below which the arms differ, for each look (linear error spending)
 * @p_equal: one-sided p at or below which both TOST tests settle equivalence, for each look
 * @alpha, @alpha_equal: errors spent over all looks
 * @margin: equivalence margin on the log scale, 0: equivalence is not sought
 */
struct compare_plan {
	size_t n_looks;
	int looks[COMPARE_MAX_LOOKS];
	double p_differ[COMPARE_MAX_LOOKS];
	double p_equal[COMPARE_MAX_LOOKS];
	double alpha, alpha_equal;
	double margin;
};

/**
 * compare_alpha() - alpha for a wanted confidence: 0.8 · (1 - confidence)
 *
 * The boundaries suppose normal scores. Over the 13 noise models of docs/statistics.md the true
 * error reaches up to 1.2 times the nominal one, so 0.8 keeps the promise that was made.
 */
double compare_alpha(double confidence);

/**
 * compare_plan_init() - looks 5 7 10 14 19 26 34 46 64 … up to @max_blocks, and their boundaries
 * @max_blocks: COMPARE_MIN_BLOCKS … COMPARE_MAX_BLOCKS; the last look, below 7 the only one
 * @alpha: chance of calling equal arms different, over all looks; in (0, 1), see compare_alpha()
 * @alpha_equal: chance of a false equivalence, over all looks; in (0, 0.5)
 * @margin: fraction (0.01 is 1 %); kept as log(1 + margin)
 *
 * Boundaries by recursive numerical integration (Armitage, McPherson & Rowe 1969) with linear
 * error spending (Lan & DeMets 1983). Takes about a millisecond. Return: 0 or -EINVAL.
 */
int compare_plan_init(struct compare_plan *plan, int max_blocks, double alpha, double alpha_equal,
	double margin, struct error *err);

/**
 * compare_plan_add_look() - a look that was not planned, COMPARE_MIN_BLOCKS or more blocks in
 *
 * It gets the error that belongs to the blocks since the look before it; looks before it keep their
 * boundaries, those behind it get new ones, and all together still spend alpha (Lan & DeMets 1983).
 * The reason for the look must not be what the data show. A look that is there already is fine.
 * Return: 0, -EINVAL when @n is out of range, -ENOSPC.
 */
int compare_plan_add_look(struct compare_plan *plan, int n, struct error *err);

/** compare_is_look() - index of the look at n blocks, or -1. */
int compare_is_look(const struct compare_plan *plan, size_t n);

/**
 * struct comparison - the state after n blocks
 * @estimate, @low, @high: ratio arm ÷ baseline: Hodges-Lehmann estimate and the interval that inverts
 *	the test at @level (the look's own p, so that the interval and the verdict agree); 0 and
 *	INFINITY where so few blocks bound nothing at this level
 * @p: two-sided; p <= level exactly when the interval leaves out 1
 * @p_equal: larger of the two one-sided p's (1 when equivalence is not sought)
 * @smallest: smallest |ratio - 1| that these blocks, with this noise, would have shown at @level
 *	with a chance of 80 % (location_detectable()); may be INFINITY
 * @stopped: the comparison is over (a boundary was crossed or no more blocks will come)
 */
struct comparison {
	enum verdict verdict;
	size_t n;
	double estimate, low, high, level;
	double p, p_equal;
	double smallest;
	bool stopped;
};

/**
 * compare_blocks() - look at the data of one arm
 * @d: log(arm / baseline) of each block, n of them, in order; finite; what is behind the plan's last
 *	look is left out
 * @higher_is_better: direction of the metric
 * @final: no more blocks will come (time is out): look now, as compare_plan_add_look() would have it
 *
 * Below 14 blocks the paired t test, from 14 on the exact Wilcoxon signed rank test (see
 * stat/location.h); differing is tested before equivalence. Between looks the verdict is undecided
 * and the interval is at the level of the last look. n < 2 gives an infinite interval. The t test's
 * interval is about the mean; should the estimate be outside, it is moved to the nearer end.
 *
 * A verdict, once reached, stands: compare_arms() sees to that.
 */
void compare_blocks(const struct compare_plan *plan, const double *d, size_t n,
	bool higher_is_better, bool final, struct comparison *out);

/**
 * compare_arms() - all arms against the baseline from the first block on, with one error for all
 * @d, @n: one row for each arm and its length, as for compare_blocks()
 * @out: @n_arms results, each as it was at the look that stopped it
 *
 * Holm's step-down (1979) at every look: while r of the arms were found to differ, the others are
 * tested at alpha / (n_arms - r) (group-sequential form: Ye, Li, Liu & Yao, Statist. Med. 32, 2013).
 * Each arm's interval is at the level it was tested with. Depends on nothing but its arguments, so a
 * resumed run ends as an uninterrupted one would. With one arm it is the plain sequence of looks.
 */
void compare_arms(const struct compare_plan *plan, const double *const *d, const size_t *n,
	size_t n_arms, bool higher_is_better, bool final, struct comparison *out);

/**
 * compare_overall_p() - p of a comparison over all the looks up to it
 *
 * The smallest alpha whose boundary at this look is crossed (repeated p-value, Jennison & Turnbull
 * 2000, chapter 9): unlike @p it may be compared with alpha, printed alone and given to
 * compare_holm(). Takes some milliseconds.
 */
double compare_overall_p(const struct compare_plan *plan, const struct comparison *comparison);

/**
 * compare_holm() - several comparisons with one family-wise error (Holm 1979)
 * @p: n p-values; @adjusted: n results, each at least its p, at most 1
 */
void compare_holm(const double *p, size_t n, double *adjusted);

/** verdict_name() - "undecided", "better", "worse", "equivalent". */
const char *verdict_name(enum verdict verdict);

#endif
