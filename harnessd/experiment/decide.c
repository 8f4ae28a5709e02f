/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "experiment/decide.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "stat/summary.h"

/* One arm while the looks are replayed. */
struct contest {
	double *d;
	size_t n;
};

struct replay {
	const struct figures *figures;
	const struct job_decide *settings;
	struct compare_plan *plan; /* [k - 1]: each of k open arms has alpha / k */
	struct contest *contest;
	struct decision *decision;
	size_t open;
};

static int make_plans(struct replay *replay, size_t n_plans, struct error *err)
{
	const struct job_decide *s = replay->settings;
	double alpha = compare_alpha(s->confidence);

	replay->plan = xcalloc(n_plans ? n_plans : 1, sizeof(*replay->plan));
	for (size_t k = 1; k <= n_plans; k++) {
		int r = compare_plan_init(&replay->plan[k - 1], (int)s->max_blocks, alpha / (double)k,
			1 - s->equivalence_confidence, s->margin, err);

		if (r < 0)
			return r;
	}
	return 0;
}

static bool differs(const struct comparison *c)
{
	return c->verdict == VERDICT_BETTER || c->verdict == VERDICT_WORSE;
}

/* One arm at one look. Return: true when it was found different, which frees its share of alpha. */
static bool look_at(struct replay *replay, size_t arm, size_t n, bool final)
{
	struct contest *contest = &replay->contest[arm];
	struct comparison *out = &replay->decision->arm[arm];
	size_t use = contest->n < n ? contest->n : n;

	compare_blocks(&replay->plan[replay->open - 1], contest->d, use,
		replay->figures->better == BETTER_HIGHER, final, out);
	return differs(out);
}

/* All open arms at one look, again while one of them falls: Holm's step-down. */
static void look(struct replay *replay, size_t n, bool final, bool *over)
{
	bool again;

	do {
		again = false;
		for (size_t arm = 0; arm < replay->decision->n_arms; arm++) {
			if (arm == replay->decision->baseline || over[arm])
				continue;
			if (look_at(replay, arm, n, final)) {
				over[arm] = again = true;
				if (replay->open > 1)
					replay->open--;
			}
		}
	} while (again);
	for (size_t arm = 0; arm < replay->decision->n_arms; arm++)
		if (replay->decision->arm[arm].verdict == VERDICT_EQUIVALENT)
			over[arm] = true;
}

static size_t most_blocks(const struct replay *replay)
{
	size_t most = 0;

	for (size_t arm = 0; arm < replay->decision->n_arms; arm++)
		if (replay->contest[arm].n > most)
			most = replay->contest[arm].n;
	return most;
}

static void replay_looks(struct replay *replay, bool final)
{
	const struct compare_plan *plan = &replay->plan[0];
	size_t n = most_blocks(replay);
	bool *over = xcalloc(replay->decision->n_arms, sizeof(*over));
	bool planned = false;

	for (size_t i = 0; i < plan->n_looks && (size_t)plan->looks[i] <= n; i++) {
		look(replay, (size_t)plan->looks[i], false, over);
		planned = (size_t)plan->looks[i] == n;
	}
	if (!planned)
		look(replay, n, final, over);
	free(over);
}

static void conclude(struct decision *decision)
{
	bool worse = false, open = false;

	decision->stopped = true;
	for (size_t arm = 0; arm < decision->n_arms; arm++) {
		if (arm == decision->baseline)
			continue;
		worse |= decision->arm[arm].verdict == VERDICT_WORSE;
		open |= decision->arm[arm].verdict == VERDICT_UNDECIDED;
		decision->stopped &= decision->arm[arm].stopped;
	}
	decision->conclusion = worse ? CONCLUSION_REGRESSION
			       : open ? CONCLUSION_UNDECIDED
				      : CONCLUSION_NO_REGRESSION;
}

