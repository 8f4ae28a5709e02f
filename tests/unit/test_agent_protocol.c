/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The conversation, and what the agent reads. */
#include "agent_process.h"

#include "base/rng.h"

static json_t *send_raw(struct agent_process *a, const char *line)
{
	char *text = NULL;
	size_t len = 0;
	json_t *reply = NULL;
	FILE *from = fdopen(dup(a->from), "r");

	need_agent();
	setvbuf(from, NULL, _IONBF, 0);
	assert_int_equal(file_write_all(a->to, line, strlen(line)), 0);
	assert_true(getline(&text, &len, from) > 0);
	fclose(from);
	assert_int_equal(json_parse(text, strlen(text), &reply, NULL), 0);
	free(text);
	return reply;
}

static void assert_refused(
	struct agent_process *a, const char *line, const char *name, const char *text)
{
	json_t *reply = send_raw(a, line);
	const json_t *error = json_object_get(reply, "error");

	assert_true(json_is_false(json_object_get(reply, "ok")));
	assert_string_equal(json_str(error, "name", ""), name);
	assert_non_null(strstr(json_str(error, "text", ""), text));
	json_decref(reply);
}

static void says_hello_first(void **state)
{
	struct agent_process *a = *state;
	json_t *hello = send_raw(a, "");

	assert_string_equal(json_str(hello, "hello", ""), "harness-agent");
	assert_int_equal(json_int(hello, "protocol", 0), 1);
	assert_int_equal(json_int(hello, "pid", 0), a->pid);
	assert_string_equal(json_str(hello, "boot_id", ""), "boot-one");
	json_decref(hello);
}

static void goes_on_after_nonsense(void **state)
{
	struct agent_process *a = *state;
	json_t *result = call(a, "hello", NULL);

	json_decref(result);
	assert_refused(a, "what?\n", "EINVAL", "no valid JSON");
	assert_refused(a, "[1,2]\n", "EINVAL", "a request is an object");
	assert_refused(a, "{\"id\":1}\n", "EINVAL", "a request is an object");
	assert_refused(a, "{\"id\":1,\"op\":\"fact\"}\n", "EOPNOTSUPP", "there are facts, read, ");
	assert_refused(a, "{\"id\":1,\"op\":\"read\"}\n", "EINVAL", "needs \"path\"");
	assert_refused(
		a, "{\"id\":1,\"op\":\"mount\",\"tag\":\"x\",\"at\":\"mnt\"}\n", "EPERM", "guest");
	assert_refused(
		a, "{\"op\":\"cancel\"}\n{\"id\":1,\"op\":\"set\"}\n", "EINVAL", "\"writes\"");
	json_decref(call(a, "hello", NULL));
}

static void drops_a_line_that_is_too_long(void **state)
{
	struct agent_process *a = *state;
	size_t len = (size_t)66 << 20;
	char *line;

	json_decref(call(a, "hello", NULL));
	line = xmalloc(len + 2);
	memset(line, 'x', len);
	strcpy(line + len, "\n");
	assert_refused(a, line, "EMSGSIZE", "64 MiB");
	free(line);
	json_decref(call(a, "hello", NULL));
}

static void reads_files(void **state)
{
	struct agent_process *a = *state;
	json_t *result = call(a, "read", json_pack("{s:s}", "path", KNOB));

	assert_string_equal(json_str(result, "text", ""), "10\n");
	json_decref(result);
	call_fails(a, "read", json_pack("{s:s}", "path", "proc/none"), -ENOENT, "No such file");
	call_fails(a, "read", json_pack("{s:s}", "path", "../etc/shadow"), -EINVAL, "Invalid");
}

static void globs_in_numeric_order(void **state)
{
	struct agent_process *a = *state;
	json_t *result, *paths;

	put_file(a->root, "sys/cpu/cpu10/x", "1");
	put_file(a->root, "sys/cpu/cpu2/x", "1");
	result = call(a, "glob", json_pack("{s:s}", "pattern", "sys/cpu/cpu[0-9]*/x"));
	paths = json_object_get(result, "paths");
	assert_int_equal(json_array_size(paths), 2);
	assert_string_equal(json_string_value(json_array_get(paths, 0)), "sys/cpu/cpu2/x");
	json_decref(result);
	result = call(a, "glob", json_pack("{s:s}", "pattern", "sys/none/*"));
	assert_int_equal(json_array_size(json_object_get(result, "paths")), 0);
	json_decref(result);
}

static void takes_snapshots(void **state)
{
	struct agent_process *a = *state;
	json_t *result;

	put_file(a->root, "sys/s/state0/name", "POLL\n");
	put_file(a->root, "sys/s/state1/name", "C1 \n");
	result = call(a, "snapshot",
		json_pack("{s:[{s:s, s:[s]}, {s:s, s:[s]}, {s:s, s:[s, s]}, {s:s, s:[s]}]}",
			"items", "name", "raw", "paths", KNOB, "name", "dump", "paths",
			"sys/s/state*/name", "name", "two", "paths", KNOB, "proc/none", "name",
			"none", "paths", "proc/none"));
	assert_string_equal(json_str(result, "raw", ""), "10\n");
	assert_string_equal(
		json_str(result, "dump", ""), "sys/s/state0/name: POLL\nsys/s/state1/name: C1\n");
	assert_string_equal(json_str(result, "two", ""), KNOB ": 10\n");
	assert_int_equal(
		json_int(json_object_get(json_object_get(result, "none"), "error"), "errno", 0),
		ENOENT);
	json_decref(result);
}

