/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The metrics that the benchmark reported beside the one that decides. */
#include "report/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "report/ratio.h"
#include "report/table.h"
#include "stat/summary.h"

typedef void each_metric(const struct report *report, const struct figures *figures, void *context);

static void for_each(const struct report *report, each_metric *call, void *context)
{
	json_t *names, *name;
	size_t i;

	if (!report->has_figures ||
		figures_metrics(report->store, report->run.id, &names, NULL) < 0)
		return;
	json_array_foreach(names, i, name) {
		struct figures figures;

		if (strcmp(json_string_value(name), report->run.metric) == 0 ||
			figures_load(report->store, report->run.id, report->n_arms,
				json_string_value(name), &figures, NULL) < 0)
			continue;
		call(report, &figures, context);
		figures_release(&figures);
	}
	json_decref(names);
}

static double median_of(const struct figures *figures, size_t arm)
{
	return figures->n_trials[arm] ? summary_median(figures->trial[arm], figures->n_trials[arm])
				      : NAN;
}

static void add_rows(const struct report *report, const struct figures *figures, void *context)
{
	struct table *table = context;
	size_t base = (size_t)report->run.baseline_arm;

	table_span(table, "%s (%s%s%s is better)", figures->metric, figures->unit,
		*figures->unit ? ", " : "", better_name(figures->better));
	for (size_t i = 0; i < report->n_shown; i++) {
		size_t arm = report->shown[i];
		struct ratio ratio = ratio_of(figures, arm, base);
		char *median = report_number(median_of(figures, arm));

		table_cell(table, "  %s", report->label[arm]);
		table_cell(table, "%s", median);
		if (arm == base) {
			table_cell(table, NULL);
			table_cell(table, NULL);
		} else {
			ratio_cells(&ratio, table);
		}
		free(median);
	}
}

void report_other_metrics(const struct report *report, struct strbuf *out)
{
	static const char *const heads[] = { "metric and arm", "median", "effect",
		"99 % interval" };
	struct table table;

	table_init(&table, "lrrl");
	table_heads(&table, heads);
	for_each(report, add_rows, &table);
	if (table.n > table.n_columns) {
		report_heading(out, "other metrics (not adjusted for their number: no verdict)");
		table_write(&table, REPORT_WIDTH, out);
		report_not_shown(report, out);
	}
	table_release(&table);
}

static void add_objects(const struct report *report, const struct figures *figures, void *context)
{
	for (size_t arm = 0; arm < report->n_arms; arm++) {
		struct ratio ratio = ratio_of(figures, arm, (size_t)report->run.baseline_arm);

		json_array_append_new(
			context, json_pack("{s:s, s:s, s:s, s:I, s:o, s:o, s:o, s:o}", "metric",
					 figures->metric, "unit", figures->unit, "better",
					 better_name(figures->better), "arm", (json_int_t)arm,
					 "median", json_finite(median_of(figures, arm)), "ratio",
					 json_finite(ratio.estimate), "low", json_finite(ratio.low),
					 "high", json_finite(ratio.high)));
	}
}

json_t *report_other_metrics_json(const struct report *report)
{
	json_t *list = json_array();

	for_each(report, add_objects, list);
	return list;
}
