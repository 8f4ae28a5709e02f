/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collectors/cpu_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/alloc.h"
#include "base/cpulist.h"
#include "base/strbuf.h"

/*            CPU0       CPU1
 *   0:        122          0   IO-APIC   2-edge      timer
 * RES:         85         69   Rescheduling interrupts
 * ERR:          0
 */

static bool has_cpu(const struct cpu_table *t, int cpu)
{
	for (size_t i = 0; i < t->n_cpus; i++)
		if (t->cpu[i] == cpu)
			return true;
	return false;
}

/* The header's columns ascend, so a repeated CPU is found by looking at the one before, mostly. */
static int parse_header(struct span line, struct cpu_table *t, struct error *err)
{
	struct span word;
	size_t cap = 0;

	while (span_word(&line, &word)) {
		struct span number = word;
		uint64_t cpu;

		if (!span_skip(&number, "CPU") || !span_u64(number, &cpu) || cpu > CPULIST_MAX_CPU)
			return error_set(err, -EINVAL,
				"the first line is no header of CPU columns (CPU0 CPU1 ...)");
		if (t->n_cpus && (int)cpu <= t->cpu[t->n_cpus - 1] && has_cpu(t, (int)cpu))
			return error_set(err, -EINVAL, "the header names CPU%d twice", (int)cpu);
		array_reserve(t->cpu, t->n_cpus, cap);
		t->cpu[t->n_cpus++] = (int)cpu;
	}
	return 0;
}

static struct span next_header(struct span *text)
{
	struct span line = { text->p, text->p };

	while (span_line(text, &line) && span_blank(line))
		;
	return line;
}

/* Columns are mostly blanks: eight at a time. */
static const char *skip_blanks(const char *p, const char *end)
{
	uint64_t word;

	for (; end - p >= 8; p += 8) {
		memcpy(&word, p, 8);
		if (word != UINT64_C(0x2020202020202020))
			break;
	}
	while (p < end && *p == ' ')
		p++;
	return p;
}

/* The loop that reads 150,000 numbers: digits up to 19 cannot overflow, more are no number, and a
 * word that goes on behind the digits ("3f00b880.mailbox") is text. */
static size_t read_counters(struct span *s, uint64_t *count, size_t max)
{
	const char *p = s->p, *end = s->end;
	size_t n = 0;

	while (n < max) {
		const char *q = skip_blanks(p, end), *first;
		uint64_t v = 0;
		unsigned int digit;

		for (first = q; q < end && (digit = (unsigned int)*q - '0') < 10; q++)
			v = v * 10 + digit;
		if (q == first || q - first > 19 || (q < end && *q != ' ' && *q != '\t'))
			break;
		count[n++] = v;
		p = q;
	}
	s->p = p;
	return n;
}

/* Where the machine has one CPU only, its name tells a row of one counter for the machine. */
static bool machine_wide_name(struct span key)
{
	static const char *const names[] = { "ERR", "MIS", "BAD" };

	for (size_t i = 0; i < array_size(names); i++)
		if (span_len(key) == 3 && strncasecmp(key.p, names[i], 3) == 0)
			return true;
	return false;
}

static bool described_before(const struct cpu_table *t)
{
	for (size_t i = t->n_rows; i-- > 0;)
		if (t->row[i].kind == CPU_ROW_FULL)
			return span_len(t->row[i].description) > 0;
	return false;
}

/* @open: the text ends within this line, so what is missing may have been cut off.
 * Return: false for a row that is none. */
static bool classify(const struct cpu_table *t, struct cpu_row *row, size_t numbers, bool open)
{
	bool bare = span_len(row->description) == 0;

	if (numbers == 0) {
		row->kind = CPU_ROW_TEXT;
		return true;
	}
	if (numbers == 1 && (t->n_cpus > 1 || (bare && machine_wide_name(row->key)))) {
		row->kind = CPU_ROW_SINGLE;
		return !open || machine_wide_name(row->key);
	}
	row->kind = CPU_ROW_FULL;
	return numbers == t->n_cpus && !(open && bare && described_before(t));
}

static int refuse_row(const struct cpu_table *t, size_t numbers, struct error *err)
{
	char *name = span_text(t->row[t->n_rows].key);

	error_set(err, -EINVAL,
		"row %zu ('%s') has %zu whole numbers for %zu CPUs; the text is cut off or none of "
		"this kind",
		t->n_rows, name, numbers, t->n_cpus);
	free(name);
	return -EINVAL;
}

