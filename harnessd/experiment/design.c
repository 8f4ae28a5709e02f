/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "experiment/design.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/rng.h"
#include "base/json.h"
#include "base/strbuf.h"

/* A level's short text: the knob's own way of saying it, else its JSON. */
static char *level_label(const struct registry *registry, const char *knob, const json_t *level)
{
	const struct registry_entry *entry =
		registry_find(registry->knobs, registry->n_knobs, knob);

	if (entry && entry->label)
		return entry->label(level);
	return json_is_string(level) ? xstrdup(json_string_value(level)) : json_line(level);
}

static char *join_labels(const struct registry *registry, json_t *levels)
{
	struct strbuf sb = STRBUF_INIT;
	const char *knob;
	json_t *level;

	json_object_foreach(levels, knob, level) {
		char *label = level_label(registry, knob, level);

		strbuf_printf(&sb, "%s%s", sb.len ? " " : "", label);
		free(label);
	}
	if (!sb.len)
		strbuf_puts(&sb, "default");
	return strbuf_steal(&sb);
}

static void add_arm(struct design *design, const struct job *job, const struct registry *registry,
	json_t *levels, const char *label)
{
	struct arm *arm;

	design->arms = xrealloc_array(design->arms, design->n + 1, sizeof(*design->arms));
	arm = &design->arms[design->n++];
	arm->levels = levels;
	arm->label = label ? xstrdup(label) : join_labels(registry, levels);
	arm->all = json_copy(levels);
	if (job->fixed)
		json_object_update_missing(arm->all, job->fixed);
}

static void add_factorial(
	struct design *design, const struct job *job, const struct registry *registry)
{
	size_t n = 1;

	for (size_t f = 0; f < job->n_factors; f++)
		n *= job->factors[f].n_levels;
	for (size_t i = 0; i < n; i++) {
		json_t *levels = json_object();
		size_t rest = i, stride = n;

		for (size_t f = 0; f < job->n_factors; f++) {
			const struct job_factor *factor = &job->factors[f];

			stride /= factor->n_levels;
			json_object_set(levels, factor->name, factor->levels[rest / stride].value);
			rest %= stride;
		}
		add_arm(design, job, registry, levels, NULL);
	}
}

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

	*design = (struct design){ 0 };
	if (job->n_arms) {
		for (size_t i = 0; i < job->n_arms; i++)
			add_arm(design, job, registry, json_incref(job->arms[i].levels),
				job->arms[i].label);
	} else {
		add_factorial(design, job, registry);
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
