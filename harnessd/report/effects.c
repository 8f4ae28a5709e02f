/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The deciding metric in numbers: effects with their intervals, and the figures of the trials. */
#include "report/report.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/json.h"
#include "report/table.h"

static void effect_row(const struct report *report, size_t arm, struct table *table)
{
	const json_t *row = report_verdict(report, arm), *figure = json_object_get(row, "figure");
	bool baseline = report_is_baseline(report, arm);
	char *median = report_number(json_num(figure, "median", NAN));
	char *change = report_percent(json_num(row, "ratio", NAN));
	char *interval = report_interval(json_num(row, "low", 0), json_num(row, "high", INFINITY));

	table_cell(table, "%s", report->label[arm]);
	table_cell(table, "%lld", (long long)json_int(figure, "trials", 0));
	table_cell(table, "%s", median);
	table_cell(table, "%s", baseline ? "baseline" : change);
	table_cell(table, "%s", baseline ? "" : *interval ? interval : "-");
	if (baseline || !json_is_number(json_object_get(row, "p_adjusted")))
		table_cell(table, NULL);
	else
		table_cell(table, "%.2g", json_num(row, "p_adjusted", 1));
	table_cell(table, "%s", baseline ? "" : json_str(row, "verdict", ""));
	free(median);
	free(change);
	free(interval);
}

void report_effects(const struct report *report, struct strbuf *out)
{
	static const char *const heads[] = { "arm", "n", "median", "effect", "interval", "p",
		"verdict" };
	struct table table;
	char *blocks;

	if (!report->verdict)
		return;
	blocks = report_plural((size_t)json_int(report->verdict, "blocks", 0), "block");
	report_heading(out, "%s (%s%s%s is better), %s", report->run.metric, report->figures.unit,
		*report->figures.unit ? ", " : "", better_name(report->figures.better), blocks);
	table_init(&table, "lrrrlrl");
	table_heads(&table, heads);
	for (size_t arm = 0; arm < report->n_arms; arm++)
		effect_row(report, arm, &table);
	table_write(&table, REPORT_WIDTH, out);
	free(blocks);
}

static void figure_row(const struct report *report, size_t arm, struct table *table)
{
	static const char *const members[] = { "min", "median", "mean", "p90", "max" };
	const json_t *figure = json_object_get(report_verdict(report, arm), "figure");
	size_t n = (size_t)json_int(figure, "trials", 0);
	double sd = json_num(figure, "sd", NAN) / fabs(json_num(figure, "mean", NAN)) * 100;

	table_cell(table, "%s", report->label[arm]);
	table_cell(table, "%zu", n);
	for (size_t i = 0; i < array_size(members); i++) {
		char *number = report_number(json_num(figure, members[i], NAN));

		table_cell(table, "%s", number);
		free(number);
	}
	table_cell(table, n > 1 && isfinite(sd) ? "%.2g %%" : "-", sd);
}

void report_figures(const struct report *report, struct strbuf *out)
{
	static const char *const heads[] = { "arm", "n", "min", "median", "mean", "p90", "max",
		"sd" };
	struct table table;

	if (!report->verdict)
		return;
	report_heading(out, "the trials' figures");
	table_init(&table, "lrrrrrrr");
	table_heads(&table, heads);
	for (size_t arm = 0; arm < report->n_arms; arm++)
		figure_row(report, arm, &table);
	table_write(&table, REPORT_WIDTH, out);
}
