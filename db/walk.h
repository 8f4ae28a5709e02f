/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside the store: the cells of a run's trials, collector by collector, gathered by key and told key by
 * key. What is gathered is up to store_counters() and store_counter_totals(). */
#ifndef DB_WALK_H
#define DB_WALK_H

#include <stddef.h>
#include <stdint.h>

#include "base/values.h"
#include "db/cells.h"
#include "db/query.h"
#include "db/store_counter.h"

/** struct gathered - of one key: @n elements at @data, room for @cap; their type is the walker's */
struct gathered {
	void *data;
	size_t n, cap;
};

/**
 * struct walk - a walk under way; embedded first in the walker's own struct
 * @add: gathers one cell of trial number @at; context is the walk
 * @tell: hands on what was gathered under one key; @value holds its name, unit and labels
 * @trial: those that count, in the order they ran, n_trials of them
 * @n_arms: one more than the highest index of an arm
 * @keys: by counter_key.id, n_keys of them
 */
struct walk {
	struct store *store;
	int (*add)(void *walk, const struct cell *cell);
	int (*tell)(struct walk *walk, struct gathered *gathered);
	struct store_counter *trial;
	size_t n_trials, at;
	size_t n_arms;
	struct gathered *keys;
	size_t n_keys;
	const char *collector;
	struct value value;
	int cpu_label; /* number of the label that is the cell's CPU, -1 for none */
	char cpu[16];
};

/** walk_run() - the whole walk, in one read transaction; @collector NULL for all. */
int walk_run(struct walk *walk, int64_t run, const char *collector, struct error *err);
/** walk_set_cpu() - the CPU in the labels of walk->value. */
void walk_set_cpu(struct walk *walk, int32_t cpu);

#endif
