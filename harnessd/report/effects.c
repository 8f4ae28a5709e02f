/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The verdict: a sentence for each arm, the table of effects, the other metrics, and the trials. */
#include "report/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "report/table.h"
#include "stat/location.h"

static const json_t *verdict_arm(const struct report *report, size_t arm)
{
	return json_array_get(json_object_get(report->verdict, "arms"), arm);
}

/* "[+3.1 %, +5.2 %]" */
static char *interval_text(const json_t *arm)
{
	char *low = report_percent(json_num(arm, "low", NAN));
	char *high = report_percent(json_num(arm, "high", NAN));
	char *text = xasprintf("[%s, %s]", low, high);

	free(low);
	free(high);
	return text;
}

/* A difference can be certain and still too small to matter by the job's own margin. */
static bool within_margin(const struct report *report, const json_t *arm)
{
	double margin = json_num(report->verdict, "margin", 0);

	return margin > 0 && json_num(arm, "low", 0) >= 1 / (1 + margin) &&
	       json_num(arm, "high", INFINITY) <= 1 + margin;
}

static void say_verdict(
	const struct report *report, const json_t *arm, const char *baseline, struct strbuf *line)
{
	const char *verdict = json_str(arm, "verdict", "undecided");
	double margin = json_num(report->verdict, "margin", 0) * 100;
	char *change = report_percent(json_num(arm, "ratio", NAN)), *interval = interval_text(arm);
	double smallest = json_num(arm, "smallest_effect_seen", NAN) * 100;

	strbuf_printf(line, "%s is ", json_str(arm, "label", "?"));
	if (strcmp(verdict, "equivalent") == 0)
		strbuf_printf(line, "EQUIVALENT to %s within %.3g %%: ", baseline, margin);
	else if (strcmp(verdict, "undecided") == 0)
		strbuf_printf(line, "UNDECIDED against %s: ", baseline);
	else
		strbuf_printf(line, "%s than %s%s: ", verdict[0] == 'b' ? "BETTER" : "WORSE",
			baseline, within_margin(report, arm) ? ", though within the margin" : "");
	strbuf_printf(line, "%s %s %s, %.4g %% interval, %lld blocks", report->run.metric, change,
		interval, json_num(arm, "interval_confidence", NAN) * 100,
		(long long)json_int(arm, "blocks", 0));
	if (isfinite(smallest))
		strbuf_printf(line, "; an effect of %.3g %% would have been seen", smallest);
	free(change);
	free(interval);
}

void report_sentence(const struct report *report, struct strbuf *out)
{
	size_t baseline = (size_t)report->run.baseline_arm;

	if (!report->verdict)
		return;
	strbuf_putc(out, '\n', 1);
	for (size_t arm = 0; arm < report->n_arms; arm++) {
		struct strbuf line = STRBUF_INIT;

		if (arm == baseline)
			continue;
		say_verdict(report, verdict_arm(report, arm), report->arms[baseline].label, &line);
		report_wrapped(out, 2, strbuf_text(&line));
		strbuf_release(&line);
	}
}

static void effect_row(const struct report *report, size_t arm, struct table *table)
{
	const json_t *row = verdict_arm(report, arm), *figure = json_object_get(row, "figure");
	bool baseline = arm == (size_t)report->run.baseline_arm;
	char *median = report_number(json_num(figure, "median", NAN));
	double sd = json_num(figure, "sd", NAN) / json_num(figure, "mean", NAN) * 100;
	char *change = report_percent(json_num(row, "ratio", NAN)), *interval = interval_text(row);

	table_cell(table, "%s", report->arms[arm].label);
	table_cell(table, "%lld", (long long)json_int(figure, "trials", 0));
	table_cell(table, "%s", median);
	table_cell(table, isfinite(sd) ? "%.2g %%" : "-", sd);
	table_cell(table, "%s", baseline ? "baseline" : change);
	table_cell(table, "%s", baseline ? "" : interval);
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
	static const char *const heads[] = { "arm", "n", "median", "sd", "effect", "interval", "p",
		"verdict" };
	struct table table;

	if (!report->verdict)
		return;
	report_heading(out, "%s (%s, %s is better), %lld blocks", report->run.metric,
		report->figures.unit, better_name(report->figures.better),
		(long long)json_int(report->verdict, "blocks", 0));
	table_init(&table, "lrrrrlrl");
	for (size_t i = 0; i < array_size(heads); i++)
		table_cell(&table, "%s", heads[i]);
	for (size_t arm = 0; arm < report->n_arms; arm++)
		effect_row(report, arm, &table);
	table_write(&table, REPORT_WIDTH, out);
}

