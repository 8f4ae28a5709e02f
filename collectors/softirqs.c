/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Softirqs by kind and CPU. The file has a column for every possible CPU, offline ones too, so
 * taking a CPU offline does not show here. */
#include <stdlib.h>

#include "collectors/collector.h"
#include "collectors/cpu_table.h"

static void emit_row(
	const struct cpu_table *t, const struct cpu_row *row, bool zeros, struct values *out)
{
	char *key = span_text(row->key);
	const struct value model = {
		.name = "softirqs", .unit = "count", .n_labels = 1, .labels = { { "softirq", key } }
	};

	cpu_table_emit(t, row, &model, zeros, out);
	if (row->kind == CPU_ROW_TEXT)
		values_note(out, "row %zu ('%s') has no numbers", row->row, key);
	free(key);
}

static int parse(const struct collector_text *before, const struct collector_text *after, bool all,
	struct values *out, struct error *err)
{
	const struct collector_text *last = collector_text_last(before, after);
	struct cpu_table old = CPU_TABLE_INIT, new = CPU_TABLE_INIT;
	int r = cpu_table_parse(last->text, last->len, &new, err);

	if (!r && before && after) {
		r = cpu_table_parse(before->text, before->len, &old, err);
		if (!r)
			r = cpu_table_subtract(&old, &new, out, err);
	} else {
		all = true;
	}
	for (size_t i = 0; !r && i < new.n_rows; i++)
		emit_row(&new, &new.row[i], all, out);
	cpu_table_release(&old);
	cpu_table_release(&new);
	return r;
}

static const char *const aliases[] = { "proc_softirqs", NULL };
static const char *const paths[] = { "proc/softirqs", NULL };

const struct collector_ops softirqs_collector = {
	.name = "softirqs",
	.aliases = aliases,
	.help = "softirqs of each kind on each CPU",
	.paths = paths,
	.parse = parse,
};
