/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Interrupts by line and CPU. */
#include <stdlib.h>

#include "collectors/collector.h"
#include "collectors/cpu_table.h"

static void label_row(struct values *out, struct value *v, const char *key, const char *text)
{
	values_label(out, v, "irq", key);
	if (*text)
		values_label(out, v, "description", text);
}

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
	size_t n = row->kind == CPU_ROW_FULL ? t->n_cpus : row->kind == CPU_ROW_SINGLE;

	for (size_t i = 0; i < n; i++) {
		struct value *v;

		if (!row->count[i] && !zeros)
			continue;
		v = values_add(out, "interrupts", "count", (double)row->count[i]);
		label_row(out, v, key, text);
		if (row->kind == CPU_ROW_FULL)
			values_label_int(out, v, "cpu", t->cpu[i]);
		if (place)
			values_label_int(out, v, "row", (long)row->row);
	}
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
	const struct collector_text *last = after ? after : before;
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