static void other_row(const struct report *report, const struct figures *figures, size_t arm,
	double *d, struct table *table)
{
	size_t baseline = (size_t)report->run.baseline_arm;
	size_t n = figures_ratios(figures, arm, baseline, d);
	double from = NAN, to = NAN, estimate = NAN;
	char *change, *low, *high;

	if (n >= 2) {
		struct location location;

		location_init(&location, d, n);
		location_interval(&location, 0.01, &from, &to);
		estimate = location_estimate(&location);
		location_release(&location);
	}
	change = report_percent(exp(estimate));
	low = report_percent(exp(from));
	high = report_percent(exp(to));
	table_cell(table, "%s %s", figures->metric, report->arms[arm].label);
	table_cell(table, "%s", figures->unit);
	table_cell(table, "%s", better_name(figures->better));
	table_cell(table, "%s", change);
	table_cell(table, "[%s, %s]", low, high);
	free(change);
	free(low);
	free(high);
}

static void other_metric(const struct report *report, const char *metric, struct table *table)
{
	struct figures figures;
	double *d;

	if (figures_load(report->store, report->run.id, report->n_arms, metric, &figures, NULL) < 0)
		return;
	d = xcalloc(figures.n_blocks, sizeof(*d));
	for (size_t arm = 0; arm < report->n_arms; arm++)
		if (arm != (size_t)report->run.baseline_arm)
			other_row(report, &figures, arm, d, table);
	free(d);
	figures_release(&figures);
}

void report_other_metrics(const struct report *report, struct strbuf *out)
{
	static const char *const heads[] = { "metric and arm", "unit", "better", "effect",
		"99 % interval" };
	json_t *names, *name;
	struct table table;
	size_t i;

	if (!report->has_figures ||
		figures_metrics(report->store, report->run.id, &names, NULL) < 0)
		return;
	if (json_array_size(names) > 1) {
		report_heading(out, "other metrics (not adjusted for their number: no verdict)");
		table_init(&table, "lllrl");
		for (size_t h = 0; h < array_size(heads); h++)
			table_cell(&table, "%s", heads[h]);
		json_array_foreach(names, i, name) {
			if (strcmp(json_string_value(name), report->run.metric) != 0)
				other_metric(report, json_string_value(name), &table);
		}
		table_write(&table, REPORT_WIDTH, out);
	}
	json_decref(names);
}

void report_trials(const struct report *report, struct strbuf *out)
{
	size_t bad = 0;
	struct table table;

	for (size_t i = 0; i < report->n_trials; i++)
		bad += report->trials[i].state != TRIAL_DONE;
	if (!bad)
		return;
	report_heading(out, "%zu of %zu trials do not count", bad, report->n_trials);
	table_init(&table, "llrl");
	for (size_t i = 0; i < report->n_trials; i++) {
		const struct store_trial *t = &report->trials[i];

		if (t->state == TRIAL_DONE)
			continue;
		table_cell(&table, "%s", report->arms[t->arm].label);
		table_cell(&table, "%s", trial_state_name(t->state));
		table_cell(&table, "block %lld", (long long)t->block);
		table_cell(&table, "%.*s", 300, t->reason ? t->reason : "");
	}
	table_write(&table, REPORT_WIDTH * 5, out);
}