static int parse_row(struct span line, bool open, struct cpu_table *t, struct error *err)
{
	struct cpu_row *row;
	struct span key = line;
	const char *colon = memchr(line.p, ':', span_len(line));
	size_t numbers;

	if (!colon)
		return error_set(err, -EINVAL,
			"row %zu has no name and colon; the text is cut off or none of this kind",
			t->n_rows);
	array_reserve(t->row, t->n_rows, t->cap_rows);
	row = &t->row[t->n_rows];
	key.end = colon;
	line.p = colon + 1;
	*row = (struct cpu_row){ .row = t->n_rows, .key = span_trim(key) };
	row->count = t->cells + t->n_cells;
	numbers = read_counters(&line, row->count, t->n_cpus);
	row->description = span_trim(line);
	if (!classify(t, row, numbers, open))
		return refuse_row(t, numbers, err);
	t->n_cells += numbers;
	t->n_rows++;
	return 0;
}

/* Room for a counter of each CPU in each line; but a number takes two bytes at least, so a text of
 * many short lines gets no more than it can fill. */
static size_t room_for(struct span rest, size_t n_cpus)
{
	size_t lines = 1, most = span_len(rest) / 2 + n_cpus + 1;
	const char *p = rest.p, *eol;

	while (p < rest.end && (eol = memchr(p, '\n', (size_t)(rest.end - p)))) {
		lines++;
		p = eol + 1;
	}
	return lines < most / n_cpus ? lines * n_cpus : most;
}

int cpu_table_parse(const char *text, size_t len, struct cpu_table *table, struct error *err)
{
	struct span rest = span_of(text, len), line;
	int r;

	*table = CPU_TABLE_INIT;
	r = parse_header(next_header(&rest), table, err);
	if (r < 0)
		return r;
	if (!table->n_cpus)
		return error_set(err, -EINVAL, "the text is empty: there is no header of CPUs");
	table->cells = xmalloc(room_for(rest, table->n_cpus) * sizeof(*table->cells));
	while (span_line(&rest, &line)) {
		bool open = line.end == text + len;

		if (span_blank(line))
			continue;
		r = parse_row(line, open, table, err);
		if (r < 0)
			return r;
	}
	return 0;
}

void cpu_table_release(struct cpu_table *table)
{
	free(table->cpu);
	free(table->row);
	free(table->cells);
	*table = CPU_TABLE_INIT;
}

/* ---- Differences ---- */

/* CPUs of a that b lacks, as "3,7"; owned by the caller. */
static char *missing_cpus(const struct cpu_table *a, const struct cpu_table *b)
{
	struct cpulist list = CPULIST_INIT;
	char *text;

	for (size_t i = 0; i < a->n_cpus; i++)
		if (!has_cpu(b, a->cpu[i]))
			cpulist_add(&list, a->cpu[i]);
	text = cpulist_format(&list);
	cpulist_release(&list);
	return text;
}

static int stale(const struct cpu_table *before, const struct cpu_table *after, struct error *err)
{
	char *gone = missing_cpus(before, after), *new = missing_cpus(after, before);

	error_set(err, -ESTALE, "the CPUs changed between the two snapshots:%s%s%s%s%s",
		*gone ? " gone: " : "", gone, *gone && *new ? ";" : "", *new ? " new: " : "", new);
	free(gone);
	free(new);
	return -ESTALE;
}

/* before's column for each column of after; NULL when the CPUs differ. Owned by the caller. */
static size_t *map_columns(const struct cpu_table *before, const struct cpu_table *after)
{
	size_t *map, i, hint = 0;

	if (before->n_cpus != after->n_cpus)
		return NULL;
	map = xcalloc(after->n_cpus, sizeof(*map));
	for (i = 0; i < after->n_cpus; i++, hint++) {
		if (hint >= before->n_cpus || before->cpu[hint] != after->cpu[i])
			for (hint = 0; hint < before->n_cpus; hint++)
				if (before->cpu[hint] == after->cpu[i])
					break;
		if (hint == before->n_cpus) {
			free(map);
			return NULL;
		}
		map[i] = hint;
	}
	return map;
}

static bool same_row(const struct cpu_row *a, const struct cpu_row *b, bool with_description)
{
	return a->kind == b->kind && span_same(a->key, b->key) &&
	       (!with_description || span_same(a->description, b->description));
}

/* The first row of before that fits and is not taken yet. Both tables have nearly the same order,
 * so the search starts where the last one ended. */
