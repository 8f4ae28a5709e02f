/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The text of reports, from stores filled for the purpose. */
#include "store_fixture.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "base/wrap.h"
#include "collectors/collector.h"
#include "report/report.h"

/** struct plan - what a test's run is made of; arm i's figure in block b is figure(i, b) */
struct plan {
	size_t n_arms, n_blocks;
	char *(*label)(size_t arm);
	json_t *(*levels)(size_t arm);
	json_t *(*arm_plan)(size_t arm);
	double (*figure)(size_t arm, size_t block);
	uint64_t (*elapsed)(size_t arm);
	const struct values *(*counters)(void *context, size_t arm);
	const char *collector;
	void *context;
	json_t *job;
};

static char *plain_label(size_t arm)
{
	return xasprintf("arm-%zu", arm);
}

static json_t *plain_levels(size_t arm)
{
	return json_pack("{s:{s:I}}", "params", "v", (json_int_t)arm);
}

static double plain_figure(size_t arm, size_t block)
{
	return 1000 + 10 * (double)arm + (double)(block * 7 % 5);
}

static uint64_t two_seconds(size_t arm)
{
	(void)arm;
	return 2000000000;
}

static void add_trial(
	struct fixture *f, const struct plan *plan, int64_t run, size_t arm, size_t block)
{
	struct values figures = VALUES_INIT;
	struct store_counters counters = { .collector = plan->collector };
	struct store_trial row = { .arm = (int64_t)arm,
		.block = (int64_t)block,
		.position = (int64_t)arm,
		.nonce = (char *)"n" };
	struct store_outcome outcome = { .state = TRIAL_DONE,
		.elapsed_ns = (plan->elapsed ? plan->elapsed : two_seconds)(arm),
		.figures = &figures,
		.counters = &counters,
		.n_counters = plan->counters ? 1 : 0 };
	double figure = (plan->figure ? plan->figure : plain_figure)(arm, block);
	int64_t id;

	if (plan->counters)
		counters.values = plan->counters(plan->context, arm);
	values_add(&figures, "rps", "req/s", figure)->better = BETTER_HIGHER;
	values_add(&figures, "p99", "us", 5000 - figure)->better = BETTER_LOWER;
	assert_ok(f, store_trial_begin(f->store, run, &row, &id, &f->err));
	assert_ok(f, store_trial_finish(f->store, id, &outcome, &f->err));
	values_release(&figures);
}

static int64_t fill(struct fixture *f, const struct plan *plan)
{
	struct store_arm *arms = xcalloc(plan->n_arms, sizeof(*arms));
	struct store_run run = { .name = (char *)"demo",
		.job = plan->job ? json_incref(plan->job) : json_object(),
		.job_path = (char *)"job.yaml",
		.metric = (char *)"rps",
		.seed = 42 };
	int64_t id;

	for (size_t i = 0; i < plan->n_arms; i++)
		arms[i] = (struct store_arm){ .index = (int64_t)i,
			.label = (plan->label ? plan->label : plain_label)(i),
			.levels = (plan->levels ? plan->levels : plain_levels)(i),
			.plan = plan->arm_plan ? plan->arm_plan(i) : NULL };
	assert_ok(f, store_run_create(f->store, &run, arms, plan->n_arms, &id, &f->err));
	for (size_t b = 0; b < plan->n_blocks; b++)
		for (size_t i = 0; i < plan->n_arms; i++)
			add_trial(f, plan, id, i, b);
	for (size_t i = 0; i < plan->n_arms; i++) {
		free(arms[i].label);
		json_decref(arms[i].levels);
		json_decref(arms[i].plan);
	}
	json_decref(run.job);
	free(arms);
	return id;
}

