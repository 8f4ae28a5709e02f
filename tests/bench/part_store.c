/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A run of 10,000 trials of a large machine's interrupts: into the database, on the disk, and out. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/rng.h"
#include "bench.h"
#include "db/store.h"
#include "report/table.h"

/* 2 arms of 250 blocks of 20 trials; in each trial 200 lines have moved on 10 CPUs each. */
enum {
	ARMS = 2,
	BLOCKS = 250,
	REPEATS = 20,
	TRIALS = ARMS * BLOCKS * REPEATS,
	LINES = 200,
	CPUS = 512,
	CPUS_A_LINE = 10,
	CELLS = LINES * CPUS_A_LINE,
	CSV_TRIALS = 500,
	SHOWS = 5,
};

static const char job_json[] = "{\"name\": \"bench\", \"benchmark\": \"context_switch\"}";

struct database {
	char *path;
	struct store *store;
	int64_t run;
	struct values counters;
	struct rng rng;
	char *csv;
};

/* The same lines and CPUs in every trial, as a machine has them. */
static void make_counters(struct values *out)
{
	char irq[16], text[32];

	for (int line = 0; line < LINES; line++) {
		snprintf(irq, sizeof(irq), "%d", line + 16);
		snprintf(text, sizeof(text), "IR-PCI-MSIX nvme%dq%d", line / 64, line % 64);
		for (int k = 0; k < CPUS_A_LINE; k++) {
			struct value *v = values_add(out, "interrupts", "count", 0);

			values_label(out, v, "irq", irq);
			values_label(out, v, "description", text);
			values_label_int(out, v, "cpu", (line * 7 + k * (k + 1) / 2 * 9) % CPUS);
		}
	}
}

/* Counts of all sizes up to 20,000, as timers, devices and stray interrupts have them. */
static void count(struct database *d)
{
	for (size_t i = 0; i < d->counters.n; i++)
		d->counters.v[i].value = floor(exp(rng_double(&d->rng) * log(20000)));
}

static int create(struct database *d, struct error *err)
{
	struct store_arm arms[ARMS] = { { .label = "A" }, { .index = 1, .label = "B" } };
	struct store_run run = { .name = (char *)"bench",
		.metric = (char *)"switches_per_second",
		.job_text = (char *)job_json,
		.seed = 1 };
	int r = store_open(d->path, &d->store, err);

	run.job = json_loads(job_json, 0, NULL);
	for (int i = 0; i < ARMS; i++)
		arms[i].levels = json_object();
	if (r == 0)
		r = store_run_create(d->store, &run, arms, ARMS, &d->run, err);
	for (int i = 0; i < ARMS; i++)
		json_decref(arms[i].levels);
	json_decref(run.job);
	return r;
}

static int add_trial(struct database *d, int n, bool with_counters, struct error *err)
{
	struct store_trial row = { .arm = n % ARMS,
		.block = n / (ARMS * REPEATS),
		.position = n % ARMS,
		.repeat = n / ARMS % REPEATS,
		.nonce = (char *)"0123456789abcdef" };
	struct store_counters counters = { .collector = "interrupts", .values = &d->counters };
	struct values figure = VALUES_INIT;
	struct store_outcome outcome = { .state = TRIAL_DONE,
		.elapsed_ns = 1000000000,
		.figures = &figure,
		.counters = &counters,
		.n_counters = with_counters };
	int64_t id;
	int r;

	values_add(&figure, "switches_per_second", "ops/s", 1e5 * exp(.01 * rng_normal(&d->rng)))
		->better = BETTER_HIGHER;
	count(d);
	r = store_trial_begin(d->store, d->run, &row, &id, err);
	if (r == 0)
		r = store_trial_finish(d->store, id, &outcome, err);
	values_release(&figure);
	return r;
}

/* Lines "trial,irq,cpu,count" of the first trials, for peers. */
static int write_csv(struct database *d, struct error *err)
{
	struct strbuf sb = STRBUF_INIT;
	int r;

	rng_seed(&d->rng, 1);
	for (int trial = 0; trial < CSV_TRIALS; trial++) {
		count(d);
		for (size_t i = 0; i < d->counters.n; i++) {
			const struct value *v = &d->counters.v[i];

			strbuf_printf(&sb, "%d,%s,%s,%.0f\n", trial, v->labels[0].value,
				v->labels[2].value, v->value);
		}
	}
	r = file_replace(d->csv, sb.data, sb.len, 0644, err);
	strbuf_release(&sb);
	return r;
}

