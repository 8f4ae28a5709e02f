/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An effect beside the verdict: one arm against another, at the usual level and adjusted for nothing. */
#ifndef REPORT_RATIO_H
#define REPORT_RATIO_H

#include "experiment/figures.h"
#include "report/table.h"

/** struct ratio - estimate and 99 % interval; NAN when fewer than two blocks have both figures */
struct ratio {
	double estimate, low, high;
};

/** ratio_of() - arm / base, block by block. */
struct ratio ratio_of(const struct figures *figures, size_t arm, size_t base);
/** ratio_cells() - two cells of a table: the change, and its interval. */
void ratio_cells(const struct ratio *ratio, struct table *table);

#endif