/* The text of the newest run's report; every line of it fits a mail and is UTF-8. */
static char *report_of(struct fixture *f)
{
	struct report report;
	struct strbuf out = STRBUF_INIT;

	assert_ok(f, report_load(f->store, 0, &report, &f->err));
	report_text(&report, &out);
	report_release(&report);
	for (const char *p = strbuf_text(&out); *p;) {
		size_t len = strcspn(p, "\n");
		json_t *line = json_stringn(p, len);

		if (!line)
			fail_msg("no UTF-8: '%.*s'", (int)len, p);
		json_decref(line);
		if (text_width(p, len) > 80)
			fail_msg("too wide: '%.*s'", (int)len, p);
		p += len + (p[len] == '\n');
	}
	return strbuf_steal(&out);
}

static void assert_text(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("'%s' is not in:\n%s", part, text);
}

static void assert_no_text(const char *text, const char *part)
{
	if (strstr(text, part))
		fail_msg("'%s' is in:\n%s", part, text);
}

static char *wide_label(size_t arm)
{
	struct strbuf sb = STRBUF_INIT;

	for (size_t i = 0; i < 60; i++)
		strbuf_puts(&sb, "\xc3\xa4"
				 "b");
	strbuf_printf(&sb, "\nx%zu", arm);
	return strbuf_steal(&sb);
}

/* The text is for people: of very many arms it shows those that stand out. */
static void very_many_arms_with_very_long_labels(void **state)
{
	struct fixture *f = *state;
	struct plan plan = {
		.n_arms = 256, .n_blocks = 3, .label = wide_label, .levels = plain_levels
	};
	char *text;
	size_t lines = 0;

	fill(f, &plan);
	text = report_of(f);
	for (const char *p = text; *p; p++)
		lines += *p == '\n';
	assert_text(text, "Against arm 1: ");
	assert_text(text, "255 UNDECIDED");
	assert_text(text, "(8 of 256 arms:");
	assert_text(text, "\narm 256: ");
	assert_true(lines < 1200);
	free(text);
}

static json_t *quoted_plan(size_t arm)
{
	return json_pack("{s:[s, s, s, s, s], s:[i, i], s:b, s:[{s:s, s:s, s:s}], s:{s:s}}", "argv",
		"printf", "<%s>\\n", "a b'c  d",
		arm ? "many words, each of which could be folded, were it not in quotes"
		    : "$HOME;*",
		"", "cpus", 0, 0, "pin", 1, "writes", "path", "dev/null", "value", "4 4 1", "kind",
		"plain", "env", "VAR", "x y");
}

static void commands_can_be_given_to_a_shell(void **state)
{
	struct fixture *f = *state;
	struct plan plan = { .n_arms = 2, .n_blocks = 3, .arm_plan = quoted_plan };
	char *text, *script, *end, *path, *command, buf[1024];
	size_t n;
	FILE *pipe;

	fill(f, &plan);
	text = report_of(f);
	assert_text(text, "VAR='x y' taskset -c 0,0 printf");
	assert_text(text, "echo '4 4 1' > /dev/null");
	script = strstr(text, "# arm-0\n");
	assert_non_null(script);
	end = strstr(script, "# or all of it");
	assert_non_null(end);
	*end = '\0';
	path = file_join(f->dir, "script");
	assert_ok(f, file_replace(path, script, strlen(script), 0600, &f->err));
	command = xasprintf("sh %s", path);
	pipe = popen(command, "r");
	assert_non_null(pipe);
	n = fread(buf, 1, sizeof(buf) - 1, pipe);
	buf[n] = '\0';
	assert_int_equal(pclose(pipe), 0);
	assert_string_equal(buf, "<a b'c  d>\n<$HOME;*>\n<>\n"
				 "<a b'c  d>\n<many words, each of which could be folded, were it "
				 "not in quotes>\n<>\n");
	free(command);
	free(path);
	free(text);
}

/* A benchmark that binds itself must not be bound by the reader either. */
static json_t *unpinned_plan(size_t arm)
{
	(void)arm;
	return json_pack("{s:[s], s:[i, i], s:b, s:[], s:{}}", "argv", "prog", "cpus", 0, 1, "pin",
		0, "writes", "env");
}

