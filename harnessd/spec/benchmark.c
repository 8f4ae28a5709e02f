/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "spec/benchmark.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/nearest.h"
#include "spec/benchmark_check.h"
#include "spec/yaml.h"

static const char *const better_choices[] = { "none", "higher", "lower", NULL };
static const char *const stream_choices[] = { "stdout", "stderr", "either", "file", NULL };
static const char *const take_choices[] = { "last", "first", "median", "median_after_first", "mean",
	"sum", "min", "max", NULL };
static const char *const values_choices[] = { "positive", "not_negative", "any", NULL };

#define STREAM_HELP                                                                          \
	"Where to look: stdout, stderr, either (stdout first, then stderr), or file, which " \
	"the setting 'file' names."
#define FILE_HELP "Name of the file to look in, for stream: file; list it under 'files' too."

static const struct option_row metric_rows[] = {
	{ .name = "name",
		.type = OPT_STRING,
		.offset = offsetof(struct bench_metric, name),
		.required = true,
		.help = "What reports call it. {group} is replaced by the text of that named "
			"group, so "
			"that one pattern can give several metrics; a name given in full by "
			"another "
			"metric of the file belongs to that one.",
		.example = "wakeup_p{pct}" },
	{ .name = "unit",
		.type = OPT_STRING,
		.offset = offsetof(struct bench_metric, unit),
		.dflt = "",
		.help = "Unit of the value after 'units' and 'scale'.",
		.example = "us" },
	{ .name = "better",
		.type = OPT_ENUM,
		.offset = offsetof(struct bench_metric, better),
		.required = true,
		.choices = better_choices,
		.help = "Which direction is an improvement; none: it is reported and never judged.",
		.example = "higher" },
	{ .name = "stream",
		.type = OPT_ENUM,
		.offset = offsetof(struct bench_metric, stream),
		.dflt = "either",
		.choices = stream_choices,
		.help = STREAM_HELP },
	{ .name = "file",
		.type = OPT_STRING,
		.offset = offsetof(struct bench_metric, file),
		.help = FILE_HELP,
		.example = "out.json" },
	{ .name = "pattern",
		.type = OPT_STRINGS,
		.offset = offsetof(struct bench_metric, patterns),
		.help = "PCRE2 regular expressions, one for each version of the output, tried in "
			"order "
			"until one matches anything. ^ and $ match at lines. The group named "
			"value, or "
			"group 1, is the number; a group named unit is looked up in 'units'. Every "
			"match is a sample.",
		.example = "'^Time: (\\S+)$'" },
	{ .name = "section",
		.type = OPT_STRING,
		.offset = offsetof(struct bench_metric, section),
		.help = "Look only behind the last match of this pattern: for tools that print a "
			"table "
			"again and again, of which the last counts.",
		.example = "'^Wakeup Latencies percentiles'" },
	{ .name = "section_end",
		.type = OPT_STRING,
		.offset = offsetof(struct bench_metric, section_end),
		.help = "Look only up to the first match of this pattern behind the section's "
			"begin.",
		.example = "'^\\S'" },
	{ .name = "json",
		.type = OPT_STRINGS,
		.offset = offsetof(struct bench_metric, json),
		.help = "JSON pointers (RFC 6901) instead of patterns, tried in order; the stream "
			"may "
			"hold other lines before and after the JSON.",
		.example = "/int/wakeup_latency_pct99.0" },
	{ .name = "units",
		.type = OPT_MAP,
		.offset = offsetof(struct bench_metric, units),
		.help = "For patterns with a group 'unit': each unit that the tool may print, with "
			"the "
			"factor that brings it to 'unit'. Any other unit is an error.",
		.example = "{usec: 1, msec: 1000}" },
	{ .name = "scale",
		.type = OPT_REAL,
		.offset = offsetof(struct bench_metric, scale),
		.dflt = "1",
		.help = "Factor from the printed number to 'unit'.",
		.example = "0.001" },
	{ .name = "decimal_comma",
		.type = OPT_BOOL,
		.offset = offsetof(struct bench_metric, decimal_comma),
		.dflt = "no",
		.help = "The number may have a comma for its point. Only for patterns that fix the "
			"number of decimals, so that 14,516 can never be fourteen thousand; "
			"without it "
			"a comma in a number is an error." },
	{ .name = "take",
		.type = OPT_ENUM,
		.offset = offsetof(struct bench_metric, take),
		.dflt = "last",
		.choices = take_choices,
		.help = "How one trial's figure is made of the samples. median_after_first leaves "
			"the "
			"first out (start-up), unless it is the only one." },
	{ .name = "values",
		.type = OPT_ENUM,
		.offset = offsetof(struct bench_metric, values),
		.dflt = "positive",
		.choices = values_choices,
		.help = "Which values can be real. A sample outside fails the trial: a parsable 0 "
			"is "
			"mostly a failure that the tool did not notice." },
	{ .name = "unless",
		.type = OPT_STRING,
		.offset = offsetof(struct bench_metric, unless),
		.help = "Name of another metric: look for this one only when that one was not "
			"found. "
			"For tools that print the same figures in two formats." },
	{ .name = "primary",
		.type = OPT_BOOL,
		.offset = offsetof(struct bench_metric, primary),
		.dflt = "no",
		.help = "The metric to compare when a job names none. Of several the first that "
			"the "
			"output has; one of them must be there." },
	{ .name = "optional",
		.type = OPT_BOOL,
		.offset = offsetof(struct bench_metric, optional),
		.dflt = "no",
		.help = "Output without it is fine." },
	{ 0 },
};

