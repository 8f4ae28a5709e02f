/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The executor: what happens to a run when a trial, an arm, the agent or the person fails it. */
#include "run_fixture.h"

#define TWO_ARMS                                          \
	"name: t\nbenchmark: b\nwarmup: 0\ncollect: []\n" \
	"factors: {params: [{v: 100}, {v: 101}]}\n"       \
	"decide: {max_blocks: 4, margin: 0%}\n"

static void assert_text(const char *text, const char *part)
{
	if (!text || !strstr(text, part))
		fail_msg("'%s' is not in '%s'", part, text ? text : "(null)");
}

static void an_arm_that_gives_nothing_ends_the_run(void **state)
{
	struct run_fixture *f = *state;
	char *bench = script_benchmark(f, "[ $1 = 101 ] || echo value $1", ONE_METRIC);

	need_agent();
	assert_int_equal(start_run(f, TWO_ARMS, bench, 0), -ENODATA);
	assert_text(error_text(&f->err), "arm 'v=101' can't be measured: 'value' was not found");
	assert_run(f, RUN_FAILED, "arm 'v=101' can't be measured");
	assert_int_equal(count_trials(f, TRIAL_FAILED), 3);
	free(bench);
}

static void a_trial_that_fails_now_and_then_is_made_again(void **state)
{
	struct run_fixture *f = *state;
	char *bench = script_benchmark(
		f, "echo x >> log; [ $(($(wc -l < log) % 3)) = 0 ] || echo value $1", ONE_METRIC);

	need_agent();
	assert_int_equal(start_run(f, TWO_ARMS, bench, 0), 0);
	assert_run(f, RUN_FINISHED, NULL);
	assert_int_equal(count_trials(f, TRIAL_DONE), 8);
	assert_true(f->notes >= 2);
	assert_int_equal(f->looks, 4);
	free(bench);
}

/* Trying again does not install a program; the benchmark file may say what does. */
static void a_program_that_is_missing_is_asked_for_once(void **state)
{
	struct run_fixture *f = *state;
	char *reason;

	need_agent();
	assert_int_equal(start_run(f,
				 "name: t\nbenchmark: b\nwarmup: 0\ncollect: []\n"
				 "factors: {env: [{}, {A: 1}]}\n",
				 "name: b\ncommand: [no-such-program]\n"
				 "install: apt install no-such-package\n"
				 "metrics:\n" ONE_METRIC,
				 0),
		-ENODATA);
	assert_int_equal(count_trials(f, -1), 1);
	reason = first_reason(f);
	assert_text(reason, "cannot run 'no-such-program'");
	assert_text(reason, "apt install no-such-package");
	free(reason);
}

static void an_agent_that_dies_costs_one_attempt(void **state)
{
	struct run_fixture *f = *state;
	char *bench = script_benchmark(f,
		"if [ $1 = 101 ] && mkdir once 2> /dev/null; then\n"
		"  kill -9 $(cut -d' ' -f4 /proc/$PPID/stat); sleep 10\n"
		"fi\n"
		"echo value $1",
		ONE_METRIC);
	char *reason;

	need_agent();
	assert_int_equal(start_run(f, TWO_ARMS, bench, 0), 0);
	assert_int_equal(count_trials(f, TRIAL_DONE), 8);
	assert_int_equal(count_trials(f, TRIAL_FAILED), 1);
	reason = first_reason(f);
	assert_text(reason, "the agent is gone; harness-agent ended with signal 9");
	free(reason);
	free(bench);
}

