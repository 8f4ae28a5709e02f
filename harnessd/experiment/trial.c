/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "experiment/trial.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "base/strbuf.h"
#include "collectors/collector.h"
#include "runners/bench/bench.h"

/* TERM to KILL, and bytes kept of each stream. */
enum { GRACE_MS = 2000, MAX_OUTPUT = 4 << 20, DEFAULT_LIMIT_S = 600 };

double trial_limit(const struct job *job, const struct benchmark *bench)
{
	if (job->trial_timeout > 0)
		return job->trial_timeout;
	return bench->timeout > 0 ? bench->timeout : DEFAULT_LIMIT_S;
}

static json_t *collect_items(const struct job *job)
{
	json_t *items = json_array();

	for (size_t i = 0; i < job->n_collect; i++) {
		const struct collector_ops *ops = collector_find(job->collect[i].name, NULL);
		json_t *item;

		if (!ops)
			continue;
		item = json_pack("{s:s}", "name", ops->name);
		if (ops->probe) {
			json_object_set_new(item, "probe", json_string(ops->probe));
			if (job->collect[i].options)
				json_object_set(item, "options", job->collect[i].options);
		} else {
			json_t *paths = json_array();

			for (size_t p = 0; ops->paths[p]; p++)
				json_array_append_new(paths, json_string(ops->paths[p]));
			json_object_set_new(item, "paths", paths);
		}
		json_array_append_new(items, item);
	}
	return items;
}

static json_t *file_names(const struct benchmark *bench)
{
	json_t *files = json_array();

	for (size_t i = 0; i < bench->files.n; i++)
		json_array_append_new(files, json_string(bench->files.s[i]));
	return files;
}

json_t *trial_request(const struct job *job, const struct benchmark *bench, const json_t *argv,
	const json_t *plan, double limit, const char *nonce)
{
	json_t *request = json_pack("{s:s, s:O, s:O, s:O, s:b, s:I, s:i, s:i, s:o, s:I, s:o}",
		"nonce", nonce, "argv", argv, "env", json_object_get(plan, "env"), "cpus",
		json_object_get(plan, "cpus"), "pin", bench->pin, "timeout_ms",
		(json_int_t)(limit * 1000), "grace_ms", GRACE_MS, "max_output", MAX_OUTPUT, "files",
		file_names(bench), "settle_ms", (json_int_t)(job->cooldown * 1000), "collect",
		collect_items(job));

	if (job->user)
		json_object_set_new(request, "user", json_string(job->user));
	return request;
}

/* Keeps a blob of the answer as raw text of the trial; its bytes, for whoever parses them now. */
static struct store_raw *keep_raw(struct trial_outcome *out, const json_t *blob, char *name)
{
	struct store_raw *raw;
	char *data = NULL;
	size_t len = 0;

	if (json_blob_read(blob, &data, &len) < 0) {
		free(name);
		return NULL;
	}
	out->raw = xrealloc_array(out->raw, out->n_raw + 1, sizeof(*out->raw));
	out->raw_names = xrealloc_array(out->raw_names, out->n_raw + 1, sizeof(*out->raw_names));
	out->raw_names[out->n_raw] = name;
	raw = &out->raw[out->n_raw++];
	*raw = (struct store_raw){ .name = name, .data = data, .len = len };
	return raw;
}

static void set_state(struct trial_outcome *out, enum trial_state state, const char *reason)
{
	if (out->store.state != TRIAL_DONE)
		return; /* the first reason stands */
	out->store.state = state;
	out->reason = xstrdup(reason);
	out->store.reason = out->reason;
}

static struct collector_text raw_text(
	struct trial_outcome *out, const json_t *entry, const char *collector, const char *when)
{
	struct store_raw *raw =
		keep_raw(out, json_object_get(entry, when), xasprintf("%s.%s", collector, when));

	return raw ? (struct collector_text){ .text = raw->data, .len = raw->len }
		   : (struct collector_text){ 0 };
}

static void judge_collector(const struct job_collect *collect, const json_t *entry, size_t slot,
	struct trial_outcome *out)
{
	const struct collector_ops *ops = collector_find(collect->name, NULL);
	const json_t *failed = json_object_get(entry, "error");
	struct values *values = &out->counter_values[slot];
	struct collector_text before, after;
	struct error err = ERROR_INIT;
	char *voids;
	int r = 0;

	out->counters[slot] =
		(struct store_counters){ .collector = collect->name, .values = values };
	if (!entry || failed) {
		r = error_set(&err, -ENODATA, "%s",
			json_str(failed, "text", "the agent sent nothing for it"));
		goto note;
	}
	before = raw_text(out, entry, collect->name, "before");
	after = raw_text(out, entry, collect->name, "after");
	if (!ops || !after.text)
		r = error_set(&err, -ENODATA, "no text was collected");
	else
		r = ops->parse(ops->probe ? NULL : &before, &after, false, values, &err);
	if (r == -ESTALE)
		set_state(out, TRIAL_VOID, error_text(&err));
	voids = r == 0 && ops && ops->voids ? ops->voids(values) : NULL;
	if (voids)
		set_state(out, TRIAL_VOID, voids);
	free(voids);
note:
	out->counter_errors[slot] = r < 0 ? xstrdup(error_text(&err)) : NULL;
	out->counters[slot].error = out->counter_errors[slot];
	error_release(&err);
}

