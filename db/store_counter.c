/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading counters: kept by trial, told by counter. */
#include "db/store_counter.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "db/store_priv.h"
#include "db/walk.h"

/* One cell of the trial number at. Gathered in order of trials, CPUs rising within each. */
struct point {
	uint32_t at;
	int32_t cpu;
	double value;
};

struct counter_walk {
	struct walk walk;
	int (*each)(void *context, const struct store_counter *counter);
	void *context;
};

static int add_point(void *context, const struct cell *cell)
{
	struct walk *walk = context;
	struct gathered *gathered = &walk->keys[cell->key];
	struct point *points = gathered->data;

	array_reserve(points, gathered->n, gathered->cap);
	gathered->data = points;
	points[gathered->n++] =
		(struct point){ .at = (uint32_t)walk->at, .cpu = cell->cpu, .value = cell->value };
	return 0;
}

/* Stable counting sort by CPU: linear, and the trials of each CPU stay in order. */
static struct point *sort_by_cpu(const struct point *points, size_t n)
{
	struct point *sorted = xmalloc(n * sizeof(*sorted));
	int32_t last = CELL_NO_CPU;
	size_t *start;

	for (size_t i = 0; i < n; i++)
		if (points[i].cpu > last)
			last = points[i].cpu;
	start = xcalloc((size_t)last + 3, sizeof(*start)); /* of CPU c at c + 1 */
	for (size_t i = 0; i < n; i++)
		start[points[i].cpu + 2]++;
	for (int32_t i = 0; i <= last + 1; i++)
		start[i + 1] += start[i];
	for (size_t i = 0; i < n; i++)
		sorted[start[points[i].cpu + 1]++] = points[i];
	free(start);
	return sorted;
}

static int tell_points(struct walk *walk, struct gathered *gathered)
{
	struct counter_walk *own = (struct counter_walk *)walk;
	struct point *points = sort_by_cpu(gathered->data, gathered->n);
	int ret = 0;

	for (size_t i = 0; ret >= 0 && i < gathered->n; i++) {
		struct store_counter counter = walk->trial[points[i].at];

		if (i == 0 || points[i].cpu != points[i - 1].cpu)
			walk_set_cpu(walk, points[i].cpu);
		walk->value.value = points[i].value;
		counter.collector = walk->collector;
		counter.value = &walk->value;
		ret = own->each(own->context, &counter);
	}
	free(points);
	return ret;
}

int store_counters(struct store *store, int64_t run, const char *collector,
	int (*each)(void *context, const struct store_counter *counter), void *context,
	struct error *err)
{
	struct counter_walk own = {
		.walk = { .store = store, .add = add_point, .tell = tell_points },
		.each = each,
		.context = context,
	};

	return walk_run(&own.walk, run, collector, err);
}

/* Sums of one CPU in one arm; gathered as arms of CELL_NO_CPU, arms of CPU 0, … */
struct sum {
	uint64_t trials;
	double sum, squares;
};

struct total_walk {
	struct walk walk;
	int (*each)(void *context, const struct store_total *total);
	void *context;
};

static struct sum *sum_at(struct gathered *gathered, size_t at)
{
	struct sum *sums = gathered->data;

	if (at >= gathered->cap) {
		gathered->cap = at * 2 + 1;
		sums = xrealloc_array(sums, gathered->cap, sizeof(*sums));
		gathered->data = sums;
	}
	for (; gathered->n <= at; gathered->n++)
		sums[gathered->n] = (struct sum){ 0 };
	return &sums[at];
}

static int add_sum(void *context, const struct cell *cell)
{
	struct walk *walk = context;
	size_t at = (size_t)(cell->cpu + 1) * walk->n_arms + (size_t)walk->trial[walk->at].arm;
	struct sum *sum = sum_at(&walk->keys[cell->key], at);

	sum->trials++;
	sum->sum += cell->value;
	sum->squares += cell->value * cell->value;
	return 0;
}

static int tell_sums(struct walk *walk, struct gathered *gathered)
{
	struct total_walk *own = (struct total_walk *)walk;
	const struct sum *sums = gathered->data;
	int ret = 0;

	for (size_t i = 0; ret >= 0 && i < gathered->n; i++) {
		struct store_total total = { .arm = (int64_t)(i % walk->n_arms),
			.collector = walk->collector,
			.value = &walk->value,
			.trials = sums[i].trials,
			.squares = sums[i].squares };

		if (!sums[i].trials)
			continue;
		walk_set_cpu(walk, (int32_t)(i / walk->n_arms) - 1);
		walk->value.value = sums[i].sum;
		ret = own->each(own->context, &total);
	}
	return ret;
}

int store_counter_totals(struct store *store, int64_t run, const char *collector,
	int (*each)(void *context, const struct store_total *total), void *context,
	struct error *err)
{
	struct total_walk own = {
		.walk = { .store = store, .add = add_sum, .tell = tell_sums },
		.each = each,
		.context = context,
	};

	return walk_run(&own.walk, run, collector, err);
}

/* Rows of (collector, @key, number of trials) as objects. */
static int collector_rows(struct store *store, const char *query, const char *key, int64_t run,
	json_t **out, struct error *err)
{
	struct query q = query_start(store, query);
	json_t *rows = json_array();
	int ret;

	query_int(&q, run);
	while ((ret = query_step(&q, err)) > 0) {
		bool number = sqlite3_column_type(q.stmt, 1) == SQLITE_INTEGER;

		json_array_append_new(
			rows, json_pack("{s:s, s:o, s:I}", "collector", column_text(&q, 0), key,
				      number ? json_integer(column_int(&q, 1))
					     : text_json(column_text(&q, 1)),
				      "trials", (json_int_t)column_int(&q, 2)));
	}
	if (ret < 0) {
		json_decref(rows);
		return ret;
	}
	*out = rows;
	return 0;
}

int store_collector_coverage(struct store *store, int64_t run, json_t **coverage, struct error *err)
{
	return collector_rows(store, "collector_coverage", "arm", run, coverage, err);
}

int store_collector_errors(struct store *store, int64_t run, json_t **errors, struct error *err)
{
	return collector_rows(store, "collector_errors", "error", run, errors, err);
}

int store_collector_notes(struct store *store, int64_t run, json_t **notes, struct error *err)
{
	return collector_rows(store, "collector_notes", "note", run, notes, err);
}
