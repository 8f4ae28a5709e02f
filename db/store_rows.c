/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading rows: runs, arms, trials, samples, figures. */
#include <errno.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "db/store_priv.h"

int store_read_begin(struct store *store, struct error *err)
{
	struct query q = query_start(store, "begin_read");
	int ret = query_run(&q, err);

	return ret < 0 ? ret : 0;
}

void store_read_end(struct store *store)
{
	struct query q = query_start(store, "commit");

	query_run(&q, NULL);
}

static int bad_state(struct query *q, int column, struct error *err)
{
	return error_set(err, -EINVAL, "database '%s' is damaged: there is no state '%s'",
		q->store->path, column_text(q, column));
}

/* Columns as in db/queries/run_get.sql. */
static int run_row(struct query *q, struct store_run *run, struct error *err)
{
	int ret;

	*run = (struct store_run){
		.id = column_int(q, 0),
		.name = column_dup(q, 1),
		.job_path = column_dup(q, 3),
		.job_text = column_dup(q, 4),
		.benchmark_text = column_dup(q, 6),
		.seed = (uint64_t)column_int(q, 9),
		.baseline_arm = column_int(q, 10),
		.metric = column_dup(q, 11),
		.error = column_dup(q, 13),
		.started_ns = (uint64_t)column_int(q, 14),
		.ended_ns = (uint64_t)column_int(q, 15),
		.version = column_dup(q, 16),
	};
	if (run_state_parse(column_text(q, 2), &run->state) < 0)
		return bad_state(q, 2, err);
	ret = column_json(q, 5, &run->job, err);
	if (ret == 0)
		ret = column_json(q, 7, &run->facts, err);
	if (ret == 0)
		ret = column_json(q, 8, &run->target, err);
	if (ret == 0)
		ret = column_json(q, 12, &run->verdict, err);
	return ret;
}

void store_run_release(struct store_run *run)
{
	free(run->name);
	free(run->job_path);
	free(run->job_text);
	free(run->benchmark_text);
	free(run->metric);
	free(run->error);
	free(run->version);
	json_decref(run->job);
	json_decref(run->facts);
	json_decref(run->target);
	json_decref(run->verdict);
	*run = (struct store_run){ 0 };
}

static int no_run(struct store *store, int64_t id, struct error *err)
{
	if (id)
		return error_set(err, -ENOENT,
			"there is no run %lld in '%s'; 'harness list' shows those there are",
			(long long)id, store->path);
	return error_set(err, -ENOENT, "there is no run in '%s' yet", store->path);
}

int store_run_get(struct store *store, int64_t id, struct store_run *run, struct error *err)
{
	struct query q = query_start(store, "run_get");
	int ret;

	query_int(&q, id);
	ret = query_step(&q, err);
	if (ret == 0)
		return no_run(store, id, err);
	if (ret < 0)
		return ret;
	ret = run_row(&q, run, err);
	query_end(&q);
	if (ret < 0)
		store_run_release(run);
	return ret;
}

int store_runs(
	struct store *store, size_t limit, struct store_run **runs, size_t *n, struct error *err)
{
	struct query q = query_start(store, "runs");
	struct store_run *list = NULL;
	size_t count = 0, cap = 0;
	int ret;

	query_int(&q, limit < INT64_MAX ? (int64_t)limit : INT64_MAX);
	while ((ret = query_step(&q, err)) > 0) {
		array_reserve(list, count, cap);
		ret = run_row(&q, &list[count++], err);
		if (ret < 0) {
			query_end(&q);
			break;
		}
	}
	if (ret < 0) {
		for (size_t i = 0; i < count; i++)
			store_run_release(&list[i]);
		free(list);
		return ret;
	}
	*runs = list;
	*n = count;
	return 0;
}

static int arm_row(struct query *q, struct store_arm *arm, struct error *err)
{
	int ret;

	*arm = (struct store_arm){
		.id = column_int(q, 0),
		.index = column_int(q, 1),
		.label = column_dup(q, 2),
	};
	ret = column_json(q, 3, &arm->levels, err);
	return ret < 0 ? ret : column_json(q, 4, &arm->plan, err);
}

void store_arms_free(struct store_arm *arms, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		free(arms[i].label);
		json_decref(arms[i].levels);
		json_decref(arms[i].plan);
	}
	free(arms);
}

