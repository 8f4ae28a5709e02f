/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tables by CPU in the manner of the field: interrupts that moved, and residency of idle states. */
#include "report/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "report/table.h"

/* Less than one event in a trial of any arm is not worth a line; of more lines than these the
 * largest are printed, those of the benchmark's own CPUs first. */
#define WORTH_A_LINE 1.0
enum { MOST_LINES = 40 };

/**
 * struct line - one counter on one CPU, the same for every arm, so that arms can be compared
 * @weight: its largest mean over the arms
 */
struct line {
	const struct counter *counter;
	const struct counter_cpu *part;
	double weight;
	bool pinned;
};

struct lines {
	struct line *line;
	size_t n, cap, left_out;
};

/* Does an arm run the benchmark on this CPU? */
static bool is_pinned(const struct report *report, int cpu)
{
	for (size_t arm = 0; arm < report->n_arms; arm++) {
		json_t *cpus = json_object_get(report->arms[arm].plan, "cpus"), *item;
		size_t i;

		json_array_foreach(cpus, i, item) {
			if (json_integer_value(item) == cpu)
				return true;
		}
	}
	return false;
}

static double largest(const struct report *report, const double *mean)
{
	double most = 0;

	for (size_t arm = 0; arm < report->n_arms; arm++)
		most = fmax(most, mean[arm]); /* fmax() passes over NaN */
	return most;
}

static void add_line(const struct report *report, const struct counter *c,
	const struct counter_cpu *part, double weight, struct lines *lines)
{
	if (weight < WORTH_A_LINE)
		return;
	array_reserve(lines->line, lines->n, lines->cap);
	lines->line[lines->n++] = (struct line){
		.counter = c,
		.part = part,
		.weight = weight,
		.pinned = is_pinned(report, part->cpu),
	};
}

static int by_weight(const void *a, const void *b)
{
	const struct line *x = a, *y = b;

	if (x->pinned != y->pinned)
		return y->pinned - x->pinned;
	return (x->weight < y->weight) - (x->weight > y->weight);
}

static int by_counter(const void *a, const void *b)
{
	const struct line *x = a, *y = b;

	if (x->counter != y->counter)
		return (x->counter > y->counter) - (x->counter < y->counter);
	return x->part->cpu - y->part->cpu;
}

static int by_cpu(const void *a, const void *b)
{
	const struct line *x = a, *y = b;

	return x->part->cpu != y->part->cpu ? x->part->cpu - y->part->cpu : by_counter(a, b);
}

/* The most important lines, in the order in which they are printed. */
static void choose(struct lines *lines, int (*order)(const void *, const void *))
{
	if (!lines->n)
		return;
	qsort(lines->line, lines->n, sizeof(*lines->line), by_weight);
	if (lines->n > MOST_LINES) {
		lines->left_out = lines->n - MOST_LINES;
		lines->n = MOST_LINES;
	}
	qsort(lines->line, lines->n, sizeof(*lines->line), order);
}

static void say_left_out(const struct report *report, const struct lines *lines, struct strbuf *out)
{
	if (lines->left_out)
		strbuf_printf(out,
			"(%zu smaller lines of each arm are left out; all with --json)\n",
			lines->left_out);
	report_not_shown(report, out);
	free(lines->line);
}

/* Of one arm alone nothing can have moved: then all are worth a line. */
static bool moved(const struct report *report, const struct counter *c)
{
	return report->n_arms == 1 || largest(report, c->score) > 0;
}

/* "  CPU 0: RES [Rescheduling interrupts] = 197212 times" */
static void interrupt_line(const struct line *line, size_t arm, struct strbuf *out)
{
	const char *label = line->counter->label, *description = strchr(label, ' ');
	double mean = line->part->mean[arm];
	char *times = isnan(mean) ? xstrdup("-") : xasprintf("%.0f", mean);

	strbuf_printf(out, "  CPU %d: ", line->part->cpu);
	if (description)
		strbuf_printf(
			out, "%.*s [%.40s]", (int)(description - label), label, description + 1);
	else
		strbuf_printf(out, "%.40s", label);
	strbuf_printf(out, " = %s times\n", times);
	free(times);
}

