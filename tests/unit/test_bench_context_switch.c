/* SPDX-License-Identifier: GPL-2.0-or-later */
/* context_switch as a program: every way of handing over, its output read by its benchmark file, and
 * all the ways in which it has to fail. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/unit/bench_util.h"

#include "base/clock.h"
#include "base/file.h"
#include "runners/bench/context_switch/histogram.h"

enum { MAX_BYTES = 1 << 20, MAX_ARGS = 12 };

/* What one run left; release with run_release(). */
struct run {
	char *out, *err;
	size_t out_len, err_len;
	int status;
};

struct fixture {
	char *program;
	char dir[64];
	char cpu0[8], cpu1[8]; /* two that we may use; the same when there is but one */
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	char *self = file_self_dir();
	cpu_set_t set;
	int cpu, n = 0;

	f->program = file_join(self, "../context_switch");
	free(self);
	if (!file_exists(f->program)) {
		free(f->program);
		f->program = strdup("build/context_switch");
	}
	strcpy(f->dir, "/tmp/test_context_switch.XXXXXX");
	if (!mkdtemp(f->dir) || prctl(PR_SET_CHILD_SUBREAPER, 1) ||
		sched_getaffinity(0, sizeof(set), &set))
		return -1;
	for (cpu = 0; cpu < CPU_SETSIZE && n < 2; cpu++) {
		if (!CPU_ISSET(cpu, &set))
			continue;
		snprintf(f->cpu1, sizeof(f->cpu1), "%d", cpu % 10000);
		if (!n++)
			strcpy(f->cpu0, f->cpu1);
	}
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	file_remove_tree(f->dir, NULL);
	free(f->program);
	free(f);
	return 0;
}

static void need_program(const struct fixture *f)
{
	if (file_exists(f->program))
		return;
	print_message("skipped: %s has not been built\n", f->program);
	skip();
}

static int open_output(const struct fixture *f, const char *name)
{
	char *path = file_join(f->dir, name);
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	free(path);
	return fd;
}

/* Start it in a process group of its own, so that its processes can be found. */
static pid_t start(const struct fixture *f, const char *const *args)
{
	/* Emptied here, not in the child: nothing of the run before may be read as this one's. */
	int out = open_output(f, "out"), err = open_output(f, "err"), i;
	char *argv[MAX_ARGS + 2] = { f->program };
	pid_t pid;

	for (i = 0; args[i]; i++) {
		assert_true(i < MAX_ARGS);
		argv[i + 1] = (char *)args[i];
	}
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		setpgid(0, 0);
		if (dup2(out, STDOUT_FILENO) >= 0 && dup2(err, STDERR_FILENO) >= 0)
			execv(f->program, argv);
		_exit(98);
	}
	close(out);
	close(err);
	return pid;
}

static char *read_back(const struct fixture *f, const char *name, size_t *len)
{
	char *path = file_join(f->dir, name), *text;

	assert_int_equal(file_read(path, MAX_BYTES, &text, len, NULL), 0);
	free(path);
	return text;
}

static struct run finish(const struct fixture *f, pid_t pid)
{
	struct run run = { 0 };

	assert_int_equal(waitpid(pid, &run.status, 0), pid);
	run.out = read_back(f, "out", &run.out_len);
	run.err = read_back(f, "err", &run.err_len);
	return run;
}

static void run_release(struct run *run)
{
	free(run->out);
	free(run->err);
}

static struct benchmark *load(void)
{
	char *dir = "configs";
	struct string_list dirs = { .s = &dir, .n = 1 };
	struct diags diags = DIAGS_INIT;
	struct benchmark *bench = NULL;

	if (benchmark_load("context_switch", &dirs, &bench, &diags) < 0)
		fail_msg("%s", diags_text(&diags));
	return bench;
}

static double figure(const struct benchmark *bench, const struct values *samples, const char *name)
{
	double value;

	assert_int_equal(bench_figure(bench, samples, name, &value, NULL), 0);
	return value;
}

