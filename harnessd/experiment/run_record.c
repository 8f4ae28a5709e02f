/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "experiment/run_record.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/nearest.h"
#include "runners/bench/bench.h"
#include "spec/template.h"

void run_record_init(struct run_record *record)
{
	*record = (struct run_record){ 0 };
}

void run_record_release(struct run_record *record)
{
	free(record->place);
	run_record_init(record);
}

static struct run_place *find(
	const struct run_record *record, size_t block, size_t arm, long repeat)
{
	for (size_t i = record->n; i-- > 0;) {
		struct run_place *p = &record->place[i];

		if (p->block == block && p->arm == arm && p->repeat == repeat)
			return p;
	}
	return NULL;
}

void run_record_add(struct run_record *record, const struct run_step *step, enum trial_state state)
{
	struct run_place *p = find(record, step->block, step->arm, step->repeat);

	if (!p) {
		array_reserve(record->place, record->n, record->cap);
		p = &record->place[record->n++];
		*p = (struct run_place){
			.block = step->block,
			.arm = step->arm,
			.repeat = step->repeat,
			.warmup = step->warmup,
		};
	}
	p->attempts++;
	p->counts |= state == TRIAL_DONE;
}

int run_record_load(struct run_record *record, struct store *store, int64_t run, struct error *err)
{
	struct store_trial *trials;
	size_t n;
	int r = store_trials(store, run, &trials, &n, err);

	if (r < 0)
		return r;
	for (size_t i = 0; i < n; i++) {
		const struct run_step step = {
			.block = (size_t)trials[i].block,
			.arm = (size_t)trials[i].arm,
			.repeat = (long)trials[i].repeat,
			.warmup = trials[i].warmup,
		};

		run_record_add(record, &step, trials[i].state);
		record->seconds += (double)trials[i].elapsed_ns / 1e9;
	}
	store_trials_free(trials, n);
	return 0;
}

bool run_record_has(const struct run_record *record, const struct run_step *step)
{
	const struct run_place *p = find(record, step->block, step->arm, step->repeat);

	return p && p->counts;
}

size_t run_record_counted(const struct run_record *record, size_t block, size_t arm)
{
	size_t n = 0;

	for (size_t i = 0; i < record->n; i++) {
		const struct run_place *p = &record->place[i];

		n += p->block == block && p->arm == arm && p->counts && !p->warmup;
	}
	return n;
}

int run_record_attempts(const struct run_record *record, const struct run_step *step)
{
	const struct run_place *p = find(record, step->block, step->arm, step->repeat);

	return p ? p->attempts : 0;
}

/* Takes the reference of @value. */
static char *json_text(json_t *value)
{
	char *text = json_line(value);

	json_decref(value);
	return text;
}

static const struct bench_metric *metric_at(const struct benchmark *bench, size_t i)
{
	return (const struct bench_metric *)bench->metrics.item + i;
}

static int unknown_metric(const struct benchmark *bench, const char *name, struct error *err)
{
	const char **names = xcalloc(bench->metrics.n, sizeof(*names));
	char *suffix;
	int r;

	for (size_t i = 0; i < bench->metrics.n; i++)
		names[i] = metric_at(bench, i)->name;
	suffix = nearest_suffix(name, names, bench->metrics.n);
	r = error_set(
		err, -EINVAL, "the benchmark '%s' has no metric '%s'%s", bench->name, name, suffix);
	free(suffix);
	free(names);
	return r;
}

/* The name of the only primary metric, of the first when none is, NULL when several could be meant. */
static const char *only_primary(const struct benchmark *bench)
{
	const struct bench_metric *found = NULL;

	for (size_t i = 0; i < bench->metrics.n; i++) {
		if (!metric_at(bench, i)->primary)
			continue;
		if (found)
			return NULL;
		found = metric_at(bench, i);
	}
	if (!found)
		found = metric_at(bench, 0);
	return template_has_names(found->name) ? NULL : found->name;
}

int run_record_metric(
	const struct job *job, const struct benchmark *bench, char **metric, struct error *err)
{
	const char *wanted = job->decide.metric;

	*metric = NULL;
	if (wanted && !bench_metric_of(bench, wanted))
		return unknown_metric(bench, wanted, err);
	*metric = xstrdup(wanted ? wanted : only_primary(bench));
	return 0;
}

/* Both files as they were understood: self-contained, whatever becomes of the files. */
static char *benchmark_text(const struct benchmark *bench)
{
	return json_text(options_to_json(&benchmark_table, bench));
}

int run_record_create(struct store *store, const struct job *job, const struct benchmark *bench,
	const struct design *design, uint64_t seed, const char *metric, int64_t *id,
	struct error *err)
{
	struct store_arm *arms = xcalloc(design->n, sizeof(*arms));
	struct store_run row = {
		.name = job->name,
		.state = RUN_RUNNING,
		.job_path = job->path,
		.job_text = job->text,
		.job = job_to_json(job),
		.benchmark_text = benchmark_text(bench),
		.seed = seed,
		.baseline_arm = (int64_t)design->baseline,
		.metric = (char *)(metric ? metric : ""),
		.started_ns = clock_realtime_ns(),
		.version = (char *)HARNESS_VERSION,
	};
	int r;

	for (size_t i = 0; i < design->n; i++)
		arms[i] = (struct store_arm){
			.index = (int64_t)i,
			.label = design->arms[i].label,
			.levels = design->arms[i].levels,
		};
	r = store_run_create(store, &row, arms, design->n, id, err);
	json_decref(row.job);
	free(row.benchmark_text);
	free(arms);
	return r;
}

int run_record_reload(const struct store_run *row, const struct run_env *env, struct job **job,
	struct benchmark **bench, struct error *err)
{
	struct diags diags = DIAGS_INIT;
	char *job_text = json_text(json_incref(row->job)), *text;
	int r = job_parse(row->job_path ? row->job_path : "job", job_text, strlen(job_text),
		env->registry, &env->config_dirs, job, &diags);

	if (r == 0)
		r = benchmark_parse("benchmark", row->benchmark_text, strlen(row->benchmark_text),
			bench, &diags);
	if (r < 0) {
		text = diags_text(&diags);
		error_set(err, r, "the run's own record can't be read:\n%s", text);
		free(text);
	}
	free(job_text);
	diags_release(&diags);
	return r;
}
