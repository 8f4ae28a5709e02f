/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What counters of a run mean: shares, flags, and trials that a collector did not see. */
#include "store_fixture.h"

#include <math.h>

#include "experiment/counters.h"

enum { BLOCKS = 8 };

/** one_trial() - a done trial of 2 s with figures and one collector's counters, or its error */
static void one_trial(struct fixture *f, int64_t run, int64_t arm, int64_t block,
	const struct values *figures, const struct values *values, const char *error)
{
	struct store_counters counters = {
		.collector = "cpustat", .values = values, .error = error
	};
	struct store_outcome outcome = { .state = TRIAL_DONE,
		.elapsed_ns = 2000000000ull * (uint64_t)(arm + 1),
		.figures = figures,
		.counters = &counters,
		.n_counters = 1 };
	int64_t id = begin_trial(f, run, arm, block, false);

	assert_ok(f, store_trial_finish(f->store, id, &outcome, &f->err));
}

static void load(struct fixture *f, int64_t run, struct counters *c)
{
	struct figures figures;

	assert_ok(f, figures_load(f->store, run, 2, "switches", &figures, &f->err));
	assert_ok(f, counters_load(f->store, run, 0, &figures, c, &f->err));
	figures_release(&figures);
}

/* The second arm takes twice the time for its work: a share must not be taken per second. */
static void a_share_is_no_rate(void **state)
{
	struct fixture *f = *state;
	int64_t run = make_run(f);
	struct counters c;
	const struct counter *idle, *user;

	for (int64_t block = 0; block < BLOCKS; block++)
		for (int64_t arm = 0; arm < 2; arm++) {
			struct values figures = VALUES_INIT, values = VALUES_INIT;

			values_add(&figures, "switches", "s", 5);
			values_label(&values, values_add(&values, "cpu_share", "%", arm ? 39 : 16),
				"mode", "idle");
			values_label(&values,
				values_add(&values, "cpu_share", "%", 50 + (double)(block % 3)),
				"mode", "user");
			one_trial(f, run, arm, block, &figures, &values, NULL);
			values_release(&figures);
			values_release(&values);
		}
	load(f, run, &c);
	idle = counters_find(&c, "cpustat", "cpu_share", "idle");
	user = counters_find(&c, "cpustat", "cpu_share", "user");
	assert_non_null(idle);
	assert_true(fabs(idle->mean[0] - 16) < 1e-9 && fabs(idle->mean[1] - 39) < 1e-9);
	assert_true(fabs(idle->ratio[1] - 39.0 / 16) < 1e-9);
	assert_true(idle->score[1] > 0);
	assert_true(isnan(idle->per_op[1]));
	assert_true(user->score[1] == 0);
	counters_release(&c);
}

/* Of CPUs without a total of the machine a share is their mean, not their sum. */
static void shares_of_cpus_are_averaged(void **state)
{
	struct fixture *f = *state;
	int64_t run = make_run(f);
	const struct counter *idle;
	struct counters c;

	for (int64_t arm = 0; arm < 2; arm++) {
		struct values figures = VALUES_INIT, values = VALUES_INIT;

		values_add(&figures, "switches", "s", 5);
		for (long cpu = 0; cpu < 4; cpu++) {
			struct value *v = values_add(&values, "cpu_share", "%", 20 + (double)cpu);

			values_label(&values, v, "mode", "idle");
			values_label_int(&values, v, "cpu", cpu);
		}
		one_trial(f, run, arm, 0, &figures, &values, NULL);
		values_release(&figures);
		values_release(&values);
	}
	load(f, run, &c);
	idle = counters_find(&c, "cpustat", "cpu_share", "idle");
	assert_true(fabs(idle->mean[0] - 21.5) < 1e-9);
	assert_true(fabs(idle->cpu[3].mean[0] - 23) < 1e-9);
	counters_release(&c);
}

/* A state that an arm disables is what was set, not something that moved. */
static void a_flag_does_not_move(void **state)
{
	struct fixture *f = *state;
	int64_t run = make_run(f);
	struct counters c;
	size_t index[3];

	for (int64_t block = 0; block < BLOCKS; block++)
		for (int64_t arm = 0; arm < 2; arm++) {
			struct values figures = VALUES_INIT, values = VALUES_INIT;

			values_add(&figures, "switches", "s", 5);
			if (arm)
				values_label(&values, values_add(&values, "disabled", "", 64),
					"state", "C6");
			values_add(&values, "forks", "count", 100 + (double)(block % 3));
			one_trial(f, run, arm, block, &figures, &values, NULL);
			values_release(&figures);
			values_release(&values);
		}
	load(f, run, &c);
	assert_non_null(counters_find(&c, "cpustat", "disabled", "C6"));
	for (size_t n = counters_moved(&c, 2, index), i = 0; i < n; i++)
		assert_string_not_equal(c.counter[index[i]].name, "disabled");
	counters_release(&c);
}

/* In half of arm b's trials the collector failed: a mean is of those that it saw. */
static void trials_not_seen_are_not_zero(void **state)
{
	struct fixture *f = *state;
	int64_t run = make_run(f);
	const struct counter *forks;
	struct counters c;

	for (int64_t block = 0; block < BLOCKS; block++)
		for (int64_t arm = 0; arm < 2; arm++) {
			struct values figures = VALUES_INIT, values = VALUES_INIT,
				      none = VALUES_INIT;
			bool lost = arm == 1 && block % 2;

			values_add(&figures, "switches", "switches/s", 50);
			values_label_int(
				&values, values_add(&values, "forks", "count", 1000), "cpu", 0);
			one_trial(f, run, arm, block, &figures, lost ? &none : &values,
				lost ? "cannot open" : NULL);
			values_release(&figures);
			values_release(&values);
		}
	load(f, run, &c);
	forks = counters_find(&c, "cpustat", "forks", "");
	assert_true(fabs(forks->mean[0] - 1000) < 1e-9);
	assert_true(fabs(forks->mean[1] - 1000) < 1e-9);
	assert_true(fabs(forks->cpu[0].mean[1] - 1000) < 1e-9);
	assert_true(fabs(forks->per_second[0] - 500) < 1e-9);
	assert_true(fabs(forks->per_second[1] - 250) < 1e-9);
	assert_true(fabs(forks->per_op[1] - 5) < 1e-9);
	counters_release(&c);
}

static void an_arm_never_seen_has_no_mean(void **state)
{
	struct fixture *f = *state;
	int64_t run = make_run(f);
	const struct counter *forks;
	struct counters c;

	for (int64_t block = 0; block < BLOCKS; block++)
		for (int64_t arm = 0; arm < 2; arm++) {
			struct values figures = VALUES_INIT, values = VALUES_INIT;

			values_add(&figures, "switches", "switches/s", 50);
			if (!arm)
				values_add(&values, "forks", "count", 1000);
			one_trial(
				f, run, arm, block, &figures, &values, arm ? "cannot open" : NULL);
			values_release(&figures);
			values_release(&values);
		}
	load(f, run, &c);
	forks = counters_find(&c, "cpustat", "forks", "");
	assert_true(isnan(forks->mean[1]) && isnan(forks->ratio[1]));
	assert_true(forks->score[1] == 0);
	counters_release(&c);
}

int main(void)
{
#define T(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
	const struct CMUnitTest tests[] = {
		T(a_share_is_no_rate),
		T(shares_of_cpus_are_averaged),
		T(a_flag_does_not_move),
		T(trials_not_seen_are_not_zero),
		T(an_arm_never_seen_has_no_mean),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
