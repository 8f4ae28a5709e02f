/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From trials on record to figures, verdict, and the counters that moved. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/rng.h"
#include "experiment/counters.h"
#include "experiment/decide.h"
#include "experiment/figures.h"
#include "report/report.h"

enum { BLOCKS = 8, TRIALS = 2 };

static char dir[64];
static struct store *store;
static int64_t run_id;

static void add_counter(struct values *vs, const char *irq, const char *cpu, double n)
{
	struct value *v = values_add(vs, "interrupts", "count", n);

	values_label(vs, v, "irq", irq);
	values_label(vs, v, "cpu", cpu);
}

/* Two arms: the second is 5 % slower; RES moves from nothing to 1000, TLB stays. */
static void add_trial(struct rng *rng, int64_t arm, int64_t block, int64_t repeat, bool counts)
{
	struct values figures = VALUES_INIT, counters = VALUES_INIT;
	struct store_trial row = { .arm = arm, .block = block, .repeat = repeat, .nonce = "n" };
	struct store_counters list = { .collector = "interrupts", .values = &counters };
	struct store_outcome outcome = { .state = counts ? TRIAL_DONE : TRIAL_VOID,
		.reason = counts ? NULL : "a test says so",
		.elapsed_ns = 2000000000,
		.figures = &figures,
		.counters = &list,
		.n_counters = 1 };
	double figure = 1000 * (arm ? 0.95 : 1) * (1 + 0.002 * rng_normal(rng));
	int64_t id;

	if (!counts)
		figure *= 100; /* must not be seen anywhere */
	values_add(&figures, "rps", "requests/s", figure)->better = BETTER_HIGHER;
	add_counter(&counters, "RES", "0", arm ? 990 + (double)rng_below(rng, 20) : 0);
	add_counter(&counters, "RES", "1", arm ? 490 + (double)rng_below(rng, 20) : 0);
	add_counter(&counters, "TLB", "0", 5000 + (double)rng_below(rng, 100));
	assert_int_equal(store_trial_begin(store, run_id, &row, &id, NULL), 0);
	assert_int_equal(store_trial_finish(store, id, &outcome, NULL), 0);
	values_release(&figures);
	values_release(&counters);
}

static int setup(void **state)
{
	const struct store_arm arms[] = { { .index = 0, .label = "A", .levels = json_object() },
		{ .index = 1, .label = "B", .levels = json_object() } };
	struct store_run run = { .name = "t",
		.job_text = "",
		.benchmark_text = "",
		.metric = "rps",
		.version = "1",
		.seed = 1 };
	struct rng rng;
	char *path;

	(void)state;
	strcpy(dir, "/tmp/harness-results-XXXXXX");
	assert_non_null(mkdtemp(dir));
	path = file_join(dir, "harness.db");
	assert_int_equal(store_open(path, &store, NULL), 0);
	free(path);
	run.job = json_object();
	assert_int_equal(store_run_create(store, &run, arms, 2, &run_id, NULL), 0);
	json_decref(run.job);
	json_decref(arms[0].levels);
	json_decref(arms[1].levels);
	rng_seed(&rng, 5);
	for (int64_t block = 0; block < BLOCKS; block++)
		for (int64_t arm = 0; arm < 2; arm++)
			for (int64_t repeat = 0; repeat < TRIALS; repeat++)
				add_trial(&rng, arm, block, repeat, true);
	add_trial(&rng, 1, 3, 2, false);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	store_close(store);
	return file_remove_tree(dir, NULL);
}

static void figures_are_medians_by_block(void **state)
{
	struct figures f;
	double d[BLOCKS];

	(void)state;
	assert_int_equal(figures_load(store, run_id, 2, "rps", &f, NULL), 0);
	assert_int_equal(f.n_blocks, BLOCKS);
	assert_int_equal(f.n_trials[1], BLOCKS * TRIALS);
	assert_string_equal(f.unit, "requests/s");
	assert_int_equal(f.better, BETTER_HIGHER);
	assert_int_equal(figures_ratios(&f, 1, 0, d), BLOCKS);
	for (size_t b = 0; b < BLOCKS; b++)
		assert_true(fabs(d[b] - log(0.95)) < 0.01);
	figures_release(&f);
	assert_int_equal(figures_load(store, run_id, 2, "nothing", &f, NULL), -ENODATA);
}

