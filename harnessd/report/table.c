/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/table.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/wrap.h"

enum { GAP = 2 };

void table_init(struct table *table, const char *align)
{
	*table = (struct table){ .n_columns = strlen(align) };
	assert(table->n_columns <= TABLE_MAX_COLUMNS);
	memcpy(table->align, align, table->n_columns);
}

void table_cell(struct table *table, const char *fmt, ...)
{
	va_list ap;

	array_reserve(table->cell, table->n, table->cap);
	va_start(ap, fmt);
	table->cell[table->n++] = fmt ? xvasprintf(fmt, ap) : xstrdup("");
	va_end(ap);
}

void table_heads(struct table *table, const char *const *heads)
{
	for (size_t c = 0; c < table->n_columns; c++)
		table_cell(table, "%s", heads[c]);
}

/* A span is its row's first cell behind this byte; the others of the row are NULL. */
#define SPAN '\1'

void table_span(struct table *table, const char *fmt, ...)
{
	va_list ap;
	char *text;

	va_start(ap, fmt);
	text = xvasprintf(fmt, ap);
	va_end(ap);
	table_cell(table, "%c%s", SPAN, text);
	for (size_t c = 1; c < table->n_columns; c++)
		table_cell(table, NULL);
	free(text);
}

static size_t width_of(const char *text)
{
	return text_width(text, strlen(text));
}

static size_t column_width(const struct table *table, size_t column)
{
	size_t width = 0;

	for (size_t i = column; i < table->n; i += table->n_columns)
		if (*table->cell[i] != SPAN && width_of(table->cell[i]) > width)
			width = width_of(table->cell[i]);
	return width;
}

static void end_line(struct strbuf *out)
{
	while (out->len && out->data[out->len - 1] == ' ')
		out->data[--out->len] = '\0';
	strbuf_putc(out, '\n', 1);
}

void report_cut(struct strbuf *out, const char *text, size_t width)
{
	bool whole = width_of(text) <= width;

	strbuf_add(out, text, text_prefix(text, whole ? width : width - 1));
	strbuf_puts(out, whole ? "" : "~");
	end_line(out);
}

void table_release(struct table *table)
{
	for (size_t i = 0; i < table->n; i++)
		free(table->cell[i]);
	free(table->cell);
	*table = (struct table){ 0 };
}

static void write_cell(const char *text, char align, size_t width, struct strbuf *out)
{
	size_t len = width_of(text), pad = len < width ? width - len : 0;

	if (align == 'r')
		strbuf_putc(out, ' ', pad);
	strbuf_puts(out, text);
	if (align == 'l')
		strbuf_putc(out, ' ', pad);
}

static void write_row(const struct table *table, char *const *cell, const size_t *widths,
	bool stacked, size_t width, struct strbuf *out)
{
	if (stacked && *cell[0])
		report_cut(out, cell[0], width);
	for (size_t c = 0; c < table->n_columns; c++) {
		if (c)
			strbuf_putc(out, ' ', GAP);
		if (c || !stacked)
			write_cell(cell[c], table->align[c], widths[c], out);
	}
	end_line(out);
}

void table_write(struct table *table, size_t width, struct strbuf *out)
{
	size_t widths[TABLE_MAX_COLUMNS], all = 0;

	for (size_t c = 0; c < table->n_columns; c++) {
		widths[c] = column_width(table, c);
		all += widths[c] + (c ? GAP : 0);
	}
	for (size_t i = 0; i + table->n_columns <= table->n; i += table->n_columns) {
		if (*table->cell[i] == SPAN)
			report_cut(out, table->cell[i] + 1, width);
		else
			write_row(table, &table->cell[i], widths, all > width, width, out);
	}
	table_release(table);
}

char *report_number(double x)
{
	double a = fabs(x);

	if (!isfinite(x))
		return xstrdup("-");
	if (a >= 1e12)
		return xasprintf("%.4g T", x / 1e12);
	if (a >= 1e9)
		return xasprintf("%.4g G", x / 1e9);
	if (a >= 1e7)
		return xasprintf("%.4g M", x / 1e6);
	if (a >= 1000 || x == floor(x))
		return xasprintf("%.0f", x);
	return xasprintf("%.4g", x);
}

char *report_percent(double ratio)
{
	double change = (ratio - 1) * 100;

	if (!isfinite(ratio) || ratio <= 0)
		return xstrdup("-");
	if (ratio >= 4)
		return xasprintf("x %.4g", ratio);
	if (ratio <= 0.25)
		return xasprintf("/ %.4g", 1 / ratio);
	if (fabs(change) < 9.995)
		return xasprintf("%+.2f %%", change);
	return xasprintf("%+.1f %%", change);
}

char *report_interval(double low, double high)
{
	/* So few blocks may bound a ratio by a number that only looks like one. */
	bool bounded = low > 1e-6 && high < 1e6;
	char *from = report_percent(low), *to = report_percent(high);
	char *text = bounded ? xasprintf("[%s, %s]", from, to) : xstrdup("");

	free(from);
	free(to);
	return text;
}

void report_heading(struct strbuf *out, const char *fmt, ...)
{
	char *title;
	size_t width;
	va_list ap;

	va_start(ap, fmt);
	title = xvasprintf(fmt, ap);
	va_end(ap);
	width = width_of(title);
	strbuf_putc(out, '\n', 1);
	report_cut(out, title, REPORT_WIDTH);
	strbuf_putc(out, '-', width < REPORT_WIDTH ? width : REPORT_WIDTH);
	strbuf_putc(out, '\n', 1);
	free(title);
}

char *report_plural(size_t n, const char *noun)
{
	return xasprintf("%zu %s%s", n, noun, n == 1 ? "" : "s");
}
