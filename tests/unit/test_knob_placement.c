/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/unit/fake_machine.h"

#include "runners/knob/topology.h"

/* NULL: the machine lacks the level. */
struct choice {
	const char *level, *cpus;
};

static void expect_choices(const char *name, const struct choice *choices, size_t n)
{
	struct fake_machine *m = fake_machine_new(name);

	for (size_t i = 0; i < n; i++) {
		char *level = xasprintf("'%s'", choices[i].level);
		char *plan = xasprintf("cpus %s\n", choices[i].cpus);

		expect_plan(&knob_placement, m, level, plan);
		free(plan);
		free(level);
	}
	fake_machine_free(m);
}

static void expect_lacks(const char *name, const char *level, const char *message)
{
	struct fake_machine *m = fake_machine_new(name);

	expect_plan_error(&knob_placement, m, level, -ENODEV, message);
	fake_machine_free(m);
}

static void test_one_cpu(void **state)
{
	static const struct choice has[] = { { "same-cpu", "0,0" } };
	struct fake_machine *m = fake_machine_new("1cpu");

	(void)state;
	expect_choices("1cpu", has, array_size(has));
	expect_lacks("1cpu", "'same-core'",
		"this machine has no SMT siblings online, so there is no 'same-core'; levels it "
		"has: "
		"same-cpu");
	expect_lacks("1cpu", "'cross-core'",
		"this machine has no second core online, so there is no 'cross-core'; levels it "
		"has: "
		"same-cpu");
	expect_available(&knob_placement, m, -ENODEV,
		"only one CPU is online: same-cpu is the only placement; give the guest of target: "
		"vm "
		"more CPUs");
	fake_machine_free(m);
}

static void test_no_smt(void **state)
{
	static const struct choice has[] = { { "same-cpu", "1,1" }, { "cross-core", "0,1" },
		{ "same-llc", "0,1" } };
	struct fake_machine *m = fake_machine_new("2cpu-haltpoll");

	(void)state;
	expect_choices("2cpu-haltpoll", has, array_size(has));
	expect_available(&knob_placement, m, 0, NULL);
	expect_plan_error(&knob_placement, m, "'smt-sibling'", -ENODEV,
		"this machine has no SMT siblings online, so there is no 'smt-sibling'; levels it "
		"has: "
		"same-cpu, cross-core, same-llc");
	expect_plan_error(&knob_placement, m, "'cross-llc'", -ENODEV,
		"this machine has only one last-level cache, so there is no 'cross-llc'; levels it "
		"has: same-cpu, cross-core, same-llc");
	expect_plan_error(&knob_placement, m, "'cross-node'", -ENODEV,
		"this machine has only one NUMA node with CPUs online, so there is no "
		"'cross-node'; "
		"levels it has: same-cpu, cross-core, same-llc");
	json_object_set_new(m->facts, "smt", json_string("forceoff"));
	expect_plan_error(&knob_placement, m, "'same-core'", -ENODEV,
		"this machine has no SMT siblings online (SMT is switched forceoff), so there is "
		"no "
		"'same-core'; levels it has: same-cpu, cross-core, same-llc");
	fake_machine_free(m);
}

static void test_no_cache_shown(void **state)
{
	static const struct choice has[] = { { "same-cpu", "1,1" }, { "cross-core", "0,1" },
		{ "same-llc", "0,1" } };

	(void)state;
	expect_choices("2cpu-no-cache", has, array_size(has));
	expect_lacks("2cpu-no-cache", "'cross-llc'",
		"this machine has only one last-level cache (it shows no caches, so a package is "
		"taken "
		"as one), so there is no 'cross-llc'; levels it has: same-cpu, cross-core, "
		"same-llc");
}

/* Cores {0,4} {1,5} {2,6} {3,7}: away from CPU 0 and its sibling. */
static void test_smt2(void **state)
{
	static const struct choice has[] = { { "same-cpu", "1,1" }, { "smt-sibling", "1,5" },
		{ "same-core", "1,5" }, { "cross-core", "1,2" }, { "same-llc", "1,2" } };

	(void)state;
	expect_choices("8cpu-smt2", has, array_size(has));
}

/* CPU 9 is offline, and so CPU 1 has no sibling; caches of 0,1,8 | 2,3,10,11 | 4,5,.. | 6,7,.. */
static void test_two_sockets(void **state)
{
	static const struct choice has[] = { { "same-cpu", "1,1" }, { "smt-sibling", "2,10" },
		{ "same-core", "2,10" }, { "cross-core", "2,3" }, { "same-llc", "2,3" },
		{ "cross-llc", "1,2" }, { "cross-node", "1,4" } };

	(void)state;
	expect_choices("16cpu-2socket", has, array_size(has));
}

