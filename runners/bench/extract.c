/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "runners/bench/bench.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/json.h"
#include "runners/bench/metric.h"
#include "runners/bench/printable.h"
#include "runners/bench/texts.h"
#include "spec/pattern.h"

/* Long for any honest output (100 MB take seconds), short for one made to keep a pattern busy. */
static const uint64_t max_ns = 30ull * 1000 * 1000 * 1000;

static const struct bench_metric *metric_at(const struct benchmark *bench, size_t i)
{
	return (const struct bench_metric *)bench->metrics.item + i;
}

/* First line that the tool said, for a message: "; it said: '...'" or "". */
static void first_words(const struct bench_output *output, char *out, size_t size)
{
	struct bench_text texts[BENCH_MAX_TEXTS];
	size_t n = bench_texts(output, STREAM_EITHER, NULL, texts);
	char line[120];

	out[0] = '\0';
	while (n--) { /* standard error first: that is where the reason is */
		bench_line_around(texts[n].text, texts[n].len, 0, line, sizeof(line));
		if (!line[0])
			continue;
		snprintf(out, size, "; %s begins: '%s'", texts[n].name, line);
		return;
	}
}

/* A status that a shell or timeout(1) makes of a signal. */
static const char *status_hint(int status)
{
	switch (status) {
	case 124:
		return " (timeout(1) ended it)";
	case 126:
		return " (the program cannot be executed)";
	case 127:
		return " (the program was not found)";
	case 128 + 9:
		return " (killed)";
	case 128 + 2:
	case 128 + 15:
		return " (ended by a signal)";
	default:
		return "";
	}
}

/* What we did to it: then nothing that it printed counts. */
static int check_us(const struct bench_output *output, struct error *err)
{
	if (output->timed_out)
		return error_set(err, -EBADMSG,
			"it ran into its time limit; what it printed does not count");
	if (output->signalled)
		return error_set(
			err, -EBADMSG, "we sent it a signal; what it printed does not count");
	return 0;
}

/* How the process ended. */
static int check_end(
	const struct benchmark *bench, const struct bench_output *output, struct error *err)
{
	char said[200];

	first_words(output, said, sizeof(said));
	if (output->signal)
		return error_set(err, -EBADMSG, "it was killed by signal %d (%s)%s", output->signal,
			strsignal(output->signal), said);
	if (output->exit_status != bench->exit_status)
		return error_set(err, -EBADMSG, "exit status %d instead of %ld%s%s",
			output->exit_status, bench->exit_status, status_hint(output->exit_status),
			said);
	if (output->truncated)
		return error_set(err, -EBADMSG,
			"the output was longer than what is kept, so its end is missing");
	return 0;
}

/* Does a pattern match in a stream? @line gets the line, when it is not NULL. Return: 1, 0, -EBADMSG. */
static int matches(const struct bench_job *job, const char *text, int stream, const char *file,
	char *line, size_t size, struct error *err)
{
	struct bench_text texts[BENCH_MAX_TEXTS];
	struct pattern *pattern;
	size_t n, i, start = 0, end;
	int r = pattern_new(text, &pattern, err);

	if (r < 0)
		return -EBADMSG;
	n = bench_texts(job->output, stream, file, texts);
	for (i = 0; i < n && !r; i++) {
		r = pattern_next(pattern, texts[i].text, texts[i].len, 0, job->deadline_ns, err);
		if (r == 1 && line) {
			pattern_span(pattern, 0, &start, &end);
			bench_line_around(texts[i].text, texts[i].len, start, line, size);
		}
	}
	bench_texts_release(texts, n);
	pattern_free(pattern);
	return r;
}

static int check_failures(const struct bench_job *job, struct error *err)
{
	const struct bench_failure *f = job->bench->failures.item;
	char line[160];
	size_t i;
	int r;

	for (i = 0; i < job->bench->failures.n; i++) {
		r = matches(job, f[i].pattern, f[i].stream, f[i].file, line, sizeof(line), err);
		if (r < 0)
			return r;
		if (r)
			return error_set(err, -EBADMSG, "%s: '%s'",
				f[i].message ? f[i].message : "it reported a failure", line);
	}
	return 0;
}

