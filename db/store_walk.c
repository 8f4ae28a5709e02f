/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading counters: kept by trial, told by counter. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/cpulist.h"
#include "db/cells.h"
#include "db/store_priv.h"

/* Trials that count, in the order they ran. */
struct counted {
	struct store_counter *trial;
	size_t n, cap;
};

/* Cells of one key; at: index of the trial. In order of trials, CPUs rising within each. */
struct column {
	struct point {
		uint32_t at;
		int32_t cpu;
		double value;
	} * points;
	size_t n, cap;
};

/* Of one collector: a column for each key, by id. */
struct columns {
	struct column *column;
	size_t n;
	uint32_t at;
};

static int load_trials(struct store *store, int64_t run, struct counted *counted, struct error *err)
{
	struct query q = query_start(store, "trials_counted");
	int ret;

	query_int(&q, run);
	while ((ret = query_step(&q, err)) > 0) {
		array_reserve(counted->trial, counted->n, counted->cap);
		counted->trial[counted->n++] = (struct store_counter){
			.trial = column_int(&q, 0),
			.arm = column_int(&q, 1),
			.block = column_int(&q, 2),
			.elapsed_s = (double)column_int(&q, 3) / 1e9,
		};
	}
	return ret;
}

static int add_point(void *context, const struct cell *cell)
{
	struct columns *columns = context;
	struct column *column;

	if (cell->key >= (int64_t)columns->n || cell->cpu > CPULIST_MAX_CPU)
		return -EINVAL;
	column = &columns->column[cell->key];
	array_reserve(column->points, column->n, column->cap);
	column->points[column->n++] =
		(struct point){ .at = columns->at, .cpu = cell->cpu, .value = cell->value };
	return 0;
}

static int load_columns(struct store *store, int64_t run, int64_t collector,
	const struct counted *counted, struct columns *columns, struct error *err)
{
	struct query q = query_start(store, "counters");
	int ret;

	query_int(&q, run);
	query_int(&q, collector);
	while ((ret = query_step(&q, err)) > 0) {
		/* Both lists rise by trial. */
		while (columns->at + 1 < counted->n &&
			counted->trial[columns->at].trial < column_int(&q, 0))
			columns->at++;
		ret = cells_read(column_text(&q, 1), (size_t)sqlite3_column_bytes(q.stmt, 1),
			add_point, columns, err);
		if (ret < 0) {
			error_prefix(err, "database '%s', trial %lld: ", store->path,
				(long long)column_int(&q, 0));
			query_end(&q);
			break;
		}
	}
	return ret;
}

/* Stable counting sort by CPU: linear, and the trials of each CPU stay in order. */
static void sort_by_cpu(struct column *column)
{
	struct point *sorted = xmalloc(column->n * sizeof(*sorted));
	int32_t last = CELL_NO_CPU;
	size_t *start;

	for (size_t i = 0; i < column->n; i++)
		if (column->points[i].cpu > last)
			last = column->points[i].cpu;
	start = xcalloc((size_t)last + 3, sizeof(*start));
	for (size_t i = 0; i < column->n; i++)
		start[column->points[i].cpu + 2]++;
	for (int32_t cpu = 0; cpu <= last + 1; cpu++)
		start[cpu + 1] += start[cpu];
	for (size_t i = 0; i < column->n; i++)
		sorted[start[column->points[i].cpu + 1]++] = column->points[i];
	free(start);
	free(column->points);
	column->points = sorted;
	column->cap = column->n;
}

/* What store_counters() was called with, and the key at hand. */
struct walk {
	struct store *store;
	int (*each)(void *context, const struct store_counter *counter);
	void *context;
	const struct counted *counted;
	const char *collector;
	struct value value;
	int blank; /* number of the label that is the cell's CPU, -1: none */
};

static int tell_points(struct walk *walk, const struct column *column)
{
	char cpu[16] = "";
	int ret = 0;

	if (walk->blank >= 0)
		walk->value.labels[walk->blank].value = cpu;
	for (size_t i = 0; ret >= 0 && i < column->n; i++) {
		const struct point *p = &column->points[i];
		struct store_counter counter = walk->counted->trial[p->at];

		if (i == 0 || p->cpu != p[-1].cpu)
			snprintf(cpu, sizeof(cpu), "%d", p->cpu);
		walk->value.value = p->value;
		counter.collector = walk->collector;
		counter.value = &walk->value;
		ret = walk->each(walk->context, &counter);
	}
	return ret;
}