static struct cpu_row *find_row(const struct cpu_table *before, const bool *taken,
	const struct cpu_row *row, bool with_description, size_t *hint)
{
	for (size_t k = 0; k < before->n_rows; k++) {
		size_t i = (*hint + k) % before->n_rows;

		if (taken[i] || !same_row(&before->row[i], row, with_description))
			continue;
		*hint = i + 1;
		return &before->row[i];
	}
	return NULL;
}

/* partner[i]: before's row for after's row i, or NULL. A device that joined a shared line changes
 * the description, so what is left over after the exact matches is matched by the key alone. */
static void match_rows(const struct cpu_table *before, const struct cpu_table *after,
	struct cpu_row **partner, bool *taken)
{
	for (int exact = 1; exact >= 0; exact--) {
		size_t hint = 0;

		for (size_t i = 0; i < after->n_rows; i++) {
			if (partner[i])
				continue;
			/* Repeated keys are told apart by their order: begin anew each time. */
			partner[i] = find_row(before, taken, &after->row[i], exact, &hint);
			if (partner[i])
				taken[partner[i] - before->row] = true;
		}
	}
}

/* Return: false when the counter was set back: no trial counts two thousand million interrupts. */
static bool subtract_cell(uint64_t before, uint64_t *after)
{
	uint64_t d;

	if (*after >= before) {
		*after -= before;
		return true;
	}
	d = *after + (UINT64_C(1) << 32) - before;
	if (before > UINT32_MAX || d >= UINT64_C(1) << 31)
		return false;
	*after = d;
	return true;
}

static void note_row(struct values *notes, const struct cpu_row *row, const char *what)
{
	char *key = span_text(row->key), *text = span_text(row->description);

	values_note(
		notes, "row %s%s%s%s: %s", key, *text ? " (" : "", text, *text ? ")" : "", what);
	free(key);
	free(text);
}

static void subtract_row(const struct cpu_row *from, const size_t *map, size_t n,
	struct cpu_row *row, struct values *notes)
{
	if (!from) {
		note_row(notes, row, "appeared between the snapshots, counted from 0");
		return;
	}
	if (!span_same(from->description, row->description))
		note_row(notes, row, "its description changed between the snapshots");
	if (row->kind == CPU_ROW_SINGLE)
		n = 1;
	for (size_t i = 0; i < n; i++) {
		if (subtract_cell(from->count[n == 1 ? 0 : map[i]], &row->count[i]))
			continue;
		note_row(notes, row, "was set back between the snapshots, left out");
		row->kind = CPU_ROW_TEXT;
		return;
	}
}

int cpu_table_subtract(const struct cpu_table *before, struct cpu_table *after,
	struct values *notes, struct error *err)
{
	size_t *map = map_columns(before, after);
	struct cpu_row **partner;
	bool *taken;

	if (!map)
		return stale(before, after, err);
	partner = xcalloc(after->n_rows + 1, sizeof(struct cpu_row *));
	taken = xcalloc(before->n_rows + 1, sizeof(*taken));
	match_rows(before, after, partner, taken);
	for (size_t i = 0; i < after->n_rows; i++)
		if (after->row[i].kind != CPU_ROW_TEXT)
			subtract_row(partner[i], map, after->n_cpus, &after->row[i], notes);
	for (size_t i = 0; i < before->n_rows; i++)
		if (!taken[i])
			note_row(notes, &before->row[i], "vanished between the snapshots");
	free(taken);
	free(partner);
	free(map);
	return 0;
}

/* ---- Values ---- */

/* The first value of a row goes through the pool of strings; the others differ from it in their CPU
 * alone, so that a big machine's 150,000 values are cheap. */
void cpu_table_emit(const struct cpu_table *table, const struct cpu_row *row,
	const struct value *model, bool zeros, struct values *out)
{
	size_t n = row->kind == CPU_ROW_FULL ? table->n_cpus : row->kind == CPU_ROW_SINGLE;
	struct value like = { 0 };

	for (size_t i = 0; i < n; i++) {
		struct value *v;

		if (!row->count[i] && !zeros)
			continue;
		if (!like.name) {
			v = values_add(out, model->name, model->unit, 0);
			for (size_t k = 0; k < model->n_labels; k++)
				values_label(out, v, model->labels[k].key, model->labels[k].value);
			like = *v;
		} else {
			array_reserve(out->v, out->n, out->cap);
			v = &out->v[out->n++];
			*v = like;
		}
		v->value = (double)row->count[i];
		if (row->kind == CPU_ROW_FULL)
			values_label_int(out, v, "cpu", table->cpu[i]);
	}
}
