/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/unit/fake_machine.h"

static void test_find(void **state)
{
	struct error err = ERROR_INIT;

	(void)state;
	for (size_t i = 0; knobs[i]; i++)
		assert_ptr_equal(knob_find(knobs[i]->name, &err), knobs[i]);
	assert_null(err.text);
	assert_null(knob_find("sched_feature", &err));
	assert_string_equal(error_text(&err),
		"no knob 'sched_feature'; did you mean 'sched_features'? the knobs are: "
		"sched_features, idle_states, placement, cpus, sysctl, sysfs, cmdline, params, "
		"env");
	assert_null(knob_find("colour", &err));
	assert_string_equal(error_text(&err),
		"no knob 'colour'; the knobs are: sched_features, idle_states, placement, cpus, "
		"sysctl, sysfs, cmdline, params, env");
	error_release(&err);
}

static void check_lines(const char *name, const char *text)
{
	for (const char *p = text; *p;) {
		size_t len = strcspn(p, "\n");

		if (len > 80 || p[len] != '\n')
			fail_msg("%s: '%.*s' is %zu wide", name, (int)len, p, len);
		p += len + 1;
	}
}

static void test_texts(void **state)
{
	(void)state;
	for (size_t i = 0; knobs[i]; i++) {
		const struct knob_ops *k = knobs[i];
		json_t *schema = json_loads(k->schema, JSON_REJECT_DUPLICATES, NULL);

		assert_non_null(schema);
		json_decref(schema);
		assert_true(strlen(k->help) > 10 && strlen(k->help) < 70);
		assert_non_null(strstr(k->long_help, k->name));
		check_lines(k->name, k->long_help);
		assert_true(k->label && k->check && k->plan && k->available);
	}
}

static void test_writes_of_a_plan(void **state)
{
	struct error err = ERROR_INIT;
	struct knob_plan plan;
	char *text;

	(void)state;
	knob_plan_init(&plan);
	for (int i = 0; i < 20; i++)
		knob_plan_write(&plan, "sys/a", "1", WRITE_PLAIN);
	assert_int_equal(plan.n_writes, 20);
	knob_plan_release(&plan);

	knob_plan_init(&plan);
	assert_int_equal(knob_plan_set(&plan, "f", "A", WRITE_FEATURE, &err), 0);
	assert_int_equal(knob_plan_set(&plan, "f", "NO_AB", WRITE_FEATURE, &err), 0);
	assert_int_equal(knob_plan_set(&plan, "f", "A", WRITE_FEATURE, &err), 0);
	assert_int_equal(knob_plan_set(&plan, "g", "NO_A", WRITE_FEATURE, &err), 0);
	assert_int_equal(knob_plan_set(&plan, "f", "NO_A", WRITE_FEATURE, &err), -EINVAL);
	assert_string_equal(error_text(&err),
		"the arm asks for both 'A' and 'NO_A' in '/f'; leave one of them out");
	text = fake_plan_text(&plan);
	assert_string_equal(text, "f = A (feature)\nf = NO_AB (feature)\ng = NO_A (feature)\n");
	free(text);
	error_release(&err);
	knob_plan_release(&plan);
}

static void test_cmdline(void **state)
{
	struct fake_machine *m = fake_machine_new("1cpu");

	(void)state;
	expect_plan(&knob_cmdline, m, "'idle=poll nohz=off'", "cmdline idle=poll nohz=off\n");
	expect_plan(&knob_cmdline, m, "['idle=poll', 'nohz=off']", "cmdline idle=poll nohz=off\n");
	expect_plan(&knob_cmdline, m, "'default'", "");
	expect_plan(&knob_cmdline, m, "''", "");
	expect_plan(&knob_cmdline, m, "[]", "");
	expect_available(&knob_cmdline, m, -EOPNOTSUPP,
		"a running kernel keeps the command line it was booted with; use target: vm");
	expect_check_error(&knob_cmdline, "{'idle': 'poll'}",
		"cmdline takes words for the kernel's command line, like 'idle=poll nohz=off', or "
		"a "
		"list of words");
	expect_check_error(&knob_cmdline, "[1]",
		"cmdline takes words for the kernel's command line, like 'idle=poll nohz=off', or "
		"a "
		"list of words");
	expect_check_error(&knob_cmdline, "'a\\nb'",
		"a kernel command line can't hold tabs, line breaks or other control characters");
	expect_check_error(&knob_cmdline, "'a=\\\"b c'",
		"a quote is left open in the kernel command line 'a=\"b c'");
	expect_plan(&knob_cmdline, m, "'a=\\\"b c\\\"'", "cmdline a=\"b c\"\n");
	expect_label(&knob_cmdline, "['idle=poll', 'nohz=off']", "idle=poll nohz=off");
	expect_label(&knob_cmdline, "''", "default");
	expect_label(&knob_cmdline, "7", "default");
	fake_machine_free(m);
}

