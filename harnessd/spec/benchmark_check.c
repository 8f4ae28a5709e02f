/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "spec/benchmark_check.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/nearest.h"
#include "spec/pattern.h"
#include "spec/template.h"

/* One file being checked; @at is where a finding without a better place goes. */
struct check {
	struct benchmark *bench;
	const struct yaml_node *root;
	struct diags *diags;
};

static const struct yaml_node *get(const struct yaml_node *mapping, const char *key)
{
	const struct yaml_node *node =
		mapping && mapping->kind == YAML_MAPPING ? yaml_get(mapping, key) : NULL;

	return node ? node : mapping;
}

/* Member i of a list; the node itself when a scalar stands for a list of one. */
static const struct yaml_node *member(const struct yaml_node *node, size_t i)
{
	return node && node->kind == YAML_LIST && i < node->n ? node->item[i] : node;
}

static const struct bench_metric *metric_at(const struct benchmark *bench, size_t i)
{
	return (const struct bench_metric *)bench->metrics.item + i;
}

static void note_error(const struct check *c, const struct yaml_node *node, struct error *err)
{
	yaml_error(node, c->diags, "%s", error_text(err));
	error_release(err);
}

static struct pattern *check_pattern(
	const struct check *c, const struct yaml_node *node, const char *text)
{
	struct error err = ERROR_INIT;
	struct pattern *pattern = NULL;

	if (text && pattern_new(text, &pattern, &err) < 0)
		note_error(c, node, &err);
	return pattern;
}

static void check_lone_pattern(
	const struct check *c, const struct yaml_node *node, const char *text)
{
	pattern_free(check_pattern(c, node, text));
}

static void check_file(
	const struct check *c, const struct yaml_node *node, int stream, const char *file)
{
	size_t i;

	if (stream != STREAM_FILE) {
		if (file)
			yaml_error(get(node, "file"), c->diags, "'file' needs stream: file");
		return;
	}
	if (!file) {
		yaml_error(get(node, "stream"), c->diags, "stream: file needs 'file', its name");
		return;
	}
	for (i = 0; i < c->bench->files.n; i++)
		if (!strcmp(c->bench->files.s[i], file))
			return;
	yaml_error(get(node, "file"), c->diags, "'%s' is not among the benchmark's 'files'", file);
}

/* --- metrics --- */

/* Each {group} of the metric's name has to be a named group of the pattern. */
static void check_groups(const struct check *c, const struct bench_metric *metric,
	const struct yaml_node *node, const struct pattern *pattern)
{
	const char *at = metric->name;
	struct template_piece piece;

	while (template_next(&at, &piece, NULL) == 1) {
		char *group = xmemdup0(piece.text, piece.len);

		if (piece.is_name && pattern_group(pattern, group) < 0)
			yaml_error(node, c->diags,
				"the pattern has no group (?<%s>...), which the name '%s' holds",
				group, metric->name);
		free(group);
	}
}

static void check_metric_pattern(const struct check *c, const struct bench_metric *metric,
	const struct yaml_node *node, const char *text)
{
	struct pattern *pattern = check_pattern(c, node, text);

	if (!pattern)
		return;
	if (pattern_group(pattern, "value") < 0 && pattern_groups(pattern) < 1)
		yaml_error(node, c->diags,
			"the pattern has no group for the number: (...) or (?<value>...)");
	if (metric->units && pattern_group(pattern, "unit") < 0)
		yaml_error(node, c->diags, "'units' needs a group (?<unit>...) in the pattern");
	if (!metric->units && pattern_group(pattern, "unit") >= 0)
		yaml_error(node, c->diags, "the group 'unit' needs 'units', the factor of each");
	check_groups(c, metric, node, pattern);
	pattern_free(pattern);
}

static void check_units(
	const struct check *c, const struct bench_metric *metric, const struct yaml_node *node)
{
	const char *unit;
	json_t *factor;

	json_object_foreach(metric->units, unit, factor) {
		if (!json_is_number(factor) || json_number_value(factor) <= 0)
			yaml_error(get(get(node, "units"), unit), c->diags,
				"the factor of unit '%s' has to be a number above 0", unit);
	}
	if (metric->scale == 0)
		yaml_error(get(node, "scale"), c->diags, "a scale of 0 makes every value 0");
}

