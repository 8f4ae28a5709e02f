/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "spec/option_man.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "spec/option_value.h"
#include "spec/roff.h"

static void add_row(const struct option_row *row, struct strbuf *out)
{
	char *summary = option_summary(row), *example;

	strbuf_puts(out, ".TP\n.B ");
	roff_words(out, row->name);
	roff_words(out, summary);
	if (row->help) {
		strbuf_puts(out, ".br\n");
		roff_words(out, row->help);
	}
	if (row->example) {
		example = xasprintf("%s: %s", row->name, row->example);
		strbuf_puts(out, ".br\nexample:\n.B ");
		roff_words(out, example);
		free(example);
	}
	free(summary);
}

static void add_nested(const struct option_row *row, struct strbuf *out)
{
	char *heading =
		xasprintf("%s '%s'", row->type == OPT_TABLES ? "Each of" : "Below", row->name);

	strbuf_puts(out, ".SS ");
	roff_words(out, heading);
	free(heading);
	options_man(row->table, out);
}

void options_man(const struct option_table *table, struct strbuf *out)
{
	roff_words(out, table->help);
	if (table->shorthand) {
		char *text = xasprintf(
			"A plain value in place of the mapping sets '%s'.", table->shorthand);

		roff_words(out, text);
		free(text);
	}
	for (const struct option_row *row = table->rows; row->name; row++)
		add_row(row, out);
	for (const struct option_row *row = table->rows; row->name; row++)
		if (row->table)
			add_nested(row, out);
}
