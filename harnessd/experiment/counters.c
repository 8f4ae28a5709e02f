/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "experiment/counters.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

/* Below these a counter has not moved: standard errors, and change as a ratio. */
#define MIN_ERRORS 4.0
#define MIN_RATIO 1.05

/* While reading: rows come ordered by counter, so the counter of the last row is most likely meant. */
struct reader {
	struct counters *counters;
	struct counter *last;
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

static bool is_counter(const struct counter *c, const char *collector, const char *name,
	const char *label)
{
	return strcmp(c->label, label) == 0 && strcmp(c->name, name) == 0 &&
		strcmp(c->collector, collector) == 0;
}

const struct counter *counters_find(const struct counters *counters, const char *collector,
	const char *name, const char *label)
{
	for (size_t i = 0; i < counters->n; i++)
		if (is_counter(&counters->counter[i], collector, name, label))
			return &counters->counter[i];
	return NULL;
}

static struct counter *add_counter(struct counters *cs, const char *collector,
	const struct value *v, const char *label)
{
	struct counter *c;

	array_reserve(cs->counter, cs->n, cs->cap);
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

static struct counter *counter_of(struct reader *r, const char *collector, const struct value *v)
{
	write_label(v, &r->label);
	if (!r->last || !is_counter(r->last, collector, v->name, strbuf_text(&r->label))) {
		r->last = (struct counter *)counters_find(r->counters, collector, v->name,
			strbuf_text(&r->label));
		if (!r->last)
			r->last = add_counter(r->counters, collector, v, strbuf_text(&r->label));
	}
	return r->last;
}

static struct counter_cpu *cpu_of(struct counter *c, int cpu, size_t n_arms)
{
	struct counter_cpu *part;

	for (size_t i = 0; i < c->n_cpus; i++)
		if (c->cpu[i].cpu == cpu)
			return &c->cpu[i];
	array_reserve(c->cpu, c->n_cpus, c->cap_cpus);
	part = &c->cpu[c->n_cpus++];
	*part = (struct counter_cpu){ .cpu = cpu, .mean = xcalloc(n_arms, sizeof(double)) };
	return part;
}

static int read_counter(void *context, const struct store_counter *row)
{
	struct reader *r = context;
	struct counters *cs = r->counters;
	const char *cpu = value_label(row->value, "cpu");
	struct counter *c;
	size_t cell = (size_t)row->arm * cs->n_blocks + (size_t)row->block;

	if ((size_t)row->arm >= cs->n_arms || (size_t)row->block >= cs->n_blocks)
		return 0;
	c = counter_of(r, row->collector, row->value);
	if (cpu)
		cpu_of(c, atoi(cpu), cs->n_arms)->mean[row->arm] += row->value->value;
	if (!cpu && !c->total) { /* the collector's own total replaces our sum over CPUs */
		c->total = true;
		memset(c->cell, 0, cells(cs) * sizeof(double));
	}
	if (!cpu == c->total)
		c->cell[cell] += row->value->value;
	return 0;
}

static int by_cpu(const void *a, const void *b)
{
	return ((const struct counter_cpu *)a)->cpu - ((const struct counter_cpu *)b)->cpu;
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

static void average(const struct counters *cs, struct counter *c)
{
	for (size_t arm = 0; arm < cs->n_arms; arm++) {
		double trials = arm_sum(cs, cs->trials, arm), sum = arm_sum(cs, c->cell, arm);
		double seconds = arm_sum(cs, cs->seconds, arm), ops = arm_sum(cs, cs->ops, arm);

		c->mean[arm] = trials > 0 ? sum / trials : NAN;
		c->per_second[arm] = is_share(c) ? c->mean[arm]
				     : seconds > 0 ? sum / seconds
						   : NAN;
		c->per_op[arm] = ops > 0 && !is_share(c) ? sum / ops : NAN;
		for (size_t i = 0; i < c->n_cpus; i++)
			c->cpu[i].mean[arm] = trials > 0 ? c->cpu[i].mean[arm] / trials : NAN;
	}
	if (c->n_cpus)
		qsort(c->cpu, c->n_cpus, sizeof(*c->cpu), by_cpu);
}

/* Mean log ratio per second of an arm to the baseline over its standard error, by block. Half an event
 * is added to each count, so that a count of 0 has a logarithm; the variance is never taken as less
 * than that of the log ratio of two Poisson counts, 1/a + 1/b, which a few quiet blocks could hide. */
static double standard_errors(const struct counters *cs, const struct counter *c, size_t arm)
{
	double n = 0, sum = 0, sumsq = 0, poisson = 0, spread;

	for (size_t b = 0; b < cs->n_blocks; b++) {
		size_t i = arm * cs->n_blocks + b, j = cs->baseline * cs->n_blocks + b;
		double x = fabs(c->cell[i]) + 0.5, y = fabs(c->cell[j]) + 0.5, d;

		if (cs->seconds[i] <= 0 || cs->seconds[j] <= 0)
			continue;
		d = log(x / cs->seconds[i]) - log(y / cs->seconds[j]);
		sum += d;
		sumsq += d * d;
		poisson += 1 / x + 1 / y;
		n++;
	}
	if (n < 2)
		return 0;
	spread = (sumsq - sum * sum / n) / (n - 1);
	return fabs(sum / n) / sqrt(fmax(spread, poisson / n) / n);
}

static void score(const struct counters *cs, struct counter *c)
{
	double base = c->per_second[cs->baseline];
	/* A count that was 0 is taken as one event in all trials, so that the ratio stays finite. */
	double one = 1 / fmax(arm_sum(cs, cs->seconds, cs->baseline), 1e-9);

	for (size_t arm = 0; arm < cs->n_arms; arm++) {
		double ratio = fmax(c->per_second[arm], one) / fmax(base, one);
		double errors = arm == cs->baseline ? 0 : standard_errors(cs, c, arm);

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
static const struct figures *rate_figures(struct store *store, int64_t run,
	const struct figures *figures, struct figures *other)
{
	json_t *names, *name;
	bool found = false;
	size_t i;

	if (is_rate(figures->unit))
		return figures;
	if (figures_metrics(store, run, &names, NULL) < 0)
		return NULL;
	json_array_foreach(names, i, name) {
		if (figures_load(store, run, figures->n_arms, json_string_value(name), other, NULL) < 0)
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
		if (rate)
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
		r = store_counters(store, run, NULL, read_counter, &reader, err);
	strbuf_release(&reader.label);
	if (r < 0) {
		counters_release(counters);
		return r;
	}
	for (size_t i = 0; i < counters->n; i++) {
		average(counters, &counters->counter[i]);
		score(counters, &counters->counter[i]);
	}
	return 0;
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
	free(counters->seconds);
	free(counters->ops);
	free(counters->trials);
	*counters = (struct counters){ 0 };
}