static const struct option_table metric_table = {
	.name = "metric",
	.help = "One figure of a benchmark: where it is found and what it means.",
	.rows = metric_rows,
	.size = sizeof(struct bench_metric),
};

static const struct option_row failure_rows[] = {
	{ .name = "pattern",
		.type = OPT_STRING,
		.offset = offsetof(struct bench_failure, pattern),
		.required = true,
		.help = "PCRE2 regular expression; when it matches, the trial failed, whatever "
			"else was "
			"printed.",
		.example = "'^Signal \\d+ caught'" },
	{ .name = "stream",
		.type = OPT_ENUM,
		.offset = offsetof(struct bench_failure, stream),
		.dflt = "either",
		.choices = stream_choices,
		.help = STREAM_HELP },
	{ .name = "file",
		.type = OPT_STRING,
		.offset = offsetof(struct bench_failure, file),
		.help = FILE_HELP },
	{ .name = "message",
		.type = OPT_STRING,
		.offset = offsetof(struct bench_failure, message),
		.help = "What it means, for the report; the line that matched is added.",
		.example = "hackbench was stopped before its end" },
	{ 0 },
};

static const struct option_table failure_table = {
	.name = "failure",
	.help = "Output that means the trial failed.",
	.rows = failure_rows,
	.size = sizeof(struct bench_failure),
	.shorthand = "pattern",
};

static const struct option_row require_rows[] = {
	{ .name = "pattern",
		.type = OPT_STRING,
		.offset = offsetof(struct bench_require, pattern),
		.required = true,
		.help = "PCRE2 regular expression that the output of a finished run matches.",
		.example = "'^end$'" },
	{ .name = "when",
		.type = OPT_STRING,
		.offset = offsetof(struct bench_require, when),
		.help = "Ask for it only when this pattern matches in either stream: for versions "
			"and "
			"modes that end differently." },
	{ .name = "stream",
		.type = OPT_ENUM,
		.offset = offsetof(struct bench_require, stream),
		.dflt = "either",
		.choices = stream_choices,
		.help = STREAM_HELP },
	{ .name = "file",
		.type = OPT_STRING,
		.offset = offsetof(struct bench_require, file),
		.help = FILE_HELP },
	{ .name = "message",
		.type = OPT_STRING,
		.offset = offsetof(struct bench_require, message),
		.help = "What its absence means, for the report.",
		.example = "the run was cut short" },
	{ 0 },
};

static const struct option_table require_table = {
	.name = "require",
	.help = "Output without which there is no result: the mark of a complete run.",
	.rows = require_rows,
	.size = sizeof(struct bench_require),
	.shorthand = "pattern",
};

