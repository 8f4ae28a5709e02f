/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The report as JSON. */
#include "report/report.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/json.h"

static json_t *numbers(const double *x, size_t n)
{
	json_t *list = json_array();

	for (size_t i = 0; i < n; i++)
		json_array_append_new(list, json_finite(x[i]));
	return list;
}

/* Text of a machine or a program may be any bytes. */
static json_t *text(const char *s)
{
	return s ? json_blob(s, strlen(s)) : json_null();
}

static json_t *run_json(const struct store_run *run)
{
	char *started = clock_iso8601(run->started_ns);
	char *ended = run->ended_ns ? clock_iso8601(run->ended_ns) : NULL;
	json_t *out = json_pack("{s:I, s:s, s:s, s:s, s:s?, s:o, s:I, s:s, s:s?, s:O?, s:O?, s:O?}",
		"id", (json_int_t)run->id, "name", run->name, "state", run_state_name(run->state),
		"started", started, "ended", ended, "error", text(run->error), "seed",
		(json_int_t)run->seed, "metric", run->metric, "version", run->version, "job",
		run->job, "facts", run->facts, "target", run->target);

	free(started);
	free(ended);
	return out;
}

static json_t *arms_json(const struct report *report)
{
	json_t *list = json_array();

	for (size_t i = 0; i < report->n_arms; i++)
		json_array_append_new(
			list, json_pack("{s:s, s:b, s:O?, s:O?}", "label", report->arms[i].label,
				      "baseline", (int64_t)i == report->run.baseline_arm, "levels",
				      report->arms[i].levels, "plan", report->arms[i].plan));
	return list;
}

static json_t *trials_json(const struct report *report)
{
	json_t *list = json_array();

	for (size_t i = 0; i < report->n_trials; i++) {
		const struct store_trial *t = &report->trials[i];

		json_array_append_new(
			list, json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:b, s:s, s:o, s:f, s:O?}",
				      "id", (json_int_t)t->id, "arm", (json_int_t)t->arm, "block",
				      (json_int_t)t->block, "position", (json_int_t)t->position,
				      "repeat", (json_int_t)t->repeat, "attempt",
				      (json_int_t)t->attempt, "warmup", t->warmup, "state",
				      trial_state_name(t->state), "reason", text(t->reason),
				      "seconds", (double)t->elapsed_ns / 1e9, "result", t->result));
	}
	return list;
}

static json_t *counter_json(const struct report *report, const struct counter *c)
{
	size_t n = report->n_arms;
	json_t *cpus = json_array();

	for (size_t i = 0; i < c->n_cpus; i++)
		json_array_append_new(cpus, json_pack("{s:i, s:o}", "cpu", c->cpu[i].cpu, "mean",
						    numbers(c->cpu[i].mean, n)));
	return json_pack("{s:s, s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "collector",
		c->collector, "name", text(c->name), "unit", c->unit, "label", text(c->label),
		"per_trial", numbers(c->mean, n), "per_second", numbers(c->per_second, n),
		"per_operation", numbers(c->per_op, n), "ratio", numbers(c->ratio, n), "score",
		numbers(c->score, n), "cpus", cpus);
}

json_t *report_json(const struct report *report)
{
	json_t *counters = json_array();

	for (size_t i = 0; i < report->counters.n; i++)
		json_array_append_new(counters, counter_json(report, &report->counters.counter[i]));
	return json_pack("{s:o, s:o, s:O?, s:o, s:o, s:o, s:o, s:O?, s:O?}", "run",
		run_json(&report->run), "arms", arms_json(report), "verdict", report->verdict,
		"other_metrics", report_other_metrics_json(report), "trials", trials_json(report),
		"counters", counters, "splats", report_splats_json(report), "not_collected",
		report->collector_errors, "notes", report->collector_notes);
}
