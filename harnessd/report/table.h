/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Plain text tables that fit a mail. */
#ifndef REPORT_TABLE_H
#define REPORT_TABLE_H

#include <stddef.h>

#include "base/strbuf.h"

enum { TABLE_MAX_COLUMNS = 16, REPORT_WIDTH = 80 };

/**
 * struct table - rows of text cells
 * @align: of each column: 'l' or 'r'
 */
struct table {
	size_t n_columns;
	char align[TABLE_MAX_COLUMNS];
	char **cell;
	size_t n, cap;
};

/** table_init() - columns as a string of alignments: "lrrr". */
void table_init(struct table *table, const char *align);
/** table_cell() - the next cell, row by row; NULL is an empty one. */
void table_cell(struct table *table, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/** table_heads() - the first row; as many titles as there are columns. */
void table_heads(struct table *table, const char *const *heads);
/** table_span() - a row of one text over all columns; it makes no column wider. */
void table_span(struct table *table, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/**
 * table_write() - print it and free it
 * @width: columns in all. Where the table would be wider, the first cell of each row has a line of its
 *	own, cut (with "~") to the width, and the others stand below it.
 */
void table_write(struct table *table, size_t width, struct strbuf *out);

/** table_release() - free a table that is not printed after all. */
void table_release(struct table *table);

/** report_number() - 5 significant digits at most: 0.0123, 42.7, 31234, 1.234e+07 as "12.34 M"; owned. */
char *report_number(double x);
/** report_percent() - a ratio as a change: "+4.30 %", "-38.0 %", "x 12.4", "/ 5"; owned by the caller. */
char *report_percent(double ratio);
/** report_interval() - "[+3.1 %, +5.2 %]", "" when it bounds nothing; owned by the caller. */
char *report_interval(double low, double high);
/** report_heading() - an empty line and an underlined title. */
void report_heading(struct strbuf *out, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/** report_cut() - a text as one line, cut (with "~") to so many columns. */
void report_cut(struct strbuf *out, const char *text, size_t width);
/** report_plural() - "1 block", "3 blocks"; owned by the caller. */
char *report_plural(size_t n, const char *noun);

#endif
