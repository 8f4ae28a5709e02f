/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The design of an experiment: which arms there are, and in which order each block runs them. Pure. */
#ifndef EXPERIMENT_DESIGN_H
#define EXPERIMENT_DESIGN_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "spec/job.h"
#include "spec/registry.h"

/**
 * struct arm - one combination of levels
 * @label: the levels' labels, "TTWU_QUEUE same-core"
 * @levels: object knob → level of the factors; @all: those and the job's fixed ones
 */
struct arm {
	char *label;
	json_t *levels;
	json_t *all;
};

/** struct design - arms in the order of the job, and which of them is the baseline */
struct design {
	struct arm *arms;
	size_t n;
	size_t baseline;
};

/**
 * design_init() - the arms of a job: full factorial of its factors, or those listed by hand
 *
 * The last factor changes fastest. The baseline is the arm that has the levels the job names (a
 * factor that it doesn't name: its first level), or the arm with that label, or the first.
 * Return: 0, or -EINVAL when the baseline names no arm.
 */
int design_init(struct design *design, const struct job *job, const struct registry *registry,
	struct error *err);
/** design_release() - free it. */
void design_release(struct design *design);

/**
 * design_order() - the order of the arms in one block
 * @order: n indices
 *
 * A uniformly random permutation that depends on (seed, block) alone, so that a resumed run goes on
 * in the order it had.
 */
void design_order(uint64_t seed, size_t block, size_t n, size_t *order);

#endif