/* Read a good run by the benchmark file. Return: the number of intervals. */
static size_t read_run(const struct run *run, double *p50)
{
	struct bench_output output = {
		.out = run->out,
		.out_len = run->out_len,
		.err = run->err,
		.err_len = run->err_len,
		.exit_status = WIFEXITED(run->status) ? WEXITSTATUS(run->status) : -1,
	};
	struct benchmark *bench = load();
	struct values samples = VALUES_INIT;
	struct error err = ERROR_INIT;
	size_t n = 0;

	if (bench_extract(bench, &output, &samples, &err) < 0)
		fail_msg("%s\n%s", error_text(&err), run->out);
	assert_string_equal(bench_primary(bench, &samples), "switches_per_second");
	assert_true(figure(bench, &samples, "switches_per_second") > 0);
	*p50 = figure(bench, &samples, "round_trip_p50");
	assert_true(*p50 > 0);
	assert_true(*p50 <= figure(bench, &samples, "round_trip_p90"));
	assert_true(figure(bench, &samples, "round_trip_p90") <=
		    figure(bench, &samples, "round_trip_p99"));
	/* The maximum is exact, a percentile is the middle of a bucket. */
	assert_true(figure(bench, &samples, "round_trip_p99") <=
		    figure(bench, &samples, "round_trip_max") * 1.005);
	for (size_t i = 0; i < samples.n; i++)
		n += !strcmp(samples.v[i].name, "switches_per_second");
	values_release(&samples);
	benchmark_free(bench);
	return n;
}

static void check_one(
	const struct fixture *f, const char *test, const char *mode, const char *a, const char *b)
{
	char test_arg[32], mode_arg[32], header[80];
	const char *args[] = { test_arg, mode_arg, "--timeout=0.06", "--interval", "0.02",
		"--warmup=0.01", a, b, NULL };
	struct run run;
	double p50;

	snprintf(test_arg, sizeof(test_arg), "--test=%s", test);
	snprintf(mode_arg, sizeof(mode_arg), "--mode=%s", mode);
	run = finish(f, start(f, args));
	if (!strcmp(test, "tcp") && strstr(run.err, "is the device lo up?")) {
		print_message("tcp left out: %s", run.err);
		run_release(&run);
		return;
	}
	assert_int_equal(run.status, 0);
	assert_int_equal(run.err_len, 0);
	snprintf(header, sizeof(header), "context_switch 1 test=%s mode=%s cpus=%s,%s ", test, mode,
		a, b);
	assert_memory_equal(run.out, header, strlen(header));
	assert_int_equal(read_run(&run, &p50), 3);
	run_release(&run);
}

static void check_mode(const struct fixture *f, const char *mode)
{
	static const char *const tests[] = { "pipe", "eventfd", "futex", "unix", "tcp" };

	need_program(f);
	for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
		check_one(f, tests[i], mode, f->cpu0, f->cpu0);
		if (strcmp(f->cpu0, f->cpu1))
			check_one(f, tests[i], mode, f->cpu0, f->cpu1);
	}
	check_one(f, "yield", mode, f->cpu1, f->cpu1);
}

static void test_threads(void **state)
{
	check_mode(*state, "threads");
}

static void test_processes(void **state)
{
	check_mode(*state, "processes");
}

static void test_unbound(void **state)
{
	const struct fixture *f = *state;
	const char *args[] = { "--timeout=0.05", NULL };
	struct run run;
	double p50;

	need_program(f);
	run = finish(f, start(f, args));
	assert_int_equal(run.status, 0);
	assert_non_null(strstr(run.out, "cpus=any"));
	assert_int_equal(read_run(&run, &p50), 1); /* shorter than an interval: one all the same */
	run_release(&run);
}

static void test_work(void **state)
{
	const struct fixture *f = *state;
	const char *args[] = { "--timeout", "0.1", "--work=500000", "--touch=4096", "--fpu",
		f->cpu0, f->cpu0, NULL };
	struct run run;
	double p50;

	need_program(f);
	run = finish(f, start(f, args));
	assert_int_equal(run.status, 0);
	read_run(&run, &p50);
	assert_true(p50 > 2 * 500000 * 0.99); /* each of the two spins by the clock */
	run_release(&run);
}

