/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/ratio.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "stat/location.h"

#define LEVEL 0.01

struct ratio ratio_of(const struct figures *figures, size_t arm, size_t base)
{
	double *d = xcalloc(figures->n_blocks, sizeof(*d)), low, high;
	size_t n = figures_ratios(figures, arm, base, d);
	struct ratio ratio = { NAN, NAN, NAN };
	struct location location;

	if (n >= 2) {
		location_init(&location, d, n);
		location_interval(&location, LEVEL, &low, &high);
		ratio = (struct ratio){ exp(location_estimate(&location)), exp(low), exp(high) };
		location_release(&location);
	}
	free(d);
	return ratio;
}

void ratio_cells(const struct ratio *ratio, struct table *table)
{
	char *change = report_percent(ratio->estimate);
	char *interval = report_interval(ratio->low, ratio->high);

	table_cell(table, "%s", change);
	table_cell(table, "%s", *interval ? interval : "-");
	free(change);
	free(interval);
}
