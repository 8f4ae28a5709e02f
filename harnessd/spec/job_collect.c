/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is collected around each trial. */
#include "spec/job_parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "spec/job_names.h"
#include "spec/option_value.h"

static void add(struct job *job, const char *name, json_t *options)
{
	job->collect = xrealloc_array(job->collect, job->n_collect + 1, sizeof(*job->collect));
	job->collect[job->n_collect++] =
		(struct job_collect){ .name = xstrdup(name), .options = options };
}

static bool says_nothing(const struct yaml_node *node)
{
	return yaml_is_null(node) || (node->kind == YAML_MAPPING && !node->n);
}

/* Settings as JSON with the defaults filled in. */
static json_t *read_settings(
	struct job_reader *reader, const struct registry_entry *entry, const struct yaml_node *node)
{
	json_t *json;
	void *options;

	if (!entry->options) {
		if (!says_nothing(node))
			yaml_error(node, reader->diags,
				"collector '%s' has no settings; write its name alone",
				entry->name);
		return json_object();
	}
	options = xcalloc(1, entry->options->size);
	options_parse(entry->options, node, options, reader->diags);
	json = options_to_json(entry->options, options);
	options_release(entry->options, options);
	free(options);
	return json;
}

static bool is_twice(struct job_reader *reader, const struct yaml_node *name)
{
	for (size_t i = 0; i < reader->job->n_collect; i++) {
		if (strcmp(reader->job->collect[i].name, name->text))
			continue;
		yaml_error(
			name, reader->diags, "collector '%s' stands in the list twice", name->text);
		return true;
	}
	return false;
}

static void read_item(struct job_reader *reader, const struct yaml_node *item)
{
	const struct registry *registry = reader->registry;
	bool mapping = item->kind == YAML_MAPPING && item->n == 1;
	const struct yaml_node *name = mapping ? item->key[0] : item;
	struct yaml_node nothing = { .kind = YAML_SCALAR,
		.file = item->file,
		.line = item->line,
		.column = item->column,
		.text = "" };
	const struct registry_entry *entry = NULL;
	struct names names = NAMES_INIT;

	if (name->kind == YAML_SCALAR)
		entry = registry_find(registry->collectors, registry->n_collectors, name->text);
	if (entry) {
		if (!is_twice(reader, name))
			add(reader->job, name->text,
				read_settings(reader, entry, mapping ? item->item[0] : &nothing));
		return;
	}
	names_add_entries(&names, registry->collectors, registry->n_collectors);
	names_unknown(&names, name, reader->diags,
		name->kind == YAML_SCALAR && !yaml_is_null(name)
			? "unknown collector"
			: "an item of 'collect' is a name, or {name: settings}",
		"");
	names_release(&names);
}

/* Those of the row's default that this program has. */
static void add_default(struct job_reader *reader, const struct option_row *row)
{
	const struct registry *registry = reader->registry;
	struct yaml_node place = { .kind = YAML_SCALAR,
		.file = reader->root->file,
		.line = reader->root->line,
		.column = reader->root->column };
	json_t *list = option_text_json(row->dflt), *name;
	size_t i;

	json_array_foreach(list, i, name) {
		place.text = json_string_value(name);
		place.len = json_string_length(name);
		if (registry_find(registry->collectors, registry->n_collectors, place.text))
			read_item(reader, &place);
	}
	json_decref(list);
}

void job_read_collect(struct job_reader *reader)
{
	const struct yaml_node *node = yaml_get(reader->root, "collect");
	char *got;

	if (!node) {
		add_default(reader, option_find(&job_table, "collect"));
	} else if (node->kind == YAML_LIST) {
		for (size_t i = 0; i < node->n; i++)
			read_item(reader, node->item[i]);
	} else {
		got = yaml_excerpt(node);
		yaml_error(node, reader->diags,
			"'collect' takes a list of collectors such as [interrupts, perf], [] for "
			"none; got %s",
			got);
		free(got);
	}
}
