/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The exact null distribution of Wilcoxon's signed rank statistic. */
#ifndef STAT_SIGNED_RANK_H
#define STAT_SIGNED_RANK_H

#include <stddef.h>

enum { SIGNED_RANK_MAX = 1000 };

struct signed_rank;

/**
 * signed_rank_new() - the distribution for n differences without ties or zeros
 * @n: 1 … SIGNED_RANK_MAX
 *
 * Each rank 1 … n belongs to a positive difference with probability 1/2, by itself; counting the
 * sets of ranks that sum to w is exact (Wilcoxon, Biometrics Bulletin 1, 1945). It takes about
 * n³/4 additions and n²/4 doubles. Ties and zeros are the caller's affair: see stat/walsh.h.
 */
struct signed_rank *signed_rank_new(size_t n);
/** signed_rank_cdf() - P(W <= w); 0 for negative w. */
double signed_rank_cdf(const struct signed_rank *dist, long w);
/** signed_rank_quantile() - largest w with P(W <= w) <= p, for p < 1/2; -1 when there is none. */
long signed_rank_quantile(const struct signed_rank *dist, double p);
/** signed_rank_free() - free it; NULL is fine. */
void signed_rank_free(struct signed_rank *dist);

#endif
