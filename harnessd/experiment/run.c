/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "experiment/run.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/json.h"
#include "base/rng.h"
#include "experiment/arm_plan.h"
#include "experiment/programs.h"
#include "experiment/quiet.h"
#include "experiment/run_record.h"
#include "experiment/session.h"
#include "experiment/trial.h"
#include "experiment/version.h"
#include "runners/bench/bench.h"

/* A trial that gives nothing is tried again in its place, so often; an arm that gives nothing in so
 * many blocks in a row ends the run. */
enum { MAX_ATTEMPTS = 3, MAX_BAD_BLOCKS = 3 };

struct runner {
	struct store *store;
	const struct job *job;
	const struct benchmark *bench;
	const struct run_env *env;
	struct design design;
	struct target_env target_env;
	struct session session;
	struct quiet quiet;
	struct run_record record;
	struct decision decision;
	char *metric;
	char *work_dir;
	json_t *programs;
	json_t **argv, **plan; /* of each arm, once it has been planned */
	size_t *bad_blocks;
	char *last_reason;
	uint64_t seed;
	int64_t id;
	uint64_t started_ns;
	double block_s;	 /* time of the longest block so far */
	size_t n_trials; /* begun by this process */
	bool fresh;	 /* the next machine entered is to be a clean one: a block begins */
};

static void note(const struct runner *r, const char *text)
{
	if (r->env->progress && r->env->progress->note)
		r->env->progress->note(r->env->progress->context, text);
}

static void note_from_target(void *context, const char *text)
{
	note(context, text);
}

static bool cancelled(const struct runner *r)
{
	struct pollfd p = { .fd = r->env->cancel_fd, .events = POLLIN };

	return r->env->cancel_fd >= 0 && poll(&p, 1, 0) > 0;
}

static bool target_cancelled(void *context)
{
	return cancelled(context);
}

static int stopped(struct error *err)
{
	return error_set(err, -EINTR, "the run was stopped");
}

/* Takes the references. The record is written when it says something new: it is synced to the disk. */
static int note_plan(struct runner *r, size_t arm, json_t *argv, json_t *plan, struct error *err)
{
	bool known = r->plan[arm] && json_equal(r->plan[arm], plan);

	json_decref(r->argv[arm]);
	json_decref(r->plan[arm]);
	r->argv[arm] = argv;
	r->plan[arm] = plan;
	return known ? 0 : store_arm_plan(r->store, r->id, (int64_t)arm, plan, err);
}

/* Plans an arm on the machine as it is and sets its knobs. */
static int apply_arm(struct runner *r, size_t arm, struct error *err)
{
	struct machine machine = session_machine(&r->session);
	struct knob_plan plan;
	json_t *argv = NULL, *result = NULL;
	int rc = arm_plan(&r->design.arms[arm], &machine, &plan, err);

	if (rc == 0)
		rc = arm_command(r->bench, r->job, &plan, &argv, err);
	if (rc < 0)
		goto out;
	if (r->session.ops->shares_host)
		programs_resolve(argv, r->env->programs_dir);
	rc = note_plan(r, arm, json_incref(argv), arm_plan_json(r->bench, &plan, argv), err);
	if (rc < 0)
		goto out;
	rc = session_call(&r->session, "set", json_pack("{s:o}", "writes", arm_writes(&plan)),
		SESSION_CALL_MS, &result, err);
	if (rc < 0)
		error_prefix(err, "arm '%s': ", r->design.arms[arm].label);
	else
		r->session.arm = (long)arm;
	json_decref(result);
out:
	json_decref(argv);
	knob_plan_release(&plan);
	return rc;
}

/* Has an agent on the right machine with the arm's knobs in force. */
static int enter_arm(struct runner *r, size_t arm, struct error *err)
{
	char *cmdline = arm_cmdline(&r->design.arms[arm]);
	int rc = session_enter(&r->session, cmdline, r->fresh, err);

	free(cmdline);
	if (rc < 0)
		return rc;
	r->fresh = false;
	return r->session.arm == (long)arm ? 0 : apply_arm(r, arm, err);
}

/* Machine and plans of all arms, before anything is measured: a level that the machine lacks, or a
 * feature that can't be written, must end the run here. */
