/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a job varies: factors or arms, and what it fixes. */
#include "spec/job_parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "base/strbuf.h"

static void check_label(struct job_reader *reader, const struct job_factor *factor,
	const struct yaml_node *node, const char *label)
{
	for (size_t i = 0; i < factor->n_levels; i++) {
		if (strcmp(factor->levels[i].label, label))
			continue;
		yaml_error(node, reader->diags,
			"level '%s' of '%s' stands here twice; the first is in line %d, column %d",
			label, factor->name, factor->levels[i].line, factor->levels[i].column);
		return;
	}
}

static void read_levels(struct job_reader *reader, const struct registry_entry *knob,
	const struct yaml_node *list, struct job_factor *factor)
{
	factor->levels = xcalloc(list->n, sizeof(*factor->levels));
	for (size_t i = 0; i < list->n; i++) {
		const struct yaml_node *node = list->item[i];
		char *label;
		json_t *level = job_read_level(reader, knob, node, &label);

		if (!level)
			continue;
		check_label(reader, factor, node, label);
		factor->levels[factor->n_levels++] = (struct job_level){
			.label = label, .value = level, .line = node->line, .column = node->column
		};
	}
}

static void read_factor(
	struct job_reader *reader, const struct yaml_node *key, const struct yaml_node *list)
{
	const struct registry_entry *knob = job_find_knob(reader, key, "factors");
	struct job *job = reader->job;
	struct job_factor *factor;
	char *got;

	if (!knob)
		return;
	if (list->kind != YAML_LIST || !list->n) {
		got = list->kind == YAML_LIST ? xstrdup("none") : yaml_excerpt(list);
		yaml_error(list, reader->diags,
			"factor '%s' takes a list of one or more levels such as [a, b]; got %s",
			key->text, got);
		free(got);
		return;
	}
	factor = &job->factors[job->n_factors++];
	factor->name = xstrdup(key->text);
	factor->line = key->line;
	factor->column = key->column;
	read_levels(reader, knob, list, factor);
}

static bool is_mapping(struct job_reader *reader, const struct yaml_node *node, const char *name,
	const char *takes)
{
	char *got;

	if (node->kind == YAML_MAPPING)
		return true;
	got = yaml_excerpt(node);
	yaml_error(node, reader->diags, "'%s' takes %s; got %s", name, takes, got);
	free(got);
	return false;
}

static void check_count(struct job_reader *reader, const struct yaml_node *node)
{
	size_t n = 1;

	for (size_t i = 0; i < reader->job->n_factors; i++)
		if (__builtin_mul_overflow(n, reader->job->factors[i].n_levels, &n))
			n = SIZE_MAX;
	if (n > JOB_MAX_ARMS)
		yaml_error(node, reader->diags,
			"the factors make %zu arms, more than %d; drop levels, or list the arms "
			"that "
			"matter under 'arms'",
			n, JOB_MAX_ARMS);
}

static void read_factors(struct job_reader *reader, const struct yaml_node *node)
{
	if (!is_mapping(reader, node, "factors", "a mapping of knobs to lists of levels"))
		return;
	reader->job->factors = xcalloc(node->n, sizeof(*reader->job->factors));
	for (size_t i = 0; i < node->n; i++)
		read_factor(reader, node->key[i], node->item[i]);
	check_count(reader, node);
}

/* One "knob: level" into an object; a level that is wrong is noted and left out. */
static void read_setting(struct job_reader *reader, const struct yaml_node *key,
	const struct yaml_node *value, const char *where, json_t *levels)
{
	const struct registry_entry *knob = job_find_knob(reader, key, where);
	char *label;
	json_t *level = knob ? job_read_level(reader, knob, value, &label) : NULL;

	if (!level)
		return;
	json_object_set_new(levels, key->text, level);
	free(label);
}

static char *read_label(struct job_reader *reader, const struct yaml_node *node)
{
	char *got;

	if (node->kind == YAML_SCALAR && !yaml_is_null(node) && node->len)
		return xstrdup(node->text);
	got = yaml_excerpt(node);
	yaml_error(node, reader->diags, "'label' takes a text; got %s", got);
	free(got);
	return NULL;
}

static void check_arm_label(struct job_reader *reader, const struct yaml_node *node)
{
	struct job *job = reader->job;
	size_t last = job->n_arms - 1;
	char *label = job_arm_label(reader->registry, job, last);

	for (size_t i = 0; i < last; i++) {
		char *other = job_arm_label(reader->registry, job, i);
		bool same = !strcmp(other, label);

		free(other);
		if (!same)
			continue;
		yaml_error(node, reader->diags,
			"arm '%s' stands here twice; the first is in line %d; to compare an arm "
			"with itself, give each a 'label'",
			label, job->arms[i].line);
		break;
	}
	free(label);
}