/* A machine that is not there for a moment is an error of the trial, and the run goes on. */
static void a_machine_that_cannot_be_entered_costs_one_attempt(void **state)
{
	struct run_fixture *f = *state;
	char *bench = script_benchmark(f,
		"if [ $1 = 101 ] && mkdir once 2> /dev/null; then\n"
		"  : > broken; kill -9 $(cut -d' ' -f4 /proc/$PPID/stat); sleep 10\n"
		"fi\n"
		"echo value $1",
		ONE_METRIC);

	need_agent();
	assert_int_equal(start_run(f, TWO_ARMS, bench, 0), 0);
	assert_run(f, RUN_FINISHED, NULL);
	assert_int_equal(count_trials(f, TRIAL_DONE), 8);
	assert_int_equal(count_trials(f, TRIAL_FAILED), 2);
	free(bench);
}

static void a_stopped_run_goes_on_where_it_was(void **state)
{
	struct run_fixture *f = *state;
	char *bench = script_benchmark(f, "sleep 0.05; echo value $1", ONE_METRIC);

	need_agent();
	f->cancel_at = 6;
	assert_int_equal(start_run(f, TWO_ARMS, bench, 5), -EINTR);
	assert_run(f, RUN_INTERRUPTED, "stopped");
	assert_int_equal(count_trials(f, TRIAL_DONE), 5);
	assert_int_equal(count_trials(f, TRIAL_LOST), 1);
	assert_int_equal(resume_run(f), 0);
	assert_run(f, RUN_FINISHED, NULL);
	/* The limit of the command line holds, and what was there is neither repeated nor looked at. */
	assert_int_equal(count_trials(f, TRIAL_DONE), 10);
	assert_int_equal(f->trials, 5);
	assert_true(f->looks <= 4);
	assert_true(f->id > 0);
	assert_int_equal(resume_run(f), -EBUSY);
	free(bench);
}

static void a_run_may_be_stopped_before_its_first_trial(void **state)
{
	struct run_fixture *f = *state;
	char *bench = script_benchmark(f, "echo value $1", ONE_METRIC);

	need_agent();
	f->cancel_at = SIZE_MAX;
	assert_int_equal(eventfd_write(f->env.cancel_fd, 1), 0);
	assert_int_equal(start_run(f, TWO_ARMS, bench, 0), -EINTR);
	assert_int_equal(count_trials(f, -1), 0);
	assert_int_equal(resume_run(f), 0);
	assert_int_equal(count_trials(f, TRIAL_DONE), 8);
	free(bench);
}

/* There is nothing to decide, so it is a description of one machine: as many blocks as asked for. */
static void one_arm_runs_all_its_blocks(void **state)
{
	struct run_fixture *f = *state;
	char *bench = script_benchmark(f, "echo value $1", ONE_METRIC);

	need_agent();
	assert_int_equal(start_run(f,
				 "name: t\nbenchmark: b\nwarmup: 0\ncollect: []\n"
				 "decide: {max_blocks: 3}\n",
				 bench, 0),
		0);
	assert_int_equal(count_trials(f, TRIAL_DONE), 3);
	assert_int_equal(f->conclusion, CONCLUSION_NO_REGRESSION);
	free(bench);
}

#define TWO_PRIMARIES                                                                      \
	"  - {name: old, unit: x, better: lower, pattern: '^old (\\S+)$', primary: true, " \
	"optional: "                                                                       \
	"true}\n"                                                                          \
	"  - {name: new, unit: x, better: lower, pattern: '^new (\\S+)$', primary: true, " \
	"optional: "                                                                       \
	"true}\n"

/* Which of them a version of the tool prints is known when it has printed. */
static void of_several_primary_metrics_the_first_found_decides(void **state)
{
	struct run_fixture *f = *state;
	char *bench = script_benchmark(f, "echo new $1", TWO_PRIMARIES);
	struct store_run run;

	need_agent();
	f->cancel_at = 4;
	assert_int_equal(start_run(f, TWO_ARMS, bench, 0), -EINTR);
	assert_int_equal(store_run_get(f->store, 0, &run, NULL), 0);
	assert_string_equal(run.metric, "new");
	store_run_release(&run);
	assert_int_equal(resume_run(f), 0);
	assert_int_equal(store_run_get(f->store, 0, &run, NULL), 0);
	assert_string_equal(json_str(run.verdict, "metric", ""), "new");
	store_run_release(&run);
	free(bench);
}