static int rehearse(struct runner *r, struct error *err)
{
	int rc = 0;

	for (size_t arm = 0; arm < r->design.n && rc == 0; arm++) {
		if (cancelled(r))
			return stopped(err);
		rc = enter_arm(r, arm, err);
		if (rc == 0 && arm == 0)
			rc = version_note(&r->session, r->bench, r->env->programs_dir, err);
		if (rc == 0 && arm == 0)
			rc = store_run_facts(
				r->store, r->id, r->session.facts, r->session.describe, err);
	}
	return rc;
}

/* NaN when the trial has no such figure, or nothing is known to decide yet. */
static double figure_of(const struct runner *r, const struct trial_outcome *outcome)
{
	for (size_t i = 0; r->metric && i < outcome->figures.n; i++)
		if (strcmp(outcome->figures.v[i].name, r->metric) == 0)
			return outcome->figures.v[i].value;
	return NAN;
}

static void report_trial(
	struct runner *r, const struct run_step *step, const struct trial_outcome *outcome)
{
	const struct run_progress *p = r->env->progress;

	if (outcome->store.reason) {
		free(r->last_reason);
		r->last_reason = xstrdup(outcome->store.reason);
	}
	if (p && p->done)
		p->done(p->context, step, figure_of(r, outcome), outcome->store.reason);
}

/* Why the conversation gave no answer: of a machine that was lost the target says what became of it. */
static char *why_none(struct runner *r, int rc, const struct error *err)
{
	char *lost = r->session.client && agent_client_dead(r->session.client)
			     ? session_lost(&r->session)
			     : NULL;
	bool missing = rc == -ENOENT && !lost && r->bench->install;
	char *why = xasprintf("%s%s%s%s%s", error_text(err), lost ? "; " : "", lost ? lost : "",
		missing ? "; to install it: " : "", missing ? r->bench->install : "");

	free(lost);
	return why;
}

/* The conversation itself. Return: false when there is no point in asking the same again. */
static bool converse(struct runner *r, size_t arm, const char *nonce, struct trial_outcome *outcome)
{
	double limit = trial_limit(r->job, r->bench);
	json_t *request = trial_request(r->job, r->bench, r->argv[arm], r->plan[arm], limit, nonce);
	uint64_t started_ns = clock_realtime_ns();
	json_t *result = NULL;
	struct error err = ERROR_INIT;
	bool again = true;
	int rc;

	if (r->session.ops->shares_host)
		quiet_begin(&r->quiet, json_object_get(r->plan[arm], "cpus"));
	rc = session_call(&r->session, "run", request,
		(int)((limit + r->job->cooldown) * 1000) + SESSION_TRIAL_SLACK_MS, &result, &err);
	quiet_end(&r->quiet);
	if (rc == 0) {
		trial_judge(r->job, r->bench, result, nonce, outcome);
	} else {
		char *why = why_none(r, rc, &err);

		again = rc != -ENOENT && rc != -EACCES && rc != -EINVAL;
		trial_broken(why, outcome);
		free(why);
	}
	outcome->store.started_ns = started_ns; /* a restored guest's clock stands at its boot */
	json_decref(result);
	error_release(&err);
	return again;
}

/* The trial on the machine of its arm. Return: as converse(). */
static bool measure(struct runner *r, const struct run_step *step, const char *nonce,
	struct trial_outcome *outcome)
{
	struct error err = ERROR_INIT;
	bool again = true;

	/* After a lost machine: a new one, with this arm's knobs. */
	if (enter_arm(r, step->arm, &err) < 0) {
		char *why = why_none(r, 0, &err);

		trial_broken(why, outcome);
		free(why);
	} else {
		again = converse(r, step->arm, nonce, outcome);
	}
	if (cancelled(r) && outcome->store.state == TRIAL_FAILED)
		outcome->store.state = TRIAL_LOST;
	error_release(&err);
	return again;
}

/* Without the figure that decides a trial is worth nothing. Of several primary metrics the first trial
 * tells which one this version of the tool prints. */
