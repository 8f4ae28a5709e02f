/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counters of a run as tables of sums. */
#include "db/store_counter.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "db/walk.h"

/* What is gathered of a key: sums of arm × block, then those of CPU × arm. */
struct table_walk {
	struct walk walk;
	size_t n_arms, n_blocks;
	int (*each)(void *context, const struct store_counter_table *table);
	void *context;
	int32_t *cpu;
	size_t cap_cpus;
};

static double *sums_up_to(struct gathered *gathered, size_t n)
{
	double *sums = gathered->data;

	if (n <= gathered->n)
		return sums;
	n += gathered->n / 2;
	sums = xrealloc_array(sums, n, sizeof(*sums));
	memset(sums + gathered->n, 0, (n - gathered->n) * sizeof(*sums));
	gathered->data = sums;
	gathered->n = n;
	return sums;
}

static int add_to_table(void *context, const struct cell *cell)
{
	struct table_walk *own = context;
	const struct store_counter *trial = &own->walk.trial[own->walk.at];
	size_t arm = (size_t)trial->arm, block = (size_t)trial->block;
	size_t cells = own->n_arms * own->n_blocks;
	double *sums;

	if (arm >= own->n_arms || block >= own->n_blocks)
		return 0;
	sums = sums_up_to(
		&own->walk.keys[cell->key], cells + (size_t)(cell->cpu + 1) * own->n_arms);
	sums[arm * own->n_blocks + block] += cell->value;
	if (cell->cpu >= 0)
		sums[cells + (size_t)cell->cpu * own->n_arms + arm] += cell->value;
	return 0;
}

static bool all_zero(const double *x, size_t n)
{
	while (n--)
		if (x[n] != 0)
			return false;
	return true;
}

/* Moves the sums of the CPUs that have any to the front. Return: how many CPUs. */
static size_t pack_cpus(struct table_walk *own, double *sums, size_t n)
{
	size_t packed = 0;

	for (size_t cpu = 0; cpu < n; cpu++) {
		const double *from = sums + cpu * own->n_arms;

		if (all_zero(from, own->n_arms))
			continue;
		memmove(sums + packed * own->n_arms, from, own->n_arms * sizeof(*sums));
		array_reserve(own->cpu, packed, own->cap_cpus);
		own->cpu[packed++] = (int32_t)cpu;
	}
	return packed;
}

static void drop_label(struct value *value, int label)
{
	value->n_labels--;
	for (size_t i = (size_t)label; i < value->n_labels; i++)
		value->labels[i] = value->labels[i + 1];
}

static int tell_table(struct walk *walk, struct gathered *gathered)
{
	struct table_walk *own = (struct table_walk *)walk;
	size_t cells = own->n_arms * own->n_blocks;
	double *sums = gathered->data;
	struct value value = walk->value;
	struct store_counter_table table = { .collector = walk->collector,
		.value = &value,
		.per_cpu = walk->cpu_label >= 0,
		.cell = sums,
		.cpu_sum = sums + cells };

	if (table.per_cpu) {
		drop_label(&value, walk->cpu_label);
		table.n_cpus = pack_cpus(own, sums + cells, (gathered->n - cells) / own->n_arms);
		table.cpu = own->cpu;
	}
	return own->each(own->context, &table);
}

int store_counter_tables(struct store *store, int64_t run, size_t n_arms, size_t n_blocks,
	int (*each)(void *context, const struct store_counter_table *table), void *context,
	struct error *err)
{
	struct table_walk own = {
		.walk = { .store = store, .add = add_to_table, .tell = tell_table },
		.n_arms = n_arms,
		.n_blocks = n_blocks,
		.each = each,
		.context = context,
	};
	int ret = n_arms && n_blocks ? walk_run(&own.walk, run, NULL, err) : 0;

	free(own.cpu);
	return ret;
}
