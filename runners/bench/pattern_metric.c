/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Samples by pattern, as in
 *	Wakeup Latencies percentiles (usec) runtime 4 (s) (875 total samples)
 *		  50.0th: 28         (247 samples)
 *		* 99.0th: 4952       (79 samples)
 * with section '^Wakeup Latencies', pattern '^[ \t]*\*?[ \t]*(?<pct>[\d.]+)th:[ \t]+(?<value>\S+)' and
 * name 'wakeup_p{pct}'. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/strbuf.h"
#include "runners/bench/metric.h"
#include "runners/bench/number.h"
#include "runners/bench/printable.h"
#include "spec/pattern.h"
#include "spec/template.h"

enum { MAX_NAME = 128 };

/* One pattern on text[from, len). */
struct search {
	struct bench_job *job;
	const struct bench_metric *metric;
	const char *text;
	size_t from, len;
	struct pattern *pattern;
	int value_group, unit_group;
};

/* Where a match begins to be looked for next: an empty match must not be found for ever. */
static size_t behind_match(const struct pattern *pattern)
{
	size_t start = 0, end = 0;

	pattern_span(pattern, 0, &start, &end);
	return end > start ? end : end + 1;
}

/* Narrow a search to what lies behind the last match of the section. Return: 1, 0 without one. */
static int find_section(struct search *s, struct error *err)
{
	struct pattern *pattern;
	size_t from = 0, start;
	bool found = false;
	int r = pattern_new(s->metric->section, &pattern, err);

	if (r < 0)
		return r;
	while ((r = pattern_next(pattern, s->text, s->len, from, s->job->deadline_ns, err)) == 1) {
		found = true;
		pattern_span(pattern, 0, &start, &s->from);
		from = behind_match(pattern);
	}
	pattern_free(pattern);
	return r < 0 ? r : found;
}

static int find_section_end(struct search *s, struct error *err)
{
	struct pattern *pattern;
	size_t end;
	int r = pattern_new(s->metric->section_end, &pattern, err);

	if (r < 0)
		return r;
	r = pattern_next(pattern, s->text, s->len, s->from, s->job->deadline_ns, err);
	if (r == 1)
		pattern_span(pattern, 0, &s->len, &end);
	pattern_free(pattern);
	return r < 0 ? r : 0;
}

/* The metric's name with the text of the groups that it holds. */
static int fill_name(const struct search *s, char **name, struct error *err)
{
	const char *at = s->metric->name;
	struct strbuf filled = STRBUF_INIT;
	struct template_piece piece;

	while (template_next(&at, &piece, NULL) == 1) {
		char *group = piece.is_name ? xmemdup0(piece.text, piece.len) : NULL;
		size_t start = 0, end = 0, i;

		if (!piece.is_name)
			strbuf_add(&filled, piece.text, piece.len);
		else if (pattern_span(s->pattern, pattern_group(s->pattern, group), &start, &end))
			strbuf_add(&filled, s->text + start, end - start);
		free(group);
		for (i = start; i < end; i++)
			if (s->text[i] < ' ' || s->text[i] > '~')
				break;
		if (i < end || (piece.is_name && start == end) || filled.len > MAX_NAME) {
			strbuf_release(&filled);
			return error_set(err, -EBADMSG,
				"the output gives no name for '%s': empty, too long or not "
				"printable",
				s->metric->name);
		}
	}
	*name = strbuf_steal(&filled);
	return 0;
}

static int find_factor(const struct search *s, double *factor, struct error *err)
{
	size_t start = 0, end = 0;
	char *unit, shown[48];
	json_t *known;

	*factor = 1;
	if (!s->metric->units)
		return 0;
	pattern_span(s->pattern, s->unit_group, &start, &end);
	unit = xmemdup0(s->text + start, end - start);
	known = json_object_get(s->metric->units, unit);
	free(unit);
	if (!known) {
		bench_printable(s->text + start, end - start, shown, sizeof(shown));
		return error_set(err, -EBADMSG,
			"'%s' has the unit '%s', which its 'units' do not list", s->metric->name,
			shown);
	}
	*factor = json_number_value(known);
	return 0;
}

static int read_value(const struct search *s, double *value, struct error *err)
{
	size_t start = 0, end = 0, whole_start, whole_end;
	char line[80];
	int r = 0;

	pattern_span(s->pattern, 0, &whole_start, &whole_end);
	if (!pattern_span(s->pattern, s->value_group, &start, &end) || start == end)
		r = error_set(err, -EBADMSG, "there is no number");
	else if (bench_number_cut(
			 s->text, s->len, start, end, start == whole_start, end == whole_end))
		r = error_set(err, -EBADMSG,
			"the pattern takes a part of a longer number (another locale or format?)");
	else
		r = bench_number(
			s->text + start, end - start, s->metric->decimal_comma, value, err);
	if (r < 0) {
		bench_line_around(
			s->text, s->len, start == end ? whole_start : start, line, sizeof(line));
		error_prefix(err, "'%s' in the line '%s': ", s->metric->name, line);
	}
	return r;
}

/* A plain name wins over a pattern that would give the same one. */
static bool belongs_to_another(const struct search *s, const char *name)
{
	return template_has_names(s->metric->name) &&
	       bench_metric_of(s->job->bench, name) != s->metric;
}

static int take_match(const struct search *s, struct error *err)
{
	double value = 0, factor = 1;
	char *name = NULL;
	int r = fill_name(s, &name, err);

	if (r < 0)
		return r;
	if (!belongs_to_another(s, name)) {
		r = read_value(s, &value, err);
		if (!r)
			r = find_factor(s, &factor, err);
		if (!r)
			r = bench_add_sample(s->job, s->metric, name, value * factor, err);
	}
	free(name);
	return r;
}

static int search(const struct search *s, struct error *err)
{
	size_t from = s->from;
	int found = 0, r;

	while ((r = pattern_next(s->pattern, s->text, s->len, from, s->job->deadline_ns, err)) ==
		1) {
		r = take_match(s, err);
		if (r < 0)
			return r;
		found++;
		from = behind_match(s->pattern);
	}
	return r < 0 ? r : found;
}

static int search_pattern(struct search *s, const char *text, struct error *err)
{
	int r = pattern_new(text, &s->pattern, err);

	if (r < 0)
		return r;
	s->value_group = pattern_group(s->pattern, "value");
	if (s->value_group < 0)
		s->value_group = 1;
	s->unit_group = pattern_group(s->pattern, "unit");
	r = search(s, err);
	pattern_free(s->pattern);
	return r;
}

int bench_pattern_samples(struct bench_job *job, const struct bench_metric *metric,
	const struct bench_text *text, struct error *err)
{
	struct search s = { .job = job, .metric = metric, .text = text->text, .len = text->len };
	int r = metric->section ? find_section(&s, err) : 1;
	size_t i;

	if (r == 1 && metric->section_end)
		r = find_section_end(&s, err) < 0 ? -EBADMSG : 1;
	if (r <= 0)
		return r;
	for (i = 0, r = 0; i < metric->patterns.n && !r; i++)
		r = search_pattern(&s, metric->patterns.s[i], err);
	return r;
}