static void check_pointers(
	const struct check *c, const struct bench_metric *metric, const struct yaml_node *node)
{
	size_t i;

	for (i = 0; i < metric->json.n; i++)
		if (metric->json.s[i][0] && metric->json.s[i][0] != '/')
			yaml_error(member(get(node, "json"), i), c->diags,
				"the JSON pointer '%s' has to begin with '/'", metric->json.s[i]);
	if (metric->json.n && template_has_names(metric->name))
		yaml_error(get(node, "name"), c->diags, "a name with {group} needs a pattern");
	if (metric->json.n && (metric->section || metric->section_end || metric->units))
		yaml_error(get(node, "json"), c->diags,
			"'section', 'section_end' and 'units' go with 'pattern', not with 'json'");
}

static void check_source(
	const struct check *c, const struct bench_metric *metric, const struct yaml_node *node)
{
	size_t i;

	if (!metric->patterns.n == !metric->json.n)
		yaml_error(node, c->diags, "a metric needs 'pattern' or 'json', and not both");
	for (i = 0; i < metric->patterns.n; i++)
		check_metric_pattern(
			c, metric, member(get(node, "pattern"), i), metric->patterns.s[i]);
	check_lone_pattern(c, get(node, "section"), metric->section);
	check_lone_pattern(c, get(node, "section_end"), metric->section_end);
	if (metric->section_end && !metric->section)
		yaml_error(get(node, "section_end"), c->diags, "'section_end' needs 'section'");
	check_pointers(c, metric, node);
	check_units(c, metric, node);
	check_file(c, node, metric->stream, metric->file);
}

static void check_unless(
	const struct check *c, const struct bench_metric *metric, const struct yaml_node *node)
{
	size_t n = c->bench->metrics.n, i;
	const char **names;
	char *suffix;

	if (!metric->unless)
		return;
	names = xcalloc(n, sizeof(*names));
	for (i = 0; i < n; i++)
		if (!metric_at(c->bench, i)->unless)
			names[i] = metric_at(c->bench, i)->name;
	for (i = 0; i < n; i++)
		if (names[i] && !strcmp(names[i], metric->unless))
			break;
	if (i == n) {
		suffix = nearest_suffix(metric->unless, names, n);
		yaml_error(get(node, "unless"), c->diags,
			"there is no metric '%s' without an 'unless' of its own%s", metric->unless,
			suffix);
		free(suffix);
	}
	free(names);
}

static void check_metric(const struct check *c, size_t at, const struct yaml_node *node)
{
	const struct bench_metric *metric = metric_at(c->bench, at);
	struct error err = ERROR_INIT;
	struct template_piece piece;
	const char *name = metric->name;
	size_t i;
	int r;

	if (!name)
		return; /* noted by its row */
	while ((r = template_next(&name, &piece, &err)) == 1)
		;
	if (r < 0)
		note_error(c, get(node, "name"), &err);
	for (i = 0; i < at; i++)
		if (metric_at(c->bench, i)->name &&
			!strcmp(metric_at(c->bench, i)->name, metric->name))
			yaml_error(get(node, "name"), c->diags,
				"there is a metric '%s' before this one", metric->name);
	if (metric->primary && metric->better == BETTER_NONE)
		yaml_error(get(node, "better"), c->diags,
			"a primary metric is compared: say whether higher or lower is better");
	check_source(c, metric, node);
	check_unless(c, metric, node);
}

static void check_metrics(const struct check *c)
{
	const struct yaml_node *list = get(c->root, "metrics");
	struct bench_metric *first = c->bench->metrics.item;
	size_t n = c->bench->metrics.n, i;
	bool primary = false;

	if (n == 1)
		first->primary = true;
	for (i = 0; i < n; i++) {
		check_metric(c, i, member(list, i));
		primary |= metric_at(c->bench, i)->primary;
	}
	if (n && !primary)
		yaml_error(list, c->diags,
			"one metric has to be 'primary: true': what a job compares when it names "
			"none");
	if (!n && list != c->root)
		yaml_error(list, c->diags, "a benchmark needs at least one metric");
}

/* --- command and parameters --- */

/* "cpus", or "cpu" and a number */
static bool is_cpu_name(const char *name)
{
	return !strcmp(name, "cpus") || (!strncmp(name, "cpu", 3) && name[3] &&
						strspn(name + 3, "0123456789") == strlen(name + 3));
}

