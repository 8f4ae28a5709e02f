/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The figures of a run as a table: arm × block, each cell the median of its trials. */
#ifndef EXPERIMENT_FIGURES_H
#define EXPERIMENT_FIGURES_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/values.h"
#include "db/store.h"

/**
 * struct figures - one metric of a run
 * @cell: n_arms × n_blocks medians; NaN where an arm has no valid trial in a block
 * @trial: every trial's figure by arm, in the order they ran; n_trials[arm] of them
 */
struct figures {
	char *metric, *unit;
	enum better better;
	size_t n_arms, n_blocks;
	double *cell;
	double **trial;
	size_t *n_trials;
};

/** figures_load() - read one metric of a run. Return: 0 or -errno; -ENODATA when there is none. */
int figures_load(struct store *store, int64_t run, size_t n_arms, const char *metric,
	struct figures *figures, struct error *err);
/** figures_cell() - median of an arm in a block, NaN when there is none. */
double figures_cell(const struct figures *figures, size_t arm, size_t block);
/**
 * figures_ratios() - log(arm / baseline) of each block that has both, in order
 * @d: room for n_blocks values. Return: how many.
 */
size_t figures_ratios(const struct figures *figures, size_t arm, size_t baseline, double *d);
/** figures_release() - free it. */
void figures_release(struct figures *figures);

/** figures_metrics() - names of the metrics that a run has, as a JSON array; new reference. */
int figures_metrics(struct store *store, int64_t run, json_t **names, struct error *err);

#endif