/* Name, unit and labels of a key into walk->value; they live as long as *labels and the strings. */
static int load_key(
	struct walk *walk, int64_t key, char *text[2], json_t **labels, struct error *err)
{
	struct query q = query_start(walk->store, "counter_key_get");
	int n = -EINVAL, ret;

	query_int(&q, key);
	ret = query_step(&q, err);
	if (ret < 0)
		return ret;
	if (ret > 0) {
		text[0] = column_dup(&q, 0);
		text[1] = column_dup(&q, 1);
		if (column_json(&q, 2, labels, NULL) == 0)
			n = labels_parse(*labels, walk->value.labels);
		query_end(&q);
	}
	if (n < 0)
		return error_set(err, -EINVAL, "database '%s' is damaged: counter %lld has no name",
			walk->store->path, (long long)key);
	walk->value.name = text[0];
	walk->value.unit = text[1];
	walk->value.n_labels = (size_t)n;
	walk->blank = -1;
	for (int i = 0; i < n; i++)
		if (!walk->value.labels[i].value)
			walk->blank = i;
	return 0;
}

static int tell_column(struct walk *walk, int64_t key, struct column *column, struct error *err)
{
	char *text[2] = { NULL, NULL };
	json_t *labels = NULL;
	int ret = load_key(walk, key, text, &labels, err);

	if (ret == 0) {
		sort_by_cpu(column);
		ret = tell_points(walk, column);
	}
	json_decref(labels);
	free(text[0]);
	free(text[1]);
	return ret;
}

static int last_key(struct store *store, int64_t *last, struct error *err)
{
	struct query q = query_start(store, "counter_key_last");
	int ret = query_step(&q, err);

	if (ret <= 0)
		return ret;
	*last = column_int(&q, 0);
	query_end(&q);
	return 0;
}

static int walk_collector(struct walk *walk, int64_t run, int64_t collector, struct error *err)
{
	struct columns columns = { 0 };
	int64_t last = 0;
	int ret = last_key(walk->store, &last, err);

	if (ret < 0)
		return ret;
	columns.n = (size_t)last + 1;
	columns.column = xcalloc(columns.n, sizeof(*columns.column));
	ret = load_columns(walk->store, run, collector, walk->counted, &columns, err);
	for (size_t key = 0; ret >= 0 && key < columns.n; key++)
		if (columns.column[key].n)
			ret = tell_column(walk, (int64_t)key, &columns.column[key], err);
	for (size_t key = 0; key < columns.n; key++)
		free(columns.column[key].points);
	free(columns.column);
	return ret;
}

struct collector_row {
	int64_t id;
	char *name;
};

static int load_collectors(struct store *store, const char *name, struct collector_row **rows,
	size_t *n, struct error *err)
{
	struct query q = query_start(store, "collectors");
	size_t cap = 0;
	int ret;

	query_text(&q, name);
	while ((ret = query_step(&q, err)) > 0) {
		array_reserve(*rows, *n, cap);
		(*rows)[(*n)++] = (struct collector_row){ .id = column_int(&q, 0),
			.name = column_dup(&q, 1) };
	}
	return ret;
}

static int walk_all(struct walk *walk, int64_t run, const char *collector, struct error *err)
{
	struct collector_row *rows = NULL;
	struct counted counted = { 0 };
	size_t n = 0;
	int ret = load_collectors(walk->store, collector, &rows, &n, err);

	if (ret >= 0)
		ret = load_trials(walk->store, run, &counted, err);
	walk->counted = &counted;
	for (size_t i = 0; ret >= 0 && i < n; i++) {
		walk->collector = rows[i].name;
		ret = walk_collector(walk, run, rows[i].id, err);
	}
	for (size_t i = 0; i < n; i++)
		free(rows[i].name);
	free(rows);
	free(counted.trial);
	return ret < 0 ? ret : 0;
}

int store_counters(struct store *store, int64_t run, const char *collector,
	int (*each)(void *context, const struct store_counter *counter), void *context,
	struct error *err)
{
	struct walk walk = { .store = store, .each = each, .context = context };
	bool own = sqlite3_get_autocommit(store->db); /* not within store_read_begin() */
	int ret = own ? store_read_begin(store, err) : 0;

	if (ret < 0)
		return ret;
	ret = walk_all(&walk, run, collector, err);
	if (own)
		store_read_end(store);
	return ret;
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
