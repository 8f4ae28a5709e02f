/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading counters from the database (db/store.h). "The trials that count" are done and no warm-up. */
#ifndef DB_STORE_COUNTER_H
#define DB_STORE_COUNTER_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/values.h"

struct store;

/** struct store_counter - a counter of one trial (store_counters) */
struct store_counter {
	int64_t trial, arm, block;
	double elapsed_s;
	const char *collector;
	const struct value *value; /* name, unit, labels, number */
};

/**
 * store_counters() - counters of the trials that count, ordered by collector, counter, trial
 * @collector: one collector, or NULL for all
 * @each: called for each; strings borrowed for the call; a negative return ends the walk and is
 *	handed on
 *
 * Counters come in the order in which they were first seen, CPUs rising. A trial in which a counter
 * was 0 gives no call; how many trials a collector watched is told by store_collector_coverage().
 * Needs 16 bytes of memory for each call of one collector.
 */
int store_counters(struct store *store, int64_t run, const char *collector,
	int (*each)(void *context, const struct store_counter *counter), void *context,
	struct error *err);

/**
 * struct store_total - a counter over all trials of one arm that count (store_counter_totals)
 * @value: name, unit, labels; the number is the sum
 * @trials: in which it was not 0; store_collector_coverage() has those in which it was looked at
 * @squares: sum of squares
 */
struct store_total {
	int64_t arm;
	const char *collector;
	const struct value *value;
	uint64_t trials;
	double squares;
};

/**
 * store_counter_totals() - sums over trials, ordered by collector, counter, arm
 *
 * What store_counters() would add up to, in a quarter of its time and without its memory. Arms in
 * which a counter was 0 throughout give no call. @collector, @each: as for store_counters().
 */
int store_counter_totals(struct store *store, int64_t run, const char *collector,
	int (*each)(void *context, const struct store_total *total), void *context,
	struct error *err);

/**
 * struct store_counter_table - a counter of a whole run (store_counter_tables)
 * @value: name, unit, labels without the CPU; its number is not set
 * @cell: arm × block: sum over the trials of that arm and block, all CPUs together
 * @cpu: the CPUs on which it was not 0 in every trial, rising; none when it has no CPU label
 * @cpu_sum: CPU × arm: sum over all trials
 */
struct store_counter_table {
	const char *collector;
	const struct value *value;
	bool per_cpu;
	const double *cell;
	const int32_t *cpu;
	const double *cpu_sum;
	size_t n_cpus;
};

/**
 * store_counter_tables() - sums by arm and block, and by CPU, ordered by collector and counter
 * @n_arms, @n_blocks: trials beyond them are left out
 *
 * One pass over the cells and memory for the sums only: a run of any number of trials is told in the
 * time that reading it takes. @each: as for store_counters().
 */
int store_counter_tables(struct store *store, int64_t run, size_t n_arms, size_t n_blocks,
	int (*each)(void *context, const struct store_counter_table *table), void *context,
	struct error *err);

/** store_collector_coverage() - [{"collector","arm","trials"}]: trials that count and in which it
 * had no error, 0 left out; new reference. */
int store_collector_coverage(
	struct store *store, int64_t run, json_t **coverage, struct error *err);
/** store_collector_errors() - [{"collector","error","trials"}] of the trials that count; new
 * reference. */
int store_collector_errors(struct store *store, int64_t run, json_t **errors, struct error *err);
/** store_collector_notes() - [{"collector","note","trials"}] of the trials that count; new reference. */
int store_collector_notes(struct store *store, int64_t run, json_t **notes, struct error *err);

#endif