int store_arms(
	struct store *store, int64_t run, struct store_arm **arms, size_t *n, struct error *err)
{
	struct query q = query_start(store, "arms");
	struct store_arm *list = NULL;
	size_t count = 0, cap = 0;
	int ret;

	query_int(&q, run);
	while ((ret = query_step(&q, err)) > 0) {
		array_reserve(list, count, cap);
		ret = arm_row(&q, &list[count++], err);
		if (ret < 0) {
			query_end(&q);
			break;
		}
	}
	if (ret < 0) {
		store_arms_free(list, count);
		return ret;
	}
	*arms = list;
	*n = count;
	return 0;
}

/* Columns as in db/queries/trials.sql. */
static int trial_row(struct query *q, struct store_trial *trial, struct error *err)
{
	*trial = (struct store_trial){
		.id = column_int(q, 0),
		.arm = column_int(q, 1),
		.block = column_int(q, 2),
		.position = column_int(q, 3),
		.repeat = column_int(q, 4),
		.attempt = column_int(q, 5),
		.warmup = column_int(q, 6) != 0,
		.reason = column_dup(q, 8),
		.nonce = column_dup(q, 9),
		.started_ns = (uint64_t)column_int(q, 10),
		.elapsed_ns = (uint64_t)column_int(q, 11),
	};
	if (trial_state_parse(column_text(q, 7), &trial->state) < 0)
		return bad_state(q, 7, err);
	return column_json(q, 12, &trial->result, err);
}

void store_trials_free(struct store_trial *trials, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		free(trials[i].reason);
		free(trials[i].nonce);
		json_decref(trials[i].result);
	}
	free(trials);
}

int store_trials(
	struct store *store, int64_t run, struct store_trial **trials, size_t *n, struct error *err)
{
	struct query q = query_start(store, "trials");
	struct store_trial *list = NULL;
	size_t count = 0, cap = 0;
	int ret;

	query_int(&q, run);
	while ((ret = query_step(&q, err)) > 0) {
		array_reserve(list, count, cap);
		ret = trial_row(&q, &list[count++], err);
		if (ret < 0) {
			query_end(&q);
			break;
		}
	}
	if (ret < 0) {
		store_trials_free(list, count);
		return ret;
	}
	*trials = list;
	*n = count;
	return 0;
}

static int sample_row(struct query *q, struct values *samples, struct error *err)
{
	struct label label[VALUE_MAX_LABELS];
	struct value *v;
	json_t *labels;
	int n, ret = column_json(q, 3, &labels, err);

	if (ret < 0)
		return ret;
	v = values_add(
		samples, column_text(q, 0), column_text(q, 1), sqlite3_column_double(q->stmt, 4));
	n = labels_parse(labels, label);
	for (int i = 0; i < n; i++)
		values_label(samples, v, label[i].key, label[i].value ? label[i].value : "");
	json_decref(labels);
	if (n < 0 || better_parse(column_text(q, 2), &v->better) < 0)
		return error_set(err, -EINVAL, "database '%s' is damaged: metric '%s'",
			q->store->path, v->name);
	return 0;
}

int store_samples(struct store *store, int64_t trial, struct values *samples, struct error *err)
{
	struct query q = query_start(store, "samples");
	int ret;

	query_int(&q, trial);
	while ((ret = query_step(&q, err)) > 0) {
		ret = sample_row(&q, samples, err);
		if (ret < 0) {
			query_end(&q);
			break;
		}
	}
	return ret;
}

static void figure_row(struct query *q, struct store_figure *figure)
{
	*figure = (struct store_figure){
		.trial = column_int(q, 0),
		.arm = column_int(q, 1),
		.block = column_int(q, 2),
		.repeat = column_int(q, 3),
		.metric = column_text(q, 4),
		.unit = column_text(q, 5),
		.value = sqlite3_column_double(q->stmt, 7),
	};
	if (better_parse(column_text(q, 6), &figure->better) < 0)
		figure->better = BETTER_NONE;
}

int store_figures(struct store *store, int64_t run, const char *metric,
	int (*each)(void *context, const struct store_figure *figure), void *context,
	struct error *err)
{
	struct query q = query_start(store, "figures");
	struct store_figure figure;
	int ret;

	query_int(&q, run);
	query_text(&q, metric);
	while ((ret = query_step(&q, err)) > 0) {
		figure_row(&q, &figure);
		ret = each(context, &figure);
		if (ret < 0) {
			query_end(&q);
			break;
		}
	}
	return ret;
}