static int check_figure(struct runner *r, struct trial_outcome *outcome, struct error *err)
{
	const char *primary = bench_primary(r->bench, &outcome->samples);
	char *reason;
	int rc = 0;

	if (outcome->store.state != TRIAL_DONE)
		return 0;
	if (!r->metric && (primary || outcome->figures.n)) {
		r->metric = xstrdup(primary ? primary : outcome->figures.v[0].name);
		rc = store_run_metric(r->store, r->id, r->metric, err);
	}
	if (isnan(figure_of(r, outcome))) {
		reason = xasprintf("the output has no '%s', the metric that decides",
			r->metric ? r->metric : "figure");
		trial_refuse(outcome, reason);
		free(reason);
	}
	return rc;
}

static int keep_trial(struct runner *r, const struct run_step *step, int64_t trial,
	struct trial_outcome *outcome, struct error *err)
{
	int rc = check_figure(r, outcome, err);

	if (rc == 0)
		rc = store_trial_finish(r->store, trial, &outcome->store, err);
	if (rc == 0)
		run_record_add(&r->record, step, outcome->store.state);
	report_trial(r, step, outcome);
	return rc;
}

/* One attempt. Return: 1 when the trial counts, 0 when it doesn't, -errno when the run can't go on. */
static int attempt_trial(
	struct runner *r, const struct run_step *step, bool *again, struct error *err)
{
	struct trial_outcome outcome = { 0 };
	char *nonce = xasprintf("%016llx", (unsigned long long)rng_entropy());
	struct store_trial row = {
		.arm = (int64_t)step->arm,
		.block = (int64_t)step->block,
		.position = (int64_t)step->position,
		.repeat = step->repeat,
		.attempt = step->attempt,
		.warmup = step->warmup,
		.nonce = nonce,
		.started_ns = clock_realtime_ns(),
	};
	int64_t trial;
	int rc = store_trial_begin(r->store, r->id, &row, &trial, err);

	if (rc < 0)
		goto out;
	r->n_trials++;
	if (r->env->progress && r->env->progress->trial)
		r->env->progress->trial(r->env->progress->context, step);
	*again = measure(r, step, nonce, &outcome);
	rc = keep_trial(r, step, trial, &outcome, err);
	if (rc == 0)
		rc = outcome.store.state == TRIAL_DONE;
out:
	trial_outcome_release(&outcome);
	free(nonce);
	return rc;
}

/* A trial until it counts, or has failed too often. Return: as attempt_trial(). */
static int run_trial(struct runner *r, struct run_step *step, struct error *err)
{
	int first = run_record_attempts(&r->record, step), rc = 0;
	bool again = true;

	for (step->attempt = first; again && step->attempt < first + MAX_ATTEMPTS;
		step->attempt++) {
		if (cancelled(r))
			return stopped(err);
		rc = attempt_trial(r, step, &again, err);
		if (rc != 0)
			break;
	}
	return rc;
}

/* All trials of one arm in one block. Return: as attempt_trial(). */
static int run_arm(struct runner *r, struct run_step *step, struct error *err)
{
	long all = r->job->warmup + r->job->trials;
	bool any = false;

	if (run_record_counted(&r->record, step->block, step->arm) >= (size_t)r->job->trials)
		return 1;
	for (step->repeat = 0; step->repeat < all; step->repeat++) {
		int rc;

		step->warmup = step->repeat < r->job->warmup;
		if (!step->warmup && run_record_has(&r->record, step)) {
			any = true;
			continue;
		}
		rc = run_trial(r, step, err);
		if (rc < 0)
			return rc;
		if (rc == 0)
			break; /* the next trials of this arm would fail alike */
		any |= !step->warmup;
	}
	return any;
}

static int count_bad_block(
	struct runner *r, const struct run_step *step, bool good, struct error *err)
{
	size_t *bad = &r->bad_blocks[step->arm];

	*bad = good ? 0 : *bad + 1;
	if (*bad >= MAX_BAD_BLOCKS || (*bad && step->block == 0))
		return error_set(err, -ENODATA, "arm '%s' can't be measured: %s",
			r->design.arms[step->arm].label,
			r->last_reason ? r->last_reason : "no trial of it counts");
	return 0;
}

static int run_block(struct runner *r, size_t block, struct error *err)
{
	size_t *order = xcalloc(r->design.n, sizeof(*order));
	int rc = 0;

	r->fresh = true;
	design_order(r->seed, block, r->design.n, order);
	for (size_t i = 0; i < r->design.n && rc == 0; i++) {
		struct run_step step = {
			.job = r->job,
			.design = &r->design,
			.block = block,
			.arm = order[i],
			.position = i,
		};

		rc = run_arm(r, &step, err);
		if (rc >= 0)
			rc = count_bad_block(r, &step, rc > 0, err);
	}
	free(order);
	return rc;
}

