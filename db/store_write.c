/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs and trials: every change is one transaction. */
#include "db/store.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "db/store_priv.h"

static const char *const run_states[] = {
	[RUN_RUNNING] = "running",
	[RUN_INTERRUPTED] = "interrupted",
	[RUN_FINISHED] = "finished",
	[RUN_FAILED] = "failed",
};

static const char *const trial_states[] = {
	[TRIAL_STARTED] = "started",
	[TRIAL_DONE] = "done",
	[TRIAL_FAILED] = "failed",
	[TRIAL_VOID] = "void",
	[TRIAL_LOST] = "lost",
};

const char *run_state_name(enum run_state state)
{
	return run_states[state];
}

const char *trial_state_name(enum trial_state state)
{
	return trial_states[state];
}

static int find_name(const char *text, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(text, names[i]) == 0)
			return (int)i;
	return -EINVAL;
}

int run_state_parse(const char *text, enum run_state *state)
{
	int at = find_name(text, run_states, array_size(run_states));

	if (at >= 0)
		*state = (enum run_state)at;
	return at < 0 ? at : 0;
}

int trial_state_parse(const char *text, enum trial_state *state)
{
	int at = find_name(text, trial_states, array_size(trial_states));

	if (at >= 0)
		*state = (enum trial_state)at;
	return at < 0 ? at : 0;
}

static const char *or_empty(const char *text)
{
	return text ? text : "";
}

static int64_t or_now(uint64_t ns)
{
	return (int64_t)(ns ? ns : clock_realtime_ns());
}

static int insert_run(struct store *store, const struct store_run *run, struct error *err)
{
	struct query q = query_start(store, "run_create");

	query_text(&q, or_empty(run->name));
	query_text(&q, or_empty(run->job_path));
	query_text(&q, or_empty(run->job_text));
	query_json(&q, run->job);
	query_text(&q, or_empty(run->benchmark_text));
	query_json(&q, run->facts);
	query_json(&q, run->target);
	query_int(&q, (int64_t)run->seed);
	query_int(&q, run->baseline_arm);
	query_text(&q, or_empty(run->metric));
	query_int(&q, or_now(run->started_ns));
	query_text(&q, or_empty(run->version));
	return query_run(&q, err);
}

static int insert_arm(
	struct store *store, int64_t run, const struct store_arm *arm, struct error *err)
{
	struct query q = query_start(store, "arm_create");

	query_int(&q, run);
	query_int(&q, arm->index);
	query_text(&q, or_empty(arm->label));
	query_json(&q, arm->levels);
	query_json(&q, arm->plan);
	return query_run(&q, err);
}

int store_run_create(struct store *store, const struct store_run *run, const struct store_arm *arms,
	size_t n_arms, int64_t *id, struct error *err)
{
	int64_t new_id = 0;
	int ret = store_begin(store, err);

	if (ret < 0)
		return ret;
	ret = insert_run(store, run, err);
	if (ret >= 0)
		new_id = sqlite3_last_insert_rowid(store->db);
	for (size_t i = 0; ret >= 0 && i < n_arms; i++)
		ret = insert_arm(store, new_id, &arms[i], err);
	ret = store_end(store, ret, err);
	if (ret < 0)
		return ret;
	*id = new_id;
	return 0;
}

/* A single statement is a transaction of its own. */
static int run_one(
	struct store *store, struct query *q, const char *what, int64_t number, struct error *err)
{
	int ret = query_run(q, err);

	if (ret == 0)
		return error_set(err, -ENOENT, "database '%s' has no %s %lld", store->path, what,
			(long long)number);
	return ret < 0 ? ret : 0;
}

int store_run_facts(struct store *store, int64_t run, const json_t *facts, const json_t *target,
	struct error *err)
{
	struct query q = query_start(store, "run_facts");

	query_int(&q, run);
	query_json(&q, facts);
	query_json(&q, target);
	return run_one(store, &q, "run", run, err);
}

