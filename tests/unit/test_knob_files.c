/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/unit/fake_machine.h"

static void test_sysctl_names(void **state)
{
	struct fake_machine *m = fake_machine_new("8cpu-smt2");

	(void)state;
	expect_plan(&knob_sysctl, m, "{'kernel.numa_balancing': 1, 'vm.swappiness': '10'}",
		"proc/sys/kernel/numa_balancing = 1\nproc/sys/vm/swappiness = 10\n");
	expect_plan(&knob_sysctl, m, "{'kernel/numa_balancing': true}",
		"proc/sys/kernel/numa_balancing = 1\n");
	expect_plan(&knob_sysctl, m, "{'net.ipv4.conf.eth0/100.forwarding': false}",
		"proc/sys/net/ipv4/conf/eth0.100/forwarding = 0\n");
	expect_plan(&knob_sysctl, m, "{'net/ipv4/conf/eth0.100/forwarding': 1}",
		"proc/sys/net/ipv4/conf/eth0.100/forwarding = 1\n");
	expect_plan(&knob_sysctl, m, "{'net.ipv4.tcp_rmem': [4096, 87380, 6291456]}",
		"proc/sys/net/ipv4/tcp_rmem = 4096 87380 6291456\n");
	expect_plan(&knob_sysctl, m, "{'net.ipv4.tcp_rmem': '4096 87380 6291456'}",
		"proc/sys/net/ipv4/tcp_rmem = 4096 87380 6291456\n");
	expect_plan(&knob_sysctl, m, "'default'", "");
	expect_plan(&knob_sysctl, m, "{}", "");
	expect_available(&knob_sysctl, m, 0, NULL);
	fake_machine_free(m);
}

static void test_sysctl_absent(void **state)
{
	struct fake_machine *m = fake_machine_new("8cpu-smt2");

	(void)state;
	expect_plan_error(&knob_sysctl, m, "{'kernel.numa_balance': 1}", -ENOENT,
		"this kernel has no sysctl 'kernel.numa_balance'; did you mean "
		"'kernel.numa_balancing'?");
	expect_plan_error(&knob_sysctl, m, "{'kernal.numa_balancing': 1}", -ENOENT,
		"this kernel has no sysctl 'kernal.numa_balancing'; did you mean "
		"'kernel.numa_balancing'?");
	expect_plan_error(&knob_sysctl, m, "{'net.ipv4.conf.eth0/10.forwarding': 1}", -ENOENT,
		"this kernel has no sysctl 'net.ipv4.conf.eth0/10.forwarding'; did you mean "
		"'net.ipv4.conf.eth0/100.forwarding'?");
	expect_plan_error(&knob_sysctl, m, "{'kernel.nonesuch_at_all': 1}", -ENOENT,
		"this kernel has no sysctl 'kernel.nonesuch_at_all' (no file "
		"'/proc/sys/kernel/nonesuch_at_all')");
	fake_machine_free(m);
}

static void test_sysctl_moved(void **state)
{
	struct fake_machine *m = fake_machine_new("8cpu-smt2"),
			    *old = fake_machine_new("2cpu-haltpoll");

	(void)state;
	expect_plan(&knob_sysctl, old, "{'kernel.sched_migration_cost_ns': 500000}",
		"proc/sys/kernel/sched_migration_cost_ns = 500000\n");
	expect_plan_error(&knob_sysctl, m, "{'kernel.sched_migration_cost_ns': 500000}", -ENOENT,
		"this kernel has no sysctl 'kernel.sched_migration_cost_ns': Linux 5.13 moved it "
		"to "
		"debugfs; write sysfs: {/sys/kernel/debug/sched/migration_cost_ns: 500000}");
	expect_plan_error(&knob_sysctl, m, "{'kernel/sched_min_granularity_ns': 4}", -ENOENT,
		"this kernel has no sysctl 'kernel/sched_min_granularity_ns': Linux 5.13 moved it "
		"to "
		"debugfs; write sysfs: {/sys/kernel/debug/sched/min_granularity_ns: 4} "
		"(base_slice_ns "
		"since 6.6)");
	expect_plan_error(&knob_sysctl, m, "{'kernel.sched_latency_ns': 4}", -ENOENT,
		"this kernel has no sysctl 'kernel.sched_latency_ns': Linux 5.13 moved it to "
		"debugfs; "
		"write sysfs: {/sys/kernel/debug/sched/latency_ns: 4} (gone since 6.6)");
	fake_machine_free(old);
	fake_machine_free(m);
}

