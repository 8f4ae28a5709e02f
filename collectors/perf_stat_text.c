/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collectors/perf_stat.h"

#include <string.h>

#include "base/alloc.h"

/* What "perf stat" prints for people, with thousands separators after the user's locale:
 *
 *              0.66 msec task-clock                 #    0.384 CPUs utilized
 *           978,399      cpu_core/instructions/     #    1.02  insn per cycle      (99.57%)
 *     <not counted>      cpu_atom/cycles/                                           (0.00%)
 *          1.642,81 msec task-clock                 #    1,137 CPUs utilized  ( +-  4.43% )
 *       0.361449066 seconds time elapsed */

enum { MAX_DIGITS = 40 };

/* What separates thousands: ' , . and the blanks of French (U+202F, U+00A0, and 0xA0 in Latin-1)
 * and of Switzerland (U+2019). Return: its length, 0 when it is none. */
static size_t separator_len(struct span s)
{
	static const char *const separators[] = { ",", ".", "'", "\xe2\x80\xaf", "\xc2\xa0",
		"\xe2\x80\x99", "\xa0" };

	for (size_t i = 0; i < array_size(separators); i++) {
		struct span rest = s;

		if (span_skip(&rest, separators[i]))
			return strlen(separators[i]);
	}
	return 0;
}

/* Counters are printed as whole numbers and times with two decimals, both grouped by thousands
 * (groups of two in India): so "," or "." before exactly two last digits is the decimal point and
 * any other separator stands between groups. */
static bool grouped_number(struct span s, double *value)
{
	char text[MAX_DIGITS + 2];
	size_t n = 0, group = 0;
	bool groups = false, point = false;

	while (s.p < s.end) {
		size_t sep = separator_len(s);

		if (*s.p >= '0' && *s.p <= '9') {
			if (n == MAX_DIGITS)
				return false;
			text[n++] = *s.p++;
			group++;
			continue;
		}
		if (!sep || !group || (groups && group != 3 && group != 2))
			return false;
		if (sep == 1 && (*s.p == ',' || *s.p == '.') && span_len(s) == 3) {
			point = true;
			text[n++] = '.';
		} else if (group > 3) {
			return false;
		}
		groups = true;
		group = 0;
		s.p += sep;
	}
	if (!group || (groups && !point && group != 3))
		return false;
	return span_real(span_of(text, n), value);
}

/* One separator, be it "." or ",", and no groups: "0,9937", "99.57". */
static bool decimal_number(struct span s, double *value)
{
	char text[MAX_DIGITS];
	size_t n = span_len(s);
	char *comma;

	if (n > sizeof(text))
		return false;
	memcpy(text, s.p, n);
	comma = memchr(text, ',', n);
	if (comma)
		*comma = '.';
	return span_real(span_of(text, n), value);
}

static bool text_value(struct span *line, struct perf_stat_row *row)
{
	struct span word;

	row->state = PERF_STAT_COUNTED;
	row->value = 0;
	*line = span_trim(*line);
	if (span_skip(line, "<not counted>"))
		row->state = PERF_STAT_NOT_COUNTED;
	else if (span_skip(line, "<not supported>"))
		row->state = PERF_STAT_NOT_SUPPORTED;
	else
		return span_word(line, &word) && grouped_number(word, &row->value);
	return true;
}

/* "( +- 11.60% )" or "(99.57%)" at the end of the line, cut off. */
static void cut_percentages(struct span *line, struct perf_stat_row *row)
{
	row->running = row->spread = -1;
	for (;;) {
		struct span s = *line = span_trim(*line);
		const char *open = memrchr(s.p, '(', span_len(s));
		double v;

		if (!open || !span_ends(s, ")"))
			return;
		s = span_trim((struct span){ open + 1, s.end - 1 });
		if (!span_ends(s, "%"))
			return;
		s.end--;
		if (span_skip(&s, "+-") && decimal_number(span_trim(s), &v))
			row->spread = v;
		else if (decimal_number(span_trim(s), &v) && v <= 100)
			row->running = v;
		else
			return;
		line->end = open;
	}
}

/* "CPU0", "S0-D0-C1", "N0": where it was counted. Those of several CPUs tell their number next. */
static bool cut_place(struct span *line, struct span *place)
{
	struct span rest = *line, word, number;
	uint64_t n;

	if (!span_word(&rest, &word))
		return false;
	number = word;
	if (span_skip(&number, "CPU") && span_u64(number, &n)) {
		*place = word;
		*line = rest;
		return true;
	}
	if (!strchr("SDCN", *word.p) || span_len(word) < 2 || word.p[1] < '0' || word.p[1] > '9')
		return false;
	*place = word;
	if (!span_word(&rest, &number) || !span_u64(number, &n))
		return false;
	*line = rest;
	return true;
}

/* "1.000847637" before a value is the time with -I: always a point and nine decimals. */
static bool cut_time(struct span *line, struct span *time)
{
	struct span rest = *line, word;
	double v;

	if (!span_word(&rest, &word) || span_len(word) < 11 || word.end[-10] != '.' ||
		!span_real(word, &v))
		return false;
	*time = word;
	*line = rest;
	return true;
}

/* What is left is "msec task-clock", "context-switches" or "context-switches [software]". */
static bool cut_event(struct span rest, struct perf_stat_row *row)
{
	struct span word, next;

	rest = span_trim(rest);
	row->event = rest;
	if (!span_word(&rest, &word))
		return false;
	next = span_trim(rest);
	if (span_len(next) && *next.p != '[') {
		row->unit = word;
		row->event = next;
	}
	/* Sentences of the measured program are no events. */
	rest = row->event;
	span_word(&rest, &word);
	next = span_trim(rest);
	return !span_len(next) || *next.p == '[';
}

bool perf_stat_text_line(struct span line, struct perf_stat_row *row)
{
	const char *hash;

	cut_time(&line, &row->time);
	cut_place(&line, &row->place);
	cut_percentages(&line, row);
	hash = memchr(line.p, '#', span_len(line));
	if (hash)
		line.end = hash;
	return text_value(&line, row) && cut_event(line, row);
}

bool perf_stat_text_seconds(struct span line, struct perf_stat_seconds *seconds)
{
	const struct {
		const char *text;
		double *to;
	} kinds[] = {
		{ "seconds time elapsed", &seconds->elapsed },
		{ "seconds user", &seconds->user },
		{ "seconds sys", &seconds->sys },
	};
	struct span word;

	if (!span_word(&line, &word))
		return false;
	for (size_t i = 0; i < array_size(kinds); i++)
		if (span_find(line, kinds[i].text))
			return decimal_number(word, kinds[i].to);
	return false;
}
