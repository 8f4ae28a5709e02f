/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Interrupts by line and CPU. */
#include <stdio.h>
#include <stdlib.h>

#include "collectors/collector.h"
#include "collectors/cpu_table.h"

static bool repeated(const struct cpu_table *t, const struct cpu_row *row)
{
	for (size_t i = 0; i < t->n_rows; i++)
		if (&t->row[i] != row && span_same(t->row[i].key, row->key) &&
			span_same(t->row[i].description, row->description))
			return true;
	return false;
}

static void emit_row(const struct cpu_table *t, const struct cpu_row *row, bool zeros, bool place,
	struct values *out)
{
	char *key = span_text(row->key), *text = span_text(row->description);
	struct value model = {
		.name = "interrupts", .unit = "count", .n_labels = 1, .labels = { { "irq", key } }
	};
	char number[24];

	if (*text)
		model.labels[model.n_labels++] = (struct label){ "description", text };
	if (place) {
		snprintf(number, sizeof(number), "%zu", row->row);
		model.labels[model.n_labels++] = (struct label){ "row", number };
	}
	cpu_table_emit(t, row, &model, zeros, out);
	free(text);
	free(key);
}

static void note_text_rows(const struct cpu_table *t, struct values *out)
{
	for (size_t i = 0; i < t->n_rows; i++) {
		const struct cpu_row *row = &t->row[i];
		char *key, *text;

		if (row->kind != CPU_ROW_TEXT)
			continue;
		key = span_text(row->key);
		text = span_text(row->description);
		values_note(out, "row %zu ('%s') has no numbers%s%s", row->row, key,
			*text ? ", only the text " : "", text);
		free(text);
		free(key);
	}
}

/* The place of a row is part of one snapshot, but no good name for a counter that is compared with
 * that of another kernel: in differences it stands only where nothing else tells two rows apart. */
static void emit(const struct cpu_table *t, bool difference, bool zeros, struct values *out)
{
	for (size_t i = 0; i < t->n_rows; i++)
		emit_row(t, &t->row[i], zeros, !difference || repeated(t, &t->row[i]), out);
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
	} else if (!r) {
		note_text_rows(&new, out);
	}
	if (!r)
		emit(&new, before && after, all || !(before && after), out);
	cpu_table_release(&old);
	cpu_table_release(&new);
	return r;
}

static const char *const aliases[] = { "proc_interrupts", NULL };
static const char *const paths[] = { "proc/interrupts", NULL };

const struct collector_ops interrupts_collector = {
	.name = "interrupts",
	.aliases = aliases,
	.help = "interrupts of each line on each CPU, rescheduling and function calls among them",
	.paths = paths,
	.parse = parse,
};