static void one_arm_is_described(void **state)
{
	struct fixture *f = *state;
	struct plan plan = { .n_arms = 1, .n_blocks = 4, .arm_plan = unpinned_plan };
	char *text;

	fill(f, &plan);
	text = report_of(f);
	assert_text(text, "running after 4 blocks; what follows is so far");
	assert_text(text, "the trials' figures");
	assert_text(text, "\nLC_ALL=C prog\n");
	assert_no_text(text, "UNDECIDED");
	free(text);
}

static void a_run_without_trials_has_a_report(void **state)
{
	struct fixture *f = *state;
	struct plan plan = { .n_arms = 2 };
	int64_t id = fill(f, &plan);
	char *text;

	assert_ok(f, store_run_end(f->store, id, RUN_FAILED, NULL, "no \xff machine", &f->err));
	{
		struct report report;
		json_t *json;

		assert_ok(f, report_load(f->store, 0, &report, &f->err));
		json = report_json(&report);
		assert_non_null(json);
		assert_true(json_is_object(json_object_get(json_object_get(json, "run"), "error")));
		json_decref(json);
		report_release(&report);
	}
	assert_ok(f, store_run_end(f->store, id, RUN_FAILED, NULL, "no machine", &f->err));
	text = report_of(f);
	assert_text(text, "failed after 0 blocks: no machine");
	assert_no_text(text, "interrupts by CPU");
	free(text);
}

static double zero_in_a_block(size_t arm, size_t block)
{
	return arm == 1 && block == 1 ? 0 : plain_figure(arm, block);
}

static void a_figure_of_zero_is_told(void **state)
{
	struct fixture *f = *state;
	struct plan plan = { .n_arms = 2, .n_blocks = 3, .figure = zero_in_a_block };
	char *text;

	fill(f, &plan);
	text = report_of(f);
	assert_text(text, "2 blocks (1 block left out: ");
	free(text);
}

static void too_few_blocks_bound_nothing(void **state)
{
	struct fixture *f = *state;
	struct plan plan = { .n_arms = 2, .n_blocks = 1 };
	char *text;

	fill(f, &plan);
	text = report_of(f);
	assert_text(text, "rps +1.00 %, 1 block: too few for a ");
	assert_no_text(text, "[-");
	free(text);
}

/* ---- Idle states ---- */

/* Differences of two dumps: arm 0 polls for 250 ms of 1 s on CPU 0, arm 1 for 1 s of 4 s, with Shared
 * Cede disabled. */
struct idle {
	struct values values[2];
};

#define STATE "sys/devices/system/cpu/cpu%d/cpuidle/state%d/%s: %s\n"

static void idle_line(struct strbuf *sb, int cpu, int state, const char *file, const char *value)
{
	strbuf_printf(sb, STATE, cpu, state, file, value);
}

static void dump_cpu(struct strbuf *sb, int cpu, bool cede, const char *polled, const char *ceded,
	const char *times)
{
	idle_line(sb, cpu, 0, "name", "snooze");
	idle_line(sb, cpu, 0, "disable", "0");
	idle_line(sb, cpu, 0, "usage", times);
	idle_line(sb, cpu, 0, "time", polled);
	idle_line(sb, cpu, 1, "name", "Shared Cede");
	idle_line(sb, cpu, 1, "disable", cede ? "0" : "1");
	idle_line(sb, cpu, 1, "usage", times);
	idle_line(sb, cpu, 1, "time", ceded);
}

static const struct values *idle_of(void *context, size_t arm)
{
	return &((struct idle *)context)->values[arm];
}

static uint64_t one_and_four_seconds(size_t arm)
{
	return arm ? 4000000000 : 1000000000;
}