static void facts_of_a_bare_root_are_null(void **state)
{
	struct agent_process *a = *state;
	json_t *facts = call(a, "facts", NULL);
	const json_t *features = json_object_get(facts, "sched_features");

	assert_string_equal(json_str(features, "path", ""), FEATURES);
	assert_non_null(strstr(json_str(features, "text", ""), "TTWU_QUEUE"));
	assert_true(json_is_null(json_object_get(facts, "clocksource")));
	assert_true(json_is_null(json_object_get(facts, "memory_kb")));
	assert_true(json_is_null(json_object_get(json_object_get(facts, "cpu"), "model")));
	assert_string_equal(json_str(facts, "cgroup", ""), "none");
	assert_string_equal(json_str(facts, "boot_id", ""), "boot-one");
	json_decref(facts);
}

static void fake_topology(struct agent_process *a)
{
	put_file(a->root, "sys/devices/system/cpu/online", "0,2\n");
	put_file(a->root, "sys/devices/system/cpu/possible", "0-2\n");
	put_file(a->root, "sys/devices/system/cpu/cpu0/topology/core_id", "7\n");
	put_file(a->root, "sys/devices/system/cpu/cpu0/topology/thread_siblings_list", "0,2\n");
	put_file(a->root, "sys/devices/system/cpu/cpu1/online", "0\n");
	put_file(a->root, "sys/devices/system/cpu/cpu2/topology/core_cpus_list", "0,2\n");
	put_file(a->root, "sys/devices/system/cpu/cpu0/cache/index1/level", "1\n");
	put_file(a->root, "sys/devices/system/cpu/cpu0/cache/index1/type", "Instruction\n");
	put_file(a->root, "sys/devices/system/cpu/cpu0/cache/index1/shared_cpu_list", "0\n");
	put_file(a->root, "sys/devices/system/cpu/cpu0/cache/index3/level", "3\n");
	put_file(a->root, "sys/devices/system/cpu/cpu0/cache/index3/type", "Unified\n");
	put_file(a->root, "sys/devices/system/cpu/cpu0/cache/index3/shared_cpu_list", "0-2\n");
	put_file(a->root, "sys/devices/system/node/node1/cpulist", "0-2\n");
}

static void facts_tell_the_topology(void **state)
{
	struct agent_process *a = *state;
	json_t *facts, *topology, *cpu;

	fake_topology(a);
	facts = call(a, "facts", NULL);
	topology = json_object_get(facts, "topology");
	assert_string_equal(json_str(topology, "online", ""), "0,2");
	assert_int_equal(json_array_size(json_object_get(topology, "cpus")), 3);
	cpu = json_array_get(json_object_get(topology, "cpus"), 0);
	assert_int_equal(json_int(cpu, "core", -1), 7);
	assert_int_equal(json_int(cpu, "node", -1), 1);
	assert_string_equal(json_str(cpu, "siblings", ""), "0,2");
	assert_string_equal(json_str(cpu, "llc", ""), "0-2");
	cpu = json_array_get(json_object_get(topology, "cpus"), 1);
	assert_int_equal(json_int(cpu, "cpu", -1), 1);
	assert_true(json_is_null(json_object_get(cpu, "core")));
	assert_true(json_is_null(json_object_get(cpu, "llc")));
	json_decref(facts);
}

static void fake_machine(struct agent_process *a)
{
	static const char notes[] = "\4\0\0\0\2\0\0\0\1\0\0\0Lin\0xx\0\0"
				    "\4\0\0\0\4\0\0\0\3\0\0\0GNU\0\xde\xad\xbe\xef";
	char *path = file_join(a->root, "sys/kernel/notes");

	put_file(a->root, "sys/kernel/notes", "");
	assert_int_equal(file_replace(path, notes, sizeof(notes) - 1, 0644, NULL), 0);
	free(path);
	put_file(a->root, "proc/cpuinfo",
		"processor\t: 0\nvendor_id\t: GenuineIntel\nmodel name\t: Xeon: Gold\n"
		"microcode\t: 0x2b\nflags\t\t: fpu hypervisor lm\n");
	put_file(a->root, "sys/class/dmi/id/sys_vendor", "QEMU\n");
	put_file(a->root, "proc/meminfo", "MemTotal:       2048 kB\nMemFree: 1 kB\n");
	put_file(a->root, "proc/123/comm", "irqbalance\n");
	put_file(a->root, "proc/self/mountinfo",
		"37 30 0:34 / /sys/fs/cgroup/unified rw shared:9 - cgroup2 cgroup2 rw\n");
	put_file(a->root, "sys/devices/system/cpu/vulnerabilities/meltdown", "Mitigation: PTI\n");
	put_file(a->root, "sys/devices/system/cpu/cpu0/cpuidle/state0/name", "POLL\n");
	put_file(a->root, "sys/devices/system/cpu/cpu0/cpuidle/state0/disable", "1\n");
	put_file(a->root, "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n");
}

