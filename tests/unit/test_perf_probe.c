/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The agent's probes: names of events in a folder that stands in for sysfs, counting on this machine,
 * and the kernel's log. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/json.h"
#include "collectors/kernel_log_probe.h"
#include "collectors/perf_event_probe.h"
#include "collectors/perf_probe.h"
#include "collectors_util.h"

/* ---- A folder with PMUs ---- */

struct fake {
	char dir[32];
	struct sysroot root;
};

static void put(const struct fake *f, const char *path, const char *text)
{
	char *full = file_join(f->dir, path), *folder = file_dirname(full);

	assert_int_equal(file_make_dirs(folder, 0755, NULL), 0);
	assert_int_equal(file_replace(full, text, strlen(text), 0644, NULL), 0);
	free(folder);
	free(full);
}

#define DEVICES "sys/bus/event_source/devices/"

static int set_up(void **state)
{
	struct fake *f = xcalloc(1, sizeof(*f));

	strcpy(f->dir, "/tmp/test_perf_probe.XXXXXX");
	assert_non_null(mkdtemp(f->dir));
	assert_int_equal(sysroot_open(&f->root, f->dir, NULL), 0);
	put(f, DEVICES "cpu_core/type", "4\n");
	put(f, DEVICES "cpu_core/cpus", "0-3\n");
	put(f, DEVICES "cpu_core/format/event", "config:0-7,32-35\n");
	put(f, DEVICES "cpu_core/format/umask", "config:8-15\n");
	put(f, DEVICES "cpu_core/format/inv", "config:23\n");
	put(f, DEVICES "cpu_core/format/ldlat", "config1:0-15\n");
	put(f, DEVICES "cpu_core/events/mem-loads", "event=0xcd,umask=0x1,ldlat=3\n");
	put(f, DEVICES "cpu_atom/type", "10\n");
	put(f, DEVICES "cpu_atom/cpus", "4-7\n");
	put(f, DEVICES "power/type", "21\n");
	put(f, DEVICES "power/cpumask", "2\n");
	put(f, DEVICES "power/format/event", "config:0-7\n");
	put(f, DEVICES "power/events/energy-pkg", "event=0x02\n");
	put(f, DEVICES "power/events/energy-pkg.unit", "Joules\n");
	put(f, DEVICES "power/events/energy-pkg.scale", "2.3283064365386962890625e-10\n");
	put(f, "sys/kernel/tracing/events/sched/sched_switch/id", "314\n");
	put(f, "sys/devices/system/cpu/online", "0-1\n");
	put(f, "dev/kmsg", "6,1,1,-;older than the trial\n");
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fake *f = *state;

	sysroot_close(&f->root);
	file_remove_tree(f->dir, NULL);
	free(f);
	return 0;
}

/* ---- Names ---- */

static void test_generic_on_hybrid(void **state)
{
	struct fake *f = *state;
	struct perf_event *e;
	size_t n;

	assert_int_equal(perf_event_resolve(&f->root, "cycles", &e, &n, NULL), 0);
	assert_int_equal(n, 2);
	assert_string_equal(e[0].pmu, "cpu_atom");
	assert_true(e[0].attr.config == UINT64_C(10) << 32);
	assert_true(cpulist_has(&e[0].cpus, 4) && !cpulist_has(&e[0].cpus, 3));
	assert_string_equal(e[1].pmu, "cpu_core");
	assert_true(e[1].attr.config == UINT64_C(4) << 32);
	assert_int_equal(e[1].attr.type, PERF_TYPE_HARDWARE);
	perf_event_free(e, n);
	assert_int_equal(perf_event_resolve(&f->root, "L1-dcache-load-misses:u", &e, &n, NULL), 0);
	assert_int_equal(n, 2);
	assert_int_equal(e[1].attr.type, PERF_TYPE_HW_CACHE);
	assert_true(e[1].attr.config == (UINT64_C(4) << 32 | 0x10000));
	assert_true(e[1].attr.exclude_kernel && !e[1].attr.exclude_user);
	perf_event_free(e, n);
	assert_int_equal(perf_event_resolve(&f->root, "context-switches", &e, &n, NULL), 0);
	assert_int_equal(n, 1);
	assert_string_equal(e[0].pmu, "software");
	perf_event_free(e, n);
}