void report_interrupts(const struct report *report, struct strbuf *out)
{
	const struct counters *cs = &report->counters;
	struct lines lines = { 0 };

	for (size_t i = 0; i < cs->n; i++) {
		const struct counter *c = &cs->counter[i];

		if (strcmp(c->collector, "interrupts") != 0 || !moved(report, c))
			continue;
		for (size_t k = 0; k < c->n_cpus; k++)
			add_line(report, c, &c->cpu[k], largest(report, c->cpu[k].mean), &lines);
	}
	if (!lines.n)
		return;
	choose(&lines, by_counter);
	report_heading(out, "interrupts by CPU%s (mean per trial)",
		report->n_arms > 1 ? ", of the lines that moved" : "");
	for (size_t i = 0; i < report->n_shown; i++) {
		strbuf_printf(out, "%s\n", report->label[report->shown[i]]);
		for (size_t k = 0; k < lines.n; k++)
			interrupt_line(&lines.line[k], report->shown[i], out);
	}
	say_left_out(report, &lines, out);
}

static const double *cpu_means(const struct counter *c, int cpu)
{
	for (size_t i = 0; c && i < c->n_cpus; i++)
		if (c->cpu[i].cpu == cpu)
			return c->cpu[i].mean;
	return NULL;
}

/* A state that only some arms disable is what the experiment is about, however rarely it is entered. */
static double idle_weight(
	const struct report *report, const struct counter_cpu *part, const double *disabled)
{
	double weight = largest(report, part->mean);

	for (size_t arm = 0; disabled && arm < report->n_arms; arm++)
		if (disabled[arm] != disabled[0])
			weight = fmax(weight, WORTH_A_LINE);
	return weight;
}

/* Wall time of a mean trial of an arm. */
static double trial_seconds(const struct counters *cs, size_t arm)
{
	double seconds = 0, trials = 0;

	for (size_t b = 0; b < cs->n_blocks; b++) {
		seconds += cs->seconds[arm * cs->n_blocks + b];
		trials += cs->trials[arm * cs->n_blocks + b];
	}
	return trials > 0 ? seconds / trials : NAN;
}

static void count_cell(struct table *table, const double *mean, size_t arm)
{
	if (mean && isnan(mean[arm]))
		table_cell(table, "-");
	else
		table_cell(table, "%.0f", mean ? mean[arm] : 0);
}

static void idle_row(
	const struct report *report, const struct line *line, size_t arm, struct table *table)
{
	const struct counters *cs = &report->counters;
	const struct counter *time = line->counter;
	const double *usage =
		cpu_means(counters_find(cs, "cpuidle", "usage", time->label), line->part->cpu);
	const double *disabled =
		cpu_means(counters_find(cs, "cpuidle", "disabled", time->label), line->part->cpu);
	double share = line->part->mean[arm] / 1e6 / trial_seconds(cs, arm) * 100;

	table_cell(table, "  CPU %d %s", line->part->cpu, time->label);
	count_cell(table, disabled, arm);
	count_cell(table, usage, arm);
	count_cell(table, line->part->mean, arm);
	table_cell(table, isfinite(share) ? "%.1f %%" : "-", share);
}

static void add_states(const struct report *report, struct lines *lines)
{
	const struct counters *cs = &report->counters;

	for (size_t i = 0; i < cs->n; i++) {
		const struct counter *time = &cs->counter[i], *disabled;

		if (strcmp(time->collector, "cpuidle") != 0 || strcmp(time->name, "time") != 0)
			continue;
		disabled = counters_find(cs, "cpuidle", "disabled", time->label);
		for (size_t k = 0; k < time->n_cpus; k++) {
			const struct counter_cpu *part = &time->cpu[k];

			add_line(report, time, part,
				idle_weight(report, part, cpu_means(disabled, part->cpu)), lines);
		}
	}
}

void report_residency(const struct report *report, struct strbuf *out)
{
	static const char *const heads[] = { "arm, CPU and state", "disabled", "usage (times)",
		"time (us)", "share" };
	struct lines lines = { 0 };
	struct table table;

	add_states(report, &lines);
	if (!lines.n)
		return;
	choose(&lines, by_cpu);
	report_heading(out, "idle states by CPU (mean per trial)");
	table_init(&table, "lrrrr");
	table_heads(&table, heads);
	for (size_t i = 0; i < report->n_shown; i++) {
		table_span(&table, "%s", report->label[report->shown[i]]);
		for (size_t k = 0; k < lines.n; k++)
			idle_row(report, &lines.line[k], report->shown[i], &table);
	}
	table_write(&table, REPORT_WIDTH, out);
	say_left_out(report, &lines, out);
}