static void judge_collectors(const struct job *job, const json_t *result, struct trial_outcome *out)
{
	const json_t *collected = json_object_get(result, "collect");

	out->counter_values = xcalloc(job->n_collect, sizeof(*out->counter_values));
	out->counters = xcalloc(job->n_collect, sizeof(*out->counters));
	out->counter_errors = xcalloc(job->n_collect, sizeof(*out->counter_errors));
	for (size_t i = 0; i < job->n_collect; i++)
		judge_collector(
			&job->collect[i], json_object_get(collected, job->collect[i].name), i, out);
	out->store.counters = out->counters;
	out->store.n_counters = job->n_collect;
}

static bool has_figure(const struct trial_outcome *out, const char *name)
{
	for (size_t i = 0; i < out->figures.n; i++)
		if (strcmp(out->figures.v[i].name, name) == 0)
			return true;
	return false;
}

static void add_figures(const struct benchmark *bench, struct trial_outcome *out)
{
	for (size_t i = 0; i < out->samples.n; i++) {
		const struct value *sample = &out->samples.v[i];
		double figure;

		if (has_figure(out, sample->name) ||
			bench_figure(bench, &out->samples, sample->name, &figure, NULL) < 0)
			continue;
		values_add(&out->figures, sample->name, sample->unit, figure)->better =
			sample->better;
	}
}

/* Does the agent say of a file that it is longer than what it sent? */
static bool file_is_cut(const json_t *result)
{
	const json_t *totals = json_object_get(result, "files_total");
	const char *name;
	json_t *blob;

	json_object_foreach(json_object_get(result, "files"), name, blob) {
		char *data = NULL;
		size_t len = 0;
		bool cut = json_blob_read(blob, &data, &len) == 0 &&
			   (uint64_t)json_int(totals, name, 0) > len;

		free(data);
		if (cut)
			return true;
	}
	return false;
}

static void judge_output(
	const struct benchmark *bench, const json_t *result, struct trial_outcome *out)
{
	struct store_raw *raw = keep_raw(out, json_object_get(result, "stdout"), xstrdup("stdout"));
	struct bench_output output = {
		.exit_status = (int)json_int(result, "exit", -1),
		.signal = (int)json_int(result, "signal", 0),
		.signalled = json_flag(result, "signalled", true),
		.timed_out = json_flag(result, "timed_out", false),
		.files = json_object_get(result, "files"),
	};
	struct error err = ERROR_INIT;

	if (raw) {
		output.out = raw->data;
		output.out_len = raw->len;
	}
	raw = keep_raw(out, json_object_get(result, "stderr"), xstrdup("stderr"));
	if (raw) {
		output.err = raw->data;
		output.err_len = raw->len;
	}
	output.truncated = (uint64_t)json_int(result, "stdout_total", 0) > output.out_len ||
			   (uint64_t)json_int(result, "stderr_total", 0) > output.err_len ||
			   file_is_cut(result);
	if (bench_extract(bench, &output, &out->samples, &err) < 0)
		set_state(out, TRIAL_FAILED, error_text(&err));
	else
		add_figures(bench, out);
	error_release(&err);
}

static void keep_files(const json_t *result, struct trial_outcome *out)
{
	const char *name;
	json_t *blob;

	json_object_foreach(json_object_get(result, "files"), name, blob) {
		keep_raw(out, blob, xasprintf("file:%s", name));
	}
}

/* What is kept of the answer beside its texts, which are stored compressed. */
static json_t *without_texts(const json_t *result)
{
	static const char *const texts[] = { "stdout", "stderr", "files", "collect" };
	json_t *copy = json_copy((json_t *)result);

	for (size_t i = 0; i < array_size(texts); i++)
		json_object_del(copy, texts[i]);
	return copy;
}

void trial_judge(const struct job *job, const struct benchmark *bench, const json_t *result,
	const char *nonce, struct trial_outcome *out)
{
	*out = (struct trial_outcome){ .store = { .state = TRIAL_DONE } };
	out->store.started_ns = (uint64_t)json_int(result, "started_ns", 0);
	out->store.elapsed_ns = (uint64_t)json_int(result, "elapsed_ns", 0);
	out->result = without_texts(result);
	out->store.result = out->result;
	if (strcmp(json_str(result, "end", ""), nonce) != 0)
		set_state(out, TRIAL_FAILED, "the agent's answer lacks this trial's end record");
	else if (json_flag(result, "cancelled", false))
		set_state(out, TRIAL_LOST, "the run was stopped during this trial");
	judge_output(bench, result, out);
	keep_files(result, out);
	judge_collectors(job, result, out);
	if (out->store.state == TRIAL_FAILED || out->store.state == TRIAL_LOST) {
		values_release(&out->samples);
		values_release(&out->figures);
	}
	out->store.samples = &out->samples;
	out->store.figures = &out->figures;
	out->store.raw = out->raw;
	out->store.n_raw = out->n_raw;
}

void trial_broken(const char *reason, struct trial_outcome *out)
{
	*out = (struct trial_outcome){ .store = { .state = TRIAL_DONE } };
	set_state(out, TRIAL_FAILED, reason);
}

void trial_refuse(struct trial_outcome *out, const char *reason)
{
	set_state(out, TRIAL_FAILED, reason);
	values_release(&out->samples);
	values_release(&out->figures);
}

void trial_outcome_release(struct trial_outcome *out)
{
	for (size_t i = 0; i < out->store.n_counters; i++) {
		values_release(&out->counter_values[i]);
		free(out->counter_errors[i]);
	}
	for (size_t i = 0; i < out->n_raw; i++) {
		free(out->raw_names[i]);
		free((void *)out->raw[i].data);
	}
	free(out->counter_values);
	free(out->counters);
	free(out->counter_errors);
	free(out->raw);
	free(out->raw_names);
	values_release(&out->samples);
	values_release(&out->figures);
	json_decref(out->result);
	free(out->reason);
	*out = (struct trial_outcome){ 0 };
}
