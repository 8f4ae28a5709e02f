/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "experiment/decide.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/json.h"
#include "stat/summary.h"

static void conclude(struct decision *decision)
{
	bool worse = false, open = false;

	decision->stopped = decision->n_arms > 1; /* one arm alone is described, not decided */
	for (size_t arm = 0; arm < decision->n_arms; arm++) {
		if (arm == decision->baseline)
			continue;
		worse |= decision->arm[arm].verdict == VERDICT_WORSE;
		open |= decision->arm[arm].verdict == VERDICT_UNDECIDED;
		decision->stopped &= decision->arm[arm].stopped;
	}
	decision->conclusion = worse  ? CONCLUSION_REGRESSION
			       : open ? CONCLUSION_UNDECIDED
				      : CONCLUSION_NO_REGRESSION;
}

/* The arms but the baseline, as rows of log ratios for the comparison, and back. */
struct rows {
	double **d;
	size_t *n;
	struct comparison *out;
	size_t n_rows;
};

static void rows_init(struct rows *rows, const struct figures *figures, size_t baseline)
{
	*rows = (struct rows){ .n_rows = figures->n_arms - 1 };
	rows->d = xcalloc(rows->n_rows, sizeof(*rows->d));
	rows->n = xcalloc(rows->n_rows, sizeof(*rows->n));
	rows->out = xcalloc(rows->n_rows, sizeof(*rows->out));
	for (size_t row = 0; row < rows->n_rows; row++) {
		size_t arm = row + (row >= baseline);

		rows->d[row] = xcalloc(figures->n_blocks, sizeof(**rows->d));
		rows->n[row] = figures_ratios(figures, arm, baseline, rows->d[row]);
	}
}

static void rows_release(struct rows *rows)
{
	for (size_t row = 0; row < rows->n_rows; row++)
		free(rows->d[row]);
	free(rows->d);
	free(rows->n);
	free(rows->out);
}

int decide(const struct figures *figures, size_t baseline, const struct job_decide *settings,
	bool final, struct decision *decision, struct error *err)
{
	struct rows rows;
	int r;

	*decision = (struct decision){ .n_arms = figures->n_arms, .baseline = baseline };
	r = compare_plan_init(&decision->plan, (int)settings->max_blocks,
		compare_alpha(settings->confidence), 1 - settings->equivalence_confidence,
		settings->margin, err);
	if (r < 0)
		return r;
	decision->arm = xcalloc(figures->n_arms, sizeof(*decision->arm));
	rows_init(&rows, figures, baseline);
	compare_arms(&decision->plan, (const double *const *)rows.d, rows.n, rows.n_rows,
		figures->better != BETTER_LOWER, final, rows.out);
	for (size_t row = 0; row < rows.n_rows; row++)
		decision->arm[row + (row >= baseline)] = rows.out[row];
	conclude(decision);
	rows_release(&rows);
	return 0;
}

void decision_release(struct decision *decision)
{
	free(decision->arm);
	*decision = (struct decision){ 0 };
}

static json_t *summary_json(const struct figures *figures, size_t arm)
{
	const double *x = figures->trial[arm];
	size_t n = figures->n_trials[arm];

	if (!n)
		return json_pack("{s:i}", "trials", 0);
	return json_pack("{s:I, s:o, s:o, s:o, s:o, s:o, s:o}", "trials", (json_int_t)n, "median",
		json_finite(summary_median(x, n)), "mean", json_finite(summary_mean(x, n)), "min",
		json_finite(summary_min(x, n)), "max", json_finite(summary_max(x, n)), "sd",
		json_finite(summary_sd(x, n)), "p90", json_finite(summary_quantile(x, n, 0.9)));
}

/* Blocks in which one of the two has no figure, or one of 0 or less. */
static size_t without_ratio(const struct figures *figures, size_t arm, size_t baseline)
{
	double *d = xcalloc(figures->n_blocks, sizeof(*d));
	size_t n = figures_ratios(figures, arm, baseline, d);

	free(d);
	return figures->n_blocks - n;
}

static json_t *arm_json(const struct decision *decision, const struct figures *figures, size_t arm,
	const char *label, double p_adjusted)
{
	const struct comparison *c = &decision->arm[arm];
	json_t *out = json_pack("{s:I, s:s, s:b, s:o}", "arm", (json_int_t)arm, "label", label,
		"baseline", arm == decision->baseline, "figure", summary_json(figures, arm));

	if (arm == decision->baseline)
		return out;
	json_object_set_new(out, "verdict", json_string(verdict_name(c->verdict)));
	json_object_set_new(out, "blocks", json_integer((json_int_t)c->n));
	json_object_set_new(out, "blocks_without_ratio",
		json_integer((json_int_t)without_ratio(figures, arm, decision->baseline)));
	json_object_set_new(out, "ratio", json_finite(c->n ? c->estimate : NAN));
	json_object_set_new(out, "low", json_finite(c->low));
	json_object_set_new(out, "high", json_finite(c->high));
	json_object_set_new(out, "interval_confidence", json_finite(1 - c->level));
	json_object_set_new(out, "p", json_finite(c->p));
	json_object_set_new(out, "p_adjusted", json_finite(p_adjusted));
	json_object_set_new(out, "p_equivalence", json_finite(c->p_equal));
	json_object_set_new(out, "smallest_effect_seen", json_finite(c->smallest));
	return out;
}

/* p of each arm over all its looks, adjusted for the number of arms; owned by the caller. */
static double *adjusted_p(const struct decision *decision)
{
	double *p = xcalloc(decision->n_arms, sizeof(*p));
	double *adjusted = xcalloc(decision->n_arms, sizeof(*adjusted));
	size_t n = 0;

	for (size_t arm = 0; arm < decision->n_arms; arm++)
		if (arm != decision->baseline)
			p[n++] = compare_overall_p(&decision->plan, &decision->arm[arm]);
	compare_holm(p, n, adjusted);
	free(p);
	return adjusted;
}

json_t *decision_json(const struct decision *decision, const struct figures *figures,
	const char *const *labels, const struct job_decide *settings)
{
	double *p = adjusted_p(decision);
	json_t *arms = json_array();

	for (size_t arm = 0; arm < decision->n_arms; arm++)
		json_array_append_new(arms, arm_json(decision, figures, arm, labels[arm],
						    p[arm - (arm > decision->baseline)]));
	free(p);
	return json_pack("{s:s, s:s, s:s, s:s, s:I, s:f, s:f, s:o}", "conclusion",
		conclusion_name(decision->conclusion), "metric", figures->metric, "unit",
		figures->unit, "better", better_name(figures->better), "blocks",
		(json_int_t)figures->n_blocks, "confidence", settings->confidence, "margin",
		settings->margin, "arms", arms);
}

const char *conclusion_name(enum conclusion conclusion)
{
	static const char *const names[] = {
		[CONCLUSION_NO_REGRESSION] = "no regression",
		[CONCLUSION_REGRESSION] = "regression",
		[CONCLUSION_UNDECIDED] = "undecided",
	};

	return names[conclusion];
}