static void test_sysctl_levels(void **state)
{
	static const char *const bad[] = { "", ".", "kernel..x", "/proc/sys/kernel/x", "kernel.",
		"kernel/../x", "kernel.*", "kernel/./x" };

	(void)state;
	expect_check_error(&knob_sysctl, "'kernel.x=1'",
		"sysctl takes a mapping of names to values, like {kernel.numa_balancing: 0}");
	expect_check_error(&knob_sysctl, "{'kernel.x': null}",
		"the value of 'kernel.x' must be text, a number or true/false, or a list of these");
	expect_check_error(&knob_sysctl, "{'kernel.x': [[1]]}",
		"the value of 'kernel.x' must be text, a number or true/false, or a list of these");
	expect_check_error(&knob_sysctl, "{'kernel.x': ' '}",
		"'kernel.x' has no value; an empty one can't be written");
	expect_check_error(&knob_sysctl, "{'kernel.x': []}",
		"'kernel.x' has no value; an empty one can't be written");
	for (size_t i = 0; i < array_size(bad); i++) {
		char *level = xasprintf("{'%s': 1}", bad[i]);
		char *message = xasprintf("'%s' is no name of a sysctl; write it like "
					  "kernel.numa_balancing (for other "
					  "files there is the knob sysfs)",
			bad[i]);

		expect_check_error(&knob_sysctl, level, message);
		free(message);
		free(level);
	}
	expect_label(&knob_sysctl, "{'kernel.a': 1, 'net.b': [1, 2.5]}", "kernel.a=1,net.b=1 2.5");
	expect_label(&knob_sysctl, "'default'", "default");
}

static void test_sysctl_unavailable(void **state)
{
	struct fake_machine *m = fake_machine_new("1cpu");

	(void)state;
	expect_available(&knob_sysctl, m, -ENOENT,
		"this kernel has no sysctls; it needs CONFIG_PROC_SYSCTL=y and /proc/sys/");
	fake_machine_free(m);
}

static void test_sysfs_plain(void **state)
{
	struct fake_machine *m = fake_machine_new("8cpu-smt2");

	(void)state;
	expect_plan(&knob_sysfs, m, "{'/sys/kernel/mm/ksm/run': 1}", "sys/kernel/mm/ksm/run = 1\n");
	expect_plan(
		&knob_sysfs, m, "{'sys/kernel/mm/ksm/run': true}", "sys/kernel/mm/ksm/run = 1\n");
	expect_plan(
		&knob_sysfs, m, "{'/proc/sys/vm/swappiness': 5}", "proc/sys/vm/swappiness = 5\n");
	expect_plan(&knob_sysfs, m, "{'/sys/kernel/debug/sched/migration_cost_ns': 5000000}",
		"sys/kernel/debug/sched/migration_cost_ns = 5000000\n");
	expect_plan(&knob_sysfs, m, "'default'", "");
	expect_available(&knob_sysfs, m, 0, NULL);
	fake_machine_free(m);
}

static void test_sysfs_yes_and_no(void **state)
{
	struct fake_machine *m = fake_machine_new("8cpu-smt2");
	static const char *const yes[] = { "1", "true", "'Y'", "'y'", "'on'", "'yes'" };
	static const char *const no[] = { "0", "false", "'N'", "'n'", "'off'", "'no'" };

	(void)state;
	for (size_t i = 0; i < array_size(yes); i++) {
		char *level = xasprintf("{'/sys/module/kvm/parameters/ignore_msrs': %s}", yes[i]);

		expect_plan(&knob_sysfs, m, level, "sys/module/kvm/parameters/ignore_msrs = Y\n");
		free(level);
		level = xasprintf("{'/sys/module/kvm/parameters/ignore_msrs': %s}", no[i]);
		expect_plan(&knob_sysfs, m, level, "sys/module/kvm/parameters/ignore_msrs = N\n");
		free(level);
	}
	expect_plan(&knob_sysfs, m, "{'/sys/module/kvm/parameters/halt_poll_ns': 0}",
		"sys/module/kvm/parameters/halt_poll_ns = 0\n");
	fake_machine_free(m);
}

static void test_sysfs_choice(void **state)
{
	struct fake_machine *m = fake_machine_new("8cpu-smt2");

	(void)state;
	expect_plan(&knob_sysfs, m, "{'/sys/kernel/mm/transparent_hugepage/enabled': 'never'}",
		"sys/kernel/mm/transparent_hugepage/enabled = never (choice)\n");
	expect_plan(&knob_sysfs, m, "{'/sys/kernel/mm/transparent_hugepage/enabled': 'madvise'}",
		"sys/kernel/mm/transparent_hugepage/enabled = madvise (choice)\n");
	expect_plan_error(&knob_sysfs, m, "{'/sys/kernel/mm/transparent_hugepage/enabled': 'nevr'}",
		-EINVAL,
		"'/sys/kernel/mm/transparent_hugepage/enabled' does not take 'nevr'; did you mean "
		"'never'? it takes: always, madvise, never");
	expect_plan_error(&knob_sysfs, m, "{'/sys/block/sda/queue/scheduler': 'bfq'}", -EINVAL,
		"'/sys/block/sda/queue/scheduler' does not take 'bfq'; it takes: mq-deadline, "
		"none");
	fake_machine_free(m);
}

