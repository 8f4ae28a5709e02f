/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which arm the others are compared with. */
#include "spec/job_parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "spec/job_names.h"

static void add_arms(struct job_reader *reader, struct names *names)
{
	for (size_t i = 0, n = job_arm_count(reader->job); i < n; i++) {
		char *label = job_arm_label(reader->registry, reader->job, i);

		names_add(names, label, strlen(label));
		free(label);
	}
}

/* Arms by hand are told apart by their labels, those of factors by their levels. */
static json_t *identity(struct job_reader *reader, size_t arm)
{
	json_t *label;
	char *text;

	if (!reader->job->n_arms)
		return job_arm_levels(reader->job, arm);
	text = job_arm_label(reader->registry, reader->job, arm);
	label = json_string(text);
	free(text);
	return label;
}

static void by_label(struct job_reader *reader, const struct yaml_node *node)
{
	struct names arms = NAMES_INIT;
	size_t i = 0;

	add_arms(reader, &arms);
	while (i < arms.list.n && strcmp(arms.list.s[i], node->text))
		i++;
	if (i < arms.list.n)
		reader->job->baseline = identity(reader, i);
	else
		names_unknown(&arms, node, reader->diags, "unknown arm", " in baseline");
	names_release(&arms);
}

static const struct job_factor *find_factor(const struct job *job, const char *name)
{
	for (size_t i = 0; i < job->n_factors; i++)
		if (!strcmp(job->factors[i].name, name))
			return &job->factors[i];
	return NULL;
}

static void unknown_level(struct job_reader *reader, const struct job_factor *factor,
	const struct yaml_node *node, const char *label)
{
	struct names labels = NAMES_INIT;
	bool scalar = node->kind == YAML_SCALAR;
	char *what = xasprintf("factor '%s' has no level%s%s%s", factor->name, scalar ? "" : " '",
		scalar ? "" : label, scalar ? "" : "'");

	for (size_t i = 0; i < factor->n_levels; i++)
		string_list_add(&labels.list, factor->levels[i].label);
	if (scalar)
		names_unknown(&labels, node, reader->diags, what, "");
	else
		names_missing(&labels, node, reader->diags, what);
	names_release(&labels);
	free(what);
}

static void unknown_factor(struct job_reader *reader, const struct yaml_node *key)
{
	struct names names = NAMES_INIT;

	for (size_t i = 0; i < reader->job->n_factors; i++)
		string_list_add(&names.list, reader->job->factors[i].name);
	names_unknown(&names, key, reader->diags, "unknown factor", " in baseline");
	names_release(&names);
}

/* One "factor: level": the factor's own level of the same label goes into the baseline. */
static void factor_level(struct job_reader *reader, const struct yaml_node *key,
	const struct yaml_node *node, json_t *baseline)
{
	const struct job_factor *factor = find_factor(reader->job, key->text);
	const struct registry_entry *knob;
	char *label;
	json_t *level;

	if (!factor) {
		unknown_factor(reader, key);
		return;
	}
	knob = registry_find(reader->registry->knobs, reader->registry->n_knobs, key->text);
	level = job_read_level(reader, knob, node, &label);
	if (!level)
		return;
	json_decref(level);
	level = NULL;
	for (size_t i = 0; i < factor->n_levels && !level; i++)
		if (!strcmp(factor->levels[i].label, label))
			level = factor->levels[i].value;
	if (level)
		json_object_set(baseline, key->text, level);
	else
		unknown_level(reader, factor, node, label);
	free(label);
}

/* A factor that the baseline does not name stands at its first level. */
static void by_factors(struct job_reader *reader, const struct yaml_node *node)
{
	json_t *baseline = json_object();

	for (size_t i = 0; i < reader->job->n_factors; i++)
		json_object_set(baseline, reader->job->factors[i].name,
			reader->job->factors[i].levels[0].value);
	for (size_t i = 0; i < node->n; i++)
		factor_level(reader, node->key[i], node->item[i], baseline);
	reader->job->baseline = baseline;
}

static bool same_level(
	struct job_reader *reader, const char *knob, const json_t *a, const json_t *b)
{
	const struct registry_entry *entry =
		registry_find(reader->registry->knobs, reader->registry->n_knobs, knob);
	char *left = a ? job_level_label(entry, a) : NULL;
	char *right = b ? job_level_label(entry, b) : NULL;
	bool same = left && right && !strcmp(left, right);

	free(left);
	free(right);
	return same;
}

static bool has_levels(struct job_reader *reader, const struct job_arm *arm, json_t *wanted)
{
	const char *knob;
	json_t *level;

	json_object_foreach(wanted, knob, level)
		if (!same_level(reader, knob, json_object_get(arm->levels, knob), level))
			return false;
	return true;
}

/* Arms by hand: exactly one must have all the levels named. */
static void by_arm_levels(struct job_reader *reader, const struct yaml_node *node)
{
	const struct job *job = reader->job;
	json_t *wanted = json_object();
	struct names arms = NAMES_INIT;
	size_t before = reader->diags->n, found = 0, last = 0;

	for (size_t i = 0; i < node->n; i++) {
		const struct registry_entry *knob = job_find_knob(reader, node->key[i], "baseline");
		char *label;
		json_t *level = knob ? job_read_level(reader, knob, node->item[i], &label) : NULL;

		if (!level)
			continue;
		json_object_set_new(wanted, node->key[i]->text, level);
		free(label);
	}
	for (size_t i = 0; i < job->n_arms; i++) {
		if (!has_levels(reader, &job->arms[i], wanted))
			continue;
		last = i;
		found++;
	}
	add_arms(reader, &arms);
	if (reader->diags->n == before && found != 1)
		names_missing(&arms, node, reader->diags,
			found ? "'baseline' fits more than one arm; name it by its label"
			      : "'baseline' fits none of the arms; name one by its label");
	else if (found == 1)
		reader->job->baseline = identity(reader, last);
	names_release(&arms);
	json_decref(wanted);
}

void job_read_baseline(struct job_reader *reader, bool arms_fine)
{
	const struct yaml_node *node = yaml_get(reader->root, "baseline");
	bool label = node && node->kind == YAML_SCALAR && !yaml_is_null(node);
	char *got;

	if (!node)
		return;
	if (!label && (node->kind != YAML_MAPPING || !node->n)) {
		got = yaml_excerpt(node);
		yaml_error(node, reader->diags,
			"'baseline' takes a mapping of factors to levels, or the label of an arm; "
			"got %s",
			got);
		free(got);
		return;
	}
	if (!arms_fine)
		return;
	if (label)
		by_label(reader, node);
	else if (reader->job->n_arms)
		by_arm_levels(reader, node);
	else
		by_factors(reader, node);
}
