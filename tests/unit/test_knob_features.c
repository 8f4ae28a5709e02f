/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/unit/fake_machine.h"

#include "base/rng.h"
#include "runners/knob/sched_features.h"

#define FIXTURES "tests/fixtures/system/sched_features/"

static const struct knob_ops *const knob = &knob_sched_features;

static void compare_with_fixture(const char *name)
{
	char *text_path = xasprintf(FIXTURES "%s.txt", name), *text;
	char *json_path = xasprintf(FIXTURES "%s.expect.json", name);
	json_t *expect = json_load_file(json_path, 0, NULL), *on;
	struct sched_features features;
	struct error err = ERROR_INIT;
	const char *feature;
	size_t len, i = 0;

	assert_non_null(expect);
	assert_int_equal(file_read(text_path, 1 << 20, &text, &len, NULL), 0);
	assert_int_equal(sched_features_parse(text, len, &features, &err), 0);
	assert_int_equal(features.n, json_int(expect, "count", -1));
	json_object_foreach(json_object_get(expect, "features"), feature, on) {
		assert_string_equal(features.f[i].name, feature);
		assert_int_equal(features.f[i].on, json_is_true(on));
		i++;
	}
	assert_int_equal(i, features.n);
	sched_features_release(&features);
	free(text);
	json_decref(expect);
	free(json_path);
	free(text_path);
}

static void test_fixtures(void **state)
{
	(void)state;
	compare_with_fixture("v5.10-legacy-path");
	compare_with_fixture("v6.1");
}

static void test_names_that_begin_with_no(void **state)
{
	static const char text[] = "NONTASK_CAPACITY NO_NI_RANDOM NO_TTWU_QUEUE\n";
	struct sched_features f;

	(void)state;
	assert_int_equal(sched_features_parse(text, strlen(text), &f, NULL), 0);
	assert_true(sched_features_find(&f, "NONTASK_CAPACITY")->on);
	assert_false(sched_features_find(&f, "NI_RANDOM")->on);
	assert_false(sched_features_find(&f, "TTWU_QUEUE")->on);
	assert_null(sched_features_find(&f, "NO_TTWU_QUEUE"));
	assert_null(sched_features_find(&f, "NTASK_CAPACITY"));
	sched_features_release(&f);
}

static void expect_no_features(const char *text, size_t len, int code, const char *message)
{
	struct error err = ERROR_INIT;
	struct sched_features f;

	assert_int_equal(sched_features_parse(text, len, &f, &err), code);
	assert_string_equal(error_text(&err), message);
	assert_int_equal(f.n, 0);
	assert_null(f.f);
	error_release(&err);
}

static void test_text_that_is_none(void **state)
{
	char *text;
	size_t len;

	(void)state;
	expect_no_features("", 0, -EINVAL, "no line of scheduler features: the text is empty");
	expect_no_features(" \n", 2, -EINVAL, "no line of scheduler features: the text is empty");
	expect_no_features("TTWU_QUEUE \0", 12, -EINVAL,
		"no line of scheduler features: '' is no feature's name");
	expect_no_features("TTWU_QUEUE NO_", 14, -EINVAL,
		"no line of scheduler features: 'NO_' is no feature's name");
	expect_no_features("TTWU_QUEUE ttwu", 15, -EINVAL,
		"no line of scheduler features: 'ttwu' is no feature's name");
	expect_no_features(
		"A B NO_A", 8, -EINVAL, "no line of scheduler features: 'A' is there twice");
	assert_int_equal(
		file_read(FIXTURES "v6.18-lockdown-eperm.txt", 1 << 20, &text, &len, NULL), 0);
	expect_no_features(text, len, -EPERM,
		"no scheduler features here, only that reading them was not permitted; the kernel "
		"is "
		"locked down");
	free(text);
}

/* Any bytes at all: a list or an error, and the sanitizers have nothing to say. */
static void test_noise(void **state)
{
	static const char letters[] = "NO_ABTTWU_QUEUE01 \n\0\xff[a";
	struct rng rng;
	size_t good = 0;

	(void)state;
	rng_seed(&rng, 1);
	for (int i = 0; i < 5000; i++) {
		size_t len = rng_below(&rng, 12);
		char *text = xmalloc(len + 1);
		struct sched_features f;
		struct error err = ERROR_INIT;

		for (size_t j = 0; j < len; j++)
			text[j] = letters[rng_below(&rng, sizeof(letters))];
		text = xrealloc_array(text, len ? len : 1, 1);
		if (sched_features_parse(text, len, &f, &err) == 0)
			good++;
		else
			assert_non_null(err.text);
		assert_true(!err.text == (f.n > 0));
		sched_features_release(&f);
		error_release(&err);
		free(text);
	}
	assert_in_range(good, 100, 4900);
}