static void read_arm(struct job_reader *reader, const struct yaml_node *node)
{
	struct job *job = reader->job;
	size_t before = reader->diags->n;
	struct job_arm *arm;

	if (!is_mapping(reader, node, "arms", "a list of mappings of knobs to levels"))
		return;
	arm = &job->arms[job->n_arms++];
	*arm = (struct job_arm){
		.levels = json_object(), .line = node->line, .column = node->column
	};
	for (size_t i = 0; i < node->n; i++) {
		if (!strcmp(node->key[i]->text, "label")) {
			free(arm->label);
			arm->label = read_label(reader, node->item[i]);
		} else {
			read_setting(reader, node->key[i], node->item[i], "arms", arm->levels);
		}
	}
	if (reader->diags->n == before)
		check_arm_label(reader, node);
}

static void read_arm_list(struct job_reader *reader, const struct yaml_node *node)
{
	char *got = yaml_excerpt(node);

	if (node->kind != YAML_LIST || !node->n) {
		yaml_error(node, reader->diags,
			"'arms' takes a list of one or more mappings of knobs to levels; got %s",
			node->kind == YAML_LIST ? "none" : got);
	} else if (node->n > JOB_MAX_ARMS) {
		yaml_error(node, reader->diags, "'arms' lists %zu arms, more than %d", node->n,
			JOB_MAX_ARMS);
	} else {
		reader->job->arms = xcalloc(node->n, sizeof(*reader->job->arms));
		for (size_t i = 0; i < node->n; i++)
			read_arm(reader, node->item[i]);
	}
	free(got);
}

/* Line in which a knob is varied, or 0. */
static int varied_in(const struct job *job, const char *knob)
{
	for (size_t i = 0; i < job->n_factors; i++)
		if (!strcmp(job->factors[i].name, knob))
			return job->factors[i].line;
	for (size_t i = 0; i < job->n_arms; i++)
		if (json_object_get(job->arms[i].levels, knob))
			return job->arms[i].line;
	return 0;
}

static void read_fixed(struct job_reader *reader, const struct yaml_node *node)
{
	struct job *job = reader->job;

	if (!is_mapping(reader, node, "fixed", "a mapping of knobs to levels"))
		return;
	job->fixed = json_object();
	for (size_t i = 0; i < node->n; i++) {
		int line = varied_in(job, node->key[i]->text);

		if (line)
			yaml_error(node->key[i], reader->diags,
				"'%s' is fixed here and varied in line %d; keep one of the two",
				node->key[i]->text, line);
		read_setting(reader, node->key[i], node->item[i], "fixed", job->fixed);
	}
}

/* The later of two keys of a mapping that exclude each other. */
static const struct yaml_node *later_key(
	const struct yaml_node *mapping, const char *a, const char *b)
{
	const struct yaml_node *later = NULL;

	for (size_t i = 0; i < mapping->n; i++)
		if (!strcmp(mapping->key[i]->text, a) || !strcmp(mapping->key[i]->text, b))
			later = mapping->key[i];
	return later;
}

void job_read_arms(struct job_reader *reader)
{
	const struct yaml_node *factors = yaml_get(reader->root, "factors");
	const struct yaml_node *arms = yaml_get(reader->root, "arms");
	const struct yaml_node *fixed = yaml_get(reader->root, "fixed");
	size_t before = reader->diags->n;

	if (factors && arms)
		yaml_error(later_key(reader->root, "factors", "arms"), reader->diags,
			"'factors' and 'arms' exclude each other: factors are combined in full, "
			"arms "
			"are listed by hand");
	if (factors)
		read_factors(reader, factors);
	if (arms)
		read_arm_list(reader, arms);
	job_read_baseline(reader, reader->diags->n == before);
	if (fixed)
		read_fixed(reader, fixed);
}

size_t job_arm_count(const struct job *job)
{
	size_t n = 1;

	for (size_t i = 0; i < job->n_factors; i++)
		n *= job->factors[i].n_levels;
	return job->n_arms ? job->n_arms : n;
}

json_t *job_arm_levels(const struct job *job, size_t arm)
{
	json_t *levels = json_object();

	if (job->n_arms) {
		json_object_update(levels, job->arms[arm].levels);
		return levels;
	}
	/* The last factor changes fastest. */
	for (size_t i = 0, stride = job_arm_count(job); i < job->n_factors; i++) {
		const struct job_factor *factor = &job->factors[i];

		stride /= factor->n_levels;
		json_object_set(levels, factor->name,
			factor->levels[arm / stride % factor->n_levels].value);
	}
	return levels;
}

char *job_arm_label(const struct registry *registry, const struct job *job, size_t arm)
{
	json_t *levels, *level;
	struct strbuf sb = STRBUF_INIT;
	const char *name;

	if (job->n_arms && job->arms[arm].label)
		return xstrdup(job->arms[arm].label);
	levels = job_arm_levels(job, arm);
	json_object_foreach(levels, name, level) {
		char *label = job_level_label(
			registry_find(registry->knobs, registry->n_knobs, name), level);

		strbuf_printf(&sb, "%s%s", sb.len ? " " : "", label);
		free(label);
	}
	json_decref(levels);
	strbuf_puts(&sb, sb.len ? "" : "default");
	return strbuf_steal(&sb);
}
