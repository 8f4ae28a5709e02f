/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Output of perf(1)'s "stat": for people, with -x SEP, or with -j. */
#include "collectors/perf_stat.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "collectors/collector.h"

/* The form for people is in perf_stat_text.c. With -x (fields in brackets only with -I, -A, -r, -G):
 *	[time,][place,[cpus,]]value,unit,event,[cgroup,][spread%,]run time,running share,metric,unit
 *	     1.000847637,7983519073,,cpu-cycles,14769092582,16.68,0.090,GHz
 *	CPU0,<not supported>,,cycles,0,100.00,,
 * with -j one object a line:
 *	{"counter-value" : "4986.000000", "unit" : "", "event" : "context-switches",
 *	 "event-runtime" : 103725682, "pcnt-running" : 100.00, ...} */

/* Below this a scaled counter is an estimate and decides nothing (as in perf.c). */
#define RUNNING_SHARE_TRUSTED 95.0

enum { MAX_FIELDS = 16 };

struct rows {
	struct perf_stat_row *row;
	size_t n, cap;
	struct perf_stat_seconds seconds;
	size_t ignored, first_ignored;
	json_t *objects;
};

static void rows_release(struct rows *rows)
{
	free(rows->row);
	json_decref(rows->objects);
}

static void rows_init(struct rows *rows)
{
	*rows = (struct rows){ .seconds = { -1, -1, -1 } };
}

static void add_row(struct rows *rows, const struct perf_stat_row *row)
{
	array_reserve(rows->row, rows->n, rows->cap);
	rows->row[rows->n++] = *row;
}

static void ignore_line(struct rows *rows, size_t number)
{
	if (!rows->ignored++)
		rows->first_ignored = number;
}

bool perf_stat_value(struct span text, struct perf_stat_row *row)
{
	row->value = 0;
	row->state = PERF_STAT_COUNTED;
	if (span_eq(text, "<not counted>"))
		row->state = PERF_STAT_NOT_COUNTED;
	else if (span_eq(text, "<not supported>"))
		row->state = PERF_STAT_NOT_SUPPORTED;
	else
		return span_real(text, &row->value) && row->value >= 0;
	return true;
}

/* ---- Fields with a separator ---- */

enum csv { CSV_NONE, CSV_ROW, CSV_METRIC_ONLY, CSV_SURPRISE };

/* "16.68": perf always prints two decimals, so "100" followed by "00" is a comma of the locale. */
static bool percent(struct span s, double *value)
{
	return span_len(s) >= 4 && s.end[-3] == '.' && span_real(s, value) && *value <= 100;
}

static bool is_time(struct span s)
{
	double v;

	s = span_trim(s);
	return span_len(s) >= 11 && s.end[-10] == '.' && span_real(s, &v);
}

/* Index of the value: behind the time and the place. */
static size_t skip_prefix(const struct span *field, size_t n, struct perf_stat_row *row)
{
	size_t i = 0;
	uint64_t cpus;

	if (i < n && is_time(field[i]))
		row->time = span_trim(field[i++]);
	if (i + 1 < n && span_len(field[i]) && !perf_stat_value(field[i], row) &&
		span_len(span_trim(field[i])) > 1 && strchr("CSDN", *span_trim(field[i]).p)) {
		row->place = span_trim(field[i++]);
		/* "S0,8,1234,,cycles": so many CPUs were added up. */
		if (*row->place.p != 'C' && i + 3 < n && span_u64(field[i], &cpus) &&
			perf_stat_value(field[i + 1], row))
			i++;
	}
	return i;
}

static bool looks_like_event(struct span s)
{
	double v;

	s = span_trim(s);
	return span_len(s) && !span_real(s, &v) && *s.p != '<';
}