static void fails(const struct fixture *f, const char *const *args, int status, const char *part)
{
	struct run run = finish(f, start(f, args));

	assert_true(WIFEXITED(run.status));
	assert_int_equal(WEXITSTATUS(run.status), status);
	assert_int_equal(run.out_len, 0); /* above all no number */
	if (!strstr(run.err, part))
		fail_msg("'%s' does not hold '%s'", run.err, part);
	run_release(&run);
}

static void test_bad_cpu(void **state)
{
	const struct fixture *f = *state;
	const char *second[] = { "--timeout=0.1", f->cpu0, "65535", NULL };
	const char *first[] = { "--mode=processes", "65535", f->cpu0, NULL };

	need_program(f);
	fails(f, second, 1, "cannot bind to CPU 65535");
	fails(f, first, 1, "cannot bind to CPU 65535");
}

static void test_usage(void **state)
{
	static const char *const cases[][4] = {
		{ "--test=pipes", NULL },
		{ "--mode=fork", NULL },
		{ "--timeout=1,5", NULL },
		{ "--timeout=0", NULL },
		{ "--timeout=nan", NULL },
		{ "--interval=-1", NULL },
		{ "--work=1.5", NULL },
		{ "--touch=99999999999", NULL },
		{ "--nonsense", NULL },
		{ "0", NULL },
		{ "0", "0", "0", NULL },
		{ "0", "x", NULL },
		{ "0", "-1", NULL },
		{ "--test=yield", "0", "1", NULL },
		{ "--test=yield", NULL },
	};
	const struct fixture *f = *state;

	need_program(f);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		fails(f, cases[i], 2, "context_switch");
}

static void test_help(void **state)
{
	const struct fixture *f = *state;
	const char *args[] = { "--help", NULL };
	struct run run;

	need_program(f);
	run = finish(f, start(f, args));
	assert_int_equal(run.status, 0);
	assert_non_null(strstr(run.out, "--touch=BYTES"));
	assert_non_null(strstr(run.out, "Exit status"));
	run_release(&run);
}

/* Wait for something that has to come; the limit is there only so that a failure ends. */
static void wait_until(
	bool (*done)(const struct fixture *f, pid_t pid), const struct fixture *f, pid_t pid)
{
	for (int i = 0; i < 3000; i++) {
		if (done(f, pid))
			return;
		clock_sleep_ns(10000000);
	}
	fail_msg("waited 30 s in vain");
}

static bool has_printed(const struct fixture *f, pid_t pid)
{
	size_t len = 0;
	char *text;
	bool done;

	(void)pid;
	text = read_back(f, "out", &len);
	done = strstr(text, "interval 2 ") != NULL;
	free(text);
	return done;
}

static bool group_is_gone(const struct fixture *f, pid_t pid)
{
	(void)f;
	while (waitpid(-pid, NULL, WNOHANG) > 0)
		; /* what it left behind became ours, see setup() */
	return kill(-pid, 0) < 0 && errno == ESRCH;
}

static void check_signal(const struct fixture *f, const char *mode, int sig)
{
	const char *args[] = { mode, "--timeout=60", "--interval=0.02", f->cpu0, f->cpu0, NULL };
	struct run run;
	pid_t pid = start(f, args);

	wait_until(has_printed, f, pid);
	assert_int_equal(kill(pid, sig), 0);
	run = finish(f, pid);
	assert_true(WIFSIGNALED(run.status) && WTERMSIG(run.status) == sig);
	assert_null(strstr(run.out, "round_trip"));
	assert_null(strstr(run.out, "end"));
	wait_until(group_is_gone, f, pid); /* the peer must not go on */
	run_release(&run);
}

static void test_signals(void **state)
{
	const struct fixture *f = *state;

	need_program(f);
	check_signal(f, "--mode=threads", SIGTERM);
	check_signal(f, "--mode=processes", SIGTERM);
	check_signal(f, "--mode=processes", SIGINT);
	check_signal(f, "--mode=processes", SIGKILL);
}

/* A parent that ignores the signal, as a shell does for background jobs, changes nothing. */
static void test_ignored_signal(void **state)
{
	const struct fixture *f = *state;

	need_program(f);
	signal(SIGINT, SIG_IGN);
	check_signal(f, "--mode=threads", SIGINT);
	signal(SIGINT, SIG_DFL);
}