static void test_events_of_sysfs(void **state)
{
	struct fake *f = *state;
	struct perf_event *e;
	size_t n;

	assert_int_equal(
		perf_event_resolve(&f->root, "cpu_core/event=0x1c2,umask=0x5,inv/k", &e, &n, NULL),
		0);
	assert_int_equal(e[0].attr.type, 4);
	/* Bits 8-11 of the event number go to bits 32-35 of the word. */
	assert_true(e[0].attr.config == (0xc2 | UINT64_C(1) << 32 | 0x5 << 8 | UINT64_C(1) << 23));
	assert_true(e[0].attr.exclude_user && !e[0].attr.exclude_kernel);
	perf_event_free(e, n);
	assert_int_equal(
		perf_event_resolve(&f->root, "cpu_core/mem-loads,ldlat=0x20/", &e, &n, NULL), 0);
	assert_true(e[0].attr.config == (0xcd | 1 << 8));
	assert_true(e[0].attr.config1 == (3 | 0x20));
	perf_event_free(e, n);
	assert_int_equal(perf_event_resolve(&f->root, "energy-pkg", &e, &n, NULL), 0);
	assert_string_equal(e[0].pmu, "power");
	assert_string_equal(e[0].unit, "Joules");
	assert_true(fabs(e[0].scale - 2.3283064365386963e-10) < 1e-20);
	assert_true(e[0].uncore && cpulist_has(&e[0].cpus, 2));
	perf_event_free(e, n);
	assert_int_equal(perf_event_resolve(&f->root, "sched:sched_switch", &e, &n, NULL), 0);
	assert_int_equal(e[0].attr.type, PERF_TYPE_TRACEPOINT);
	assert_true(e[0].attr.config == 314);
	perf_event_free(e, n);
	assert_int_equal(perf_event_resolve(&f->root, "r1a8:u", &e, &n, NULL), 0);
	assert_int_equal(e[0].attr.type, PERF_TYPE_RAW);
	assert_true(e[0].attr.config == 0x1a8);
	perf_event_free(e, n);
}

static void test_names_that_are_none(void **state)
{
	static const struct {
		const char *name, *part;
	} cases[] = {
		{ "no-such-event", "event of that name" },
		{ "sched:no_such_point", "no tracepoint of that name" },
		{ "nopmu/event=1/", "no PMU 'nopmu'" },
		{ "../event=1/", "no PMU '..'" },
		{ "cpu_core/event=1", "the slash behind" },
		{ "cpu_core/event=x/", "is no number" },
		{ "cpu_core/nothing=1/", "no term 'nothing'" },
		{ "cpu_core/umask=0x100/", "does not fit" },
		{ "energy-pkg.unit", "event of that name" },
		{ "", "event of that name" },
	};
	struct fake *f = *state;

	for (size_t i = 0; i < array_size(cases); i++) {
		struct error err = ERROR_INIT;
		struct perf_event *e;
		size_t n;

		assert_true(perf_event_resolve(&f->root, cases[i].name, &e, &n, &err) < 0);
		if (!strstr(error_text(&err), cases[i].part))
			fail_msg("%s: %s", cases[i].name, error_text(&err));
		error_release(&err);
	}
}

/* ---- Counting ---- */

/* Both ends as in a trial: probe, text, parser. */
static struct parsed count(
	const struct sysroot *root, const char *options, const int *cpus, size_t n_cpus, bool child)
{
	struct probe_trial trial = { .root = root, .cpus = cpus, .n_cpus = n_cpus };
	struct parsed p;
	json_t *json = NULL;
	void *state = NULL;
	int go[2];
	char *text;
	size_t len;
	pid_t pid = -1;

	if (options)
		assert_int_equal(json_parse(options, strlen(options), &json, NULL), 0);
	trial.options = json;
	assert_int_equal(perf_probe.prepare(&trial, &state, NULL), 0);
	if (child) {
		assert_int_equal(pipe(go), 0);
		pid = fork();
		if (pid == 0) {
			char byte;

			close(go[1]);
			if (read(go[0], &byte, 1) < 0)
				_exit(1);
			execlp("sh", "sh", "-c",
				"for i in 1 2 3 4 5 6 7 8 9 10; do sleep 0.001; done; exit 0",
				NULL);
			_exit(127);
		}
		close(go[0]);
		assert_int_equal(perf_probe.attach(state, pid, NULL), 0);
	}
	assert_int_equal(perf_probe.start(state, NULL), 0);
	if (child) {
		int status;

		close(go[1]);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_int_equal(status, 0);
	} else {
		usleep(20000);
	}
	assert_int_equal(perf_probe.stop(state, NULL), 0);
	assert_int_equal(perf_probe.collect(state, &text, &len, NULL), 0);
	perf_probe.release(state);
	p = parse_bytes("perf", NULL, 0, text, len, false);
	assert_int_equal(p.r, 0);
	free(text);
	json_decref(json);
	return p;
}

static bool may_count(void)
{
	struct sysroot machine = SYSROOT_INIT;
	struct parsed p;
	bool yes;

	assert_int_equal(sysroot_open(&machine, "/", NULL), 0);
	p = count(&machine, "{\"events\": \"task-clock\", \"scope\": \"system\"}", NULL, 0, false);
	yes = value_of(&p, "task-clock", LABELS()) > 0;
	parsed_release(&p);
	sysroot_close(&machine);
	if (!yes) {
		print_message("skipped: this machine lets us count no events\n");
		skip();
	}
	return yes;
}

