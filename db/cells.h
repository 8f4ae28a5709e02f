/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The counters of one collector in one trial as one JSON text (table trial_collector, column cells):
 *
 *	{"17": {"0": [5, 7, 0, 3], "40": 1}, "18": 12.5}
 *
 * An entry is a counter_key; 17 has a cpu label and counted 5, 7, 0, 3 on CPUs 0 to 3 and 1 on CPU 40;
 * 18 has none. Only counters that are not 0 are kept, but for short gaps within a stretch of CPUs. */
#ifndef DB_CELLS_H
#define DB_CELLS_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/strbuf.h"

enum { CELL_NO_CPU = -1 };

/** struct cell - one counter: key is counter_key.id; cpu CELL_NO_CPU for one without that label */
struct cell {
	int64_t key;
	int32_t cpu;
	double value;
};

/**
 * cells_write() - append the text of n cells
 * @cells: in any order; sorted by key and CPU on return. Cells of equal key and CPU add up, those
 *	that are 0 are left out. All values are finite.
 */
void cells_write(struct cell *cells, size_t n, struct strbuf *out);

/**
 * cells_read() - take a text apart
 * @each: called for each cell that is not 0, in the order of the text; a negative return ends it
 * Return: 0, what @each returned, or -EINVAL when the text is none that cells_write() makes.
 */
int cells_read(const char *text, size_t len, int (*each)(void *context, const struct cell *cell),
	void *context, struct error *err);

#endif
