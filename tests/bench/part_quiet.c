/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What else runs on the benchmark's CPU while a pinned trial is under way. Counted by the kernel: CPU
 * time and switches of one process on one CPU. */
#include <errno.h>
#include <linux/perf_event.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/sysroot.h"
#include "report/table.h"
#include "trials.h"

/* The benchmark's CPU, how long it runs, and how often the counts are read meanwhile. */
enum { CPU = 0, SECONDS = 5, SAMPLES = 1000, SAMPLE_NS = 10000000, MAX_WATCHED = 16 };

static const char job_text[] = "name: bench\nbenchmark: spin\ntarget: local\n"
			       "arms: [{}, {env: {A: b}}]\n";
static const char bench_text[] =
	"name: spin\ncommand: [sh]\npin: true\n"
	"metrics: [{name: figure, unit: s, better: lower, pattern: '(\\d+)'}]\n";
/* Spins in its own process: timeout(1) only waits. */
static const char spin[] = "timeout 5 sh -c 'while :; do :; done'; exit 0";

/* One process, watched on one CPU. */
struct watched {
	pid_t pid;
	char *name;
	int time, switches;
};

struct sample {
	uint64_t at_ns; /* realtime */
	uint64_t time[MAX_WATCHED], switches[MAX_WATCHED];
};

struct watch {
	struct watched who[MAX_WATCHED];
	size_t n;
	struct sample *sample;
	size_t n_samples;
	atomic_bool stop;
	pthread_t thread;
};

static int open_counter(pid_t pid, uint64_t config)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .size = sizeof(attr), .config = config
	};

	return (int)syscall(SYS_perf_event_open, &attr, pid, CPU, -1, PERF_FLAG_FD_CLOEXEC);
}

static void watch_process(struct watch *w, pid_t pid, const char *name)
{
	struct watched *who = &w->who[w->n];

	if (w->n == MAX_WATCHED || pid <= 0)
		return;
	*who = (struct watched){ .pid = pid, .name = xstrdup(name) };
	who->time = open_counter(pid, PERF_COUNT_SW_TASK_CLOCK);
	who->switches = open_counter(pid, PERF_COUNT_SW_CONTEXT_SWITCHES);
	w->n++;
}

/* Guardian and keeper, by the names they gave themselves. */
static void watch_child(struct watch *w, const struct sysroot *root, pid_t pid)
{
	char *path = xasprintf("proc/%d/comm", (int)pid), *name = NULL;

	if (sysroot_read_line(root, path, &name, NULL) == 0)
		watch_process(w, pid, name);
	free(name);
	free(path);
}

static void watch_children(struct watch *w, pid_t parent)
{
	struct sysroot root;
	char *path = xasprintf("proc/%d/task/%d/children", (int)parent, (int)parent);
	char *text = NULL, *end;

	if (sysroot_open(&root, "/", NULL) < 0)
		abort();
	if (sysroot_read(&root, path, &text, NULL, NULL) == 0)
		for (char *p = text; strspn(p, " \n") < strlen(p); p = end)
			watch_child(w, &root, (pid_t)strtol(p, &end, 10));
	free(text);
	sysroot_close(&root);
	free(path);
}

static uint64_t read_count(int fd)
{
	uint64_t n = 0;

	return fd >= 0 && read(fd, &n, sizeof(n)) == sizeof(n) ? n : 0;
}

static void *sampler(void *context)
{
	struct watch *w = context;
	cpu_set_t *others = CPU_ALLOC(CPU + 2);

	CPU_ZERO_S(CPU_ALLOC_SIZE(CPU + 2), others);
	CPU_SET_S(CPU + 1, CPU_ALLOC_SIZE(CPU + 2), others);
	sched_setaffinity(0, CPU_ALLOC_SIZE(CPU + 2), others);
	CPU_FREE(others);
	while (!w->stop && w->n_samples < SAMPLES) {
		struct sample *s = &w->sample[w->n_samples++];

		s->at_ns = clock_realtime_ns();
		for (size_t i = 0; i < w->n; i++) {
			s->time[i] = read_count(w->who[i].time);
			s->switches[i] = read_count(w->who[i].switches);
		}
		clock_sleep_ns(SAMPLE_NS);
	}
	return NULL;
}

static int watch_begin(struct watch *w, struct error *err)
{
	w->sample = xcalloc(SAMPLES, sizeof(*w->sample));
	if (w->n == 0 || w->who[0].time < 0)
		return error_sys(err, -EACCES, "cannot count a process on a CPU");
	return -pthread_create(&w->thread, NULL, sampler, w);
}

