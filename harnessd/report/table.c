/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/table.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

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

static size_t column_width(const struct table *table, size_t column)
{
	size_t width = 0;

	for (size_t i = column; i < table->n; i += table->n_columns)
		if (*table->cell[i] != SPAN && strlen(table->cell[i]) > width)
			width = strlen(table->cell[i]);
	return width;
}

static void write_cell(const char *text, char align, size_t width, struct strbuf *out)
{
	size_t len = strlen(text);

	if (len > width && width > 0) {
		strbuf_add(out, text, width - 1);
		strbuf_putc(out, '~', 1);
		return;
	}
	if (align == 'r')
		strbuf_putc(out, ' ', width - len);
	strbuf_puts(out, text);
	if (align == 'l')
		strbuf_putc(out, ' ', width - len);
}

static void end_line(struct strbuf *out)
{
	while (out->len && out->data[out->len - 1] == ' ')
		out->data[--out->len] = '\0';
	strbuf_putc(out, '\n', 1);
}

void table_release(struct table *table)
{
	for (size_t i = 0; i < table->n; i++)
		free(table->cell[i]);
	free(table->cell);
	*table = (struct table){ 0 };
}

void table_write(struct table *table, size_t width, struct strbuf *out)
{
	size_t widths[TABLE_MAX_COLUMNS], all = 0;

	assert(table->n_columns);
	for (size_t c = 0; c < table->n_columns; c++) {
		widths[c] = column_width(table, c);
		all += widths[c] + (c ? GAP : 0);
	}
	if (all > width && widths[0] > all - width + 8)
		widths[0] -= all - width;
	for (size_t i = 0; i < table->n; i++) {
		size_t c = i % table->n_columns;

		if (*table->cell[i] == SPAN) {
			strbuf_printf(out, "%.*s\n", (int)width, table->cell[i] + 1);
			i += table->n_columns - 1;
			continue;
		}
		if (c)
			strbuf_putc(out, ' ', GAP);
		write_cell(table->cell[i], table->align[c], widths[c], out);
		if (c + 1 == table->n_columns)
			end_line(out);
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
	if (ratio >= 10)
		return xasprintf("x %.4g", ratio);
	if (ratio <= 0.1)
		return xasprintf("/ %.4g", 1 / ratio);
	if (fabs(change) < 10)
		return xasprintf("%+.2f %%", change);
	return xasprintf("%+.1f %%", change);
}

void report_heading(struct strbuf *out, const char *fmt, ...)
{
	char *title;
	va_list ap;

	va_start(ap, fmt);
	title = xvasprintf(fmt, ap);
	va_end(ap);
	strbuf_printf(out, "\n%s\n", title);
	strbuf_putc(out, '-', strlen(title) < REPORT_WIDTH ? strlen(title) : REPORT_WIDTH);
	strbuf_putc(out, '\n', 1);
	free(title);
}

void report_wrapped(struct strbuf *out, size_t indent, const char *text)
{
	char *copy = xstrdup(text), *save = NULL;
	size_t column = 0;

	for (char *word = strtok_r(copy, " \n", &save); word; word = strtok_r(NULL, " \n", &save)) {
		size_t len = strlen(word);

		if (column && column + 1 + len > REPORT_WIDTH) {
			strbuf_putc(out, '\n', 1);
			strbuf_putc(out, ' ', indent);
			column = indent;
		} else if (column) {
			strbuf_putc(out, ' ', 1);
			column++;
		}
		strbuf_puts(out, word);
		column += len;
	}
	strbuf_putc(out, '\n', 1);
	free(copy);
}