static void test_count_on_a_cpu(void **state)
{
	struct sysroot machine = SYSROOT_INIT;
	struct parsed p;

	(void)state;
	if (!may_count())
		return;
	assert_int_equal(sysroot_open(&machine, "/", NULL), 0);
	/* The same CPU twice, as a ping-pong on one CPU has it, is counted once. */
	p = count(&machine, NULL, (const int[]){ 0, 0 }, 2, false);
	assert_true(value_of(&p, "task-clock", LABELS("cpu", "0", "pmu", "software")) >= 19e6);
	assert_true(value_of(&p, "context-switches", LABELS("cpu", "0")) >= 0);
	assert_true(isnan(value_of(&p, "task-clock", LABELS("cpu", "1"))));
	/* Hardware counters are counted or refused, and in neither case 0 without a word. */
	assert_true(value_of(&p, "cycles", LABELS()) > 0 ||
		    value_of(&p, "not_supported", LABELS("event", "cycles")) >= 1);
	parsed_release(&p);
	sysroot_close(&machine);
}

static void test_count_a_process_tree(void **state)
{
	struct sysroot machine = SYSROOT_INIT;
	struct parsed p;

	(void)state;
	if (!may_count())
		return;
	assert_int_equal(sysroot_open(&machine, "/", NULL), 0);
	p = count(&machine,
		"{\"events\": [\"{task-clock,page-faults}\", \"context-switches\", \"no-such\"], "
		"\"scope\": \"process\"}",
		NULL, 0, true);
	/* Ten programs that block; each has its own page faults, the shell alone has fewer. */
	assert_true(value_of(&p, "context-switches", LABELS("cpu", NULL)) >= 10);
	assert_true(value_of(&p, "page-faults", LABELS()) > 250);
	assert_true(value_of(&p, "task-clock", LABELS()) > 0);
	assert_value(value_of(&p, "not_supported", LABELS("event", "no-such")), 1);
	assert_true(noted(&p, "no-such: neither perf nor this processor"));
	parsed_release(&p);
	sysroot_close(&machine);
}

static void test_group_is_all_or_none(void **state)
{
	struct sysroot machine = SYSROOT_INIT;
	struct parsed p;

	(void)state;
	if (!may_count())
		return;
	assert_int_equal(sysroot_open(&machine, "/", NULL), 0);
	p = count(&machine, "{\"events\": [\"{task-clock,no-such}\", \"page-faults\"]}",
		(const int[]){ 0 }, 1, false);
	assert_true(isnan(value_of(&p, "task-clock", LABELS())));
	assert_true(noted(&p, "task-clock: not counted, since no-such of its group is refused"));
	assert_true(value_of(&p, "page-faults", LABELS()) >= 0);
	parsed_release(&p);
	sysroot_close(&machine);
}

/* Task-clock of a stretch of @us; *elapsed_ns: what it took around start and stop. */
static double clock_of(void *st, useconds_t us, double *elapsed_ns)
{
	uint64_t start = clock_monotonic_ns();
	struct parsed p;
	double value;
	char *text;
	size_t len;

	assert_int_equal(perf_probe.start(st, NULL), 0);
	usleep(us);
	assert_int_equal(perf_probe.stop(st, NULL), 0);
	*elapsed_ns = (double)(clock_monotonic_ns() - start);
	assert_int_equal(perf_probe.collect(st, &text, &len, NULL), 0);
	p = parse_bytes("perf", NULL, 0, text, len, false);
	value = value_of(&p, "task-clock", LABELS("cpu", "0"));
	parsed_release(&p);
	free(text);
	return value;
}

static void test_counters_that_stayed_open_begin_at_none(void **state)
{
	struct sysroot machine = SYSROOT_INIT;
	struct probe_trial trial = { .root = &machine, .cpus = (const int[]){ 0 }, .n_cpus = 1 };
	double value, elapsed;
	void *st;

	(void)state;
	if (!may_count())
		return;
	assert_int_equal(sysroot_open(&machine, "/", NULL), 0);
	trial.options = json_pack("{s:s}", "events", "task-clock");
	assert_int_equal(perf_probe.prepare(&trial, &st, NULL), 0);
	assert_true(clock_of(st, 60000, &elapsed) >= 59e6);
	for (int i = 0; i < 2; i++) {
		assert_true(perf_probe.again(st, &trial));
		value = clock_of(st, 5000, &elapsed);
		assert_true(value >= 4e6 && value <= elapsed + 1e6);
	}
	perf_probe.release(st);
	json_decref((json_t *)trial.options);
	sysroot_close(&machine);
}