static void test_sysfs_pattern(void **state)
{
	struct fake_machine *m = fake_machine_new("8cpu-smt2");

	(void)state;
	expect_plan(&knob_sysfs, m,
		"{'/sys/devices/system/cpu/cpu{0,1}/cpufreq/scaling_governor': 'performance'}",
		"sys/devices/system/cpu/cpu0/cpufreq/scaling_governor = performance\n"
		"sys/devices/system/cpu/cpu1/cpufreq/scaling_governor = performance\n");
	expect_plan(&knob_sysfs, m, "{'/sys/module/*/parameters/[ij]*': 1}",
		"sys/module/kvm/parameters/ignore_msrs = Y\n");
	expect_plan_error(&knob_sysfs, m, "{'/sys/module/*/parameters/x*': 1}", -ENOENT,
		"no file matches '/sys/module/*/parameters/x*'");
	fake_machine_free(m);
}

static void test_sysfs_absent_or_unreadable(void **state)
{
	struct fake_machine *m = fake_machine_new("8cpu-smt2");

	(void)state;
	expect_plan_error(&knob_sysfs, m, "{'/sys/kernel/mm/kms/run': 1}", -ENOENT,
		"there is no '/sys/kernel/mm/kms/run'; did you mean '/sys/kernel/mm/ksm/run'?");
	expect_plan_error(&knob_sysfs, m, "{'/sys/nonesuch/at/all': 1}", -ENOENT,
		"there is no '/sys/nonesuch/at/all' on this machine");
	expect_plan_error(&knob_sysfs, m, "{'/sys/kernel/mm/ksm': 1}", -EISDIR,
		"cannot read '/sys/kernel/mm/ksm', and a file that can't be read can't be put "
		"back: Is "
		"a directory");
	m->refuse = "sys/kernel/mm";
	m->code = -EACCES;
	expect_plan_error(&knob_sysfs, m, "{'/sys/kernel/mm/ksm/run': 1}", -EACCES,
		"cannot read '/sys/kernel/mm/ksm/run', and a file that can't be read can't be put "
		"back: Permission denied");
	m->code = -EPIPE;
	expect_plan_error(&knob_sysfs, m, "{'/sys/kernel/mm/ksm/run': 1}", -EPIPE,
		"cannot read '/sys/kernel/mm/ksm/run': Broken pipe");
	fake_machine_free(m);
}

static void test_sysfs_levels(void **state)
{
	(void)state;
	expect_check_error(&knob_sysfs, "['/sys/x']",
		"sysfs takes a mapping of names to values, like {/sys/kernel/mm/ksm/run: 0}");
	expect_check_error(&knob_sysfs, "{'/etc/passwd': 1}",
		"'/etc/passwd' is neither below /sys nor below /proc; write the whole path");
	expect_check_error(&knob_sysfs, "{'kernel/mm/ksm/run': 1}",
		"'kernel/mm/ksm/run' is neither below /sys nor below /proc; write the whole path");
	expect_check_error(&knob_sysfs, "{'/sys/../etc/passwd': 1}",
		"'/sys/../etc/passwd' holds '..'; write the path without it");
	expect_check_error(&knob_sysfs, "{'/sys/x/..': 1}",
		"'/sys/x/..' holds '..'; write the path without it");
	expect_check_error(&knob_sysfs, "{'/sys/x': ''}",
		"'/sys/x' has no value; an empty one can't be written");
	expect_check_error(&knob_sysfs, "{'/sys/kernel/debug/sched/features': 'NO_TTWU_QUEUE'}",
		"'/sys/kernel/debug/sched/features' holds many settings, each read back by its "
		"name; "
		"use the knob sched_features");
	expect_check_error(&knob_sysfs, "{'/sys/kernel/debug/sched_features': 'NO_TTWU_QUEUE'}",
		"'/sys/kernel/debug/sched_features' holds many settings, each read back by its "
		"name; "
		"use the knob sched_features");
	expect_label(&knob_sysfs, "{'/sys/a': true, '/sys/b': 'x'}", "/sys/a=true,/sys/b=x");
}

/* Two knobs of an arm that want one file. */
static void test_one_file_twice(void **state)
{
	struct fake_machine *m = fake_machine_new("8cpu-smt2");

	(void)state;
	expect_plan(&knob_sysfs, m, "{'/proc/sys/vm/swappiness': 5, 'proc/sys/vm/swappiness': 5}",
		"proc/sys/vm/swappiness = 5\n");
	expect_plan_error(&knob_sysfs, m,
		"{'/proc/sys/vm/swappiness': 5, 'proc/sys/vm/swappiness': 6}", -EINVAL,
		"the arm asks for both '5' and '6' in '/proc/sys/vm/swappiness'; leave one of them "
		"out");
	fake_machine_free(m);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sysctl_names),
		cmocka_unit_test(test_sysctl_absent),
		cmocka_unit_test(test_sysctl_moved),
		cmocka_unit_test(test_sysctl_levels),
		cmocka_unit_test(test_sysctl_unavailable),
		cmocka_unit_test(test_sysfs_plain),
		cmocka_unit_test(test_sysfs_yes_and_no),
		cmocka_unit_test(test_sysfs_choice),
		cmocka_unit_test(test_sysfs_pattern),
		cmocka_unit_test(test_sysfs_absent_or_unreadable),
		cmocka_unit_test(test_sysfs_levels),
		cmocka_unit_test(test_one_file_twice),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
