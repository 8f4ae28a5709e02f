/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "experiment/counters.h"

#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json.h"

/* Below these a counter has not moved: standard errors, and change as a ratio. */
#define MIN_ERRORS 4.0
#define MIN_RATIO 1.05

struct reader {
	struct counters *counters;
	struct strbuf label;
};

static size_t cells(const struct counters *c)
{
	return c->n_arms * c->n_blocks;
}

/* Labels in the order they were given; those that only place or repeat the others are left out. */
static void write_label(const struct value *v, struct strbuf *out)
{
	static const char *const silent[] = { "cpu", "row", "index", "first_line", "task" };

	strbuf_clear(out);
	for (size_t i = 0; i < v->n_labels; i++) {
		bool skip = !*v->labels[i].value;

		for (size_t s = 0; s < array_size(silent); s++)
			skip |= strcmp(v->labels[i].key, silent[s]) == 0;
		if (!skip && strcmp(v->labels[i].value, v->name) != 0)
			strbuf_printf(out, "%s%s", out->len ? " " : "", v->labels[i].value);
	}
}

static bool is_counter(
	const struct counter *c, const char *collector, const char *name, const char *label)
{
	return strcmp(c->label, label) == 0 && strcmp(c->name, name) == 0 &&
	       strcmp(c->collector, collector) == 0;
}

static uint64_t hash_more(uint64_t hash, const char *text)
{
	do
		hash = (hash ^ (unsigned char)*text) * 0x100000001b3ULL; /* FNV-1a, the NUL too */
	while (*text++);
	return hash;
}

/* Where this counter's number is in the index, or is to go. Slots hold 0 or a number from 1 on. */
static size_t *slot_of(
	const struct counters *cs, const char *collector, const char *name, const char *label)
{
	uint64_t hash = 0xcbf29ce484222325ULL;
	size_t i;

	hash = hash_more(hash_more(hash_more(hash, collector), name), label);
	for (i = hash & (cs->n_index - 1); cs->index[i]; i = (i + 1) & (cs->n_index - 1))
		if (is_counter(&cs->counter[cs->index[i] - 1], collector, name, label))
			break;
	return &cs->index[i];
}

const struct counter *counters_find(
	const struct counters *counters, const char *collector, const char *name, const char *label)
{
	size_t number = counters->n ? *slot_of(counters, collector, name, label) : 0;

	return number ? &counters->counter[number - 1] : NULL;
}

/* At least half of the index stays free. */
static void make_room(struct counters *cs)
{
	if (cs->n * 2 < cs->n_index)
		return;
	free(cs->index);
	cs->n_index = cs->n_index ? cs->n_index * 2 : 64;
	cs->index = xcalloc(cs->n_index, sizeof(*cs->index));
	assert(cs->counter || !cs->n);
	for (size_t i = 0; i < cs->n; i++) {
		const struct counter *c = &cs->counter[i];

		*slot_of(cs, c->collector, c->name, c->label) = i + 1;
	}
}

static struct counter *add_counter(
	struct counters *cs, const char *collector, const struct value *v, const char *label)
{
	struct counter *c;

	make_room(cs);
	array_reserve(cs->counter, cs->n, cs->cap);
	assert(cs->counter);
	*slot_of(cs, collector, v->name, label) = cs->n + 1;
	c = &cs->counter[cs->n++];
	*c = (struct counter){
		.collector = xstrdup(collector),
		.name = xstrdup(v->name),
		.unit = xstrdup(v->unit),
		.label = xstrdup(label),
		.cell = xcalloc(cells(cs), sizeof(double)),
		.mean = xcalloc(cs->n_arms, sizeof(double)),
		.per_second = xcalloc(cs->n_arms, sizeof(double)),
		.per_op = xcalloc(cs->n_arms, sizeof(double)),
		.ratio = xcalloc(cs->n_arms, sizeof(double)),
		.score = xcalloc(cs->n_arms, sizeof(double)),
	};
	return c;
}

