/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trials.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/json.h"
#include "base/rng.h"
#include "experiment/quiet.h"
#include "experiment/registry.h"

const char *const trials_step[] = { "begin on record (one fdatasync)", "request",
	"agent: from request to answer", "judge the answer", "outcome on record (one fdatasync)",
	"free" };

static int read_files(struct trials *t, const char *job, const char *bench, struct error *err)
{
	struct diags diags = DIAGS_INIT;
	struct string_list none = { 0 };
	char *text;
	int r = job_parse("job", job, strlen(job), &t->registry, &none, &t->job, &diags);

	if (r == 0)
		r = benchmark_parse("benchmark", bench, strlen(bench), &t->bench, &diags);
	if (r < 0) {
		text = diags_text(&diags);
		error_set(err, r, "%s", text);
		free(text);
	}
	diags_release(&diags);
	return r;
}

static int open_store(struct trials *t, struct error *err)
{
	struct store_run run = { .name = t->job->name, .metric = "figure" };
	struct store_arm arm = { .label = "only", .levels = json_object() };
	char *path =
		xasprintf("%s/%016llx.db", t->env.state_dir, (unsigned long long)rng_entropy());
	int r = store_open(path, &t->store, err);

	run.job = json_object();
	if (r == 0)
		r = store_run_create(t->store, &run, &arm, 1, &t->run, err);
	json_decref(run.job);
	json_decref(arm.levels);
	free(path);
	return r;
}

int trials_open(struct trials *t, const struct bench *b, const char *job, const char *bench,
	json_t *argv, json_t *cpus, struct error *err)
{
	int r;

	*t = (struct trials){ .argv = argv, .plan = json_pack("{s:o, s:{}}", "cpus", cpus, "env") };
	plugin_registry_init(&t->registry);
	r = read_files(t, job, bench, err);
	if (r < 0)
		return r;
	t->env = (struct target_env){ .state_dir = b->dir,
		.work_dir = b->dir,
		.agent_path = xasprintf("%s/harness-agent", b->build),
		.programs = json_array() };
	r = session_open(&t->session, "local", NULL, &t->env, -1, err);
	if (r == 0)
		r = session_enter(&t->session, "", true, err);
	return r == 0 ? open_store(t, err) : r;
}

static void step(struct trials *t, size_t i, uint64_t *since)
{
	series_add(&t->steps[i], bench_ms(*since));
	*since = clock_monotonic_ns();
}

/* A program that prints nothing has no figure; its trial is to be kept as one that counts. */
static void count_it(struct trial_outcome *outcome)
{
	if (outcome->samples.n)
		return;
	outcome->store.state = TRIAL_DONE;
	outcome->store.reason = NULL;
	values_add(&outcome->samples, "figure", "s", (double)outcome->store.elapsed_ns / 1e9);
	values_add(&outcome->figures, "figure", "s", (double)outcome->store.elapsed_ns / 1e9);
}

static int talk(struct trials *t, const char *nonce, json_t **result, struct error *err)
{
	struct quiet quiet;
	double limit = trial_limit(t->job, t->bench);
	uint64_t since = clock_monotonic_ns();
	json_t *request = trial_request(t->job, t->bench, t->argv, t->plan, limit, nonce);
	int r;

	step(t, 1, &since);
	quiet_begin(&quiet, json_object_get(t->plan, "cpus"));
	r = session_call(&t->session, "run", request, (int)(limit * 1000) + SESSION_TRIAL_SLACK_MS,
		result, err);
	quiet_end(&quiet);
	step(t, 2, &since);
	return r;
}

/* As attempt_trial() of harnessd/experiment/run.c does it. */
int trials_once(struct trials *t, struct trial_outcome *kept, struct error *err)
{
	struct trial_outcome outcome;
	char *nonce = xasprintf("%016llx", (unsigned long long)rng_entropy());
	struct store_trial row = {
		.block = t->next++, .nonce = nonce, .started_ns = clock_realtime_ns()
	};
	uint64_t since = clock_monotonic_ns();
	json_t *result = NULL;
	int64_t id;
	int r = store_trial_begin(t->store, t->run, &row, &id, err);

	step(t, 0, &since);
	if (r == 0)
		r = talk(t, nonce, &result, err);
	if (r < 0)
		goto out;
	since = clock_monotonic_ns();
	trial_judge(t->job, t->bench, result, nonce, &outcome);
	step(t, 3, &since);
	count_it(&outcome);
	r = store_trial_finish(t->store, id, &outcome.store, err);
	step(t, 4, &since);
	json_decref(result);
	if (kept)
		*kept = outcome;
	else
		trial_outcome_release(&outcome);
	step(t, 5, &since);
out:
	free(nonce);
	return r;
}

int trials_agent(struct trials *t)
{
	const json_t *hello = NULL;

	if (agent_client_hello(t->session.client, SESSION_CALL_MS, &hello, NULL) < 0)
		return 0;
	return (int)json_int(hello, "pid", 0);
}

void trials_close(struct trials *t)
{
	session_close(&t->session);
	store_close(t->store);
	job_free(t->job);
	benchmark_free(t->bench);
	plugin_registry_release(&t->registry);
	for (size_t i = 0; i < array_size(t->steps); i++)
		series_release(&t->steps[i]);
	json_decref(t->argv);
	json_decref(t->plan);
	json_decref((json_t *)t->env.programs);
	free((char *)t->env.agent_path);
	*t = (struct trials){ 0 };
}