/* The other process of its group: found by asking the kernel for the children of the leader. */
static pid_t peer_of(pid_t pid)
{
	char path[64], *text;
	pid_t peer;
	size_t len;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", pid, pid);
	if (file_read(path, MAX_BYTES, &text, &len, NULL) < 0)
		return 0;
	peer = atoi(text);
	free(text);
	return peer;
}

static void test_dead_peer(void **state)
{
	const struct fixture *f = *state;
	const char *args[] = { "--test=futex", "--mode=processes", "--timeout=60",
		"--interval=0.02", f->cpu0, f->cpu0, NULL };
	struct run run;
	pid_t pid, peer;

	need_program(f);
	pid = start(f, args);
	wait_until(has_printed, f, pid);
	peer = peer_of(pid);
	if (peer <= 0) {
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		print_message("skipped: the kernel does not list children\n");
		skip();
	}
	assert_int_equal(kill(peer, SIGKILL), 0);
	run = finish(f, pid);
	assert_true(WIFEXITED(run.status) && WEXITSTATUS(run.status) == 1);
	assert_non_null(strstr(run.err, "the other process died"));
	assert_null(strstr(run.out, "end"));
	run_release(&run);
}

static void test_full_disk(void **state)
{
	const struct fixture *f = *state;
	int status;
	pid_t pid;

	need_program(f);
	if (access("/dev/full", W_OK)) {
		print_message("skipped: there is no /dev/full\n");
		skip();
	}
	pid = fork();
	if (!pid) {
		dup2(open("/dev/full", O_WRONLY), STDOUT_FILENO);
		dup2(open_output(f, "err"), STDERR_FILENO);
		execl(f->program, f->program, "--timeout=0.05", f->cpu0, f->cpu0, (char *)NULL);
		_exit(98);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 1);
}

/* Every value up to 2^39 is within 0.4 % of the middle of its bucket, small ones exactly. */
static void test_histogram_error(void **state)
{
	double worst = 0;

	(void)state;
	for (uint64_t v = 0; v < 1u << 16; v++)
		worst = fmax(
			worst, fabs(hist_middle(hist_bucket(v)) - (double)v) / (double)(v + !v));
	for (uint64_t v = 1u << 16; v < 1ull << 39; v += v / 300)
		worst = fmax(worst, fabs(hist_middle(hist_bucket(v)) - (double)v) / (double)v);
	assert_true(worst < 0.004);
	for (uint64_t v = 0; v < HIST_SUB; v++)
		assert_true(hist_middle(hist_bucket(v)) == (double)v);
	assert_int_equal(hist_bucket(UINT64_MAX), HIST_BUCKETS - 1);
	for (uint64_t v = 0; v < 1u << 16; v++)
		assert_true(hist_bucket(v + 1) - hist_bucket(v) <= 1);
}

static void test_histogram_percentiles(void **state)
{
	struct histogram *h = calloc(1, sizeof(*h));

	(void)state;
	for (uint64_t v = 1; v <= 100; v++)
		hist_add(h, v);
	assert_true(hist_percentile(h, 50) == 50);
	assert_true(hist_percentile(h, 90) == 90);
	assert_true(hist_percentile(h, 99) == 99);
	assert_true(hist_percentile(h, 100) == 100);
	assert_int_equal(h->max, 100);
	hist_add(h, UINT64_MAX);
	assert_true(hist_percentile(h, 100) == (double)UINT64_MAX);
	free(h);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_threads),
		cmocka_unit_test(test_processes),
		cmocka_unit_test(test_unbound),
		cmocka_unit_test(test_work),
		cmocka_unit_test(test_bad_cpu),
		cmocka_unit_test(test_usage),
		cmocka_unit_test(test_help),
		cmocka_unit_test(test_signals),
		cmocka_unit_test(test_ignored_signal),
		cmocka_unit_test(test_dead_peer),
		cmocka_unit_test(test_full_disk),
		cmocka_unit_test(test_histogram_error),
		cmocka_unit_test(test_histogram_percentiles),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