static double file_bytes(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 ? (double)st.st_size : NAN;
}

/* Fills it; @ms: time of all; @bytes: what the counters take of the file. */
static int fill(struct database *d, double *ms, double *bytes, struct error *err)
{
	char *bare = xasprintf("%s.bare", d->path);
	struct database without = { .path = bare };
	uint64_t start;
	int r = create(&without, err);

	rng_seed(&without.rng, 1);
	for (int i = 0; i < TRIALS / 10 && r == 0; i++)
		r = add_trial(&without, i, false, err);
	store_close(without.store);
	if (r == 0)
		r = create(d, err);
	rng_seed(&d->rng, 1);
	start = clock_monotonic_ns();
	for (int i = 0; i < TRIALS && r == 0; i++)
		r = add_trial(d, i, true, err);
	*ms = bench_ms(start);
	if (r == 0)
		r = store_run_end(d->store, d->run, RUN_FINISHED, NULL, NULL, err);
	store_close(d->store);
	*bytes = file_bytes(d->path) - 10 * file_bytes(bare);
	free(bare);
	return r;
}

static double show(const struct bench *b, const char *dir)
{
	char *command = xasprintf("%s/harness show --state %s 1", b->build, dir);
	struct series ms = { 0 };
	double median;

	for (int i = 0; i < SHOWS; i++)
		series_add(&ms, bench_shell(command));
	median = isfinite(ms.x[0]) ? series_median(&ms) : NAN;
	series_release(&ms);
	free(command);
	return median;
}

static double gzip_bytes(const char *file)
{
	char *command = xasprintf("gzip -k %s", file), *zipped = xasprintf("%s.gz", file);
	double n = isfinite(bench_shell(command)) ? file_bytes(zipped) : NAN;

	free(zipped);
	free(command);
	return n;
}

static void row(struct table *table, const char *what, double value, const char *unit, double ours)
{
	table_cell(table, "%s", what);
	table_cell(table, isfinite(value) ? "%.2f" : "not here", value);
	table_cell(table, "%s", unit);
	table_cell(table, isfinite(value) && ours > 0 ? "%.1f" : "", value / ours);
}

static void print(
	struct bench *b, const struct database *d, const char *dir, double ingest_ms, double bytes)
{
	char *sum = xasprintf("mawk -F, '{ s[$2 \",\" $3 \",\" $1 %% 2] += $4 } END { for (k in s) "
			      "print k, s[k] }' %s",
		d->csv);
	double cell = bytes / TRIALS / CELLS, shown = show(b, dir) / 1000, csv;
	struct table table;

	csv = file_bytes(d->csv) / CSV_TRIALS / CELLS;
	report_heading(&b->out, "4. a run of %d trials, %d counters moved in each", TRIALS, CELLS);
	table_init(&table, "lrlr");
	table_cell(&table, "%s", "");
	table_cell(&table, "%s", "measured");
	table_cell(&table, "%s", "");
	table_cell(&table, "%s", "ratio to ours");
	row(&table, "harness: one trial into it, durable", ingest_ms / TRIALS, "ms", 0);
	row(&table, "harness: on disk, of a counter (goal: 12)", cell, "bytes", cell);
	row(&table, "  the same as lines of CSV", csv, "bytes", cell);
	row(&table, "  the same as CSV, gzip", gzip_bytes(d->csv) / CSV_TRIALS / CELLS, "bytes",
		cell);
	row(&table, "harness: show that run (goal: 1)", shown, "s", shown);
	row(&table, "  mawk: sums of such CSV (a 20th, times 20)",
		bench_shell(sum) / 1000 * TRIALS / CSV_TRIALS, "s", shown);
	table_write(&table, REPORT_WIDTH, &b->out);
	free(sum);
}

static int run(struct bench *b, struct error *err)
{
	char *dir = file_join(b->dir, "state");
	struct database d = { .path = file_join(dir, "harness.db"), .csv = file_join(dir, "csv") };
	double ms = 0, bytes = 0;
	int r = file_make_dirs(dir, 0755, err);

	make_counters(&d.counters);
	if (r == 0)
		r = fill(&d, &ms, &bytes, err);
	if (r == 0)
		r = write_csv(&d, err);
	if (r == 0)
		print(b, &d, dir, ms, bytes);
	values_release(&d.counters);
	free(d.path);
	free(d.csv);
	free(dir);
	return r;
}

const struct part part_store = {
	.name = "store", .help = "a run of 10,000 trials in the database", .run = run
};