static void test_other_cpus_need_other_counters(void **state)
{
	struct fake *f = *state;
	struct probe_trial trial = { .root = &f->root };
	void *st;

	assert_int_equal(perf_probe.prepare(&trial, &st, NULL), 0);
	assert_true(perf_probe.again(st, &trial));
	put(f, "sys/devices/system/cpu/online", "0\n");
	assert_false(perf_probe.again(st, &trial));
	perf_probe.release(st);
	trial.options = json_pack("{s:s}", "scope", "process");
	assert_int_equal(perf_probe.prepare(&trial, &st, NULL), 0);
	assert_false(perf_probe.again(st, &trial));
	perf_probe.release(st);
	json_decref((json_t *)trial.options);
}

static void test_wrong_options(void **state)
{
	struct fake *f = *state;
	static const char *const options[] = { "{\"scope\": \"galaxy\"}", "{\"events\": []}",
		"{\"events\": [5]}" };

	for (size_t i = 0; i < array_size(options); i++) {
		struct probe_trial trial = { .root = &f->root };
		json_t *json;
		void *st = NULL;

		assert_int_equal(json_parse(options[i], strlen(options[i]), &json, NULL), 0);
		trial.options = json;
		assert_int_equal(perf_probe.prepare(&trial, &st, NULL), -EINVAL);
		assert_null(st);
		json_decref(json);
	}
	perf_probe.release(NULL);
}

/* ---- The kernel's log ---- */

static void test_kernel_log_of_the_trial_only(void **state)
{
	struct fake *f = *state;
	struct probe_trial trial = { .root = &f->root };
	char *path = file_join(f->dir, "dev/kmsg"), *text;
	const char *record = "4,2,5,-;BUG: new\n";
	struct parsed p;
	void *st;
	size_t len;
	int fd;

	assert_int_equal(kernel_log_probe.prepare(&trial, &st, NULL), 0);
	fd = open(path, O_WRONLY | O_APPEND);
	assert_int_equal(write(fd, record, strlen(record)), (ssize_t)strlen(record));
	close(fd);
	assert_int_equal(kernel_log_probe.collect(st, &text, &len, NULL), 0);
	assert_string_equal(text, record);
	p = parse_bytes("kernel_log", NULL, 0, text, len, false);
	assert_value(value_of(&p, "splat", LABELS("type", "bug")), 1);
	parsed_release(&p);
	free(text);
	kernel_log_probe.release(st);
	kernel_log_probe.release(NULL);
	free(path);
}

/* The device itself: a record written by us comes back. */
static void test_kernel_log_device(void **state)
{
	struct sysroot machine = SYSROOT_INIT;
	struct probe_trial trial = { .root = &machine };
	struct error err = ERROR_INIT;
	char *text;
	void *st;
	size_t len;
	int fd;

	(void)state;
	assert_int_equal(sysroot_open(&machine, "/", NULL), 0);
	fd = sysroot_openat(&machine, "dev/kmsg", O_WRONLY);
	if (fd < 0 || kernel_log_probe.prepare(&trial, &st, &err) < 0) {
		print_message("skipped: the kernel's log is not for us to read and write\n");
		error_release(&err);
		sysroot_close(&machine);
		skip();
	}
	assert_true(write(fd, "harness test: probe of the log\n", 31) > 0);
	close(fd);
	assert_int_equal(kernel_log_probe.collect(st, &text, &len, NULL), 0);
	assert_non_null(strstr(text, ";harness test: probe of the log\n"));
	free(text);
	kernel_log_probe.release(st);
	sysroot_close(&machine);
}

static void test_list(void **state)
{
	(void)state;
	assert_ptr_equal(probe_find("perf"), &perf_probe);
	assert_ptr_equal(probe_find("kernel_log"), &kernel_log_probe);
	assert_null(probe_find("other"));
	for (const struct collector_ops *const *ops = collectors; *ops; ops++)
		assert_true(!(*ops)->probe || probe_find((*ops)->probe));
}

#define FAKE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		FAKE(test_generic_on_hybrid),
		FAKE(test_events_of_sysfs),
		FAKE(test_names_that_are_none),
		cmocka_unit_test(test_count_on_a_cpu),
		cmocka_unit_test(test_count_a_process_tree),
		cmocka_unit_test(test_group_is_all_or_none),
		cmocka_unit_test(test_counters_that_stayed_open_begin_at_none),
		FAKE(test_other_cpus_need_other_counters),
		FAKE(test_wrong_options),
		FAKE(test_kernel_log_of_the_trial_only),
		cmocka_unit_test(test_kernel_log_device),
		cmocka_unit_test(test_list),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
