/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stat/walsh.h"

#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"

void walsh_init(struct walsh *w, const double *d, size_t n)
{
	double *next;

	w->n = n * (n + 1) / 2;
	next = w->a = xcalloc(w->n, sizeof(*w->a));
	for (size_t i = 0; i < n; i++)
		for (size_t j = i; j < n; j++) {
			double a = (d[i] + d[j]) / 2;

			/* log(x) + log(1/x) is not exactly 0; a tie must be one. */
			*next++ = fabs(a) < WALSH_RESOLUTION ? 0 : a;
		}
}

long walsh_not_above(const struct walsh *w, double c)
{
	long count = 0;

	for (size_t i = 0; i < w->n; i++)
		count += w->a[i] <= c;
	return count;
}

long walsh_not_below(const struct walsh *w, double c)
{
	long count = 0;

	for (size_t i = 0; i < w->n; i++)
		count += w->a[i] >= c;
	return count;
}

double walsh_order(struct walsh *w, size_t k)
{
	return gsl_stats_select(w->a, 1, w->n, k);
}

double walsh_median(struct walsh *w)
{
	double upper = walsh_order(w, w->n / 2);

	return w->n % 2 ? upper : (walsh_order(w, w->n / 2 - 1) + upper) / 2;
}

void walsh_release(struct walsh *w)
{
	free(w->a);
	*w = (struct walsh){ 0 };
}