/* The kernel's core has eight threads, the small cores of even and odd CPUs have four each. */
static void test_power9(void **state)
{
	static const struct choice big[] = { { "same-cpu", "8,8" }, { "smt-sibling", "8,10" },
		{ "same-core", "8,9" }, { "cross-core", "1,8" }, { "cross-llc", "1,8" } };
	static const struct choice small[] = { { "same-cpu", "4,4" }, { "smt-sibling", "4,5" },
		{ "same-core", "4,5" }, { "cross-core", "8,12" }, { "same-llc", "8,12" },
		{ "cross-llc", "4,8" }, { "cross-node", "4,8" } };

	(void)state;
	expect_choices("power9-smt8", big, array_size(big));
	expect_lacks("power9-smt8", "'same-llc'",
		"this machine has no two cores online that share a last-level cache, so there is "
		"no "
		"'same-llc'; levels it has: same-cpu, smt-sibling, same-core, cross-core, "
		"cross-llc");
	expect_choices("power9-smt4", small, array_size(small));
}

static void test_big_little(void **state)
{
	static const struct choice has[] = { { "same-cpu", "1,1" }, { "cross-core", "1,2" },
		{ "same-llc", "1,2" }, { "cross-llc", "1,4" } };

	(void)state;
	expect_choices("arm-big-little", has, array_size(has));
}

static void test_isolated_first(void **state)
{
	struct fake_machine *m = fake_machine_new("16cpu-2socket");

	(void)state;
	json_object_set_new(m->facts, "isolated", json_string("6-7,14-15"));
	expect_plan(&knob_placement, m, "'same-cpu'", "cpus 6,6\n");
	expect_plan(&knob_placement, m, "'same-core'", "cpus 6,14\n");
	expect_plan(&knob_placement, m, "'same-llc'", "cpus 6,7\n");
	expect_plan(&knob_placement, m, "'cross-node'", "cpus 1,6\n");
	json_object_set_new(m->facts, "isolated", json_string("0,8"));
	expect_plan(&knob_placement, m, "'same-core'", "cpus 0,8\n");
	fake_machine_free(m);
}

/* A small guest as of case 1: 4 CPUs, cores {0,1} and {2,3}. */
static void test_without_sibling_lists(void **state)
{
	struct fake_machine *m = fake_machine_new("2cpu-no-cache");
	json_t *cpus = json_array();

	(void)state;
	for (int i = 3; i >= 0; i--)
		json_array_append_new(cpus, json_pack("{s:i, s:i}", "cpu", i, "core", i / 2));
	json_object_set_new(
		m->facts, "topology", json_pack("{s:s, s:o}", "online", "0-3", "cpus", cpus));
	expect_plan(&knob_placement, m, "'same-core'", "cpus 2,3\n");
	expect_plan(&knob_placement, m, "'cross-core'", "cpus 1,2\n");
	fake_machine_free(m);
}

static void expect_no_topology(const char *text, const char *message)
{
	json_t *facts = fake_level(text);
	struct error err = ERROR_INIT;
	struct topology t;

	assert_int_equal(topology_parse(facts, &t, &err), -EINVAL);
	assert_string_equal(error_text(&err), message);
	assert_int_equal(t.n, 0);
	error_release(&err);
	json_decref(facts);
}

static void test_bad_facts(void **state)
{
	static const char none[] = "the agent's facts hold no topology: no CPU is online";

	(void)state;
	expect_no_topology("{}", none);
	expect_no_topology("{'topology': null}", none);
	expect_no_topology("{'topology': {'online': '0', 'cpus': []}}", none);
	expect_no_topology("{'topology': {'online': '0', 'cpus': [{'cpu': 1}]}}", none);
	expect_no_topology("{'topology': {'online': 'zero', 'cpus': [{'cpu': 0}]}}",
		"'zero' is no CPU list; write it like 0-3,8");
	expect_no_topology("{'topology': {'online': '0', 'cpus': [{'cpu': 0}, {'core': 0}]}}",
		"the machine's topology has a CPU without number");
	expect_no_topology("{'topology': {'online': '0', 'cpus': [{'cpu': 0}, {'cpu': 0}]}}",
		"the machine's topology has CPU 0 twice");
	expect_no_topology("{'topology': {'cpus': [{'cpu': 4294967296}]}}",
		"the machine's topology has a CPU without number");
}