/* Reads the figures back and decides; final when no block will follow. */
static int take_look(struct runner *r, bool final, double seconds_left, struct error *err)
{
	const struct run_progress *p = r->env->progress;
	struct figures figures;
	int rc = figures_load(r->store, r->id, r->design.n, r->metric, &figures, err);

	if (rc < 0)
		return rc;
	decision_release(&r->decision);
	rc = decide(&figures, r->design.baseline, &r->job->decide, final, &r->decision, err);
	if (rc == 0 && p && p->look) {
		const struct look look = { r->job, &r->design, &r->decision, &figures,
			seconds_left };

		p->look(p->context, &look);
	}
	figures_release(&figures);
	return rc;
}

/* Time that the run has had: a run that is taken up again has had some. */
static double elapsed_s(const struct runner *r)
{
	return r->record.seconds + (double)(clock_monotonic_ns() - r->started_ns) / 1e9;
}

/* Seconds until the limits end the run at the latest. */
static double seconds_left(const struct runner *r, size_t blocks_done)
{
	double left = r->block_s * (double)((size_t)r->job->decide.max_blocks - blocks_done);
	double limit = r->job->decide.max_time;

	if (limit > 0 && limit - elapsed_s(r) < left)
		left = limit - elapsed_s(r);
	return left > 0 ? left : 0;
}

static int run_blocks(struct runner *r, struct error *err)
{
	size_t max = (size_t)r->job->decide.max_blocks;

	for (size_t block = 0; block < max; block++) {
		uint64_t start = clock_monotonic_ns();
		size_t n_trials = r->n_trials;
		bool out_of_time;
		double took;
		int rc = run_block(r, block, err);

		if (rc < 0)
			return rc;
		/* Of the blocks that were there before, the first look has seen all. */
		if (r->n_trials == n_trials && block + 1 < max && r->decision.n_arms)
			continue;
		took = (double)(clock_monotonic_ns() - start) / 1e9;
		r->block_s = took > r->block_s ? took : r->block_s;
		out_of_time = r->job->decide.max_time > 0 &&
			      elapsed_s(r) + r->block_s > r->job->decide.max_time;
		rc = take_look(r, out_of_time || block + 1 == max, seconds_left(r, block + 1), err);
		if (rc < 0 || r->decision.stopped || out_of_time)
			return rc;
	}
	return 0;
}

static int verdict_of(struct runner *r, json_t **verdict, struct error *err)
{
	struct figures figures;
	const char **labels;
	int rc = figures_load(r->store, r->id, r->design.n, r->metric, &figures, err);

	if (rc < 0)
		return rc;
	labels = xcalloc(r->design.n, sizeof(*labels));
	for (size_t i = 0; i < r->design.n; i++)
		labels[i] = r->design.arms[i].label;
	*verdict = decision_json(&r->decision, &figures, labels, &r->job->decide);
	free(labels);
	figures_release(&figures);
	return 0;
}

static int record_end(struct runner *r, int rc, struct error *err)
{
	json_t *verdict = NULL;
	enum run_state state;
	struct error second = ERROR_INIT;
	int end;

	if (rc == 0)
		rc = verdict_of(r, &verdict, err);
	state = rc == 0 ? RUN_FINISHED : rc == -EINTR ? RUN_INTERRUPTED : RUN_FAILED;
	end = store_run_end(
		r->store, r->id, state, verdict, rc < 0 ? error_text(err) : NULL, &second);
	json_decref(verdict);
	if (end < 0 && rc >= 0)
		rc = error_set(err, end, "%s", error_text(&second));
	error_release(&second);
	return rc;
}

/* The folder for sockets, console logs and the folders of trials; another user (user:) must get through. */
static int make_work_dir(struct runner *r, struct error *err)
{
	r->work_dir = xasprintf("%s/runs/%lld", r->env->state_dir, (long long)r->id);
	return file_make_dirs(r->work_dir, 0711, err);
}

