/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/unit/fake_machine.h"

static const struct knob_ops *const knob = &knob_idle_states;

#define CPU "sys/devices/system/cpu/cpu"

static void test_words(void **state)
{
	struct fake_machine *m = fake_machine_new("2cpu-haltpoll");
	static const char all_off[] =
		CPU "0/cpuidle/state0/disable = 1\n" CPU "0/cpuidle/state1/disable = 1\n" CPU
		    "1/cpuidle/state0/disable = 1\n" CPU "1/cpuidle/state1/disable = 1\n";
	static const char but_first[] =
		CPU "0/cpuidle/state1/disable = 1\n" CPU "1/cpuidle/state1/disable = 1\n";

	(void)state;
	expect_plan(knob, m, "'default'", "");
	expect_plan(knob, m, "'all-disabled'", all_off);
	expect_plan(knob, m, "{'disable': 'all'}", all_off);
	expect_plan(knob, m, "'all-but-first-disabled'", but_first);
	expect_plan(knob, m, "{'disable': 'all-but-first'}", but_first);
	expect_plan(knob, m, "'all-enabled'",
		CPU "0/cpuidle/state0/disable = 0\n" CPU "0/cpuidle/state1/disable = 0\n" CPU
		    "1/cpuidle/state0/disable = 0\n" CPU "1/cpuidle/state1/disable = 0\n");
	expect_available(knob, m, 0, NULL);
	fake_machine_free(m);
}

static void test_names_and_numbers(void **state)
{
	struct fake_machine *m = fake_machine_new("2cpu-haltpoll");
	static const char haltpoll[] =
		CPU "0/cpuidle/state1/disable = 1\n" CPU "1/cpuidle/state1/disable = 1\n";

	(void)state;
	expect_plan(knob, m, "{'disable': 'haltpoll idle'}", haltpoll);
	expect_plan(knob, m, "{'disable': 'HALTPOLL Idle'}", haltpoll);
	expect_plan(knob, m, "{'disable': ['haltpoll idle']}", haltpoll);
	expect_plan(knob, m, "{'disable': 1}", haltpoll);
	expect_plan(knob, m, "{'disable': [1, 'haltpoll idle']}", haltpoll);
	expect_plan(knob, m, "{'disable': '1'}", haltpoll);
	expect_plan(knob, m, "{'disable': []}", "");
	fake_machine_free(m);
}

/* A name outweighs "all", whichever comes first. */
static void test_all_but_a_name(void **state)
{
	struct fake_machine *m = fake_machine_new("2cpu-haltpoll");
	static const char poll_only[] =
		CPU "0/cpuidle/state0/disable = 0\n" CPU "0/cpuidle/state1/disable = 1\n" CPU
		    "1/cpuidle/state0/disable = 0\n" CPU "1/cpuidle/state1/disable = 1\n";

	(void)state;
	expect_plan(knob, m, "{'disable': 'all', 'enable': 'poll'}", poll_only);
	expect_plan(knob, m, "{'enable': 'poll', 'disable': 'all'}", poll_only);
	expect_plan_error(knob, m, "{'disable': 'POLL', 'enable': 0}", -EINVAL,
		"the idle state 'POLL' is to be both disabled and enabled");
	expect_plan_error(knob, m, "{'disable': 'all', 'enable': 'all-but-first'}", -EINVAL,
		"the idle state 'haltpoll idle' is to be both disabled and enabled");
	fake_machine_free(m);
}

/* Big cores have a state more; it is set where it is. */
static void test_unequal_cpus(void **state)
{
	struct fake_machine *m = fake_machine_new("arm-big-little");

	(void)state;
	expect_plan(knob, m, "{'disable': 'cluster-sleep-0'}",
		CPU "4/cpuidle/state2/disable = 1\n" CPU "5/cpuidle/state2/disable = 1\n" CPU
		    "6/cpuidle/state2/disable = 1\n" CPU "7/cpuidle/state2/disable = 1\n");
	expect_plan_error(knob, m, "{'disable': 'C6'}", -EINVAL,
		"no online CPU has an idle state 'C6'; CPUs 0-3 have: 0 WFI, 1 cpu-sleep-0; CPUs "
		"4-7 "
		"have: 0 WFI, 1 cpu-sleep-0, 2 cluster-sleep-0");
	expect_plan_error(knob, m, "{'disable': 3}", -EINVAL,
		"no online CPU has an idle state '3'; CPUs 0-3 have: 0 WFI, 1 cpu-sleep-0; CPUs "
		"4-7 "
		"have: 0 WFI, 1 cpu-sleep-0, 2 cluster-sleep-0");
	fake_machine_free(m);
}

