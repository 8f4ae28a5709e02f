/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the tests of the executor share: runs of tiny shell benchmarks on this machine, with the real
 * agent, in a folder of their own. */
#ifndef TESTS_RUN_FIXTURE_H
#define TESTS_RUN_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/json.h"
#include "experiment/registry.h"
#include "experiment/run.h"
#include "spec/diag.h"

/**
 * struct run_fixture - one test's folder, database and surroundings of runs
 * @agent: a script that starts the real agent, unless the file "broken" is there, which it removes
 * @notes: trials that did not count; @looks: complete blocks that were looked at; @trials: begun
 * @cancel_at: the trial of this number makes the cancel descriptor readable; 0 for none
 */
struct run_fixture {
	char dir[64];
	char *agent;
	struct store *store;
	struct registry registry;
	struct run_progress progress;
	struct run_env env;
	struct error err;
	size_t notes, looks, trials, cancel_at;
	int64_t id;
	enum conclusion conclusion;
};

static inline void count_trial(void *context, const struct run_step *step)
{
	struct run_fixture *f = context;

	(void)step;
	if (++f->trials == f->cancel_at)
		assert_int_equal(eventfd_write(f->env.cancel_fd, 1), 0);
}

static inline void count_done(
	void *context, const struct run_step *step, double figure, const char *reason)
{
	struct run_fixture *f = context;

	(void)step;
	(void)figure;
	f->notes += reason != NULL;
}

static inline void count_look(void *context, const struct look *look)
{
	struct run_fixture *f = context;

	assert_true(look->seconds_left >= 0);
	f->looks++;
}

static inline void write_file(
	struct run_fixture *f, const char *name, const char *text, mode_t mode)
{
	char *path = file_join(f->dir, name);

	assert_int_equal(file_replace(path, text, strlen(text), mode, NULL), 0);
	free(path);
}

static inline void make_agent(struct run_fixture *f)
{
	const char *real = getenv("HARNESS_AGENT");
	char *text = xasprintf("#!/bin/sh\n"
			       "if [ -e '%s/broken' ]; then rm '%s/broken'; exit 1; fi\n"
			       "exec '%s' \"$@\"\n",
		f->dir, f->dir, real ? real : "build/harness-agent");

	write_file(f, "agent", text, 0755);
	f->agent = file_join(f->dir, "agent");
	free(text);
}

static inline int run_fixture_setup(void **state)
{
	struct run_fixture *f = xcalloc(1, sizeof(*f));
	char *path;

	strcpy(f->dir, "/tmp/harness-run-XXXXXX");
	if (!mkdtemp(f->dir))
		return -1;
	path = file_join(f->dir, "harness.db");
	make_agent(f);
	plugin_registry_init(&f->registry);
	f->progress = (struct run_progress){
		.trial = count_trial, .done = count_done, .look = count_look, .context = f
	};
	f->env = (struct run_env){ .state_dir = f->dir,
		.agent_path = f->agent,
		.registry = &f->registry,
		.cancel_fd = eventfd(0, EFD_CLOEXEC),
		.progress = &f->progress };
	*state = f;
	if (store_open(path, &f->store, &f->err) < 0)
		print_message("%s\n", error_text(&f->err));
	free(path);
	return f->store ? 0 : -1;
}

static inline int run_fixture_teardown(void **state)
{
	struct run_fixture *f = *state;

	store_close(f->store);
	close(f->env.cancel_fd);
	plugin_registry_release(&f->registry);
	error_release(&f->err);
	file_remove_tree(f->dir, NULL);
	free(f->agent);
	free(f);
	return 0;
}

static inline void need_agent(void)
{
	const char *real = getenv("HARNESS_AGENT");

	if (access(real ? real : "build/harness-agent", X_OK) == 0)
		return;
	print_message("skipped: harness-agent is not built\n");
	skip();
}

/** script_benchmark() - text of a benchmark whose command is a shell script in the test's folder */
static inline char *script_benchmark(struct run_fixture *f, const char *script, const char *metrics)
{
	char *text = xasprintf("cd '%s'\n%s\n", f->dir, script);
	char *bench;

	write_file(f, "script", text, 0755);
	bench = xasprintf("name: script\n"
			  "command: [sh, '%s/script', '{v}']\n"
			  "params: {v: 100}\n"
			  "metrics:\n%s",
		f->dir, metrics);
	free(text);
	return bench;
}

#define ONE_METRIC \
	"  - {name: value, unit: x, better: higher, pattern: '^value (\\S+)$', values: any}\n"

/** start_run() - run a job to its end; Return: as run_start() */
static inline int start_run(
	struct run_fixture *f, const char *job_text, const char *bench_text, long max_blocks)
{
	struct diags diags = DIAGS_INIT;
	struct string_list none = { 0 };
	struct job *job = NULL;
	struct benchmark *bench = NULL;
	char *text;
	int r;

	job_parse("job.yaml", job_text, strlen(job_text), &f->registry, &none, &job, &diags);
	benchmark_parse("bench.yaml", bench_text, strlen(bench_text), &bench, &diags);
	text = diags_text(&diags);
	if (diags.n)
		fail_msg("%s", text);
	free(text);
	diags_release(&diags);
	if (max_blocks)
		job->decide.max_blocks = max_blocks;
	r = run_start(f->store, job, bench, &f->env, &f->id, &f->conclusion, &f->err);
	job_free(job);
	benchmark_free(bench);
	return r;
}

/** resume_run() - go on with the newest run; Return: as run_resume() */
static inline int resume_run(struct run_fixture *f)
{
	eventfd_t n;

	if (f->cancel_at)
		assert_int_equal(eventfd_read(f->env.cancel_fd, &n), 0);
	f->cancel_at = f->trials = f->looks = f->notes = 0;
	error_release(&f->err);
	f->id = 0;
	return run_resume(f->store, &f->id, &f->env, &f->conclusion, &f->err);
}

/** assert_run() - the newest run is in this state, and its error holds this text (NULL: none) */
static inline void assert_run(struct run_fixture *f, enum run_state state, const char *part)
{
	struct store_run run;

	assert_int_equal(store_run_get(f->store, 0, &run, NULL), 0);
	assert_int_equal(run.state, state);
	if (part && (!run.error || !strstr(run.error, part)))
		fail_msg("'%s' is not in '%s'", part, run.error ? run.error : "(null)");
	if (!part)
		assert_null(run.error);
	store_run_release(&run);
}

/** count_trials() - trials in a state (of any kind: -1), of the newest run; warm-ups too */
static inline size_t count_trials(struct run_fixture *f, int state)
{
	struct store_trial *trials;
	size_t n, found = 0;

	assert_int_equal(store_trials(f->store, f->id, &trials, &n, NULL), 0);
	for (size_t i = 0; i < n; i++)
		found += state < 0 || trials[i].state == (enum trial_state)state;
	store_trials_free(trials, n);
	return found;
}

/** first_reason() - of the first trial that did not count; owned by the caller */
static inline char *first_reason(struct run_fixture *f)
{
	struct store_trial *trials;
	char *reason = NULL;
	size_t n;

	assert_int_equal(store_trials(f->store, f->id, &trials, &n, NULL), 0);
	for (size_t i = 0; i < n && !reason; i++)
		reason = xstrdup(trials[i].reason);
	store_trials_free(trials, n);
	return reason;
}

#endif