static int open_session(struct runner *r, struct error *err)
{
	r->programs = programs_needed(r->bench, r->env->programs_dir);
	r->target_env = (struct target_env){
		.state_dir = r->env->state_dir,
		.work_dir = r->work_dir,
		.agent_path = r->env->agent_path,
		.programs = r->programs,
		.reboot = r->job->reboot == REBOOT_BLOCK,
		.cancelled = target_cancelled,
		.progress = note_from_target,
		.context = r,
	};
	return session_open(&r->session, r->job->target, r->job->target_options, &r->target_env,
		r->env->cancel_fd, err);
}

static int carry_out(struct runner *r, struct error *err)
{
	struct error undo = ERROR_INIT;
	int rc = make_work_dir(r, err);

	if (rc == 0)
		rc = open_session(r, err);
	if (rc == 0)
		rc = rehearse(r, err);
	if (rc == 0)
		rc = run_blocks(r, err);
	if (session_undo(&r->session, &undo) < 0)
		note(r, error_text(&undo));
	error_release(&undo);
	session_close(&r->session);
	return record_end(r, rc, err);
}

static int runner_init(struct runner *r, struct store *store, const struct job *job,
	const struct benchmark *bench, const struct run_env *env, struct error *err)
{
	int rc;

	*r = (struct runner){
		.store = store,
		.job = job,
		.bench = bench,
		.env = env,
		.started_ns = clock_monotonic_ns(),
		.session = { .arm = -1 },
	};
	rc = design_init(&r->design, job, env->registry, err);
	if (rc < 0)
		return rc;
	rc = run_record_metric(job, bench, &r->metric, err);
	if (rc < 0)
		return rc;
	r->argv = xcalloc(r->design.n, sizeof(*r->argv));
	r->plan = xcalloc(r->design.n, sizeof(*r->plan));
	r->bad_blocks = xcalloc(r->design.n, sizeof(*r->bad_blocks));
	run_record_init(&r->record);
	return 0;
}

static void runner_release(struct runner *r)
{
	for (size_t i = 0; i < r->design.n; i++) {
		if (r->argv)
			json_decref(r->argv[i]);
		if (r->plan)
			json_decref(r->plan[i]);
	}
	free(r->argv);
	free(r->plan);
	free(r->bad_blocks);
	free(r->metric);
	free(r->work_dir);
	free(r->last_reason);
	json_decref(r->programs);
	decision_release(&r->decision);
	run_record_release(&r->record);
	design_release(&r->design);
}

int run_start(struct store *store, const struct job *job, const struct benchmark *bench,
	const struct run_env *env, int64_t *id, enum conclusion *conclusion, struct error *err)
{
	struct runner r;
	int rc = runner_init(&r, store, job, bench, env, err);

	*id = 0;
	if (rc < 0)
		goto out;
	r.seed = job->seed ? job->seed : rng_entropy() >> 11; /* 53 bits: exact in JSON readers */
	rc = run_record_create(store, job, bench, &r.design, r.seed, r.metric, &r.id, err);
	if (rc < 0)
		goto out;
	*id = r.id;
	rc = carry_out(&r, err);
	*conclusion = r.decision.conclusion;
out:
	runner_release(&r);
	return rc;
}

int run_resume(struct store *store, int64_t *id, const struct run_env *env,
	enum conclusion *conclusion, struct error *err)
{
	struct store_run row = { 0 };
	struct job *job = NULL;
	struct benchmark *bench = NULL;
	struct runner r = { 0 };
	int rc = store_run_get(store, *id, &row, err);

	*id = row.id;
	if (rc < 0)
		return rc;
	rc = run_record_reload(&row, env, &job, &bench, err);
	if (rc == 0)
		rc = store_run_resume(store, row.id, err);
	if (rc >= 0)
		rc = runner_init(&r, store, job, bench, env, err);
	if (rc == 0) {
		r.seed = row.seed;
		r.id = row.id;
		if (*row.metric) {
			free(r.metric);
			r.metric = xstrdup(row.metric);
		}
		rc = run_record_load(&r.record, store, row.id, err);
		if (rc == 0)
			rc = carry_out(&r, err);
		*conclusion = r.decision.conclusion;
	}
	runner_release(&r);
	job_free(job);
	benchmark_free(bench);
	store_run_release(&row);
	return rc;
}