static void test_new_path(void **state)
{
	struct fake_machine *m = fake_machine_new("8cpu-smt2");

	(void)state;
	expect_plan(knob, m, "'TTWU_QUEUE'",
		"sys/kernel/debug/sched/features = TTWU_QUEUE (feature)\n");
	expect_plan(knob, m, "'NO_TTWU_QUEUE'",
		"sys/kernel/debug/sched/features = NO_TTWU_QUEUE (feature)\n");
	expect_plan(knob, m, "'NO_NONTASK_CAPACITY'",
		"sys/kernel/debug/sched/features = NO_NONTASK_CAPACITY (feature)\n");
	expect_plan(knob, m, "'NONTASK_CAPACITY'",
		"sys/kernel/debug/sched/features = NONTASK_CAPACITY (feature)\n");
	expect_plan(knob, m, "'default'", "");
	expect_available(knob, m, 0, NULL);
	fake_machine_free(m);
}

static void test_old_path_and_several(void **state)
{
	static const char both[] = "sys/kernel/debug/sched_features = NO_TTWU_QUEUE (feature)\n"
				   "sys/kernel/debug/sched_features = NO_WA_IDLE (feature)\n";
	struct fake_machine *m = fake_machine_new("2cpu-haltpoll");

	(void)state;
	expect_plan(knob, m, "'  NO_TTWU_QUEUE  NO_WA_IDLE '", both);
	expect_plan(knob, m, "['NO_TTWU_QUEUE', 'NO_WA_IDLE']", both);
	expect_plan(knob, m, "['NO_TTWU_QUEUE', 'NO_WA_IDLE', 'NO_TTWU_QUEUE']", both);
	expect_available(knob, m, 0, NULL);
	fake_machine_free(m);
}

static void test_unknown_feature(void **state)
{
	struct fake_machine *m = fake_machine_new("8cpu-smt2");
	static const char list[] =
		"it has: GENTLE_FAIR_SLEEPERS START_DEBIT NEXT_BUDDY LAST_BUDDY CACHE_HOT_BUDDY "
		"WAKEUP_PREEMPTION HRTICK HRTICK_DL DOUBLE_TICK NONTASK_CAPACITY TTWU_QUEUE "
		"SIS_PROP "
		"SIS_UTIL WARN_DOUBLE_CLOCK RT_PUSH_IPI RT_RUNTIME_SHARE LB_MIN ATTACH_AGE_LOAD "
		"WA_IDLE WA_WEIGHT WA_BIAS UTIL_EST UTIL_EST_FASTUP LATENCY_WARN NI_RANDOM "
		"ALT_PERIOD "
		"BASE_SLICE";
	static const struct {
		const char *level, *feature, *hint;
	} cases[] = {
		{ "'TTWU_QUEU'", "TTWU_QUEU", "did you mean 'TTWU_QUEUE'? " },
		{ "'NO_TTWU_QUEU'", "TTWU_QUEU", "did you mean 'NO_TTWU_QUEUE'? " },
		{ "'ttwu_queue'", "ttwu_queue", "did you mean 'TTWU_QUEUE'? " },
		{ "'TASK_CAPACITY'", "TASK_CAPACITY", "did you mean 'NONTASK_CAPACITY'? " },
		{ "'NO_DELAY_DEQUEUE'", "DELAY_DEQUEUE", "" },
	};

	(void)state;
	for (size_t i = 0; i < array_size(cases); i++) {
		char *message =
			xasprintf("kernel 6.1.0-57-amd64 has no scheduler feature '%s'; %s%s",
				cases[i].feature, cases[i].hint, list);

		expect_plan_error(knob, m, cases[i].level, -EINVAL, message);
		free(message);
	}
	fake_machine_free(m);
}

static void expect_refused(struct fake_machine *m, int code, const char *message)
{
	expect_plan_error(knob, m, "'NO_TTWU_QUEUE'", code, message);
	expect_available(knob, m, code, message);
}

