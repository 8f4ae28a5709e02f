/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Time spent in interrupt handlers by name, as bcc's hardirqs and softirqs print it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "collectors/collector.h"
#include "collectors/scan.h"

/* Tracing hard irq event time... Hit Ctrl-C to end.
 * ^C
 * HARDIRQ                    TOTAL_usecs
 * callfuncsingle0                      2
 * eth0                             11441
 *
 * With an interval there is a table for each; they are added up. */

struct row {
	struct span name;
	uint64_t count;
};

struct table {
	struct row *row;
	size_t n, cap;
	size_t tables, more_columns;
	const char *name, *unit;
};

static const struct {
	const char *column, *name, *unit;
} columns[] = {
	{ "TOTAL_usecs", "irq_time", "us" },
	{ "TOTAL_nsecs", "irq_time", "ns" },
	{ "TOTAL_count", "irq_count", "count" },
	{ "COUNT", "irq_count", "count" },
};

/* "HARDIRQ TOTAL_usecs", in newer versions with more columns ("MAX_usecs"): the first is read. */
static bool parse_heading(struct span line, struct table *t)
{
	struct span first, column, more;

	if (!span_word(&line, &first) || !span_word(&line, &column) ||
		!(span_eq(first, "HARDIRQ") || span_eq(first, "SOFTIRQ")))
		return false;
	for (size_t i = 0; i < array_size(columns); i++) {
		if (!span_eq(column, columns[i].column))
			continue;
		t->name = columns[i].name;
		t->unit = columns[i].unit;
		t->tables++;
		for (t->more_columns = 0; span_word(&line, &more);)
			t->more_columns++;
		return true;
	}
	return false;
}

static bool cut_last_number(struct span *line, uint64_t *number)
{
	struct span word = *line = span_trim(*line);

	while (word.end > word.p && word.end[-1] >= '0' && word.end[-1] <= '9')
		word.end--;
	if (word.end == line->p || (word.end[-1] != ' ' && word.end[-1] != '\t'))
		return false;
	word = (struct span){ word.end, line->end };
	line->end = word.p;
	return span_u64(word, number);
}

/* The numbers are the last words: names may hold blanks ("VCHIQ doorbell"). */
static bool parse_row(struct span line, size_t more_columns, struct row *row)
{
	for (size_t i = 0; i <= more_columns; i++)
		if (!cut_last_number(&line, &row->count))
			return false;
	row->name = span_trim(line);
	return span_len(row->name);
}

static void add_row(struct table *t, const struct row *row)
{
	for (size_t i = 0; i < t->n; i++) {
		if (span_same(t->row[i].name, row->name)) {
			t->row[i].count += row->count;
			return;
		}
	}
	array_reserve(t->row, t->n, t->cap);
	t->row[t->n++] = *row;
}

/* Why the tool printed no table: the line that says most, mostly the last of a Python trace. */
static int explain_failure(struct span text, struct error *err)
{
	struct span all = text, line, reason = { text.p, text.p };
	bool headers = span_find(all, "kernel headers");
	char *said;

	while (span_line(&text, &line))
		if (span_find(line, "rror") || span_find(line, "xception") ||
			span_find(line, "ailed"))
			reason = line;
	if (span_blank(reason))
		return error_set(err, -EINVAL,
			"there is no table of interrupt times (HARDIRQ ... TOTAL_usecs)");
	said = span_text(reason);
	error_set(err, -EINVAL, "the tool measured nothing: %s%s", said,
		headers ? "; it found no kernel headers, install those of the running kernel" : "");
	free(said);
	return -EINVAL;
}

static int parse_table(const struct collector_text *text, struct table *t, struct error *err)
{
	struct span rest = span_of(text->text, text->len), line;
	bool inside = false;

	*t = (struct table){ 0 };
	while (span_line(&rest, &line)) {
		struct row row;

		if (parse_heading(line, t))
			inside = true;
		else if (span_find(line, "count") && span_find(line, "distribution"))
			return error_set(
				err, -EINVAL, "histograms are not read; run the tool without -d");
		else if (inside && parse_row(line, t->more_columns, &row))
			add_row(t, &row);
	}
	if (!t->tables)
		return explain_failure(span_of(text->text, text->len), err);
	return 0;
}

/* "resched5" and "resched": a Xen guest has an interrupt of its own name for each CPU. */
static struct span group_of(struct span name)
{
	while (name.end > name.p && name.end[-1] >= '0' && name.end[-1] <= '9')
		name.end--;
	return name;
}

static void emit_groups(const struct table *t, const char *name, struct values *out)
{
	for (size_t i = 0; i < t->n; i++) {
		struct span group = group_of(t->row[i].name);
		uint64_t sum = 0;
		size_t members = 0;
		bool first = true;
		char *text;

		for (size_t k = 0; k < t->n; k++) {
			if (!span_same(group_of(t->row[k].name), group))
				continue;
			first = first && k >= i;
			sum += t->row[k].count;
			members++;
		}
		if (!first || members < 2 || !span_len(group))
			continue;
		text = span_text(group);
		values_label(out, values_add(out, name, t->unit, (double)sum), "group", text);
		free(text);
	}
}

static void emit(const struct table *t, struct values *out)
{
	char *total = xasprintf("%s_total", t->name), *group = xasprintf("%s_group", t->name);
	uint64_t sum = 0;

	for (size_t i = 0; i < t->n; i++) {
		char *text = span_text(t->row[i].name);

		sum += t->row[i].count;
		values_label(out, values_add(out, t->name, t->unit, (double)t->row[i].count), "irq",
			text);
		free(text);
	}
	emit_groups(t, group, out);
	values_add(out, total, t->unit, (double)sum);
	if (t->tables > 1)
		values_note(out, "%zu tables, added up", t->tables);
	free(group);
	free(total);
}

static int parse(const struct collector_text *before, const struct collector_text *after, bool all,
	struct values *out, struct error *err)
{
	struct table t;
	int r;

	(void)all;
	if (before && after)
		return error_set(err, -EINVAL, "this is the output of a tool: one text, not two");
	r = parse_table(collector_text_last(before, after), &t, err);
	if (!r)
		emit(&t, out);
	free(t.row);
	return r;
}

static const char *const aliases[] = { "hardirqs", "bcc_hardirqs", "bcc_hardirqs_error", NULL };

const struct collector_ops irqtime_collector = {
	.name = "irqtime",
	.aliases = aliases,
	.help = "time in interrupt handlers by name (reads what bcc's hardirqs printed)",
	.parse = parse,
};