static enum csv parse_fields(
	const struct span *field, size_t n, bool blanks, struct perf_stat_row *row)
{
	size_t i = skip_prefix(field, n, row), rest;
	struct span spread;
	uint64_t run_time;

	if (i + 5 > n)
		return CSV_NONE;
	if (!span_len(field[i]) && !span_len(field[i + 1]) && !span_len(field[i + 2]))
		return CSV_METRIC_ONLY;
	if (!perf_stat_value(field[i], row) || !looks_like_event(field[i + 2]))
		return CSV_NONE;
	row->unit = field[i + 1];
	row->event = span_trim(field[i + 2]);
	i += 3;
	if (i + 2 < n && !span_u64(field[i], &run_time) && !span_ends(field[i], "%"))
		row->cgroup = field[i++];
	spread = field[i];
	if (i + 2 < n && span_ends(spread, "%")) {
		spread.end--;
		if (!span_real(spread, &row->spread))
			return CSV_NONE;
		i++;
	}
	if (!span_u64(field[i], &run_time))
		return CSV_NONE;
	if (i + 1 >= n || !percent(field[i + 1], &row->running))
		return CSV_SURPRISE;
	rest = n - (i + 2); /* a metric and its unit, or neither; units may hold blanks */
	return blanks || rest == 0 || rest == 2 ? CSV_ROW : CSV_SURPRISE;
}

static enum csv parse_csv_line(struct span line, char sep, struct perf_stat_row *row)
{
	struct span field[MAX_FIELDS], rest = line;
	size_t n = 0;

	*row = (struct perf_stat_row){ .running = -1, .spread = -1 };
	if (sep == ' ')
		rest = span_trim(rest);
	while (n < MAX_FIELDS && span_field(&rest, sep, &field[n]))
		n++;
	return parse_fields(field, n, sep == ' ', row);
}

/* Return: number of counters with this separator; *surprise is the first line with a wrong number
 * of fields. */
static size_t parse_csv(struct span text, char sep, struct rows *rows, size_t *surprise)
{
	struct perf_stat_row row;
	struct span line;
	size_t number = 0;

	*surprise = 0;
	while (span_line(&text, &line)) {
		number++;
		if (span_blank(line) || *span_trim(line).p == '#')
			continue;
		switch (parse_csv_line(line, sep, &row)) {
		case CSV_ROW:
			row.line = number;
			add_row(rows, &row);
			break;
		case CSV_NONE:
			ignore_line(rows, number);
			break;
		case CSV_SURPRISE:
			if (!*surprise)
				*surprise = number;
			break;
		case CSV_METRIC_ONLY:
			break;
		}
	}
	return rows->n;
}

/* The separator is not told: it is the one that makes most counters of the lines. */
static int find_csv(struct span text, struct rows *rows, struct error *err)
{
	static const char separators[] = ",;|:\t ";
	size_t surprise = 0;

	for (const char *sep = separators; *sep; sep++) {
		struct rows found;
		size_t odd;

		rows_init(&found);
		parse_csv(text, *sep, &found, &odd);
		if (odd && !surprise && *sep != ' ')
			surprise = odd;
		if (found.n > rows->n) {
			rows_release(rows);
			*rows = found;
			surprise = *sep == ' ' ? 0 : odd;
		} else {
			rows_release(&found);
		}
	}
	if (surprise)
		return error_set(err, -EINVAL,
			"line %zu has another number of fields than perf prints; if they are "
			"decimal "
			"commas, run perf with LC_ALL=C or with -x\\;",
			surprise);
	return 0;
}

/* ---- JSON ---- */

static struct span json_span(const json_t *object, const char *key)
{
	return span_str(json_str(object, key, ""));
}

static bool parse_json_object(const json_t *object, struct perf_stat_row *row)
{
	*row = (struct perf_stat_row){
		.event = json_span(object, "event"),
		.unit = json_span(object, "unit"),
		.cgroup = json_span(object, "cgroup"),
		.running = json_num(object, "pcnt-running", -1),
		.spread = json_num(object, "variance", -1),
	};
	for (const char *const *key =
			(const char *const[]){ "cpu", "core", "die", "socket", "node", NULL };
		*key; key++)
		if (json_str(object, *key, NULL))
			row->place = json_span(object, *key);
	return span_len(row->event) && row->running <= 100 &&
	       perf_stat_value(json_span(object, "counter-value"), row);
}