static void test_cmdline_appends(void **state)
{
	json_t *one = fake_level("'a=1'"), *none = fake_level("''"), *two = fake_level("'b'");
	struct knob_plan plan;

	(void)state;
	knob_plan_init(&plan);
	assert_int_equal(knob_cmdline.plan(one, NULL, &plan, NULL), 0);
	assert_int_equal(knob_cmdline.plan(none, NULL, &plan, NULL), 0);
	assert_int_equal(knob_cmdline.plan(two, NULL, &plan, NULL), 0);
	assert_string_equal(plan.cmdline, "a=1 b");
	knob_plan_release(&plan);
	json_decref(one);
	json_decref(none);
	json_decref(two);
}

static void test_params(void **state)
{
	struct fake_machine *m = fake_machine_new("1cpu");

	(void)state;
	expect_plan(&knob_params, m, "{'timeout': 5, 'mode': 'pipe', 'fast': true, 'x': null}",
		"params {\"timeout\":5,\"mode\":\"pipe\",\"fast\":true,\"x\":null}\n");
	expect_plan(&knob_params, m, "{}", "");
	expect_available(&knob_params, m, 0, NULL);
	expect_check_error(&knob_params, "'timeout=5'",
		"params takes a mapping of the benchmark's parameters, like {timeout: 5}");
	expect_check_error(&knob_params, "{'timeout': [5]}",
		"the parameter 'timeout' must be text, a number, true/false, or null to leave it "
		"out");
	expect_label(&knob_params, "{'timeout': 5, 'x': null}", "timeout=5,x=");
	expect_label(&knob_params, "{}", "default");
	fake_machine_free(m);
}

static void test_env(void **state)
{
	static const char *const locale[] = { "LANG", "LANGUAGE", "LC_ALL", "LC_NUMERIC" };
	struct fake_machine *m = fake_machine_new("1cpu");

	(void)state;
	expect_plan(&knob_env, m, "{'A': 1, '_b2': 'x y', 'E': '', 'T': true}",
		"env {\"A\":\"1\",\"_b2\":\"x y\",\"E\":\"\",\"T\":\"true\"}\n");
	expect_plan(&knob_env, m, "{'LANGUID': 1, 'LCX': 1}",
		"env {\"LANGUID\":\"1\",\"LCX\":\"1\"}\n");
	expect_available(&knob_env, m, 0, NULL);
	for (size_t i = 0; i < array_size(locale); i++) {
		char *level = xasprintf("{'%s': 'de_DE.UTF-8'}", locale[i]);
		char *message = xasprintf("'%s' can't be set: benchmarks always run with LC_ALL=C, "
					  "for another locale "
					  "changes how they print numbers",
			locale[i]);

		expect_check_error(&knob_env, level, message);
		free(message);
		free(level);
	}
	expect_check_error(&knob_env, "'A=1'",
		"env takes a mapping of names to values, like {MALLOC_ARENA_MAX: 1}");
	expect_check_error(
		&knob_env, "{'A': [1]}", "the value of 'A' must be text, a number or true/false");
	expect_check_error(&knob_env, "{'2A': 1}",
		"'2A' is no name of an environment variable: letters, digits and _ only, no digit "
		"first");
	expect_check_error(&knob_env, "{'A=B': 1}",
		"'A=B' is no name of an environment variable: letters, digits and _ only, no digit "
		"first");
	expect_label(&knob_env, "{'A': 1, 'B': 'x'}", "A=1,B=x");
	fake_machine_free(m);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_find),
		cmocka_unit_test(test_texts),
		cmocka_unit_test(test_writes_of_a_plan),
		cmocka_unit_test(test_cmdline),
		cmocka_unit_test(test_cmdline_appends),
		cmocka_unit_test(test_params),
		cmocka_unit_test(test_env),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
