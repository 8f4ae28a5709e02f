/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Option rows as text for a terminal of 80 columns. */
#include "spec/option.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/wrap.h"
#include "spec/option_value.h"

enum { NAME_MAX_WIDTH = 20 };

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
	char *text = option_summary(row);

	strbuf_printf(out, "  %s", row->name);
	if (len > width)
		strbuf_putc(out, '\n', 1);
	strbuf_putc(out, ' ', len > width ? indent : indent - 2 - len);
	wrap_words(out, text, indent, indent);
	free(text);
	if (row->help)
		wrap_paragraph(out, row->help, indent);
	if (row->example) {
		text = xasprintf("example: %s: %s", row->name, row->example);
		wrap_paragraph(out, text, indent);
		free(text);
	}
}

static void add_table(struct strbuf *out, const struct option_table *table, const char *heading)
{
	size_t width = name_width(table), at = strlen(heading) + 2;

	strbuf_printf(out, "%s: ", heading);
	wrap_words(out, table->help, at, 2);
	if (table->shorthand)
		strbuf_printf(out, "  A plain value in place of the mapping sets '%s'.\n",
			table->shorthand);
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