static void make_idle(struct idle *idle)
{
	static const char *const polled[] = { "250000", "1000000" }, *const ceded[] = { "100000",
		"0" };

	for (size_t arm = 0; arm < 2; arm++) {
		struct strbuf before = STRBUF_INIT, after = STRBUF_INIT;
		struct collector_text texts[2];

		for (int cpu = 0; cpu < 2; cpu++) {
			dump_cpu(&before, cpu, arm == 0, "0", "0", "0");
			dump_cpu(&after, cpu, arm == 0, cpu ? "0" : polled[arm],
				cpu ? "0" : ceded[arm], cpu ? "0" : "1000");
		}
		texts[0] = (struct collector_text){ strbuf_text(&before), before.len };
		texts[1] = (struct collector_text){ strbuf_text(&after), after.len };
		idle->values[arm] = VALUES_INIT;
		assert_int_equal(
			collector_find("cpuidle", NULL)
				->parse(&texts[0], &texts[1], false, &idle->values[arm], NULL),
			0);
		strbuf_release(&before);
		strbuf_release(&after);
	}
}

static void idle_residency_is_that_of_each_arm(void **state)
{
	struct fixture *f = *state;
	struct idle idle;
	struct plan plan = { .n_arms = 2,
		.n_blocks = 3,
		.elapsed = one_and_four_seconds,
		.counters = idle_of,
		.collector = "cpuidle",
		.context = &idle };
	char *text, *second;

	make_idle(&idle);
	fill(f, &plan);
	text = report_of(f);
	second = strstr(text, "idle states by CPU");
	assert_non_null(second);
	assert_text(second, "  CPU 0 snooze              0           1000     250000  25.0 %\n");
	assert_text(second, "  CPU 0 Shared Cede         0           1000     100000  10.0 %\n");
	second = strstr(second, "\narm-1\n");
	assert_non_null(second);
	assert_text(second, "  CPU 0 snooze              0           1000    1000000  25.0 %\n");
	assert_text(second, "  CPU 0 Shared Cede         1           1000          0   0.0 %\n");
	values_release(&idle.values[0]);
	values_release(&idle.values[1]);
	free(text);
}

/* ---- Interrupts ---- */

static const struct values *many_interrupts(void *context, size_t arm)
{
	struct values *values = context;

	values_release(values);
	*values = VALUES_INIT;
	for (int cpu = 0; cpu < 100; cpu++) {
		struct value *v = values_add(values, "interrupts", "count",
			(arm ? 100000 : 1000) + (cpu == 8 ? 1 : cpu));

		values_label(values, v, "irq", "RES");
		values_label(values, v, "description", "Rescheduling interrupts");
		values_label_int(values, v, "cpu", cpu);
	}
	return values;
}

static json_t *pinned_plan(size_t arm)
{
	(void)arm;
	return json_pack("{s:[s], s:[i, i], s:b, s:[], s:{}}", "argv", "prog", "cpus", 0, 8, "pin",
		1, "writes", "env");
}

/* Of a big machine the benchmark's own CPUs come first, and what is left out is said. */
static void interrupts_of_a_big_machine(void **state)
{
	struct fixture *f = *state;
	struct values values = VALUES_INIT;
	struct plan plan = { .n_arms = 2,
		.n_blocks = 6,
		.arm_plan = pinned_plan,
		.counters = many_interrupts,
		.collector = "interrupts",
		.context = &values };
	char *text;

	fill(f, &plan);
	text = report_of(f);
	assert_text(text, "  CPU 0: RES [Rescheduling interrupts] = 1000 times\n");
	assert_text(text, "  CPU 8: RES [Rescheduling interrupts] = 100001 times\n");
	assert_text(text, "  CPU 99: RES [Rescheduling interrupts] = 100099 times\n");
	assert_no_text(text, "  CPU 1: RES");
	assert_text(text, "(60 smaller lines of each arm are left out");
	values_release(&values);
	free(text);
}

/* ---- Counters that say more together ---- */

static void add_event(struct values *values, const char *name, const char *pmu, double n)
{
	struct value *v = values_add(values, name, "count", n);

	values_label(values, v, "pmu", pmu);
	values_label(values, v, "cpu", "0");
}

