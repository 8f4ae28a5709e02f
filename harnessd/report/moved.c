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

static void heads(struct table *table)
{
	static const char *const titles[] = { "counter and arm", "per trial", "per second",
		"per op", "change" };

	table_init(table, "lrrrr");
	for (size_t i = 0; i < array_size(titles); i++)
		table_cell(table, "%s", titles[i]);
}

static void arm_row(
	const struct report *report, const struct counter *c, size_t arm, struct table *table)
{
	char *mean = report_number(c->mean[arm]), *second = report_number(c->per_second[arm]);
	char *op = isfinite(c->per_op[arm]) ? xasprintf("%.3g", c->per_op[arm]) : xstrdup("-");
	char *change = report_percent(c->ratio[arm]);
	bool baseline = arm == (size_t)report->run.baseline_arm;

	table_cell(table, "  %s", report->arms[arm].label);
	table_cell(table, "%s", mean);
	table_cell(table, "%s", second);
	table_cell(table, "%s", op);
	table_cell(table, "%s", baseline ? "" : change);
	free(mean);
	free(second);
	free(op);
	free(change);
}

static void counter_rows(const struct report *report, const struct counter *c, struct table *table)
{
	char *title = counter_title(c);

	table_span(table, "%s", title);
	for (size_t arm = 0; arm < report->n_arms; arm++)
		arm_row(report, c, arm, table);
	free(title);
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
	for (size_t arm = 0; arm < report->n_arms; arm++) {
		char *mean = report_number(cs->mean[arm] + in->mean[arm]);
		char *second = report_number(cs->per_second[arm] + in->per_second[arm]);
		char *change = report_percent((cs->per_second[arm] + in->per_second[arm]) /
					      (cs->per_second[base] + in->per_second[base]));
		double op = cs->per_op[arm] + in->per_op[arm];

		table_cell(table, "  %s", report->arms[arm].label);
		table_cell(table, "%s", mean);
		table_cell(table, "%s", second);
		table_cell(table, isfinite(op) ? "%.3g" : "-", op);
		table_cell(table, "%s", arm == base ? "" : change);
		free(mean);
		free(second);
		free(change);
	}
}

void report_moved(const struct report *report, struct strbuf *out)
{
	size_t index[MOST_MOVED + 1];
	size_t n = report->has_figures ? counters_moved(&report->counters, MOST_MOVED, index) : 0;
	struct table table;

	if (!report->has_figures || !report->counters.n)
		return;
	report_heading(out, "what moved with it (largest first, all CPUs together)");
	if (!n)
		strbuf_puts(out, "no counter moved by 5 % and more than its noise\n");
	heads(&table);
	for (size_t i = 0; i < n; i++)
		counter_rows(report, &report->counters.counter[index[i]], &table);
	switching_rows(report, &table);
	table_write(&table, REPORT_WIDTH, out);
}
