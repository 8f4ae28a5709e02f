/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stat/signed_rank.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"

/*
 * struct signed_rank - lower half of the distribution, which is symmetric about max / 2
 * @cdf: P(W <= w) for w = 0 … max / 2
 */
struct signed_rank {
	long max;
	double *cdf;
};

/* Number of subsets of {1 … n} with sum w, for w = 0 … half. At most 2^1000, which a double holds;
 * all terms are positive, so the relative error stays near 1e-16 per addition. */
static void count_subsets(double *count, size_t n, size_t half)
{
	count[0] = 1;
	for (size_t rank = 1; rank <= n; rank++)
		for (size_t w = half; w >= rank; w--)
			count[w] += count[w - rank];
}

struct signed_rank *signed_rank_new(size_t n)
{
	struct signed_rank *dist = xmalloc(sizeof(*dist));
	size_t half = n * (n + 1) / 4;
	double sum = 0;

	assert(n >= 1 && n <= SIGNED_RANK_MAX);
	dist->max = (long)(n * (n + 1) / 2);
	dist->cdf = xcalloc(half + 1, sizeof(*dist->cdf));
	count_subsets(dist->cdf, n, half);
	for (size_t w = 0; w <= half; w++) {
		sum += dist->cdf[w];
		dist->cdf[w] = ldexp(sum, -(int)n);
	}
	return dist;
}

double signed_rank_cdf(const struct signed_rank *dist, long w)
{
	if (w < 0)
		return 0;
	if (w >= dist->max)
		return 1;
	return w <= dist->max / 2 ? dist->cdf[w] : 1 - dist->cdf[dist->max - w - 1];
}

long signed_rank_quantile(const struct signed_rank *dist, double p)
{
	long low = -1, high = dist->max / 2;

	/* cdf[high] >= 1/2 > p >= cdf[low] holds throughout. */
	while (high - low > 1) {
		long mid = low + (high - low) / 2;

		if (dist->cdf[mid] <= p)
			low = mid;
		else
			high = mid;
	}
	return low;
}

void signed_rank_free(struct signed_rank *dist)
{
	if (!dist)
		return;
	free(dist->cdf);
	free(dist);
}