int store_run_metric(struct store *store, int64_t run, const char *metric, struct error *err)
{
	struct query q = query_start(store, "run_metric");

	query_int(&q, run);
	query_text(&q, metric);
	return run_one(store, &q, "run", run, err);
}

int store_arm_plan(
	struct store *store, int64_t run, int64_t arm, const json_t *plan, struct error *err)
{
	struct query q = query_start(store, "arm_plan");

	query_int(&q, run);
	query_int(&q, arm);
	query_json(&q, plan);
	return run_one(store, &q, "such arm in run", run, err);
}

int store_run_end(struct store *store, int64_t run, enum run_state state, const json_t *verdict,
	const char *why, struct error *err)
{
	struct query q;

	assert(state != RUN_RUNNING);
	q = query_start(store, "run_end");
	query_int(&q, run);
	query_text(&q, run_states[state]);
	query_json(&q, verdict);
	query_text(&q, why);
	query_int(&q, or_now(0));
	return run_one(store, &q, "run", run, err);
}

/* State of a run or trial as a word. Return: 0 or -ENOENT. */
static int state_of(
	struct store *store, const char *what, int64_t id, char **state, struct error *err)
{
	char *name = xasprintf("%s_state", what);
	struct query q = query_start(store, name);
	int ret;

	free(name);
	query_int(&q, id);
	ret = query_step(&q, err);
	if (ret == 0)
		return error_set(err, -ENOENT, "database '%s' has no %s %lld", store->path, what,
			(long long)id);
	if (ret < 0)
		return ret;
	*state = xstrdup(column_text(&q, 0));
	query_end(&q);
	return 0;
}

static int resume(struct store *store, int64_t run, struct error *err)
{
	char *state = NULL;
	struct query q;
	int ret = state_of(store, "run", run, &state, err);

	if (state && strcmp(state, run_states[RUN_FINISHED]) == 0)
		ret = error_set(err, -EBUSY, "run %lld has finished; there is nothing to resume",
			(long long)run);
	free(state);
	if (ret < 0)
		return ret;
	q = query_start(store, "run_resume");
	query_int(&q, run);
	ret = query_run(&q, err);
	if (ret < 0)
		return ret;
	q = query_start(store, "trials_lose");
	query_int(&q, run);
	query_text(&q, "the program ended in the middle of it");
	return query_run(&q, err);
}

int store_run_resume(struct store *store, int64_t run, struct error *err)
{
	int ret = store_begin(store, err);

	return ret < 0 ? ret : store_end(store, resume(store, run, err), err);
}

int store_trial_begin(struct store *store, int64_t run, const struct store_trial *trial,
	int64_t *id, struct error *err)
{
	struct query q = query_start(store, "trial_begin");
	int ret;

	query_int(&q, run);
	query_int(&q, trial->arm);
	query_int(&q, trial->block);
	query_int(&q, trial->position);
	query_int(&q, trial->repeat);
	query_int(&q, trial->attempt);
	query_int(&q, trial->warmup);
	query_text(&q, or_empty(trial->nonce));
	query_int(&q, or_now(trial->started_ns));
	ret = query_run(&q, err);
	if (ret < 0)
		return ret;
	*id = sqlite3_last_insert_rowid(store->db);
	return 0;
}

static int finish_row(
	struct store *store, int64_t trial, const struct store_outcome *outcome, struct error *err)
{
	struct query q = query_start(store, "trial_finish");
	char *state = NULL;
	int ret;

	query_int(&q, trial);
	query_text(&q, trial_states[outcome->state]);
	query_text(&q, outcome->reason);
	query_int(&q, (int64_t)outcome->started_ns);
	query_int(&q, (int64_t)outcome->elapsed_ns);
	query_json(&q, outcome->result);
	ret = query_run(&q, err);
	if (ret != 0)
		return ret;
	ret = state_of(store, "trial", trial, &state, err);
	if (ret == 0)
		ret = error_set(
			err, -EALREADY, "trial %lld has ended before: %s", (long long)trial, state);
	free(state);
	return ret;
}

