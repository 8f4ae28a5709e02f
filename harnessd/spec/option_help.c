/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Option rows as text for a terminal of 80 columns. */
#include "spec/option.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "spec/option_value.h"

enum { WIDTH = 79, NAME_MAX_WIDTH = 20 };

/* Characters, not bytes. */
static size_t width_of(const char *text, size_t len)
{
	size_t n = 0;

	for (size_t i = 0; i < len; i++)
		n += ((unsigned char)text[i] & 0xc0) != 0x80;
	return n;
}

/* Words of @text from column @at on, further lines indented by @indent; ends the line. */
static void wrap(struct strbuf *out, const char *text, size_t at, size_t indent)
{
	bool first = true;

	for (text += strspn(text, " \n"); *text; text += strspn(text, " \n")) {
		size_t len = strcspn(text, " \n"), width = width_of(text, len);

		if (!first && at + 1 + width > WIDTH) {
			strbuf_putc(out, '\n', 1);
			strbuf_putc(out, ' ', indent);
			at = indent;
		} else if (!first) {
			strbuf_putc(out, ' ', 1);
			at++;
		}
		strbuf_add(out, text, len);
		at += width;
		text += len;
		first = false;
	}
	strbuf_putc(out, '\n', 1);
}

static void paragraph(struct strbuf *out, const char *text, size_t indent)
{
	strbuf_putc(out, ' ', indent);
	wrap(out, text, indent, indent);
}

static size_t name_width(const struct option_table *table)
{
	size_t width = 0;

	for (const struct option_row *row = table->rows; row->name; row++) {
		size_t w = strlen(row->name);

		if (w > width && w <= NAME_MAX_WIDTH)
			width = w;
	}
	return width;
}

static void add_row(struct strbuf *out, const struct option_row *row, size_t width)
{
	size_t indent = width + 4, len = strlen(row->name);
	char *takes = option_takes(row), *text;

	strbuf_printf(out, "  %s", row->name);
	if (len > width)
		strbuf_putc(out, '\n', 1);
	strbuf_putc(out, ' ', len > width ? indent : indent - 2 - len);
	text = xasprintf("%s%s%s%s", takes, row->required ? "; required" : "",
		row->dflt ? "; default " : "", row->dflt ? row->dflt : "");
	wrap(out, text, indent, indent);
	free(text);
	free(takes);
	if (row->help)
		paragraph(out, row->help, indent);
	if (row->example) {
		text = xasprintf("example: %s: %s", row->name, row->example);
		paragraph(out, text, indent);
		free(text);
	}
}

static void add_table(struct strbuf *out, const struct option_table *table, const char *heading)
{
	size_t width = name_width(table), at = strlen(heading) + 2;

	strbuf_printf(out, "%s: ", heading);
	wrap(out, table->help, at, 2);
	if (table->shorthand)
		strbuf_printf(out, "  A plain value in its place sets '%s'.\n", table->shorthand);
	for (const struct option_row *row = table->rows; row->name; row++) {
		strbuf_putc(out, '\n', 1);
		add_row(out, row, width);
	}
	for (const struct option_row *row = table->rows; row->name; row++) {
		char *deeper;

		if (!row->table)
			continue;
		strbuf_putc(out, '\n', 1);
		deeper = xasprintf("%s, %s '%s'", heading,
			row->type == OPT_TABLES ? "each of" : "below", row->name);
		add_table(out, row->table, deeper);
		free(deeper);
	}
}

void options_help(const struct option_table *table, struct strbuf *out)
{
	add_table(out, table, table->name);
}