static const struct option_row version_rows[] = {
	{ .name = "command",
		.type = OPT_STRINGS,
		.offset = offsetof(struct bench_version, command),
		.help = "Command that prints the version; its exit status does not matter.",
		.example = "[perf, --version]" },
	{ .name = "pattern",
		.type = OPT_STRING,
		.offset = offsetof(struct bench_version, pattern),
		.help = "Where in its output the version is: group 1. Without it, the first line.",
		.example = "'perf version (\\S+)'" },
	{ 0 },
};

static const struct option_table version_table = {
	.name = "version",
	.help = "How the tool's version is learnt, once a run.",
	.rows = version_rows,
	.size = sizeof(struct bench_version),
};

static const struct option_row benchmark_rows[] = {
	{ .name = "name",
		.type = OPT_STRING,
		.offset = offsetof(struct benchmark, name),
		.pattern = "[A-Za-z0-9][-+.A-Za-z0-9_]*",
		.help = "Its name; without it, the file's.",
		.example = "hackbench" },
	{ .name = "description",
		.type = OPT_STRING,
		.offset = offsetof(struct benchmark, description),
		.help = "What it exercises, in a sentence." },
	{ .name = "install",
		.type = OPT_STRING,
		.offset = offsetof(struct benchmark, install),
		.help = "How to get the program, for the message when it is missing.",
		.example = "apt install rt-tests" },
	{ .name = "command",
		.type = OPT_STRINGS,
		.offset = offsetof(struct benchmark, command),
		.required = true,
		.help = "The program and its arguments. {name} is replaced by a parameter, {cpu0}, "
			"{cpu1} "
			"... by the arm's CPUs, {cpus} by all of them (0-3,8). An argument with an "
			"unset (null) or false parameter is left out; true is replaced by nothing, "
			"so "
			"'--pipe{pipe}' is a switch. {{ and }} are braces.",
		.example = "[hackbench, '-g{groups}', '--pipe{pipe}']" },
	{ .name = "params",
		.type = OPT_MAP,
		.offset = offsetof(struct benchmark, params),
		.help = "Parameters with their defaults; null: unset unless a job sets it.",
		.example = "{groups: 4, pipe: true}" },
	{ .name = "env",
		.type = OPT_MAP,
		.offset = offsetof(struct benchmark, env),
		.help = "Environment variables; the locale is always C.",
		.example = "{GOMAXPROCS: 2}" },
	{ .name = "pin",
		.type = OPT_BOOL,
		.offset = offsetof(struct benchmark, pin),
		.dflt = "yes",
		.help = "Bind the process to the arm's CPUs; no: it binds itself, by {cpu0} ..." },
	{ .name = "cpus",
		.type = OPT_INT,
		.offset = offsetof(struct benchmark, cpus),
		.min = 0,
		.max = 4096,
		.dflt = "0",
		.help = "How many CPUs a job has to give it, by placement or cpus; with 0, "
			"arguments "
			"that name a CPU are left out when the job gives none." },
	{ .name = "exit_status",
		.type = OPT_INT,
		.offset = offsetof(struct benchmark, exit_status),
		.min = 0,
		.max = 255,
		.dflt = "0",
		.help = "The status that means success; any other fails the trial." },
	{ .name = "files",
		.type = OPT_STRINGS,
		.offset = offsetof(struct benchmark, files),
		.help = "Files it writes in its folder, to be kept with the trial." },
	{ .name = "timeout",
		.type = OPT_DURATION,
		.offset = offsetof(struct benchmark, timeout),
		.min = 0.1,
		.max = 604800,
		.dflt = "10m",
		.help = "A trial that takes longer is killed and failed." },
	{ .name = "version",
		.type = OPT_TABLE,
		.offset = offsetof(struct benchmark, version),
		.table = &version_table,
		.help = "How the tool's version is learnt." },
	{ .name = "metrics",
		.type = OPT_TABLES,
		.offset = offsetof(struct benchmark, metrics),
		.required = true,
		.table = &metric_table,
		.help = "The figures it prints." },
	{ .name = "failures",
		.type = OPT_TABLES,
		.offset = offsetof(struct benchmark, failures),
		.table = &failure_table,
		.help = "Output that means failure, whatever the exit status." },
	{ .name = "require",
		.type = OPT_TABLES,
		.offset = offsetof(struct benchmark, require),
		.table = &require_table,
		.help = "Output that a finished run has." },
	{ 0 },
};

