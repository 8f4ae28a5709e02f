/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading the interrupts of a large machine. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/rng.h"
#include "bench.h"
#include "collectors/collector.h"
#include "report/table.h"

enum { CPUS = 512, ROWS = 300, REPEATS = 50, PEER_REPEATS = 5 };

/* As the kernel prints it; @more: events since the first snapshot in about every 75th cell. */
static char *snapshot(uint64_t seed, bool more, double *total)
{
	struct strbuf sb = STRBUF_INIT;
	struct rng rng, step;

	rng_seed(&rng, seed);
	rng_seed(&step, seed + 1);
	strbuf_puts(&sb, "     ");
	for (int cpu = 0; cpu < CPUS; cpu++)
		strbuf_printf(&sb, "      CPU%-3d ", cpu);
	*total = 0;
	for (int row = 0; row < ROWS; row++) {
		strbuf_printf(&sb, "\n%4d:", row + 16);
		for (int cpu = 0; cpu < CPUS; cpu++) {
			uint64_t n = rng_below(&rng, 4) ? 0 : rng_below(&rng, 4000000000ULL);
			uint64_t d = rng_below(&step, 75) ? 0 : rng_below(&step, 100000);

			n = n / 2 + (more ? d : 0);
			*total += (double)n;
			strbuf_printf(&sb, " %10llu", (unsigned long long)n);
		}
		strbuf_printf(&sb, "  IR-PCI-MSIX-0000:%02x:00.0 %4d-edge      nvme%dq%d",
			row / 128, row % 128, row / 128, row % 128);
	}
	strbuf_putc(&sb, '\n', 1);
	return strbuf_steal(&sb);
}

static int parse(const struct collector_text *before, const struct collector_text *after,
	struct series *ms, double *sum, struct error *err)
{
	const struct collector_ops *ops = collector_find("interrupts", NULL);
	struct values values = VALUES_INIT;
	uint64_t start = clock_monotonic_ns();
	int r = ops->parse(before, after, false, &values, err);

	series_add(ms, bench_ms(start));
	*sum = 0;
	for (size_t i = 0; i < values.n; i++)
		*sum += values.v[i].value;
	values_release(&values);
	return r;
}

/* The sum of a column for each CPU, as scripts do it. */
static double awk(const char *program, const char *file)
{
	char *command = xasprintf("command -v %s && %s 'NR > 1 { for (i = 2; i <= %d; i++) "
				  "sum[i] += $i } END { for (i in sum) print i, sum[i] }' %s",
		program, program, CPUS + 1, file);
	struct series ms = { 0 };
	double median;

	for (int i = 0; i < PEER_REPEATS; i++)
		series_add(&ms, bench_shell(command));
	median = isfinite(ms.x[0]) ? series_median(&ms) : NAN;
	series_release(&ms);
	free(command);
	return median;
}

static void row(struct table *table, const char *what, double ms, double ours)
{
	table_cell(table, "%s", what);
	table_cell(table, isfinite(ms) ? "%.2f" : "not here", ms);
	table_cell(table, isfinite(ms) ? "%.1f" : "", ms / ours);
}

static void print(struct bench *b, double delta, size_t len, const char *file)
{
	struct table table;

	report_heading(&b->out, "3. /proc/interrupts of %d CPUs x %d rows, %.1f MB (goal: 3 ms)",
		CPUS, ROWS, (double)len / 1e6);
	table_init(&table, "lrr");
	table_cell(&table, "%s", "median");
	table_cell(&table, "%s", "ms");
	table_cell(&table, "%s", "ratio to ours");
	row(&table, "harness: difference of two snapshots, for one of them", delta / 2, delta / 2);
	row(&table, "mawk: sums of columns of one snapshot", awk("mawk", file), delta / 2);
	row(&table, "gawk: the same", awk("gawk", file), delta / 2);
	table_write(&table, REPORT_WIDTH, &b->out);
}

static int run(struct bench *b, struct error *err)
{
	double before_total, after_total, sum;
	char *before = snapshot(1, false, &before_total), *after = snapshot(1, true, &after_total);
	struct collector_text first = { before, strlen(before) }, second = { after, strlen(after) };
	struct series delta = { 0 };
	char *file = file_join(b->dir, "interrupts");
	int r = file_replace(file, before, first.len, 0644, err);

	for (int i = 0; i < REPEATS && r == 0; i++) {
		r = parse(&first, &second, &delta, &sum, err);
		if (r == 0 && fabs(sum - (after_total - before_total)) > 0.5)
			r = error_set(err, -EBADMSG, "the sum of all differences is wrong");
	}
	if (r == 0)
		print(b, series_median(&delta), first.len, file);
	series_release(&delta);
	free(file);
	free(before);
	free(after);
	return r;
}

const struct part part_parse = {
	.name = "parse", .help = "reading a large machine's interrupts", .run = run
};
