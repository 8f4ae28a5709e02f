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

/** enum bench_stream - where a text is looked for; file: the one named by "file" */
enum bench_stream { STREAM_STDOUT, STREAM_STDERR, STREAM_EITHER, STREAM_FILE };

/** enum bench_take - how one trial's figure is made of the samples found, in order */
enum bench_take {
	TAKE_LAST,
	TAKE_FIRST,
	TAKE_MEDIAN,
	TAKE_MEDIAN_AFTER_FIRST,
	TAKE_MEAN,
	TAKE_SUM,
	TAKE_MIN,
	TAKE_MAX,
};

/** enum bench_values - which samples can be real: a parsable zero is often a failure */
enum bench_values { VALUES_POSITIVE, VALUES_NOT_NEGATIVE, VALUES_ANY };

/**
 * struct bench_metric - one metric
 * @name: may hold {group} of a named group: one pattern, several metrics ("wakeup_latency_p{pct}")
 * @patterns: PCRE2 (multi-line), tried in order until one matches anything: one for each version of
 *	the output. Group "value" or group 1 is the number; a group "unit" is looked up in @units.
 * @section: look only behind the last match of this, up to @section_end
 * @json: JSON pointer (RFC 6901) instead of patterns; @stream's text may have other lines around it
 * @units: object: unit as printed → factor to @unit
 * @primary: the metric that a job compares when it names none
 */
struct bench_metric {
	char *name;
	char *unit;
	int better;	/* enum better */
	int stream;	/* enum bench_stream */
	char *file;
	struct string_list patterns;
	char *section, *section_end;
	char *json;
	json_t *units;
	double scale;
	int take;	/* enum bench_take */
	int values;	/* enum bench_values */
	bool primary;
	bool optional;
};

/** struct bench_failure - output that means the trial failed, whatever else was printed */
struct bench_failure {
	int stream;	/* enum bench_stream */
	char *file;
	char *pattern;
	char *message;
};

/** struct bench_version - how the tool's version is learnt, once a run */
struct bench_version {
	struct string_list command;
	char *pattern;
};

/**
 * struct benchmark - a benchmark file, checked
 * @command: arguments with {param}, {cpu0}, {cpu1}, {cpus}; an argument whose braces name a
 *	parameter that is unset (null) is left out
 * @params: object of scalars: names and defaults
 * @pin: bind the process to the arm's CPUs (false: it pins itself by {cpu0} …)
 * @exit_status: the status that means success
 * @files: files it writes in its folder, kept with the trial
 * @timeout: seconds; may be exceeded by none of its parameters' use
 */
struct benchmark {
	char *path;
	char *name, *description;
	struct string_list command;
	json_t *params;
	json_t *env;
	bool pin;
	long exit_status;
	struct string_list files;
	double timeout;
	struct bench_version version;
	struct table_list metrics;	/* struct bench_metric */
	struct table_list failures;	/* struct bench_failure */
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