static void facts_tell_the_machine(void **state)
{
	struct agent_process *a = *state;
	json_t *facts, *idle;

	fake_machine(a);
	facts = call(a, "facts", NULL);
	assert_string_equal(json_str(json_object_get(facts, "kernel"), "build_id", ""), "deadbeef");
	assert_string_equal(json_str(json_object_get(facts, "cpu"), "model", ""), "Xeon: Gold");
	assert_string_equal(json_str(json_object_get(facts, "cpu"), "microcode", ""), "0x2b");
	assert_string_equal(json_str(facts, "virtualisation", ""), "QEMU");
	assert_int_equal(json_int(facts, "memory_kb", 0), 2048);
	assert_true(json_flag(facts, "irqbalance", false));
	assert_string_equal(json_str(facts, "cgroup", ""), "v2");
	assert_string_equal(
		json_str(json_object_get(facts, "mitigations"), "meltdown", ""), "Mitigation: PTI");
	idle = json_object_get(json_object_get(facts, "cpuidle"), "states");
	assert_true(json_flag(json_array_get(idle, 0), "disabled", false));
	assert_string_equal(
		json_str(json_object_get(json_object_get(facts, "cpufreq"), "governors"), "0", ""),
		"powersave");
	json_decref(facts);
}

/* Whatever these files hold, the answer is an answer, and the agent lives. */
static void facts_survive_damaged_files(void **state)
{
	static const char *const files[] = { "sys/kernel/notes", "proc/cpuinfo", "proc/meminfo",
		"proc/self/mountinfo", "proc/uptime",
		"sys/devices/system/cpu/cpu0/cache/index3/level",
		"sys/devices/system/node/node1/cpulist", FEATURES, "proc/123/comm" };
	struct agent_process *a = *state;
	struct rng rng;

	need_agent();
	fake_topology(a);
	fake_machine(a);
	rng_seed(&rng, 1);
	for (int i = 0; i < 200; i++) {
		const char *file = files[rng_below(&rng, array_size(files))];
		char *path = file_join(a->root, file), *data = NULL;
		size_t len = 0;

		if (file_read(path, 1 << 20, &data, &len, NULL) < 0 || !len || i % 40 == 0) {
			free(data);
			len = rng_below(&rng, 64);
			data = xcalloc(len + 1, 1);
		}
		for (int n = 0; len && n < 4; n++)
			data[rng_below(&rng, len)] = (char)rng_u64(&rng);
		assert_int_equal(file_replace(path, data, len, 0644, NULL), 0);
		json_decref(call(a, "facts", NULL));
		free(data);
		free(path);
	}
}

static void facts_of_this_machine(void **state)
{
	struct agent_process a;
	json_t *facts;

	(void)state;
	need_agent();
	agent_folders(&a);
	agent_start(&a, "/", NULL);
	facts = call(&a, "facts", NULL);
	assert_true(json_is_string(json_object_get(json_object_get(facts, "kernel"), "release")));
	assert_true(
		json_array_size(json_object_get(json_object_get(facts, "topology"), "cpus")) >= 1);
	assert_int_equal(json_int(facts, "uid", -1), getuid());
	assert_true(json_is_boolean(json_object_get(json_object_get(facts, "perf"), "hardware")));
	json_decref(facts);
	agent_clean(&a);
}

static void bye_ends_it(void **state)
{
	struct agent_process *a = *state;

	json_decref(call(a, "bye", NULL));
	assert_int_equal(agent_wait(a), 0);
	agent_hang_up(a);
}

static void end_of_input_ends_it(void **state)
{
	struct agent_process *a = *state;

	json_decref(call(a, "hello", NULL));
	assert_int_equal(agent_end(a), 0);
}

#define on_fake(test) cmocka_unit_test_setup_teardown(test, start_fake, end_fake)

int main(void)
{
	const struct CMUnitTest tests[] = {
		on_fake(says_hello_first),
		on_fake(goes_on_after_nonsense),
		on_fake(drops_a_line_that_is_too_long),
		on_fake(reads_files),
		on_fake(globs_in_numeric_order),
		on_fake(takes_snapshots),
		on_fake(facts_of_a_bare_root_are_null),
		on_fake(facts_tell_the_topology),
		on_fake(facts_tell_the_machine),
		on_fake(facts_survive_damaged_files),
		cmocka_unit_test(facts_of_this_machine),
		on_fake(bye_ends_it),
		on_fake(end_of_input_ends_it),
	};

	signal(SIGPIPE, SIG_IGN);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