static void test_topology_groups(void **state)
{
	struct fake_machine *m = fake_machine_new("power9-smt8");
	struct topology t;

	(void)state;
	assert_int_equal(topology_parse(m->facts, &t, NULL), 0);
	assert_int_equal(t.n, 16);
	assert_true(t.llc_known);
	assert_int_equal(topology_find(&t, 11)->core, 8);
	assert_int_equal(topology_find(&t, 11)->l1, 8);
	topology_read_l1(&t, &m->machine);
	assert_int_equal(topology_find(&t, 11)->l1, 9);
	assert_int_equal(topology_find(&t, 6)->l1, 0);
	assert_null(topology_find(&t, 16));
	topology_release(&t);
	fake_machine_free(m);
}

static void test_placement_levels(void **state)
{
	static const char list[] =
		"there are: same-cpu, smt-sibling, same-core, cross-core, same-llc, "
		"cross-llc, cross-node";
	char *near = xasprintf("'same-cor' is no placement; did you mean 'same-core'? %s", list);
	char *far = xasprintf("'5' is no placement; %s", list);

	(void)state;
	expect_check_error(&knob_placement, "'same-cor'", near);
	expect_check_error(&knob_placement, "5", far);
	expect_label(&knob_placement, "'same-core'", "same-core");
	expect_label(&knob_placement, "[0,1]", "[0,1]");
	free(near);
	free(far);
}

static void test_cpus(void **state)
{
	struct fake_machine *m = fake_machine_new("16cpu-2socket");

	(void)state;
	expect_plan(&knob_cpus, m, "[0, 8]", "cpus 0,8\n");
	expect_plan(&knob_cpus, m, "[8, 0]", "cpus 8,0\n");
	expect_plan(&knob_cpus, m, "[2, 2]", "cpus 2,2\n");
	expect_plan(&knob_cpus, m, "'0-3,8'", "cpus 0-3,8\n");
	expect_plan(&knob_cpus, m, "5", "cpus 5\n");
	expect_plan_error(
		&knob_cpus, m, "[1, 9]", -ENODEV, "CPU 9 is offline; online are 0-8,10-15");
	expect_plan_error(&knob_cpus, m, "'14-17'", -ENODEV,
		"this machine has no CPU 16; online are 0-8,10-15");
	expect_available(&knob_cpus, m, 0, NULL);
	fake_machine_free(m);
}

static void test_cpus_levels(void **state)
{
	static const char form[] =
		"cpus takes CPU numbers, as a list like [0, 8] or as text like '0-3,8'";

	(void)state;
	expect_check_error(&knob_cpus, "[]", form);
	expect_check_error(&knob_cpus, "''", form);
	expect_check_error(&knob_cpus, "{}", form);
	expect_check_error(&knob_cpus, "-1", form);
	expect_check_error(&knob_cpus, "[0, -1]", form);
	expect_check_error(&knob_cpus, "[0, 0.5]", form);
	expect_check_error(&knob_cpus, "[0, 99999]", form);
	expect_check_error(&knob_cpus, "[0, '1']", form);
	expect_check_error(&knob_cpus, "'0-'", "'0-' is no CPU list; write it like 0-3,8");
	expect_label(&knob_cpus, "[0, 8]", "0,8");
	expect_label(&knob_cpus, "'0-3'", "0-3");
	expect_label(&knob_cpus, "[]", "[]");
}

static void test_both(void **state)
{
	struct fake_machine *m = fake_machine_new("8cpu-smt2");
	json_t *near = fake_level("'same-core'"), *hand = fake_level("[0, 1]");
	struct error err = ERROR_INIT;
	struct knob_plan plan;

	(void)state;
	knob_plan_init(&plan);
	assert_int_equal(knob_placement.plan(near, &m->machine, &plan, &err), 0);
	assert_int_equal(knob_cpus.plan(hand, &m->machine, &plan, &err), -EINVAL);
	assert_string_equal(error_text(&err),
		"'placement' and 'cpus' both choose the benchmark's CPUs; keep one of them");
	error_release(&err);
	knob_plan_release(&plan);
	json_decref(near);
	json_decref(hand);
	fake_machine_free(m);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_one_cpu),
		cmocka_unit_test(test_no_smt),
		cmocka_unit_test(test_no_cache_shown),
		cmocka_unit_test(test_smt2),
		cmocka_unit_test(test_two_sockets),
		cmocka_unit_test(test_power9),
		cmocka_unit_test(test_big_little),
		cmocka_unit_test(test_isolated_first),
		cmocka_unit_test(test_without_sibling_lists),
		cmocka_unit_test(test_bad_facts),
		cmocka_unit_test(test_topology_groups),
		cmocka_unit_test(test_placement_levels),
		cmocka_unit_test(test_cpus),
		cmocka_unit_test(test_cpus_levels),
		cmocka_unit_test(test_both),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
