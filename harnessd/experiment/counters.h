/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The counters of a run as a table, and which of them moved with the arms. */
#ifndef EXPERIMENT_COUNTERS_H
#define EXPERIMENT_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/strbuf.h"
#include "db/store.h"
#include "experiment/figures.h"

/** struct counter_cpu - one CPU's part of a counter: mean per trial of each arm */
struct counter_cpu {
	int cpu;
	double *mean;
};

/**
 * struct counter - one counter, all CPUs together
 * @label: its labels but the CPU, as a person reads them ("RES Rescheduling interrupts")
 * @total: came as a total; otherwise it is the sum over CPUs
 * @cell: arm × block: events in the trials of that cell
 * @mean: arm: mean per trial; @per_second, @per_op: arm; per_op NaN when operations are unknown
 * @ratio, @score: arm: per-second ratio to the baseline; how surely and how much it moved
 */
struct counter {
	char *collector, *name, *unit, *label;
	bool total;
	double *cell;
	double *mean, *per_second, *per_op, *ratio, *score;
	struct counter_cpu *cpu;
	size_t n_cpus, cap_cpus;
};

/**
 * struct counters - all of a run
 * @seconds, @ops: arm × block: time, and operations of the benchmark, in the trials of that cell
 * @trials: arm × block: how many
 * @index: hash table of the counters' numbers, for counters_find()
 */
struct counters {
	size_t n_arms, n_blocks, baseline;
	struct counter *counter;
	size_t n, cap;
	double *seconds, *ops, *trials;
	size_t *index, n_index;
};

/**
 * counters_load() - read a run's counters and work out what moved
 * @figures: of the metric that decides. Operations are known from a metric with a unit "x/s", this one
 *	or the first other: its figure × seconds
 *
 * Means are of the trials that the collector saw; NAN where it saw none. Shares ("%") are not taken
 * per second or operation, and are the mean of the CPUs where there is none of the machine.
 *
 * Score: the mean log ratio over the blocks in standard errors, which are never taken as smaller than
 * those of Poisson counts (half a percentage point of shares), times log2 of the ratio; 0 below 4
 * standard errors or 5 %. It ranks; it is no test.
 */
int counters_load(struct store *store, int64_t run, size_t baseline, const struct figures *figures,
	struct counters *counters, struct error *err);

/** counter_is_flag() - it says how something was set, or that it was not counted; it does not move. */
bool counter_is_flag(const struct counter *counter);

/** counters_find() - by collector, name and label, or NULL. */
const struct counter *counters_find(const struct counters *counters, const char *collector,
	const char *name, const char *label);

/**
 * counters_moved() - indices of the counters that moved most, over all arms, largest first
 * @index: room for @most. Return: how many.
 */
size_t counters_moved(const struct counters *counters, size_t most, size_t *index);

/** counters_release() - free it. */
void counters_release(struct counters *counters);

#endif