/* Counters that differ in labels that a person does not see are one. */
static struct counter *counter_of(struct reader *r, const char *collector, const struct value *v)
{
	const struct counter *c;

	write_label(v, &r->label);
	c = counters_find(r->counters, collector, v->name, strbuf_text(&r->label));
	return c ? (struct counter *)c
		 : add_counter(r->counters, collector, v, strbuf_text(&r->label));
}

/* CPUs rise in the list; mostly they come that way. */
static struct counter_cpu *cpu_of(struct counter *c, int cpu, size_t n_arms)
{
	size_t at = c->n_cpus;

	while (at > 0 && c->cpu[at - 1].cpu > cpu)
		at--;
	if (at > 0 && c->cpu[at - 1].cpu == cpu)
		return &c->cpu[at - 1];
	array_reserve(c->cpu, c->n_cpus, c->cap_cpus);
	memmove(&c->cpu[at + 1], &c->cpu[at], (c->n_cpus++ - at) * sizeof(*c->cpu));
	c->cpu[at] = (struct counter_cpu){ .cpu = cpu, .mean = xcalloc(n_arms, sizeof(double)) };
	return &c->cpu[at];
}

static int read_table(void *context, const struct store_counter_table *table)
{
	struct reader *r = context;
	struct counters *cs = r->counters;
	struct counter *c = counter_of(r, table->collector, table->value);

	for (size_t i = 0; i < table->n_cpus; i++) {
		struct counter_cpu *cpu = cpu_of(c, table->cpu[i], cs->n_arms);

		for (size_t arm = 0; arm < cs->n_arms; arm++)
			cpu->mean[arm] += table->cpu_sum[i * cs->n_arms + arm];
	}
	if (!table->per_cpu &&
		!c->total) { /* the collector's own total replaces our sum over CPUs */
		c->total = true;
		memset(c->cell, 0, cells(cs) * sizeof(double));
	}
	for (size_t i = 0; i < cells(cs) && !table->per_cpu == c->total; i++)
		c->cell[i] += table->cell[i];
	return 0;
}

static double arm_sum(const struct counters *cs, const double *cell, size_t arm)
{
	double sum = 0;

	for (size_t b = 0; b < cs->n_blocks; b++)
		sum += cell[arm * cs->n_blocks + b];
	return sum;
}

/* A share is no count: it is not taken per second or per operation. */
static bool is_share(const struct counter *c)
{
	return strcmp(c->unit, "%") == 0;
}

bool counter_is_flag(const struct counter *c)
{
	return !*c->unit || strcmp(c->name, "running_share") == 0;
}

/* In how many of an arm's trials its collector did its work: of the others nothing is known. */
static double trials_seen(const json_t *coverage, const char *collector, size_t arm)
{
	json_t *entry;
	size_t i;

	json_array_foreach(coverage, i, entry) {
		if ((size_t)json_int(entry, "arm", -1) == arm &&
			strcmp(json_str(entry, "collector", ""), collector) == 0)
			return json_num(entry, "trials", 0);
	}
	return 0;
}

static double divide(double a, double b)
{
	return b > 0 ? a / b : NAN;
}

static void average(const struct counters *cs, const json_t *coverage, struct counter *c)
{
	bool share = is_share(c);
	/* The sum of the CPUs' shares, where there is none of the machine, is their mean times so many. */
	double parts = share && !c->total && c->n_cpus ? (double)c->n_cpus : 1;

	for (size_t arm = 0; arm < cs->n_arms; arm++) {
		double trials = arm_sum(cs, cs->trials, arm), sum = arm_sum(cs, c->cell, arm);
		double seen = trials_seen(coverage, c->collector, arm);
		double part = divide(seen, trials);

		c->mean[arm] = divide(sum, seen * parts);
		c->per_second[arm] =
			share ? c->mean[arm] : divide(sum, arm_sum(cs, cs->seconds, arm) * part);
		c->per_op[arm] = share ? NAN : divide(sum, arm_sum(cs, cs->ops, arm) * part);
		for (size_t i = 0; i < c->n_cpus; i++)
			c->cpu[i].mean[arm] = divide(c->cpu[i].mean[arm], seen);
	}
}