/* CPU 9 is offline but its files are still there; cpu10 comes behind cpu8. */
static void test_offline_cpu(void **state)
{
	struct fake_machine *m = fake_machine_new("16cpu-2socket");
	struct strbuf expected = STRBUF_INIT;

	(void)state;
	for (int cpu = 0; cpu < 16; cpu++)
		if (cpu != 9)
			strbuf_printf(&expected, CPU "%d/cpuidle/state2/disable = 1\n", cpu);
	expect_plan(knob, m, "{'disable': 'c2'}", strbuf_text(&expected));
	strbuf_release(&expected);
	fake_machine_free(m);
}

static void test_no_driver(void **state)
{
	struct fake_machine *m = fake_machine_new("2cpu-no-cache");
	static const char none[] =
		"this machine has no cpuidle driver, so it has no idle states to turn on or off; "
		"in a "
		"guest of target: vm choose the idle loop with cmdline: idle=poll";

	(void)state;
	expect_plan(knob, m, "'default'", "");
	expect_plan_error(knob, m, "{'disable': 'C6'}", -ENODEV, none);
	expect_plan_error(knob, m, "'all-disabled'", -ENODEV, none);
	expect_available(knob, m, -ENODEV, none);
	json_object_set_new(m->facts, "cpuidle", json_pack("{s:s}", "driver", "intel_idle"));
	expect_plan_error(knob, m, "'all-disabled'", -ENODEV,
		"the cpuidle driver 'intel_idle' shows no idle states for the online CPUs");
	fake_machine_free(m);
}

static void test_agent_gone(void **state)
{
	struct fake_machine *m = fake_machine_new("2cpu-haltpoll");

	(void)state;
	m->refuse = CPU "1/cpuidle";
	m->code = -EPIPE;
	expect_plan_error(knob, m, "'all-disabled'", -EPIPE,
		"cannot read '" CPU "1/cpuidle/state0/name': Broken pipe");
	fake_machine_free(m);
}

static void test_levels(void **state)
{
	static const char forms[] =
		"idle_states takes 'default', 'all-enabled', 'all-disabled', "
		"'all-but-first-disabled', or a mapping like {disable: [C6, 2]}, {disable: "
		"all-but-first}, {disable: all, enable: [POLL]}";
	static const char one[] =
		"an idle state is given by its name (C6) or its number (2), or 'all' or "
		"'all-but-first' for several";

	(void)state;
	expect_check_error(knob, "'none'", forms);
	expect_check_error(knob, "['C6']", forms);
	expect_check_error(knob, "{}", forms);
	expect_check_error(knob, "true", forms);
	expect_check_error(knob, "{'disabel': 'C6'}",
		"idle_states has no 'disabel'; did you mean 'disable'? there are: disable, enable");
	expect_check_error(knob, "{'disable': ''}", one);
	expect_check_error(knob, "{'disable': -1}", one);
	expect_check_error(knob, "{'disable': [true]}", one);
	expect_check_error(knob, "{'disable': {'C6': 1}}", one);
	expect_label(knob, "'all-disabled'", "all-disabled");
	expect_label(knob, "{'disable': ['C6', 2], 'enable': 'POLL'}", "disable C6,2 enable POLL");
	expect_label(knob, "{'disable': []}", "default");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_names_and_numbers),
		cmocka_unit_test(test_all_but_a_name),
		cmocka_unit_test(test_unequal_cpus),
		cmocka_unit_test(test_offline_cpu),
		cmocka_unit_test(test_no_driver),
		cmocka_unit_test(test_agent_gone),
		cmocka_unit_test(test_levels),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
