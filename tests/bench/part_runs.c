/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs to a verdict, by simulation with fixed seeds. A peer has to choose its number of runs first: it
 * is given the smallest that finds the effect as often as we do, as if it knew effect and noise. */
#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/rng.h"
#include "bench.h"
#include "report/table.h"
#include "rules.h"
#include "stat/compare.h"

enum { OURS = 1500, THEIRS = 2000, MAX_BLOCKS = 64, N_PEERS = 3, N_CASES = 4 };

static const double confidence = .99;

static const struct peer {
	const char *name;
	rule_call *rule;
} peers[N_PEERS] = {
	{ "Mann-Whitney", rule_mann_whitney },
	{ "Welch", rule_welch },
	{ "lkp", rule_lkp },
};

static const struct {
	double cv, effect;
} cases[N_CASES] = { { .01, .02 }, { .01, .05 }, { .02, .02 }, { .02, .05 } };

struct outcome {
	double runs, power;
};

static bool right(enum verdict verdict)
{
	return verdict == VERDICT_WORSE;
}

/* One trial of each arm a block: two runs. The effect makes things worse. */
static struct outcome ours(double cv, double effect)
{
	struct compare_plan plan;
	struct outcome out = { 0 };
	double d[MAX_BLOCKS];
	struct rng rng;

	if (compare_plan_init(&plan, MAX_BLOCKS, compare_alpha(confidence), .05, .01, NULL) < 0)
		abort();
	rng_seed(&rng, 5);
	for (int i = 0; i < OURS; i++) {
		struct comparison c = { 0 };
		size_t n = 0;

		while (!c.stopped) {
			d[n++] = log1p(-effect) + cv * (rng_normal(&rng) - rng_normal(&rng));
			if (compare_is_look(&plan, n) >= 0)
				compare_blocks(&plan, d, n, true, false, &c);
		}
		out.runs += 2 * (double)n / OURS;
		out.power += right(c.verdict) ? 1. / OURS : 0;
	}
	return out;
}

/* How often a rule says "lower" (or, without effect, anything) of n runs of each arm. */
static double rate(rule_call *rule, size_t n, double cv, double effect)
{
	double a[RULES_MAX_N], b[RULES_MAX_N];
	struct rules rules;
	struct rng rng;
	int hits = 0;

	rules_init(&rules, n, 1 - confidence);
	rng_seed(&rng, 6);
	for (int i = 0; i < THEIRS; i++) {
		for (size_t k = 0; k < n; k++) {
			a[k] = cv * rng_normal(&rng);
			b[k] = log1p(-effect) + cv * rng_normal(&rng);
		}
		hits += effect > 0 ? rule(&rules, a, b) < 0 : rule(&rules, a, b) != 0;
	}
	rules_release(&rules);
	return (double)hits / THEIRS;
}

/* The smallest n with that power and no more false verdicts than we promise; 0: there is none. */
static size_t smallest_n(const struct peer *peer, double cv, double effect, double power)
{
	size_t low = 2, high = RULES_MAX_N, n;

	/* lkp's rule errs less with more runs, and finds less, too: no bisection there. */
	for (n = low; peer->rule == rule_lkp && n <= high; n++)
		if (rate(peer->rule, n, cv, 0) <= 1 - confidence &&
			rate(peer->rule, n, cv, effect) >= power)
			return n;
	if (peer->rule == rule_lkp || rate(peer->rule, high, cv, effect) < power)
		return 0;
	while (low < high) {
		n = (low + high) / 2;
		if (rate(peer->rule, n, cv, effect) >= power)
			high = n;
		else
			low = n + 1;
	}
	return low;
}

static void peer_cells(struct table *table, size_t n, double ours_runs)
{
	if (n)
		table_cell(table, "%zu (x %.1f)", 2 * n, 2 * (double)n / ours_runs);
	else
		table_cell(table, "none to %d", 2 * RULES_MAX_N);
}

static void heads(struct table *table)
{
	table_init(table, "lrrrr");
	table_cell(table, "%s", "noise, effect");
	table_cell(table, "%s", "ours (found)");
	for (int p = 0; p < N_PEERS; p++)
		table_cell(table, "%s", peers[p].name);
}

static int run(struct bench *b, struct error *err)
{
	struct outcome own[N_CASES];
	size_t most[N_PEERS] = { 0 };
	struct table table;

	(void)err;
	report_heading(&b->out, "5. runs to a verdict, both arms, 1 %% false verdicts");
	heads(&table);
	for (int i = 0; i < N_CASES; i++) {
		own[i] = ours(cases[i].cv, cases[i].effect);
		table_cell(&table, "cv %.0f %%, %.0f %%", cases[i].cv * 100, cases[i].effect * 100);
		table_cell(&table, "%.1f (%.1f %%)", own[i].runs, own[i].power * 100);
		for (int p = 0; p < N_PEERS; p++) {
			size_t n = smallest_n(
				&peers[p], cases[i].cv, cases[i].effect, fmin(own[i].power, .99));

			peer_cells(&table, n, own[i].runs);
			most[p] = n && (i == 0 || most[p]) ? (n > most[p] ? n : most[p]) : 0;
		}
	}
	table_span(
		&table, "with one number of runs for all four, as who knows neither must choose:");
	for (int i = 0; i < N_CASES; i++) {
		table_cell(&table, "cv %.0f %%, %.0f %%", cases[i].cv * 100, cases[i].effect * 100);
		table_cell(&table, "%.1f", own[i].runs);
		for (int p = 0; p < N_PEERS; p++)
			peer_cells(&table, most[p], own[i].runs);
	}
	table_write(&table, REPORT_WIDTH, &b->out);
	strbuf_puts(&b->out,
		"Mean of ours, up to 64 blocks; the fixed number of the others, the smallest that\n"
		"finds the effect as often (99 % at most). Rules of benchstat (exact "
		"Mann-Whitney)\n"
		"and of lkp-tests are written anew here from their sources.\n");
	return 0;
}

const struct part part_runs = {
	.name = "runs", .help = "runs to a verdict, simulated", .run = run
};