static void unknown_param(const struct check *c, const struct yaml_node *node, const char *name)
{
	size_t n = 0, cap = json_object_size(c->bench->params) + 3;
	const char **names = xcalloc(cap, sizeof(*names));
	const char *key;
	char *suffix;
	json_t *value;

	names[n++] = "cpu0";
	names[n++] = "cpu1";
	names[n++] = "cpus";
	json_object_foreach(c->bench->params, key, value)
		names[n++] = key;
	suffix = nearest_suffix(name, names, n);
	yaml_error(node, c->diags,
		"{%s} is no parameter: declare it under 'params' (null: unset)%s", name, suffix);
	free(suffix);
	free(names);
}

static void check_argument(const struct check *c, const struct yaml_node *node, const char *text)
{
	struct error err = ERROR_INIT;
	struct template_piece piece;
	int r;

	while ((r = template_next(&text, &piece, &err)) == 1) {
		char *name = xmemdup0(piece.text, piece.len);

		if (piece.is_name && !is_cpu_name(name) && !json_object_get(c->bench->params, name))
			unknown_param(c, node, name);
		free(name);
	}
	if (r < 0)
		note_error(c, node, &err);
}

static bool is_used(const struct benchmark *bench, const char *param)
{
	struct template_piece piece;
	size_t i;

	for (i = 0; i < bench->command.n; i++) {
		const char *at = bench->command.s[i];

		while (template_next(&at, &piece, NULL) == 1)
			if (piece.is_name && piece.len == strlen(param) &&
				!memcmp(piece.text, param, piece.len))
				return true;
	}
	return false;
}

static void check_command(const struct check *c)
{
	const struct yaml_node *node = get(c->root, "command"), *params = get(c->root, "params");
	const char *name;
	json_t *value;
	size_t i;

	if (!c->bench->command.n && node != c->root)
		yaml_error(node, c->diags, "the command has no program");
	for (i = 0; i < c->bench->command.n; i++)
		check_argument(c, member(node, i), c->bench->command.s[i]);
	json_object_foreach(c->bench->params, name, value) {
		if (is_cpu_name(name))
			yaml_error(get(params, name), c->diags,
				"'%s' is given by the arm's placement and cannot be a parameter",
				name);
		else if (!is_used(c->bench, name))
			yaml_error(get(params, name), c->diags,
				"the command does not use the parameter '%s': write {%s}", name,
				name);
	}
}

/* --- failures, requirements, version --- */

static void check_marks(const struct check *c)
{
	const struct yaml_node *failures = get(c->root, "failures");
	const struct yaml_node *require = get(c->root, "require"), *node;
	const struct bench_failure *f = c->bench->failures.item;
	const struct bench_require *q = c->bench->require.item;
	size_t i;

	for (i = 0; i < c->bench->failures.n; i++) {
		node = member(failures, i);
		check_lone_pattern(c, get(node, "pattern"), f[i].pattern);
		check_file(c, node, f[i].stream, f[i].file);
	}
	for (i = 0; i < c->bench->require.n; i++) {
		node = member(require, i);
		check_lone_pattern(c, get(node, "pattern"), q[i].pattern);
		check_lone_pattern(c, get(node, "when"), q[i].when);
		check_file(c, node, q[i].stream, q[i].file);
	}
}

static void check_version(const struct check *c)
{
	const struct bench_version *version = &c->bench->version;
	const struct yaml_node *node = get(c->root, "version");
	struct pattern *pattern = check_pattern(c, get(node, "pattern"), version->pattern);

	if (pattern && pattern_groups(pattern) < 1)
		yaml_error(get(node, "pattern"), c->diags, "the pattern has no group (...)");
	if (version->pattern && !version->command.n)
		yaml_error(node, c->diags, "'version' needs a 'command'");
	pattern_free(pattern);
}

void benchmark_check(struct benchmark *bench, const struct yaml_node *root, struct diags *diags)
{
	struct check c = { .bench = bench, .root = root, .diags = diags };

	if (!root || root->kind != YAML_MAPPING)
		return;
	check_command(&c);
	check_metrics(&c);
	check_marks(&c);
	check_version(&c);
}