/* The time of an interval is a number in JSON and a label here: taken from the line as written. */
static struct span json_time(struct span line)
{
	struct span number = { line.p, line.p };

	if (!span_after(&line, "\"interval\" :"))
		return number;
	line = span_trim(line);
	number.p = number.end = line.p;
	while (number.end < line.end && strchr("0123456789.", *number.end) && *number.end)
		number.end++;
	return number;
}

static int parse_json(struct span text, struct rows *rows, struct error *err)
{
	struct span line;
	size_t number = 0;

	rows->objects = json_array();
	while (span_line(&text, &line)) {
		struct perf_stat_row row;
		struct error why = ERROR_INIT;
		json_t *object;

		number++;
		line = span_trim(line);
		if (!span_len(line) || *line.p != '{') {
			if (span_len(line) && *line.p != '#')
				ignore_line(rows, number);
			continue;
		}
		if (json_parse(line.p, span_len(line), &object, &why) < 0) {
			error_set(err, -EINVAL,
				"line %zu is %s; if it has decimal commas, run perf with LC_ALL=C",
				number, error_text(&why));
			error_release(&why);
			return -EINVAL;
		}
		json_array_append_new(rows->objects, object);
		if (json_object_get(object, "counter-value") == NULL)
			continue; /* a metric only */
		if (!parse_json_object(object, &row))
			return error_set(err, -EINVAL, "line %zu is no counter of perf", number);
		row.line = number;
		row.time = json_time(line);
		add_row(rows, &row);
	}
	return 0;
}

/* ---- Text ---- */

static void parse_text(struct span text, struct rows *rows)
{
	struct span line;
	size_t number = 0;

	while (span_line(&text, &line)) {
		struct perf_stat_row row = { .line = ++number };
		struct span trimmed = span_trim(line);

		if (!span_len(trimmed) || *trimmed.p == '#' ||
			perf_stat_text_seconds(line, &rows->seconds))
			continue;
		if (perf_stat_text_line(line, &row))
			add_row(rows, &row);
		else if (!span_find(line, "Performance counter stats for"))
			ignore_line(rows, number);
	}
}

/* ---- All of them ---- */

static int explain_nothing(struct span text, struct error *err)
{
	struct span rest = text, line = { text.p, text.p };
	char *said;

	while (span_line(&rest, &line) && (span_blank(line) || span_eq(line, "Error:")))
		;
	said = span_text(line);
	error_set(err, -EINVAL, "there are no counters of perf stat in the text%s%s",
		*said ? "; it begins: " : "", said);
	free(said);
	return -EINVAL;
}

static int parse_rows(struct span text, struct rows *rows, struct error *err)
{
	int r;

	rows_init(rows);
	if (span_find(text, "\"counter-value\"")) {
		r = parse_json(text, rows, err);
	} else {
		r = find_csv(text, rows, err);
		if (!r && !rows->n) {
			rows_release(rows);
			rows_init(rows);
			parse_text(text, rows);
		}
	}
	if (!r && !rows->n)
		r = explain_nothing(text, err);
	return r;
}

static void label_span(struct values *out, struct value *v, const char *key, struct span s)
{
	char *text = span_text(s);

	if (*text)
		values_label(out, v, key, text);
	free(text);
}

static void label_row(struct values *out, struct value *v, const struct perf_stat_row *row)
{
	struct span cpu = row->place;

	label_span(out, v, "event", row->event);
	if (span_skip(&cpu, "CPU"))
		label_span(out, v, "cpu", cpu);
	else
		label_span(out, v, "place", row->place);
	label_span(out, v, "cgroup", row->cgroup);
	label_span(out, v, "interval", row->time);
}

