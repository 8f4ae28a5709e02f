/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "rules.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "stat/summary.h"

/* Number of ways to get each U, as the coefficients of the Gaussian binomial (2n over n):
 * the product of (1 - x^(n+i)) / (1 - x^i) for i = 1 … n; then summed to a distribution. */
static double *distribution(size_t n)
{
	size_t most = n * n;
	double *p = xcalloc(most + 1, sizeof(*p)), total = 0, sum = 0;

	p[0] = 1;
	for (size_t i = 1; i <= n; i++) {
		for (size_t u = most; u >= n + i; u--)
			p[u] -= p[u - n - i];
		for (size_t u = i; u <= most; u++)
			p[u] += p[u - i];
	}
	for (size_t u = 0; u <= most; u++)
		total += p[u];
	for (size_t u = 0; u <= most; u++) {
		sum += p[u] / total;
		p[u] = sum;
	}
	return p;
}

void rules_init(struct rules *rules, size_t n, double alpha)
{
	*rules = (struct rules){ .n = n, .alpha = alpha, .mann_whitney = distribution(n) };
}

void rules_release(struct rules *rules)
{
	free(rules->mann_whitney);
}

int rule_mann_whitney(const struct rules *rules, const double *a, const double *b)
{
	size_t n = rules->n, u = 0, lower;

	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < n; j++)
			u += b[i] > a[j];
	lower = u < n * n - u ? u : n * n - u;
	if (2 * rules->mann_whitney[lower] > rules->alpha)
		return 0;
	return u > lower ? 1 : -1;
}

int rule_welch(const struct rules *rules, const double *a, const double *b)
{
	double n = (double)rules->n, va = pow(summary_sd(a, rules->n), 2) / n,
	       vb = pow(summary_sd(b, rules->n), 2) / n;
	double d = summary_mean(b, rules->n) - summary_mean(a, rules->n), t = d / sqrt(va + vb);
	double df = (va + vb) * (va + vb) * (n - 1) / (va * va + vb * vb);

	if (2 * gsl_cdf_tdist_Q(fabs(t), df) > rules->alpha)
		return 0;
	return d > 0 ? 1 : -1;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

struct spread {
	double low, middle, high;
};

static struct spread spread_of(const double *x, size_t n)
{
	size_t out = n / 32 < 3 ? n / 32 : 3, left = n - 2 * out;
	double sorted[RULES_MAX_N];

	memcpy(sorted, x, n * sizeof(*x));
	qsort(sorted, n, sizeof(*sorted), by_value);
	return (struct spread){ sorted[out], sorted[out + left / 2], sorted[n - 1 - out] };
}

int rule_lkp(const struct rules *rules, const double *a, const double *b)
{
	struct spread x = spread_of(a, rules->n), y = spread_of(b, rules->n);

	if (fabs(y.middle - x.middle) <= log(1.01))
		return 0;
	if (y.low > x.middle && y.middle > x.high)
		return 1;
	return x.low > y.middle && x.middle > y.high ? -1 : 0;
}