static void adjust(struct decision *decision)
{
	double *p = xcalloc(decision->n_arms, sizeof(*p));
	double *adjusted = xcalloc(decision->n_arms, sizeof(*adjusted));
	size_t k = 0;

	for (size_t arm = 0; arm < decision->n_arms; arm++)
		if (arm != decision->baseline)
			p[k++] = decision->arm[arm].p;
	compare_holm(p, k, adjusted);
	k = 0;
	for (size_t arm = 0; arm < decision->n_arms; arm++)
		decision->p_adjusted[arm] = arm == decision->baseline ? 1 : adjusted[k++];
	free(p);
	free(adjusted);
}

int decide(const struct figures *figures, size_t baseline, const struct job_decide *settings,
	bool final, struct decision *decision, struct error *err)
{
	struct replay replay = {
		.figures = figures,
		.settings = settings,
		.decision = decision,
		.open = figures->n_arms > 1 ? figures->n_arms - 1 : 1,
	};
	int r;

	*decision = (struct decision){ .n_arms = figures->n_arms, .baseline = baseline };
	decision->arm = xcalloc(figures->n_arms, sizeof(*decision->arm));
	decision->p_adjusted = xcalloc(figures->n_arms, sizeof(*decision->p_adjusted));
	replay.contest = xcalloc(figures->n_arms, sizeof(*replay.contest));
	r = make_plans(&replay, replay.open, err);
	if (r < 0)
		goto out;
	for (size_t arm = 0; arm < figures->n_arms; arm++) {
		struct contest *c = &replay.contest[arm];

		c->d = xcalloc(figures->n_blocks, sizeof(*c->d));
		if (arm != baseline)
			c->n = figures_ratios(figures, arm, baseline, c->d);
	}
	replay_looks(&replay, final);
	adjust(decision);
	conclude(decision);
out:
	for (size_t arm = 0; arm < figures->n_arms; arm++)
		free(replay.contest[arm].d);
	free(replay.contest);
	free(replay.plan);
	if (r < 0)
		decision_release(decision);
	return r;
}

void decision_release(struct decision *decision)
{
	free(decision->arm);
	free(decision->p_adjusted);
	*decision = (struct decision){ 0 };
}

static json_t *number(double x)
{
	return isfinite(x) ? json_real(x) : json_null();
}

static json_t *summary_json(const struct figures *figures, size_t arm)
{
	const double *x = figures->trial[arm];
	size_t n = figures->n_trials[arm];

	if (!n)
		return json_pack("{s:i}", "trials", 0);
	return json_pack("{s:I, s:o, s:o, s:o, s:o, s:o, s:o}", "trials", (json_int_t)n, "median",
		number(summary_median(x, n)), "mean", number(summary_mean(x, n)), "min",
		number(summary_min(x, n)), "max", number(summary_max(x, n)), "sd",
		number(summary_sd(x, n)), "p90", number(summary_quantile(x, n, 0.9)));
}

static json_t *arm_json(const struct decision *decision, const struct figures *figures, size_t arm,
	const char *label)
{
	const struct comparison *c = &decision->arm[arm];
	json_t *out = json_pack("{s:I, s:s, s:b, s:o}", "arm", (json_int_t)arm, "label", label,
		"baseline", arm == decision->baseline, "figure", summary_json(figures, arm));

	if (arm == decision->baseline)
		return out;
	json_object_set_new(out, "verdict", json_string(verdict_name(c->verdict)));
	json_object_set_new(out, "blocks", json_integer((json_int_t)c->n));
	json_object_set_new(out, "ratio", number(c->estimate));
	json_object_set_new(out, "low", number(c->low));
	json_object_set_new(out, "high", number(c->high));
	json_object_set_new(out, "interval_confidence", number(1 - c->level));
	json_object_set_new(out, "p", number(c->p));
	json_object_set_new(out, "p_adjusted", number(decision->p_adjusted[arm]));
	json_object_set_new(out, "p_equivalence", number(c->p_equal));
	json_object_set_new(out, "smallest_effect_seen", number(c->smallest));
	return out;
}

json_t *decision_json(const struct decision *decision, const struct figures *figures,
	const char *const *labels, const struct job_decide *settings)
{
	json_t *arms = json_array();

	for (size_t arm = 0; arm < decision->n_arms; arm++)
		json_array_append_new(arms, arm_json(decision, figures, arm, labels[arm]));
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
