/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a trial costs beyond the program it runs. */
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/file.h"
#include "report/table.h"
#include "trials.h"

/* In rounds, each measuring everything, so that a busy minute of the machine falls on all alike. */
enum { ROUNDS = 10, TRIALS = 100, GLUES = 10 };

static const char job_text[] = "name: bench\nbenchmark: 'true'\ntarget: local\n"
			       "arms: [{}, {env: {A: b}}]\n";
static const char bench_text[] =
	"name: 'true'\ncommand: [/bin/true]\n"
	"metrics: [{name: figure, unit: s, better: lower, pattern: '(\\d+)'}]\n";
static const char glue[] =
	"cd \"$HARNESS_BENCH_DIR\" && "
	"cat /proc/interrupts > before; perf stat -a -o perf.txt /bin/true; "
	"cat /proc/interrupts > after; grep -E 'RES|CAL' before after; grep -E '[0-9]' perf.txt";

struct costs {
	struct series spawn, ours, perf, hyperfine, glue, sync;
};

static void spawn_true(struct series *s, int n)
{
	static const char *const argv[] = { "/bin/true", NULL };

	while (n--)
		series_add(s, bench_command(argv));
}

static int run_trials(struct trials *t, struct series *s, int n, struct error *err)
{
	int r = 0;

	while (n-- && r == 0) {
		uint64_t start = clock_monotonic_ns();

		r = trials_once(t, NULL, err);
		series_add(s, bench_ms(start));
	}
	return r;
}

/* A tool that repeats the program itself: time of the whole over the number of runs. */
static void repeat(struct series *s, const char *const *argv)
{
	double ms = bench_command(argv);

	if (isfinite(ms))
		series_add(s, ms / TRIALS);
}

static void peers(struct costs *c)
{
	static const char *const perf[] = { "perf", "stat", "-a", "-r", "100", "/bin/true", NULL };
	static const char *const hyperfine[] = { "hyperfine", "-N", "--warmup", "0", "--runs",
		"100", "--style", "none", "/bin/true", NULL };

	repeat(&c->perf, perf);
	repeat(&c->hyperfine, hyperfine);
	for (int i = 0; i < GLUES; i++) {
		double ms = bench_shell(glue);

		if (isfinite(ms))
			series_add(&c->glue, ms);
	}
}

/* What one durable step costs on this disk: 4 KiB appended, then fdatasync(). */
static void sync_file(struct series *s, const char *dir, int n)
{
	static const char page[4096];
	char *path = file_join(dir, "sync");
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);

	for (; fd >= 0 && n; n--) {
		uint64_t start = clock_monotonic_ns();

		if (pwrite(fd, page, sizeof(page), (n % 64) * (off_t)sizeof(page)) < 0 ||
			fdatasync(fd) < 0)
			break;
		series_add(s, bench_ms(start));
	}
	if (fd >= 0)
		close(fd);
	free(path);
}

static int measure(struct trials *t, const struct bench *b, struct costs *c, struct error *err)
{
	struct series warm = { 0 };
	int r = run_trials(t, &warm, 20, err);

	series_release(&warm);
	for (size_t i = 0; i < array_size(t->steps); i++)
		t->steps[i].n = 0;
	for (int round = 0; round < ROUNDS && r == 0; round++) {
		spawn_true(&c->spawn, TRIALS);
		r = run_trials(t, &c->ours, TRIALS, err);
		peers(c);
		sync_file(&c->sync, b->dir, TRIALS);
	}
	return r;
}

static void row(struct table *table, const char *what, double ms, double over, double ours)
{
	table_cell(table, "%s", what);
	if (isfinite(ms))
		table_cell(table, "%.3f", ms);
	else
		table_cell(table, "not here");
	table_cell(table, isfinite(over) ? "%.3f" : "", over);
	table_cell(table, isfinite(over) ? "%.2f" : "", over / ours);
}

static void print(struct bench *b, const struct trials *t, const struct costs *c)
{
	double spawn = series_median(&c->spawn), ours = series_median(&c->ours) - spawn;
	struct table table;

	report_heading(&b->out, "1. own cost of a trial of /bin/true (ms; goal: 1.2 over spawn)");
	table_init(&table, "lrrr");
	table_cell(&table, "median of 1000 (shell: of 100)");
	table_cell(&table, "in all");
	table_cell(&table, "over spawn");
	table_cell(&table, "ratio to ours");
	row(&table, "posix_spawn + wait", spawn, NAN, ours);
	row(&table, "harness: 6 collectors, durable", series_median(&c->ours), ours, ours);
	row(&table, "perf stat -a -r: counters", series_median(&c->perf),
		series_median(&c->perf) - spawn, ours);
	row(&table, "hyperfine -N: time only", series_median(&c->hyperfine),
		series_median(&c->hyperfine) - spawn, ours);
	row(&table, "sh: cat, perf stat -a, grep", series_median(&c->glue),
		series_median(&c->glue) - spawn, ours);
	row(&table, "one fdatasync of 4 KiB", series_median(&c->sync), series_median(&c->sync),
		ours);
	table_span(&table, "where ours goes:");
	for (size_t i = 0; i < array_size(t->steps); i++) {
		table_cell(&table, "  %s", trials_step[i]);
		table_cell(&table, "%.3f", series_median(&t->steps[i]));
		table_cell(&table, "%s", "");
		table_cell(&table, "%s", "");
	}
	table_write(&table, REPORT_WIDTH, &b->out);
}

static int run(struct bench *b, struct error *err)
{
	struct trials t;
	struct costs c = { 0 };
	int r = trials_open(
		&t, b, job_text, bench_text, json_pack("[s]", "/bin/true"), json_array(), err);

	if (r == 0)
		r = measure(&t, b, &c, err);
	if (r == 0)
		print(b, &t, &c);
	trials_close(&t);
	series_release(&c.spawn);
	series_release(&c.ours);
	series_release(&c.perf);
	series_release(&c.hyperfine);
	series_release(&c.glue);
	series_release(&c.sync);
	return r;
}

const struct part part_trial = { .name = "trial", .help = "own cost of a trial", .run = run };