const struct option_table benchmark_table = {
	.name = "benchmark",
	.help = "How a benchmark is run, and where its figures are found.",
	.rows = benchmark_rows,
	.size = sizeof(struct benchmark),
};

void benchmark_free(struct benchmark *bench)
{
	if (!bench)
		return;
	options_release(&benchmark_table, bench);
	free(bench->path);
	free(bench);
}

/* "dir/name.yaml" → "name" */
static char *name_of_file(const char *path)
{
	char *name = xstrdup(file_basename(path));
	size_t len = strlen(name);

	if (len > 5 && !strcmp(name + len - 5, ".yaml"))
		name[len - 5] = '\0';
	return name;
}

int benchmark_parse(const char *name, const char *text, size_t len, struct benchmark **bench,
	struct diags *diags)
{
	size_t before = diags->n;
	struct yaml_file *file = yaml_parse(name, text, len, diags);
	struct benchmark *made;

	*bench = NULL;
	if (!file)
		return -EINVAL;
	made = xcalloc(1, sizeof(*made));
	options_parse(&benchmark_table, yaml_root(file), made, diags);
	if (!made->name)
		made->name = name_of_file(name);
	made->path = xstrdup(name);
	benchmark_check(made, yaml_root(file), diags);
	yaml_file_free(file);
	if (diags->n > before) {
		benchmark_free(made);
		return -EINVAL;
	}
	*bench = made;
	return 0;
}

static int load_path(const char *path, struct benchmark **bench, struct diags *diags)
{
	struct error err = ERROR_INIT;
	char *text;
	size_t len;
	int r = file_read(path, YAML_MAX_BYTES, &text, &len, &err);

	if (r < 0) {
		diags_add(diags, path, 0, 0, "%s", error_text(&err));
		error_release(&err);
		return r;
	}
	r = benchmark_parse(path, text, len, bench, diags);
	free(text);
	return r;
}

static void list_names(const char *dir, struct string_list *names)
{
	DIR *d = opendir(dir);
	struct dirent *entry;

	if (!d)
		return;
	while ((entry = readdir(d))) {
		size_t len = strlen(entry->d_name);

		if (len <= 5 || strcmp(entry->d_name + len - 5, ".yaml"))
			continue;
		array_reserve(names->s, names->n, names->cap);
		names->s[names->n++] = name_of_file(entry->d_name);
	}
	closedir(d);
}

static int unknown_name(
	const char *name, const struct string_list *config_dirs, struct diags *diags)
{
	struct string_list names = { 0 };
	char *dir, *suffix;
	size_t i;

	for (i = 0; i < config_dirs->n; i++) {
		dir = file_join(config_dirs->s[i], "benchmarks");
		list_names(dir, &names);
		free(dir);
	}
	suffix = nearest_suffix(name, (const char *const *)names.s, names.n);
	diags_add(diags, name, 0, 0, "there is no benchmark '%s'%s", name, suffix);
	free(suffix);
	for (i = 0; i < names.n; i++)
		free(names.s[i]);
	free(names.s);
	return -ENOENT;
}

int benchmark_load(const char *name, const struct string_list *config_dirs,
	struct benchmark **bench, struct diags *diags)
{
	size_t len = strlen(name), i;

	*bench = NULL;
	if (strchr(name, '/') || (len > 5 && !strcmp(name + len - 5, ".yaml")))
		return load_path(name, bench, diags);
	for (i = 0; i < config_dirs->n; i++) {
		char *path = xasprintf("%s/benchmarks/%s.yaml", config_dirs->s[i], name);
		bool there = file_exists(path);
		int r = there ? load_path(path, bench, diags) : 0;

		free(path);
		if (there)
			return r;
	}
	return unknown_name(name, config_dirs, diags);
}
