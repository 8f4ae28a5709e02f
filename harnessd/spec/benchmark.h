/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A benchmark file: how a benchmark is run, and where its figures are found. */
#ifndef SPEC_BENCHMARK_H
#define SPEC_BENCHMARK_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/values.h"
#include "spec/diag.h"
#include "spec/option.h"

/** enum bench_stream - where a text is looked for; either: standard output, then standard error;
 * file: the one named by "file" */
enum bench_stream { STREAM_STDOUT, STREAM_STDERR, STREAM_EITHER, STREAM_FILE };

/** enum bench_take - how one trial's figure is made of the samples found, in order */
enum bench_take {
	TAKE_LAST,
	TAKE_FIRST,
	TAKE_MEDIAN,
	TAKE_MEDIAN_AFTER_FIRST, /* the first counts only when it is the only one */
	TAKE_MEAN,
	TAKE_SUM,
	TAKE_MIN,
	TAKE_MAX,
};

/** enum bench_values - which samples can be real: a parsable zero is often a failure */
enum bench_values { VALUES_POSITIVE, VALUES_NOT_NEGATIVE, VALUES_ANY };

/**
 * struct bench_metric - one metric
 * @name: may hold {group} of a named group: one pattern, several metrics ("wakeup_p{pct}"); a name
 *	that another metric of the file has in full belongs to that one
 * @patterns: PCRE2 (multi-line), tried in order until one matches anything: one for each version of
 *	the output. Group "value" or group 1 is the number; a group "unit" is looked up in @units.
 * @section: look only behind the last match of this, up to the next match of @section_end
 * @json: JSON pointers (RFC 6901) instead of patterns, tried in order; the text may have other lines
 *	before and after the JSON
 * @units: object: unit as printed → factor to @unit
 * @decimal_comma: a comma may stand for the point; for formats in which it cannot group digits
 * @unless: name of an earlier metric: look for this one only when that one was not found
 * @primary: what a job compares when it names none; of several primaries the first that was found,
 *	and one of them has to be
 */
struct bench_metric {
	char *name;
	char *unit;
	int better; /* enum better */
	int stream; /* enum bench_stream */
	char *file;
	struct string_list patterns;
	char *section, *section_end;
	struct string_list json;
	json_t *units;
	double scale;
	bool decimal_comma;
	int take;   /* enum bench_take */
	int values; /* enum bench_values */
	char *unless;
	bool primary;
	bool optional;
};

/** struct bench_failure - output that means the trial failed, whatever else was printed */
struct bench_failure {
	int stream; /* enum bench_stream */
	char *file;
	char *pattern;
	char *message;
};

/** struct bench_require - output that must be there, if @when (in either stream) was printed */
struct bench_require {
	int stream; /* enum bench_stream */
	char *file;
	char *pattern;
	char *when;
	char *message;
};

/** struct bench_version - how the tool's version is learnt, once a run */
struct bench_version {
	struct string_list command;
	char *pattern;
};

/**
 * struct benchmark - a benchmark file, checked
 * @install: how to get the program when it is missing, for the message
 * @command: arguments with {param}, {cpu0}, {cpu1}, {cpus}, as bench_command() fills them
 * @params: object of scalars: names and defaults, NULL when it has none
 * @pin: bind the process to the arm's CPUs (false: it pins itself by {cpu0} …)
 * @cpus: so many CPUs an arm has to name
 * @exit_status: the status that means success
 * @files: files it writes in its folder, kept with the trial
 * @timeout: seconds until a trial is killed
 */
struct benchmark {
	char *path;
	char *name, *description, *install;
	struct string_list command;
	json_t *params;
	json_t *env;
	bool pin;
	long cpus;
	long exit_status;
	struct string_list files;
	double timeout;
	struct bench_version version;
	struct table_list metrics;  /* struct bench_metric */
	struct table_list failures; /* struct bench_failure */
	struct table_list require;  /* struct bench_require */
};

/** benchmark_table - rows of a benchmark file. */
extern const struct option_table benchmark_table;

/**
 * benchmark_parse() - a benchmark from text; patterns are compiled once to check them
 * Return: 0 with *bench owned by the caller, or -EINVAL with everything wrong noted.
 */
int benchmark_parse(const char *name, const char *text, size_t len, struct benchmark **bench,
	struct diags *diags);
/**
 * benchmark_load() - by path (holds a slash or ends in .yaml) or by name from DIR/benchmarks/NAME.yaml
 * @config_dirs: searched in order; an unknown name gives the nearest of those there are
 */
int benchmark_load(const char *name, const struct string_list *config_dirs,
	struct benchmark **bench, struct diags *diags);
/** benchmark_free() - free it; NULL is fine. */
void benchmark_free(struct benchmark *bench);

#endif