static void a_slower_arm_is_a_regression(void **state)
{
	const struct job_decide settings = {
		.margin = 0.01, .confidence = 0.99, .equivalence_confidence = 0.95, .max_blocks = 64
	};
	struct decision decision;
	struct figures f;

	(void)state;
	assert_int_equal(figures_load(store, run_id, 2, "rps", &f, NULL), 0);
	assert_int_equal(decide(&f, 0, &settings, false, &decision, NULL), 0);
	assert_int_equal(decision.conclusion, CONCLUSION_REGRESSION);
	assert_int_equal(decision.arm[1].verdict, VERDICT_WORSE);
	assert_true(decision.arm[1].low < 0.95 && 0.95 < decision.arm[1].high);
	decision_release(&decision);
	/* The other way round the same numbers are an improvement. */
	assert_int_equal(decide(&f, 1, &settings, false, &decision, NULL), 0);
	assert_int_equal(decision.conclusion, CONCLUSION_NO_REGRESSION);
	assert_int_equal(decision.arm[0].verdict, VERDICT_BETTER);
	decision_release(&decision);
	/* And when lower is better, being slower is good news. */
	f.better = BETTER_LOWER;
	assert_int_equal(decide(&f, 0, &settings, false, &decision, NULL), 0);
	assert_int_equal(decision.arm[1].verdict, VERDICT_BETTER);
	decision_release(&decision);
	figures_release(&f);
}

static void only_what_moved_is_listed(void **state)
{
	const struct counter *res;
	struct counters c;
	struct figures f;
	size_t index[9];

	(void)state;
	assert_int_equal(figures_load(store, run_id, 2, "rps", &f, NULL), 0);
	assert_int_equal(counters_load(store, run_id, 0, &f, &c, NULL), 0);
	assert_int_equal(c.n, 2);
	assert_int_equal(counters_moved(&c, 8, index), 1);
	res = &c.counter[index[0]];
	assert_string_equal(res->label, "RES");
	assert_true(fabs(res->mean[1] - 1500) < 10);
	assert_true(fabs(res->per_second[1] - 750) < 5);
	assert_true(fabs(res->per_op[1] - 750 / 950.0) < 0.01);
	assert_int_equal(res->n_cpus, 2);
	assert_true(fabs(res->cpu[1].mean[1] - 500) < 10);
	assert_true(res->mean[0] == 0);
	counters_release(&c);
	figures_release(&f);
}

static void the_report_says_it(void **state)
{
	struct report report;
	struct strbuf text = STRBUF_INIT;
	json_t *json;

	(void)state;
	assert_int_equal(report_load(store, 0, &report, NULL), 0);
	report_text(&report, &text);
	assert_non_null(strstr(strbuf_text(&text), "B is WORSE than A"));
	assert_non_null(strstr(strbuf_text(&text), "CPU 0: RES = "));
	assert_null(strstr(strbuf_text(&text), "TLB"));
	assert_non_null(strstr(strbuf_text(&text), "1 of 33 trials do not count"));
	assert_non_null(strstr(strbuf_text(&text), "a test says so"));
	json = report_json(&report);
	assert_string_equal(
		json_string_value(json_object_get(json_object_get(json, "verdict"), "conclusion")),
		"regression");
	json_decref(json);
	strbuf_release(&text);
	report_release(&report);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(figures_are_medians_by_block),
		cmocka_unit_test(a_slower_arm_is_a_regression),
		cmocka_unit_test(only_what_moved_is_listed),
		cmocka_unit_test(the_report_says_it),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
