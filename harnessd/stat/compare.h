/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The sequential comparison of one arm with its baseline, on block-wise log ratios.
 *
 * docs/statistics.md gives the whole procedure and where each number comes from. */
#ifndef STAT_COMPARE_H
#define STAT_COMPARE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

enum { COMPARE_MAX_LOOKS = 24, COMPARE_MAX_BLOCKS = 256 };

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
 * compare_plan_init() - looks 5 7 10 14 19 26 34 46 64 … up to @max_blocks, and their boundaries
 * @max_blocks: 5 … COMPARE_MAX_BLOCKS; the last look
 * @alpha: chance of calling equal arms different, over all looks
 * @alpha_equal: chance of a false equivalence, over all looks
 * @margin: fraction (0.01 is 1 %); kept as log(1 + margin)
 *
 * Boundaries by recursive numerical integration (Armitage, McPherson & Rowe 1969) with linear
 * error spending (Lan & DeMets 1983). Return: 0 or -EINVAL.
 */
int compare_plan_init(struct compare_plan *plan, int max_blocks, double alpha, double alpha_equal,
	double margin, struct error *err);

/** compare_is_look() - index of the look at n blocks, or -1. */
int compare_is_look(const struct compare_plan *plan, size_t n);

/**
 * struct comparison - the state after n blocks
 * @estimate, @low, @high: ratio arm ÷ baseline: Hodges-Lehmann estimate and the interval that inverts
 *	the test at @level (the look's own p, so that the interval and the verdict agree)
 * @p: two-sided; @p_equal: larger of the two one-sided p's (1 when equivalence is not sought)
 * @smallest: smallest |ratio - 1| that these blocks, with this noise, would have shown with 80 %
 * @stopped: the comparison is over (a boundary was crossed or the blocks are used up)
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
 * compare_blocks() - look at the data
 * @d: log(arm / baseline) of each block, n of them, in order; finite
 * @higher_is_better: direction of the metric
 * @final: true: no more blocks will come (time is out): at whatever n, the last boundary that has
 *	been spent applies and nothing more is claimed
 *
 * Below 14 blocks the paired t test, from 14 on the exact Wilcoxon signed rank test; differing is
 * tested before equivalence. n < 2 gives an undecided comparison with an infinite interval.
 */
void compare_blocks(const struct compare_plan *plan, const double *d, size_t n,
	bool higher_is_better, bool final, struct comparison *out);

/**
 * compare_holm() - several comparisons with one family-wise error (Holm 1979)
 * @p: n p-values; @adjusted: n results, each at least its p, at most 1
 */
void compare_holm(const double *p, size_t n, double *adjusted);

/** verdict_name() - "undecided", "better", "worse", "equivalent". */
const char *verdict_name(enum verdict verdict);

#endif
