/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rules by which other tools call two rows of figures different, written anew from their descriptions. */
#ifndef TESTS_BENCH_RULES_H
#define TESTS_BENCH_RULES_H

#include <stdbool.h>
#include <stddef.h>

enum { RULES_MAX_N = 100 };

/** struct rules - what they need beforehand; @mann_whitney: distribution of U for n and n */
struct rules {
	size_t n;
	double alpha;
	double *mann_whitney;
};

/** rules_init() - for n figures of each arm, n up to RULES_MAX_N; @alpha: of the two tests. */
void rules_init(struct rules *rules, size_t n, double alpha);
/** rules_release() - free it. */
void rules_release(struct rules *rules);

/**
 * A rule: a, b: n figures of each arm, on the log scale, in any order.
 * Return: -1, 0 or 1: b is lower, not different, higher.
 */
typedef int rule_call(const struct rules *rules, const double *a, const double *b);

/** rule_mann_whitney() - benchstat's: the exact two-sided U test (Mann & Whitney 1947). */
rule_call rule_mann_whitney;
/** rule_welch() - Welch's t test, two-sided. */
rule_call rule_welch;
/**
 * rule_lkp() - that of lkp-tests' "lkp compare" (lib/stats.rb, lib/changed_stat.rb): the lowest of one
 * arm is above the median of the other and its median above the highest of the other, and the medians
 * are 1 % apart; of 32 or more figures one in 32, of 3 at most, is left out at each end.
 */
rule_call rule_lkp;

#endif