/**
 * struct cell_pair - what a block of two arms gives for the comparison
 * @d: log ratio; @floor: the least variance that it must be taken to have
 */
struct cell_pair {
	double d, floor;
};

/* Half an event is added to each count, so that a count of 0 has a logarithm; the variance is never
 * taken as less than that of the log ratio of two Poisson counts, 1/a + 1/b, which a few quiet blocks
 * could hide. */
static struct cell_pair compare_counts(
	const struct counters *cs, const struct counter *c, size_t i, size_t j)
{
	double x = fabs(c->cell[i]) + 0.5, y = fabs(c->cell[j]) + 0.5;

	return (struct cell_pair){ log(x / cs->seconds[i]) - log(y / cs->seconds[j]),
		1 / x + 1 / y };
}

/* Shares are counted in ticks of a clock: one may be wrong by half a percentage point. */
static struct cell_pair compare_shares(
	const struct counters *cs, const struct counter *c, size_t i, size_t j)
{
	double x = c->cell[i] / cs->trials[i] + 0.5, y = c->cell[j] / cs->trials[j] + 0.5;

	return (struct cell_pair){ log(x / y), 0.25 / (x * x) + 0.25 / (y * y) };
}

/* Mean log ratio of an arm to the baseline over its standard error, by block. */
static double standard_errors(const struct counters *cs, const struct counter *c, size_t arm)
{
	double n = 0, sum = 0, sumsq = 0, floor = 0, spread;

	for (size_t b = 0; b < cs->n_blocks; b++) {
		size_t i = arm * cs->n_blocks + b, j = cs->baseline * cs->n_blocks + b;
		struct cell_pair pair;

		if (cs->seconds[i] <= 0 || cs->seconds[j] <= 0)
			continue;
		pair = is_share(c) ? compare_shares(cs, c, i, j) : compare_counts(cs, c, i, j);
		sum += pair.d;
		sumsq += pair.d * pair.d;
		floor += pair.floor;
		n++;
	}
	if (n < 2)
		return 0;
	spread = (sumsq - sum * sum / n) / (n - 1);
	return fabs(sum / n) / sqrt(fmax(spread, floor / n) / n);
}

static void score(const struct counters *cs, struct counter *c)
{
	double base = c->per_second[cs->baseline];
	/* A count that was 0 is taken as one event in all trials, a share as half a percentage point,
	 * so that the ratio stays finite. */
	double least = is_share(c) ? 0.5 : 1 / fmax(arm_sum(cs, cs->seconds, cs->baseline), 1e-9);

	for (size_t arm = 0; arm < cs->n_arms; arm++) {
		bool known = isfinite(c->per_second[arm]) && isfinite(base);
		double ratio = known ? fmax(c->per_second[arm], least) / fmax(base, least) : NAN;
		double errors = 0;

		if (known && arm != cs->baseline && !counter_is_flag(c))
			errors = standard_errors(cs, c, arm);
		c->ratio[arm] = ratio;
		if (errors >= MIN_ERRORS && (ratio >= MIN_RATIO || ratio <= 1 / MIN_RATIO))
			c->score[arm] = fabs(log2(ratio)) * log1p(errors);
	}
}

static bool is_rate(const char *unit)
{
	size_t len = strlen(unit);

	return len > 2 && strcmp(unit + len - 2, "/s") == 0;
}

/* The figures that make operations known: those that decide if they are a rate, else the first metric
 * of the benchmark that is one. Return: @figures, @other filled, or NULL when no metric is a rate. */
static const struct figures *rate_figures(
	struct store *store, int64_t run, const struct figures *figures, struct figures *other)
{
	json_t *names, *name;
	bool found = false;
	size_t i;

