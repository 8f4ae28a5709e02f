/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/report.h"

#include <errno.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/json.h"
#include "experiment/decide.h"
#include "report/table.h"

/* A run that has not ended has no verdict on record: say what its blocks allow so far. */
static int verdict_so_far(struct report *report, struct error *err)
{
	const struct job_decide settings = {
		.margin = json_num(json_object_get(report->run.job, "decide"), "margin", 0.01),
		.confidence =
			json_num(json_object_get(report->run.job, "decide"), "confidence", 0.99),
		.equivalence_confidence = json_num(
			json_object_get(report->run.job, "decide"), "equivalence_confidence", 0.95),
		.max_blocks = (long)json_int(
			json_object_get(report->run.job, "decide"), "max_blocks", 64),
	};
	const char **labels = xcalloc(report->n_arms, sizeof(*labels));
	struct decision decision;
	int r = decide(&report->figures, (size_t)report->run.baseline_arm, &settings, false,
		&decision, err);

	for (size_t i = 0; i < report->n_arms; i++)
		labels[i] = report->arms[i].label;
	if (r == 0) {
		report->verdict = decision_json(&decision, &report->figures, labels, &settings);
		decision_release(&decision);
	}
	free(labels);
	return r;
}

static int load_numbers(struct report *report, struct error *err)
{
	int64_t run = report->run.id;
	int r = figures_load(
		report->store, run, report->n_arms, report->run.metric, &report->figures, err);

	if (r == -ENODATA) {
		error_release(err); /* a run without results has a report all the same */
		return 0;
	}
	if (r < 0)
		return r;
	report->has_figures = true;
	r = counters_load(report->store, run, (size_t)report->run.baseline_arm, &report->figures,
		&report->counters, err);
	if (r == 0 && report->run.verdict)
		report->verdict = json_incref(report->run.verdict);
	else if (r == 0)
		r = verdict_so_far(report, err);
	return r;
}

static int load_all(struct report *report, int64_t id, struct error *err)
{
	struct store *store = report->store;
	int r = store_run_get(store, id, &report->run, err);

	id = report->run.id;
	if (r == 0)
		r = store_arms(store, id, &report->arms, &report->n_arms, err);
	if (r == 0)
		r = store_trials(store, id, &report->trials, &report->n_trials, err);
	if (r == 0)
		r = store_collector_errors(store, id, &report->collector_errors, err);
	if (r == 0)
		r = store_collector_notes(store, id, &report->collector_notes, err);
	return r < 0 ? r : load_numbers(report, err);
}

int report_load(struct store *store, int64_t id, struct report *report, struct error *err)
{
	int r;

	*report = (struct report){ .store = store };
	/* Of one moment, while another program writes to the same run. */
	r = store_read_begin(store, err);
	if (r < 0)
		return r;
	r = load_all(report, id, err);
	store_read_end(store);
	if (r < 0)
		report_release(report);
	else
		report_choose_arms(report);
	return r;
}

void report_release(struct report *report)
{
	figures_release(&report->figures);
	counters_release(&report->counters);
	store_arms_free(report->arms, report->n_arms);
	store_trials_free(report->trials, report->n_trials);
	json_decref(report->verdict);
	json_decref(report->collector_errors);
	json_decref(report->collector_notes);
	for (size_t arm = 0; report->label && arm < report->n_arms; arm++)
		free(report->label[arm]);
	free(report->label);
	free(report->shown);
	store_run_release(&report->run);
	*report = (struct report){ 0 };
}

void report_text(const struct report *report, struct strbuf *out)
{
	report_machine(report, out);
	report_state(report, out);
	report_sentences(report, out);
	/* Where times are emulated, what was counted is the surer sign and goes first. */
	if (report_times_are_emulated(report))
		report_moved(report, out);
	report_effects(report, out);
	report_factors(report, out);
	report_figures(report, out);
	report_other_metrics(report, out);
	report_trials(report, out);
	if (!report_times_are_emulated(report))
		report_moved(report, out);
	report_interrupts(report, out);
	report_residency(report, out);
	report_splats(report, out);
	report_uncounted(report, out);
	report_reproduce(report, out);
}