static void emit_row(const struct perf_stat_row *row, struct values *out)
{
	char *name = span_text(row->event), *unit = span_text(row->unit);

	label_row(out, values_add(out, name, *unit ? unit : "count", row->value), row);
	if (row->running >= 0 && row->running < 100)
		label_row(out, values_add(out, "running_share", "%", row->running), row);
	if (row->spread >= 0)
		label_row(out, values_add(out, "spread", "%", row->spread), row);
	free(unit);
	free(name);
}

/* Missing is not 0: no value, and one note for each event. */
static void note_missing(
	const struct rows *rows, enum perf_stat_state state, const char *what, struct values *out)
{
	for (size_t i = 0; i < rows->n; i++) {
		size_t times = 0;
		bool first = true;
		char *name;

		if (rows->row[i].state != state)
			continue;
		for (size_t k = 0; k < rows->n; k++) {
			if (rows->row[k].state != state ||
				!span_same(rows->row[k].event, rows->row[i].event))
				continue;
			first = first && k >= i;
			times++;
		}
		if (!first)
			continue;
		name = span_text(rows->row[i].event);
		if (times > 1)
			values_note(out, "%s: %s (%zu times)", name, what, times);
		else
			values_note(out, "%s: %s", name, what);
		free(name);
	}
}

static bool noted_before(const struct rows *rows, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (span_same(rows->row[k].event, rows->row[i].event))
			return true;
	return false;
}

/* One note for each event, with the smallest share of all its rows. */
static void note_multiplexing(const struct rows *rows, struct values *out)
{
	for (size_t i = 0; i < rows->n; i++) {
		double least = 100;
		char *name;

		if (noted_before(rows, i))
			continue;
		for (size_t k = i; k < rows->n; k++) {
			const struct perf_stat_row *row = &rows->row[k];

			if (row->state == PERF_STAT_COUNTED && row->running >= 0 &&
				row->running < least && span_same(row->event, rows->row[i].event))
				least = row->running;
		}
		if (least >= RUNNING_SHARE_TRUSTED)
			continue;
		name = span_text(rows->row[i].event);
		values_note(out,
			"%s was counted %.2f %% of the time and scaled up: no figure for a verdict",
			name, least);
		free(name);
	}
}

static void emit(const struct rows *rows, struct values *out)
{
	const struct perf_stat_seconds *s = &rows->seconds;

	for (size_t i = 0; i < rows->n; i++)
		if (rows->row[i].state == PERF_STAT_COUNTED)
			emit_row(&rows->row[i], out);
	if (s->elapsed >= 0)
		values_add(out, "elapsed", "s", s->elapsed)->better = BETTER_LOWER;
	if (s->user >= 0)
		values_add(out, "user", "s", s->user);
	if (s->sys >= 0)
		values_add(out, "sys", "s", s->sys);
	note_missing(rows, PERF_STAT_NOT_COUNTED, "not counted", out);
	note_missing(rows, PERF_STAT_NOT_SUPPORTED, "not supported", out);
	note_multiplexing(rows, out);
	if (rows->ignored)
		values_note(out, "%zu lines are no counters, the first is line %zu", rows->ignored,
			rows->first_ignored);
}

static int parse(const struct collector_text *before, const struct collector_text *after, bool all,
	struct values *out, struct error *err)
{
	const struct collector_text *text = collector_text_last(before, after);
	struct rows rows;
	int r;

	(void)all;
	if (before && after)
		return error_set(err, -EINVAL, "this is the output of a tool: one text, not two");
	r = parse_rows(span_of(text->text, text->len), &rows, err);
	if (!r)
		emit(&rows, out);
	rows_release(&rows);
	return r;
}

static const char *const aliases[] = { "perf_stat_csv", "perf_stat_text", "perf_stat_json", NULL };

const struct collector_ops perf_stat_collector = {
	.name = "perf_stat",
	.aliases = aliases,
	.help = "what perf stat printed: for people, with -x or with -j (reads its output only)",
	.parse = parse,
};
