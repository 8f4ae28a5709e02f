/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "experiment/design.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "base/rng.h"
#include "spec/job_arms.h"

/* Does the arm have every level that the baseline names, and the first level of the other factors? */
static bool is_baseline(const struct job *job, const struct arm *arm)
{
	const char *knob;
	json_t *level;

	if (json_is_string(job->baseline))
		return strcmp(json_string_value(job->baseline), arm->label) == 0;
	json_object_foreach(job->baseline, knob, level) {
		if (!json_equal(json_object_get(arm->levels, knob), level))
			return false;
	}
	for (size_t f = 0; f < job->n_factors; f++) {
		const struct job_factor *factor = &job->factors[f];

		if (!json_object_get(job->baseline, factor->name) &&
			!json_equal(json_object_get(arm->levels, factor->name),
				factor->levels[0].value))
			return false;
	}
	return true;
}

static int find_baseline(struct design *design, const struct job *job, struct error *err)
{
	char *text;
	int r;

	for (size_t i = 0; i < design->n; i++) {
		if (!job->baseline || is_baseline(job, &design->arms[i])) {
			design->baseline = i;
			return 0;
		}
	}
	text = json_line(job->baseline);
	r = error_set(err, -EINVAL, "the baseline %s is none of the arms", text);
	free(text);
	return r;
}

int design_init(struct design *design, const struct job *job, const struct registry *registry,
	struct error *err)
{
	int r;

	*design = (struct design){ .n = job_arm_count(job) };
	design->arms = xcalloc(design->n, sizeof(*design->arms));
	for (size_t i = 0; i < design->n; i++) {
		struct arm *arm = &design->arms[i];

		arm->label = job_arm_label(registry, job, i);
		arm->levels = job_arm_levels(job, i);
		arm->all = json_copy(arm->levels);
		if (job->fixed)
			json_object_update_missing(arm->all, job->fixed);
	}
	r = find_baseline(design, job, err);
	if (r < 0)
		design_release(design);
	return r;
}

void design_release(struct design *design)
{
	for (size_t i = 0; i < design->n; i++) {
		free(design->arms[i].label);
		json_decref(design->arms[i].levels);
		json_decref(design->arms[i].all);
	}
	free(design->arms);
	*design = (struct design){ 0 };
}

void design_order(uint64_t seed, size_t block, size_t n, size_t *order)
{
	struct rng rng;

	rng_seed(&rng, seed ^ (0x9e3779b97f4a7c15ULL * (block + 1)));
	rng_shuffle(&rng, order, n);
}
