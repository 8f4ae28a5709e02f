/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tables by CPU in the manner of the field: interrupts that moved, and residency of idle states. */
#include "report/report.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "report/table.h"

/* Rows of a table by CPU that are worth a line: at least this many events in a trial of some arm. */
#define WORTH_A_LINE 1.0

enum { MOST_ROWS = 40 };

static bool worth_a_line(const struct report *report, const struct counter_cpu *cpu)
{
	for (size_t arm = 0; arm < report->n_arms; arm++)
		if (cpu->mean[arm] >= WORTH_A_LINE)
			return true;
	return false;
}

static bool moved(const struct report *report, const struct counter *c)
{
	for (size_t arm = 0; arm < report->n_arms; arm++)
		if (c->score[arm] > 0)
			return true;
	return false;
}

/* The lines and CPUs that moved, an arm after the other:
 *	CPU 0: RES [Rescheduling interrupts] = 197212 times */
static size_t interrupt_lines(const struct report *report, const struct counter *c, size_t arm,
	size_t room, struct strbuf *out)
{
	size_t n = 0;

	for (size_t i = 0; i < c->n_cpus && n < room; i++) {
		if (!worth_a_line(report, &c->cpu[i]))
			continue;
		strbuf_printf(out, "  CPU %d: %.46s = %.0f times\n", c->cpu[i].cpu, c->label,
			c->cpu[i].mean[arm]);
		n++;
	}
	return n;
}

void report_interrupts(const struct report *report, struct strbuf *out)
{
	const struct counters *cs = &report->counters;
	struct strbuf body = STRBUF_INIT;

	for (size_t arm = 0; arm < report->n_arms; arm++) {
		size_t room = MOST_ROWS;

		strbuf_printf(&body, "%s\n", report->arms[arm].label);
		for (size_t i = 0; i < cs->n && room; i++) {
			const struct counter *c = &cs->counter[i];

			if (strcmp(c->collector, "interrupts") == 0 && moved(report, c))
				room -= interrupt_lines(report, c, arm, room, &body);
		}
	}
	if (strchr(strbuf_text(&body), '=')) {
		report_heading(out, "interrupts by CPU, of the lines that moved (mean per trial)");
		strbuf_puts(out, strbuf_text(&body));
	}
	strbuf_release(&body);
}

static double cpu_mean(const struct counter *c, int cpu, size_t arm)
{
	for (size_t i = 0; c && i < c->n_cpus; i++)
		if (c->cpu[i].cpu == cpu)
			return c->cpu[i].mean[arm];
	return 0;
}

static void residency_arm(const struct report *report, size_t arm, struct table *table)
{
	const struct counters *cs = &report->counters;

	for (size_t i = 0; i < cs->n; i++) {
		const struct counter *time = &cs->counter[i], *usage, *disabled;

		if (strcmp(time->collector, "cpuidle") != 0 || strcmp(time->name, "time") != 0)
			continue;
		usage = counters_find(cs, "cpuidle", "usage", time->label);
		disabled = counters_find(cs, "cpuidle", "disabled", time->label);
		for (size_t k = 0; k < time->n_cpus && k < MOST_ROWS; k++) {
			int cpu = time->cpu[k].cpu;
			double us = time->cpu[k].mean[arm];
			double share = us / 1e6 / (cs->seconds[0] / fmax(cs->trials[0], 1)) * 100;

			if (us < WORTH_A_LINE && !worth_a_line(report, &time->cpu[k]))
				continue;
			table_cell(table, "%s", report->arms[arm].label);
			table_cell(table, "%d", cpu);
			table_cell(table, "%s", time->label);
			table_cell(table, "%.0f", round(cpu_mean(disabled, cpu, arm)));
			table_cell(table, "%.0f", cpu_mean(usage, cpu, arm));
			table_cell(table, "%.0f", us);
			table_cell(table, "%.1f %%", share);
		}
	}
}

void report_residency(const struct report *report, struct strbuf *out)
{
	static const char *const heads[] = { "arm", "CPU", "state", "disabled", "usage", "time us",
		"share" };
	struct table table;

	table_init(&table, "lrlrrrr");
	for (size_t i = 0; i < array_size(heads); i++)
		table_cell(&table, "%s", heads[i]);
	for (size_t arm = 0; arm < report->n_arms; arm++)
		residency_arm(report, arm, &table);
	if (table.n > table.n_columns) {
		report_heading(out, "idle states by CPU (mean per trial)");
		table_write(&table, REPORT_WIDTH, out);
	}
	table_release(&table);
}
