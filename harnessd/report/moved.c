/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The counters that moved with the arms: absolute, per second and per operation of the benchmark. */
#include "report/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "report/table.h"

enum { MOST_MOVED = 20 };

/* "interrupts RES Rescheduling interrupts (count)" */
static char *counter_title(const struct counter *c)
{
	bool same = strcmp(c->collector, c->name) == 0;

	return xasprintf("%s%s%s%s%s (%s)", c->collector, same ? "" : " ", same ? "" : c->name,
		*c->label ? " " : "", c->label, *c->unit ? c->unit : "count");
}

static void arm_row(
	const struct report *report, const struct counter *c, size_t arm, struct table *table)
{
	char *mean = report_number(c->mean[arm]), *second = report_number(c->per_second[arm]);
	char *op = isfinite(c->per_op[arm]) ? xasprintf("%.3g", c->per_op[arm]) : xstrdup("-");
	char *change = report_percent(c->ratio[arm]);
	bool baseline = report_is_baseline(report, arm);

	table_cell(table, "  %s", report->label[arm]);
	table_cell(table, "%s", mean);
	table_cell(table, "%s", second);
	table_cell(table, "%s", op);
	table_cell(table, "%s", baseline ? "" : change);
	free(mean);
	free(second);
	free(op);
	free(change);
}

/* proc/stat holds what is in other files, too, and each time both as ticks and as a share. */
static bool said_elsewhere(const struct report *report, const struct counter *c)
{
	const struct counters *cs = &report->counters;

	if (counter_is_flag(c))
		return true; /* set by the arm, or among what was not collected */
	if (strcmp(c->collector, "cpustat") != 0)
		return false;
	if (strcmp(c->name, "cpu_time") == 0)
		return counters_find(cs, "cpustat", "cpu_share", c->label) != NULL;
	return strcmp(c->name, "softirqs") == 0 &&
	       counters_find(cs, "softirqs", "softirqs", c->label) != NULL;
}

static void counter_rows(const struct report *report, const struct counter *c, struct table *table)
{
	char *title = counter_title(c);

	table_span(table, "%s", title);
	for (size_t i = 0; i < report->n_shown; i++)
		arm_row(report, c, report->shown[i], table);
	free(title);
}

/* What two counters of one PMU say together: how much was done in a cycle, how well was guessed. */
static void derived_rows(const struct report *report, const char *part, const char *whole,
	const char *title, double scale, struct table *table)
{
	const struct counters *cs = &report->counters;

	for (size_t i = 0; i < cs->n; i++) {
		const struct counter *c = &cs->counter[i], *of;

		if (strcmp(c->collector, "perf") != 0 || strcmp(c->name, part) != 0)
			continue;
		of = counters_find(cs, "perf", whole, c->label);
		if (!of)
			continue;
		table_span(table, "%s (%s)", title, c->label);
		for (size_t k = 0; k < report->n_shown; k++) {
			size_t arm = report->shown[k], base = (size_t)report->run.baseline_arm;
			char *number = report_number(scale * c->mean[arm] / of->mean[arm]);
			char *change = report_percent(
				c->mean[arm] / of->mean[arm] / (c->mean[base] / of->mean[base]));

			table_cell(table, "  %s", report->label[arm]);
			table_cell(table, "%s", number);
			table_cell(table, NULL);
			table_cell(table, NULL);
			table_cell(table, "%s", arm == base ? "" : change);
			free(number);
			free(change);
		}
	}
}

/* The trap of case 2: a wakeup by IPI is not counted as a context switch, so neither number alone
 * tells how much switching there was. */
static void switching_rows(const struct report *report, struct table *table)
{
	const struct counter *cs =
		counters_find(&report->counters, "cpustat", "context_switches", "");
	const struct counter *in =
		counters_find(&report->counters, "cpustat", "interrupts_total", "");
	size_t base = (size_t)report->run.baseline_arm;

	if (!cs || !in)
		return;
	table_span(table, "interrupts + context switches (count)");
	for (size_t i = 0; i < report->n_shown; i++) {
		size_t arm = report->shown[i];
		char *mean = report_number(cs->mean[arm] + in->mean[arm]);
		char *second = report_number(cs->per_second[arm] + in->per_second[arm]);
		char *change = report_percent((cs->per_second[arm] + in->per_second[arm]) /
					      (cs->per_second[base] + in->per_second[base]));
		double op = cs->per_op[arm] + in->per_op[arm];

		table_cell(table, "  %s", report->label[arm]);
		table_cell(table, "%s", mean);
		table_cell(table, "%s", second);
		table_cell(table, isfinite(op) ? "%.3g" : "-", op);
		table_cell(table, "%s", arm == base ? "" : change);
		free(mean);
		free(second);
		free(change);
	}
}

/* Of one arm alone nothing moved: then those of which there were most. */
static size_t most_frequent(const struct report *report, size_t most, size_t *index)
{
	const struct counters *cs = &report->counters;
	size_t n = 0;

	for (size_t i = 0; i < cs->n; i++) {
		size_t at = n < most ? n++ : most;

		for (; at > 0 && cs->counter[index[at - 1]].mean[0] < cs->counter[i].mean[0]; at--)
			if (at < most)
				index[at] = index[at - 1];
		if (at < most)
			index[at] = i;
	}
	return n;
}

static size_t choose_counters(const struct report *report, size_t most, size_t *index)
{
	return report->n_arms == 1 ? most_frequent(report, most, index)
				   : counters_moved(&report->counters, most, index);
}

void report_moved(const struct report *report, struct strbuf *out)
{
	static const char *const heads[] = { "counter and arm", "per trial", "per second", "per op",
		"change" };
	size_t index[2 * MOST_MOVED + 1], n, shown = 0;
	struct table table;

	if (!report->has_figures || !report->counters.n)
		return;
	n = choose_counters(report, 2 * MOST_MOVED, index);
	report_heading(out, "%s (largest first, all CPUs together)",
		report->n_arms == 1 ? "counters" : "what moved with it");
	if (!n)
		strbuf_puts(out, "no counter moved by 5 % and more than its noise\n");
	table_init(&table, "lrrrr");
	table_heads(&table, heads);
	for (size_t i = 0; i < n && shown < MOST_MOVED; i++) {
		if (said_elsewhere(report, &report->counters.counter[index[i]]))
			continue;
		counter_rows(report, &report->counters.counter[index[i]], &table);
		shown++;
	}
	switching_rows(report, &table);
	derived_rows(report, "instructions", "cycles", "instructions per cycle", 1, &table);
	derived_rows(report, "branch-misses", "branches", "branches missed, %", 100, &table);
	table_write(&table, REPORT_WIDTH, out);
	report_not_shown(report, out);
}