/* The two arms of case 4 with idle states disabled: cycles are equal, instructions fall. */
static const struct values *spinning(void *context, size_t arm)
{
	struct values *values = context;

	values_release(values);
	*values = VALUES_INIT;
	add_event(values, "cycles", "cpu", arm ? 781318730494.0 : 781215992865.0);
	add_event(values, "instructions", "cpu", arm ? 220536732094.0 : 149112303840.0);
	add_event(values, "branches", "cpu", arm ? 40424495545.0 : 28240010182.0);
	add_event(values, "branch-misses", "cpu", arm ? 446724952.0 : 294485795.0);
	add_event(values, "instructions", "software", 5);
	return values;
}

static void instructions_are_seen_per_cycle(void **state)
{
	struct fixture *f = *state;
	struct values values = VALUES_INIT;
	struct plan plan = { .n_arms = 2,
		.n_blocks = 6,
		.counters = spinning,
		.collector = "perf",
		.context = &values };
	char *text;

	fill(f, &plan);
	text = report_of(f);
	assert_text(text, "instructions per cycle (cpu)\n  arm-0");
	assert_text(text, "0.1909\n");
	assert_text(text, "0.2823");
	assert_text(text, "+47.9 %");
	assert_text(text, "branches missed, % (cpu)");
	assert_no_text(text, "(software)\n  arm-0");
	values_release(&values);
	free(text);
}

/* ---- A matrix ---- */

static json_t *matrix_levels(size_t arm)
{
	return json_pack("{s:s, s:s}", "placement", arm / 2 ? "cross-core" : "same-core",
		"sched_features", arm % 2 ? "NO_TTWU_QUEUE" : "TTWU_QUEUE");
}

static char *matrix_label(size_t arm)
{
	return xasprintf("%s %s", arm / 2 ? "cross-core" : "same-core",
		arm % 2 ? "NO_TTWU_QUEUE" : "TTWU_QUEUE");
}

/* NO_TTWU_QUEUE gains 10 % on one core and loses 5 % across. */
static double matrix_figure(size_t arm, size_t block)
{
	static const double factor[] = { 1, 1.1, 0.9, 0.9 * 0.95 };

	return factor[arm] * (1000 + (double)(block * 7 % 5));
}

static void a_matrix_is_read_along_its_rows(void **state)
{
	struct fixture *f = *state;
	struct plan plan = { .n_arms = 4,
		.n_blocks = 12,
		.label = matrix_label,
		.levels = matrix_levels,
		.figure = matrix_figure,
		.job = json_pack("{s:s, s:{s:[s, s], s:[s, s]}}", "description",
			"placement x TTWU_QUEUE", "factors", "placement", "same-core", "cross-core",
			"sched_features", "TTWU_QUEUE", "NO_TTWU_QUEUE") };
	char *text, *within;

	fill(f, &plan);
	json_decref(plan.job);
	text = report_of(f);
	assert_text(text, "\nplacement x TTWU_QUEUE\n");
	assert_text(text, "cross-core NO_TTWU_QUEUE");
	within = strstr(text, "sched_features: effect against TTWU_QUEUE");
	assert_non_null(within);
	assert_text(within, "\nsame-core\n  NO_TTWU_QUEUE  +10.0 %");
	assert_text(within, "\ncross-core\n  NO_TTWU_QUEUE  -5.00 %");
	within = strstr(text, "placement: effect against same-core");
	assert_non_null(within);
	assert_text(within, "\nTTWU_QUEUE\n  cross-core  -10.0 %");
	free(text);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
	const struct CMUnitTest tests[] = {
		T(very_many_arms_with_very_long_labels),
		T(commands_can_be_given_to_a_shell),
		T(one_arm_is_described),
		T(a_run_without_trials_has_a_report),
		T(a_figure_of_zero_is_told),
		T(too_few_blocks_bound_nothing),
		T(idle_residency_is_that_of_each_arm),
		T(interrupts_of_a_big_machine),
		T(instructions_are_seen_per_cycle),
		T(a_matrix_is_read_along_its_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
