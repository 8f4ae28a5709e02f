/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "db/walk.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/cpulist.h"
#include "db/store_priv.h"

static int load_trials(struct walk *walk, int64_t run, struct error *err)
{
	struct query q = query_start(walk->store, "trials_counted");
	size_t cap = 0;
	int ret;

	query_int(&q, run);
	while ((ret = query_step(&q, err)) > 0) {
		struct store_counter trial = {
			.trial = column_int(&q, 0),
			.arm = column_int(&q, 1),
			.block = column_int(&q, 2),
			.elapsed_s = (double)column_int(&q, 3) / 1e9,
		};

		if (trial.arm >= (int64_t)walk->n_arms)
			walk->n_arms = (size_t)trial.arm + 1;
		array_reserve(walk->trial, walk->n_trials, cap);
		walk->trial[walk->n_trials++] = trial;
	}
	return ret;
}

static int add_cell(void *context, const struct cell *cell)
{
	struct walk *walk = context;

	if (cell->key >= (int64_t)walk->n_keys || cell->cpu > CPULIST_MAX_CPU)
		return -EINVAL;
	return walk->add(walk, cell);
}

static int gather(struct walk *walk, int64_t run, int64_t collector, struct error *err)
{
	struct query q = query_start(walk->store, "counters");
	int ret;

	walk->at = 0;
	query_int(&q, run);
	query_int(&q, collector);
	while ((ret = query_step(&q, err)) > 0) {
		int64_t trial = column_int(&q, 0);

		while (walk->trial[walk->at].trial < trial) /* both rise, and all are there */
			walk->at++;
		ret = cells_read(column_text(&q, 1), (size_t)sqlite3_column_bytes(q.stmt, 1),
			add_cell, walk, err);
		if (ret < 0) {
			error_prefix(err, "database '%s', trial %lld: ", walk->store->path,
				(long long)trial);
			query_end(&q);
			break;
		}
	}
	return ret;
}

/* Name, unit and labels of a key into walk->value; they live as long as *labels and the texts. */
static int load_key(
	struct walk *walk, size_t key, char *text[2], json_t **labels, struct error *err)
{
	struct query q = query_start(walk->store, "counter_key_get");
	int n = -EINVAL, ret;

	query_int(&q, (int64_t)key);
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
		return error_set(err, -EINVAL, "database '%s' is damaged: counter %zu has no name",
			walk->store->path, key);
	walk->value.name = text[0];
	walk->value.unit = text[1];
	walk->value.n_labels = (size_t)n;
	walk->cpu_label = -1;
	for (int i = 0; i < n; i++)
		if (!walk->value.labels[i].value)
			walk->cpu_label = i;
	if (walk->cpu_label >= 0)
		walk->value.labels[walk->cpu_label].value = walk->cpu;
	return 0;
}

void walk_set_cpu(struct walk *walk, int32_t cpu)
{
	snprintf(walk->cpu, sizeof(walk->cpu), "%d", cpu);
}

static int tell_key(struct walk *walk, size_t key, struct error *err)
{
	char *text[2] = { NULL, NULL };
	json_t *labels = NULL;
	int ret = load_key(walk, key, text, &labels, err);

	if (ret == 0)
		ret = walk->tell(walk, &walk->keys[key]);
	json_decref(labels);
	free(text[0]);
	free(text[1]);
	return ret;
}

static int count_keys(struct walk *walk, struct error *err)
{
	struct query q = query_start(walk->store, "counter_key_last");
	int ret = query_step(&q, err);

	if (ret <= 0)
		return ret;
	walk->n_keys = (size_t)column_int(&q, 0) + 1;
	query_end(&q);
	return 0;
}

static int walk_collector(struct walk *walk, int64_t run, int64_t collector, struct error *err)
{
	int ret;

	walk->keys = xcalloc(walk->n_keys, sizeof(*walk->keys));
	ret = gather(walk, run, collector, err);
	for (size_t key = 0; ret >= 0 && key < walk->n_keys; key++)
		if (walk->keys[key].n)
			ret = tell_key(walk, key, err);
	for (size_t key = 0; key < walk->n_keys; key++)
		free(walk->keys[key].data);
	free(walk->keys);
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
	size_t n = 0;
	int ret = load_collectors(walk->store, collector, &rows, &n, err);

	if (ret >= 0)
		ret = count_keys(walk, err);
	if (ret >= 0)
		ret = load_trials(walk, run, err);
	for (size_t i = 0; ret >= 0 && i < n; i++) {
		walk->collector = rows[i].name;
		ret = walk_collector(walk, run, rows[i].id, err);
	}
	for (size_t i = 0; i < n; i++)
		free(rows[i].name);
	free(rows);
	free(walk->trial);
	return ret < 0 ? ret : 0;
}

int walk_run(struct walk *walk, int64_t run, const char *collector, struct error *err)
{
	bool own = sqlite3_get_autocommit(walk->store->db); /* not within store_read_begin() */
	int ret = own ? store_read_begin(walk->store, err) : 0;

	if (ret < 0)
		return ret;
	ret = walk_all(walk, run, collector, err);
	if (own)
		store_read_end(walk->store);
	return ret;
}