static int add_samples(
	struct store *store, int64_t trial, const struct values *samples, struct error *err)
{
	for (size_t i = 0; i < samples->n; i++) {
		struct query q;
		int64_t metric;
		int ret = store_metric_id(store, &samples->v[i], &metric, err);

		if (ret < 0)
			return ret;
		q = query_start(store, "sample_add");
		query_int(&q, trial);
		query_int(&q, (int64_t)i);
		query_int(&q, metric);
		query_real(&q, samples->v[i].value);
		ret = query_run(&q, err);
		if (ret < 0)
			return ret;
	}
	return 0;
}

static int add_figures(
	struct store *store, int64_t trial, const struct values *figures, struct error *err)
{
	for (size_t i = 0; i < figures->n; i++) {
		struct query q;
		int64_t metric;
		int ret = store_metric_id(store, &figures->v[i], &metric, err);

		if (ret < 0)
			return ret;
		q = query_start(store, "figure_add");
		query_int(&q, trial);
		query_int(&q, metric);
		query_real(&q, figures->v[i].value);
		ret = query_run(&q, err);
		if (ret < 0)
			return ret;
	}
	return 0;
}

static int add_raw(struct store *store, int64_t trial, const struct store_raw *raw,
	const struct packed *packed, struct error *err)
{
	struct query q = query_start(store, "raw_add");

	query_int(&q, trial);
	query_text(&q, raw->name);
	query_int(&q, (int64_t)raw->len);
	query_blob(&q, packed->data, packed->len);
	return query_run(&q, err);
}

static int finish(struct store *store, int64_t trial, const struct store_outcome *outcome,
	const struct packed *packed, struct error *err)
{
	int ret = finish_row(store, trial, outcome, err);

	if (ret >= 0 && outcome->samples)
		ret = add_samples(store, trial, outcome->samples, err);
	if (ret >= 0 && outcome->figures)
		ret = add_figures(store, trial, outcome->figures, err);
	for (size_t i = 0; ret >= 0 && i < outcome->n_counters; i++)
		ret = store_counters_add(store, trial, &outcome->counters[i], err);
	for (size_t i = 0; ret >= 0 && i < outcome->n_raw; i++)
		ret = add_raw(store, trial, &outcome->raw[i], &packed[i], err);
	return ret;
}

static int check_finite(const struct values *vs, struct error *err)
{
	for (size_t i = 0; vs && i < vs->n; i++)
		if (!isfinite(vs->v[i].value))
			return error_set(err, -EINVAL,
				"'%s' is no finite number, so nothing of the "
				"trial is kept",
				vs->v[i].name);
	return 0;
}

int store_trial_finish(
	struct store *store, int64_t trial, const struct store_outcome *outcome, struct error *err)
{
	struct packed *packed;
	int ret = check_finite(outcome->samples, err);

	assert(outcome->state != TRIAL_STARTED);
	if (ret == 0)
		ret = check_finite(outcome->figures, err);
	for (size_t i = 0; ret == 0 && i < outcome->n_counters; i++)
		ret = check_finite(outcome->counters[i].values, err);
	if (ret < 0)
		return ret;
	/* Compressed before the transaction: other writers wait no longer than they must. */
	packed = xcalloc(outcome->n_raw + 1, sizeof(*packed));
	for (size_t i = 0; i < outcome->n_raw; i++)
		packed[i] = store_pack(store, &outcome->raw[i]);
	ret = store_begin(store, err);
	if (ret == 0)
		ret = store_end(store, finish(store, trial, outcome, packed, err), err);
	for (size_t i = 0; i < outcome->n_raw; i++)
		free(packed[i].owned);
	free(packed);
	return ret < 0 ? ret : 0;
}