/* Without the deciding figure a trial is worth nothing: better known at once than after 64 blocks. */
static void an_arm_without_the_deciding_metric_ends_the_run(void **state)
{
	struct run_fixture *f = *state;
	char *bench = script_benchmark(
		f, "if [ $1 = 101 ]; then echo old 5; else echo new 5; fi", TWO_PRIMARIES);

	need_agent();
	assert_int_equal(start_run(f, TWO_ARMS, bench, 0), -ENODATA);
	assert_text(error_text(&f->err), ", the metric that decides");
	free(bench);
}

/* The verdict can't use it, so the verdict says how many there were. */
static void a_figure_without_logarithm_is_counted(void **state)
{
	struct run_fixture *f = *state;
	char *bench = script_benchmark(f,
		"echo x >> log; [ $(wc -l < log) = 3 ] && echo value 0 || echo value $1",
		ONE_METRIC);
	struct store_run run;
	int64_t missing = 0;

	need_agent();
	assert_int_equal(start_run(f, TWO_ARMS, bench, 4), 0);
	assert_int_equal(store_run_get(f->store, 0, &run, NULL), 0);
	for (size_t arm = 0; arm < 2; arm++)
		missing += json_int(json_array_get(json_object_get(run.verdict, "arms"), arm),
			"blocks_without_ratio", 0);
	assert_int_equal(missing, 1);
	store_run_release(&run);
	free(bench);
}

static void time_is_a_limit(void **state)
{
	struct run_fixture *f = *state;
	char *bench = script_benchmark(f, "sleep 0.2; echo value $1", ONE_METRIC);

	need_agent();
	assert_int_equal(
		start_run(f,
			"name: t\nbenchmark: b\nwarmup: 0\ncollect: []\n"
			"factors: {params: [{v: 100}, {v: 101}]}\n"
			"decide: {max_blocks: 100, margin: 0%, confidence: 99.99%, max_time: 2s}\n",
			bench, 0),
		0);
	assert_run(f, RUN_FINISHED, NULL);
	assert_true(count_trials(f, TRIAL_DONE) < 30);
	free(bench);
}

static void a_user_reaches_the_folder_of_the_trial(void **state)
{
	struct run_fixture *f = *state;

	need_agent();
	if (geteuid() != 0) {
		print_message("skipped: only root may run a benchmark as another user\n");
		skip();
	}
	assert_int_equal(chmod(f->dir, 0755), 0);
	assert_int_equal(
		start_run(f,
			"name: t\nbenchmark: b\nwarmup: 0\ncollect: []\nuser: nobody\n"
			"decide: {max_blocks: 3}\n",
			"name: b\n"
			"command: [sh, -c, ': > x && echo \"$(id -un) 1\"']\n"
			"metrics:\n"
			"  - {name: value, unit: x, better: higher, pattern: '^nobody (1)$'}\n",
			0),
		0);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, run_fixture_setup, run_fixture_teardown)
	const struct CMUnitTest tests[] = {
		T(an_arm_that_gives_nothing_ends_the_run),
		T(a_trial_that_fails_now_and_then_is_made_again),
		T(a_program_that_is_missing_is_asked_for_once),
		T(an_agent_that_dies_costs_one_attempt),
		T(a_machine_that_cannot_be_entered_costs_one_attempt),
		T(a_stopped_run_goes_on_where_it_was),
		T(a_run_may_be_stopped_before_its_first_trial),
		T(one_arm_runs_all_its_blocks),
		T(of_several_primary_metrics_the_first_found_decides),
		T(an_arm_without_the_deciding_metric_ends_the_run),
		T(a_figure_without_logarithm_is_counted),
		T(time_is_a_limit),
		T(a_user_reaches_the_folder_of_the_trial),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
