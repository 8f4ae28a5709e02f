/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stat/compare.h"

#include <gsl/gsl_sort.h>
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"

void compare_holm(const double *p, size_t n, double *adjusted)
{
	size_t *order = xcalloc(n, sizeof(*order));
	double running = 0;

	gsl_sort_index(order, p, 1, n);
	for (size_t i = 0; i < n; i++) {
		running = fmax(running, (double)(n - i) * p[order[i]]);
		adjusted[order[i]] = fmin(1, running);
	}
	free(order);
}