static void watch_end(struct watch *w)
{
	w->stop = true;
	pthread_join(w->thread, NULL);
}

static void watch_release(struct watch *w)
{
	for (size_t i = 0; i < w->n; i++) {
		free(w->who[i].name);
		close(w->who[i].time);
		close(w->who[i].switches);
	}
	free(w->sample);
}

/* What each used between the first and the last sample within the trial. */
static void rows(const struct watch *w, uint64_t from_ns, uint64_t to_ns, struct table *table)
{
	const struct sample *first = NULL, *last = NULL;

	for (size_t i = 0; i < w->n_samples; i++) {
		const struct sample *s = &w->sample[i];

		if (s->at_ns < from_ns || s->at_ns > to_ns)
			continue;
		first = first ? first : s;
		last = s;
	}
	for (size_t i = 0; first && i < w->n; i++) {
		double ms = (double)(last->time[i] - first->time[i]) / 1e6;

		table_cell(table, "%s", w->who[i].name);
		table_cell(table, "%.3f", ms);
		table_cell(table, "%llu",
			(unsigned long long)(last->switches[i] - first->switches[i]));
		table_cell(table, "%.1f", (double)(last->at_ns - first->at_ns) / 1e9);
	}
}

static int ours(const struct bench *b, struct table *table, struct error *err)
{
	struct trial_outcome outcome = { 0 };
	struct watch w = { 0 };
	struct trials t;
	int r = trials_open(&t, b, job_text, bench_text,
		json_pack("[s, s, s]", "/bin/sh", "-c", spin), json_pack("[i]", CPU), err);

	if (r == 0) /* so that the agent has all its helpers */
		r = trials_once(&t, NULL, err);
	if (r == 0) {
		watch_process(&w, getpid(), "harness");
		watch_process(&w, trials_agent(&t), "harness-agent");
		watch_children(&w, trials_agent(&t));
		r = watch_begin(&w, err);
	}
	if (r == 0) {
		r = trials_once(&t, &outcome, err);
		watch_end(&w);
	}
	if (r == 0)
		rows(&w, outcome.store.started_ns,
			outcome.store.started_ns + outcome.store.elapsed_ns, table);
	trial_outcome_release(&outcome);
	watch_release(&w);
	trials_close(&t);
	return r;
}

/* perf reads its counters on each CPU in turn. */
static int peer(struct table *table, const char *const *argv, const char *name, struct error *err)
{
	struct watch w = { 0 };
	uint64_t start;
	pid_t pid;
	int r;

	if (posix_spawnp(&pid, argv[0], NULL, NULL, (char *const *)argv, environ) != 0) {
		table_cell(table, "%s", name);
		for (int i = 0; i < 3; i++)
			table_cell(table, "%s", "not here");
		return 0;
	}
	watch_process(&w, pid, name);
	start = clock_realtime_ns();
	r = watch_begin(&w, err);
	if (r == 0) {
		bench_shell("timeout 5 taskset -c 0 sh -c 'while :; do :; done'; exit 0");
		watch_end(&w);
		rows(&w, start, clock_realtime_ns(), table);
	}
	kill(pid, SIGINT);
	waitpid(pid, NULL, 0);
	watch_release(&w);
	return r;
}

static int run(struct bench *b, struct error *err)
{
	char *file = file_join(b->dir, "perf-interval");
	const char *perf[] = { "perf", "stat", "-a", "-I", "1000", "-o", file, NULL };
	struct table table;
	int r;

	if (sysconf(_SC_NPROCESSORS_ONLN) < 2) {
		free(file);
		return error_set(err, -ENODEV, "there is no second CPU to keep to");
	}
	report_heading(&b->out, "2. on the CPU of a pinned trial of %d s (goal: none)", SECONDS);
	table_init(&table, "lrrr");
	table_cell(&table, "%s", "whose");
	table_cell(&table, "%s", "CPU ms");
	table_cell(&table, "%s", "switches");
	table_cell(&table, "%s", "watched s");
	r = ours(b, &table, err);
	if (r == 0)
		r = peer(&table, perf, "perf stat -a -I 1000", err);
	table_write(&table, REPORT_WIDTH, &b->out);
	free(file);
	return r;
}

const struct part part_quiet = {
	.name = "quiet", .help = "what we use of the benchmark's CPU", .run = run
};