static int check_require(const struct bench_job *job, struct error *err)
{
	const struct bench_require *q = job->bench->require.item;
	size_t i;
	int r;

	for (i = 0; i < job->bench->require.n; i++) {
		r = q[i].when ? matches(job, q[i].when, STREAM_EITHER, NULL, NULL, 0, err) : 1;
		if (r < 0)
			return r;
		if (!r)
			continue;
		r = matches(job, q[i].pattern, q[i].stream, q[i].file, NULL, 0, err);
		if (r < 0)
			return r;
		if (!r)
			return error_set(err, -EBADMSG, "%s: nothing matches '%s'",
				q[i].message ? q[i].message : "the output is not complete",
				q[i].pattern);
	}
	return 0;
}

static bool found_metric(const struct bench_job *job, const char *name)
{
	size_t i;

	for (i = 0; i < job->samples->n; i++) {
		const struct bench_metric *of =
			bench_metric_of(job->bench, job->samples->v[i].name);

		if (of && !strcmp(of->name, name))
			return true;
	}
	return false;
}

static int not_found(const struct bench_job *job, const char *what, struct error *err)
{
	char said[200];

	first_words(job->output, said, sizeof(said));
	return error_set(err, -ENODATA,
		"%s found in the output (%zu bytes on stdout, %zu on stderr)%s", what,
		job->output->out_len, job->output->err_len, said);
}

/* One pass over the metrics that have an "unless", or those that have none. */
static int find_metrics(struct bench_job *job, bool with_unless, struct error *err)
{
	size_t i;
	int r;

	for (i = 0; i < job->bench->metrics.n; i++) {
		const struct bench_metric *metric = metric_at(job->bench, i);
		char *what;

		if (with_unless != (metric->unless != NULL) ||
			(with_unless && found_metric(job, metric->unless)))
			continue;
		r = bench_metric_samples(job, metric, err);
		if (r < 0)
			return r;
		if (r || metric->optional)
			continue;
		what = xasprintf("'%s' was not", metric->name);
		r = not_found(job, what, err);
		free(what);
		return r;
	}
	return 0;
}

/* How often each name occurs. */
static json_t *count_names(const struct values *samples)
{
	json_t *total = json_object();

	for (size_t i = 0; i < samples->n; i++) {
		const char *name = samples->v[i].name;

		json_object_set_new(total, name, json_integer(json_int(total, name, 0) + 1));
	}
	return total;
}

/* "interval" counts the samples of a metric that has several. */
static int number_intervals(struct values *samples, struct error *err)
{
	json_t *total = count_names(samples), *seen = json_object();
	int r = 0;

	if (json_object_size(total) > BENCH_MAX_NAMES)
		r = error_set(
			err, -EBADMSG, "more than %d metrics: output gone wild", BENCH_MAX_NAMES);
	for (size_t i = 0; i < samples->n && !r; i++) {
		struct value *v = &samples->v[i];
		int64_t at = json_int(seen, v->name, 0) + 1;

		if (json_int(total, v->name, 0) < 2)
			continue;
		json_object_set_new(seen, v->name, json_integer(at));
		values_label_int(samples, v, "interval", (long)at);
	}
	json_decref(total);
	json_decref(seen);
	return r;
}

static int extract(struct bench_job *job, struct error *err)
{
	int r = check_us(job->output, err);

	/* The pattern of a failure says more than a status, so it goes first. */
	if (!r)
		r = check_failures(job, err);
	if (!r)
		r = check_end(job->bench, job->output, err);
	if (!r)
		r = find_metrics(job, false, err);
	if (!r)
		r = find_metrics(job, true, err);
	if (!r && !bench_primary(job->bench, job->samples))
		r = not_found(job, "none of the primary metrics was", err);
	if (!r)
		r = check_require(job, err);
	if (!r)
		r = number_intervals(job->samples, err);
	return r;
}

int bench_extract(const struct benchmark *bench, const struct bench_output *output,
	struct values *samples, struct error *err)
{
	struct values found = VALUES_INIT;
	struct bench_job job = {
		.bench = bench,
		.output = output,
		.samples = &found,
		.deadline_ns = clock_monotonic_ns() + max_ns,
	};
	int r = extract(&job, err);

	if (r < 0) {
		values_release(&found);
		return r;
	}
	values_release(samples);
	*samples = found;
	return 0;
}