static void test_not_mounted(void **state)
{
	struct fake_machine *m = fake_machine_new("2cpu-no-cache");

	(void)state;
	expect_refused(m, -ENODEV,
		"debugfs is not mounted, and the scheduler's features are in it; run 'mount -t "
		"debugfs "
		"none /sys/kernel/debug' as root");
	fake_write(m, "proc/filesystems", "nodev\tsysfs\nnodev\tproc\n");
	expect_refused(m, -ENODEV,
		"kernel 6.18.44-fc-v782 has no debugfs, and the scheduler's features are in it; it "
		"needs CONFIG_DEBUG_FS=y and must not be booted with debugfs=off");
	fake_machine_free(m);
}

static void test_file_absent(void **state)
{
	struct fake_machine *m = fake_machine_new("1cpu");

	(void)state;
	expect_refused(m, -ENOENT,
		"kernel 6.12.117 shows no scheduler features: debugfs is mounted, but "
		"'/sys/kernel/debug/sched/features' and '/sys/kernel/debug/sched_features' are "
		"absent; "
		"up to 6.14 they need CONFIG_SCHED_DEBUG=y");
	fake_machine_free(m);
}

static void test_refused(void **state)
{
	struct fake_machine *m = fake_machine_new("8cpu-smt2");

	(void)state;
	m->refuse = "sys/kernel/debug";
	m->code = -EPERM;
	expect_refused(m, -EPERM,
		"cannot read '/sys/kernel/debug/sched/features': Operation not permitted, as of a "
		"locked-down kernel though none is reported; try target: vm");
	json_object_set_new(m->facts, "lockdown", json_string("none [integrity] confidentiality"));
	expect_refused(m, -EPERM,
		"cannot read '/sys/kernel/debug/sched/features': Operation not permitted; the "
		"kernel "
		"is locked down (lockdown=integrity), try target: vm");
	json_object_set_new(m->facts, "lockdown", json_string("confidentiality"));
	expect_refused(m, -EPERM,
		"cannot read '/sys/kernel/debug/sched/features': Operation not permitted; the "
		"kernel "
		"is locked down (lockdown=confidentiality), try target: vm");
	m->code = -EACCES;
	expect_refused(m, -EACCES,
		"cannot read '/sys/kernel/debug/sched/features': Permission denied; debugfs is "
		"root's, "
		"run as root or try target: vm");
	fake_machine_free(m);
}

static void test_not_root(void **state)
{
	struct fake_machine *m = fake_machine_new("8cpu-smt2");

	(void)state;
	json_object_set_new(m->facts, "uid", json_integer(1000));
	expect_available(knob, m, -EACCES,
		"kernel files are root's to write, and harness-agent runs as uid 1000; run it as "
		"root, "
		"or try target: vm");
	fake_machine_free(m);
}

static void test_levels(void **state)
{
	static const char form[] = "scheduler features are written as words or as a list of words";

	(void)state;
	expect_check_error(knob, "5", form);
	expect_check_error(knob, "''", form);
	expect_check_error(knob, "[]", form);
	expect_check_error(knob, "['A', 5]", form);
	expect_check_error(knob, "{'TTWU_QUEUE': true}", form);
	expect_check_error(knob, "'TTWU-QUEUE'",
		"'TTWU-QUEUE' is no name of a scheduler feature; write TTWU_QUEUE, or "
		"NO_TTWU_QUEUE to "
		"turn it off");
	expect_check_error(knob, "'NO_'",
		"'NO_' is no name of a scheduler feature; write TTWU_QUEUE, or NO_TTWU_QUEUE to "
		"turn "
		"it off");
	expect_check_error(knob, "['TTWU_QUEUE', 'WA_IDLE', 'NO_TTWU_QUEUE']",
		"'TTWU_QUEUE' and 'NO_TTWU_QUEUE' contradict each other; make them two levels");
	expect_label(knob, "'NO_TTWU_QUEUE'", "NO_TTWU_QUEUE");
	expect_label(knob, "[' NO_TTWU_QUEUE', 'WA_IDLE']", "NO_TTWU_QUEUE WA_IDLE");
	expect_label(knob, "'default'", "default");
	expect_label(knob, "7", "7");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fixtures),
		cmocka_unit_test(test_names_that_begin_with_no),
		cmocka_unit_test(test_text_that_is_none),
		cmocka_unit_test(test_noise),
		cmocka_unit_test(test_new_path),
		cmocka_unit_test(test_old_path_and_several),
		cmocka_unit_test(test_unknown_feature),
		cmocka_unit_test(test_not_mounted),
		cmocka_unit_test(test_file_absent),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_not_root),
		cmocka_unit_test(test_levels),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
