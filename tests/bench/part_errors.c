/* SPDX-License-Identifier: GPL-2.0-or-later */
/* False verdicts on equal arms under the noise of real machines, by simulation with fixed seeds. */
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../unit/noise.h"
#include "base/alloc.h"
#include "bench.h"
#include "report/table.h"
#include "rules.h"
#include "stat/compare.h"

/* The 13 models of docs/statistics.md; those behind them round numbers. */
enum { MODELS = 13, TRIALS = 20000, MAX_BLOCKS = 64, FIXED_N = 15, LKP_N = 5, N_RULES = 4 };

struct result {
	double rate[N_RULES];
};

/* Both arms in random order, a fresh boot for each: one block. */
static double block(struct noise *noise)
{
	size_t first = rng_below(noise->rng, 2);
	double y[2];

	for (size_t i = 0; i < 2; i++) {
		noise_boot(noise);
		y[i ^ first] = noise_run(noise, 0);
	}
	return y[1] - y[0];
}

static double ours(const struct noise_model *model, uint64_t seed)
{
	struct compare_plan plan;
	double d[MAX_BLOCKS];
	struct rng rng;
	int wrong = 0;

	if (compare_plan_init(&plan, MAX_BLOCKS, compare_alpha(.99), .05, .01, NULL) < 0)
		abort();
	rng_seed(&rng, seed);
	for (int i = 0; i < TRIALS; i++) {
		struct comparison c = { 0 };
		struct noise noise;
		size_t n = 0;

		noise_start(&noise, model, &rng);
		while (!c.stopped) {
			d[n++] = block(&noise);
			if (compare_is_look(&plan, n) >= 0)
				compare_blocks(&plan, d, n, true, false, &c);
		}
		wrong += c.verdict == VERDICT_BETTER || c.verdict == VERDICT_WORSE;
	}
	return (double)wrong / TRIALS;
}

/* As these tools are used: all runs of one arm, then all of the other, each in a fresh boot. */
static double theirs(const struct noise_model *model, rule_call *rule, size_t n, uint64_t seed)
{
	double y[2][RULES_MAX_N];
	struct rules rules;
	struct rng rng;
	int wrong = 0;

	rules_init(&rules, n, .01);
	rng_seed(&rng, seed);
	for (int i = 0; i < TRIALS; i++) {
		struct noise noise;

		noise_start(&noise, model, &rng);
		for (size_t k = 0; k < 2 * n; k++) {
			noise_boot(&noise);
			y[k / n][k % n] = noise_run(&noise, 0);
		}
		wrong += rule(&rules, y[0], y[1]) != 0;
	}
	rules_release(&rules);
	return (double)wrong / TRIALS;
}

static void measure(int model, struct result *out)
{
	const struct noise_model *m = &noise_models[model];
	uint64_t seed = 11 + (uint64_t)model;

	out->rate[0] = ours(m, seed);
	out->rate[1] = theirs(m, rule_mann_whitney, FIXED_N, seed);
	out->rate[2] = theirs(m, rule_welch, FIXED_N, seed);
	out->rate[3] = theirs(m, rule_lkp, LKP_N, seed);
}

/* Two processes, which see each other's results; their order changes nothing. */
static void measure_all(struct result *results)
{
	pid_t pid = fork();

	for (int model = pid == 0; model < MODELS; model += pid < 0 ? 1 : 2)
		measure(model, &results[model]);
	if (pid == 0)
		_exit(0);
	if (pid > 0)
		waitpid(pid, NULL, 0);
}

static void print(struct bench *b, const struct result *results)
{
	static const char *const head[] = { "noise", "ours", "Mann-Whitney n 15", "Welch n 15",
		"lkp n 5" };
	struct result worst = { 0 };
	struct table table;

	report_heading(&b->out, "6. false verdicts on equal arms, %% of %d (goal: 1.0)", TRIALS);
	table_init(&table, "lrrrr");
	for (size_t i = 0; i < array_size(head); i++)
		table_cell(&table, "%s", head[i]);
	for (int m = 0; m <= MODELS; m++) {
		const struct result *r = m < MODELS ? &results[m] : &worst;

		table_cell(&table, "%s", m < MODELS ? noise_models[m].name : "worst");
		for (int k = 0; k < N_RULES; k++) {
			table_cell(&table, "%.2f", r->rate[k] * 100);
			worst.rate[k] = fmax(worst.rate[k], r->rate[k]);
		}
	}
	table_write(&table, REPORT_WIDTH, &b->out);
	strbuf_puts(&b->out,
		"Ours: blocks in random order, up to 64. The others as they are used: all runs of\n"
		"one arm, then of the other; tests at 1 %. Rules written anew from their "
		"sources.\n");
}

static int run(struct bench *b, struct error *err)
{
	size_t size = MODELS * sizeof(struct result);
	struct result *results =
		mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	(void)err;
	if (results == MAP_FAILED)
		abort();
	measure_all(results);
	print(b, results);
	munmap(results, size);
	return 0;
}

const struct part part_errors = {
	.name = "errors", .help = "false verdicts under 13 models of noise, simulated", .run = run
};