	if (is_rate(figures->unit))
		return figures;
	if (figures_metrics(store, run, &names, NULL) < 0)
		return NULL;
	json_array_foreach(names, i, name) {
		if (figures_load(
			    store, run, figures->n_arms, json_string_value(name), other, NULL) < 0)
			continue;
		found = is_rate(other->unit) && other->n_blocks == figures->n_blocks;
		if (found)
			break;
		figures_release(other);
	}
	json_decref(names);
	return found ? other : NULL;
}

/* Time and operations of each cell, from the trials that count. */
static int load_cells(struct store *store, int64_t run, const struct figures *rate,
	struct counters *cs, struct error *err)
{
	struct store_trial *trials;
	size_t n;
	int r = store_trials(store, run, &trials, &n, err);

	if (r < 0)
		return r;
	for (size_t i = 0; i < n; i++) {
		size_t cell = (size_t)trials[i].arm * cs->n_blocks + (size_t)trials[i].block;
		double s = (double)trials[i].elapsed_ns / 1e9;

		if (trials[i].state != TRIAL_DONE || trials[i].warmup ||
			(size_t)trials[i].arm >= cs->n_arms ||
			(size_t)trials[i].block >= cs->n_blocks)
			continue;
		cs->trials[cell]++;
		cs->seconds[cell] += s;
		if (rate && isfinite(rate->cell[cell]))
			cs->ops[cell] += s * rate->cell[cell];
	}
	store_trials_free(trials, n);
	return 0;
}

int counters_load(struct store *store, int64_t run, size_t baseline, const struct figures *figures,
	struct counters *counters, struct error *err)
{
	struct reader reader = { .counters = counters };
	struct figures other = { 0 };
	json_t *coverage = NULL;
	int r;

	*counters = (struct counters){
		.n_arms = figures->n_arms,
		.n_blocks = figures->n_blocks,
		.baseline = baseline,
	};
	counters->seconds = xcalloc(cells(counters), sizeof(double));
	counters->ops = xcalloc(cells(counters), sizeof(double));
	counters->trials = xcalloc(cells(counters), sizeof(double));
	r = load_cells(store, run, rate_figures(store, run, figures, &other), counters, err);
	figures_release(&other);
	if (r == 0)
		r = store_counter_tables(
			store, run, counters->n_arms, counters->n_blocks, read_table, &reader, err);
	if (r == 0)
		r = store_collector_coverage(store, run, &coverage, err);
	for (size_t i = 0; i < counters->n && r == 0; i++) {
		average(counters, coverage, &counters->counter[i]);
		score(counters, &counters->counter[i]);
	}
	if (r < 0)
		counters_release(counters);
	strbuf_release(&reader.label);
	json_decref(coverage);
	return r;
}

static double best_score(const struct counters *cs, size_t i)
{
	double best = 0;

	for (size_t arm = 0; arm < cs->n_arms; arm++)
		best = fmax(best, cs->counter[i].score[arm]);
	return best;
}

size_t counters_moved(const struct counters *counters, size_t most, size_t *index)
{
	size_t n = 0;

	/* Insertion into a short sorted list: most is a screenful. */
	for (size_t i = 0; i < counters->n; i++) {
		double s = best_score(counters, i);
		size_t at = n;

		if (s <= 0)
			continue;
		while (at > 0 && best_score(counters, index[at - 1]) < s)
			at--;
		if (at >= most)
			continue;
		if (n < most)
			n++;
		memmove(&index[at + 1], &index[at], (n - 1 - at) * sizeof(*index));
		index[at] = i;
	}
	return n;
}

void counters_release(struct counters *counters)
{
	for (size_t i = 0; i < counters->n; i++) {
		struct counter *c = &counters->counter[i];

		for (size_t k = 0; k < c->n_cpus; k++)
			free(c->cpu[k].mean);
		free(c->cpu);
		free(c->collector);
		free(c->name);
		free(c->unit);
		free(c->label);
		free(c->cell);
		free(c->mean);
		free(c->per_second);
		free(c->per_op);
		free(c->ratio);
		free(c->score);
	}
	free(counters->counter);
	free(counters->index);
	free(counters->seconds);
	free(counters->ops);
	free(counters->trials);
	*counters = (struct counters){ 0 };
}
