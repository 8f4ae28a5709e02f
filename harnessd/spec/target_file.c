/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "spec/target_file.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/strbuf.h"
#include "spec/job_names.h"

/* Rows that a target file has besides its kind's. */
static const struct option_row own_rows[] = {
	{ .name = "kind",
		.type = OPT_NODE,
		.required = true,
		.takes = "a kind of target",
		.help = "What kind of target this file describes.",
		.example = "vm" },
	{ .name = "description",
		.type = OPT_NODE,
		.takes = "a text",
		.help = "What a reader should know of this target." },
};

static int parse_settings(const struct yaml_node *node, const struct registry_entry *kind,
	const struct option_table *table, struct target_choice *choice, struct diags *diags)
{
	choice->kind = xstrdup(kind->name);
	choice->table = kind->options;
	choice->options = xcalloc(1, table->size);
	return options_parse(table, node, choice->options, diags);
}

static bool says_nothing(const struct yaml_node *node)
{
	return yaml_is_null(node) || (node->kind == YAML_MAPPING && !node->n);
}

/* {kind: settings} */
static int parse_kind(const struct yaml_node *settings, const struct registry_entry *kind,
	struct target_choice *choice, struct diags *diags)
{
	if (kind->options)
		return parse_settings(settings, kind, kind->options, choice, diags);
	choice->kind = xstrdup(kind->name);
	if (says_nothing(settings))
		return 0;
	yaml_error(settings, diags, "target '%s' has no settings; write target: %s", kind->name,
		kind->name);
	return -EINVAL;
}

int target_default(const struct yaml_node *place, const struct registry_entry *kind,
	struct target_choice *choice, struct diags *diags)
{
	struct yaml_node nothing = { .kind = YAML_SCALAR,
		.file = place->file,
		.line = place->line,
		.column = place->column,
		.text = "" };

	return parse_kind(&nothing, kind, choice, diags);
}

static size_t count_rows(const struct option_table *table)
{
	size_t n = 0;

	while (table && table->rows[n].name)
		n++;
	return n;
}

/* The kind's rows with those of every target file before them; owned by the caller. */
static struct option_row *file_rows(const struct option_table *table)
{
	size_t own = array_size(own_rows), n = count_rows(table);
	struct option_row *rows = xcalloc(own + n + 1, sizeof(*rows));

	memcpy(rows, own_rows, sizeof(own_rows));
	if (n)
		memcpy(rows + own, table->rows, n * sizeof(*rows));
	return rows;
}

static int parse_file_settings(const struct yaml_node *root, const struct registry_entry *kind,
	struct target_choice *choice, struct diags *diags)
{
	struct option_row *rows = file_rows(kind->options);
	struct option_table table = {
		.name = "target file",
		.rows = rows,
		.size = kind->options ? kind->options->size : 0,
	};
	int r = parse_settings(root, kind, &table, choice, diags);

	free(rows);
	if (!kind->options) {
		free(choice->options);
		choice->options = NULL;
	}
	return r;
}

int target_file_check(
	const struct yaml_node *root, const struct registry_entry *kind, struct diags *diags)
{
	struct target_choice choice = { 0 };
	int r = parse_file_settings(root, kind, &choice, diags);

	target_choice_release(&choice);
	return r;
}

int target_file_parse(const struct yaml_node *root, const struct registry *registry,
	struct target_choice *choice, struct diags *diags)
{
	const struct yaml_node *kind = yaml_get(root, "kind");
	struct names names = NAMES_INIT;
	const struct registry_entry *entry = NULL;

	names_add_entries(&names, registry->targets, registry->n_targets);
	if (kind && kind->kind == YAML_SCALAR)
		entry = registry_find(registry->targets, registry->n_targets, kind->text);
	if (!kind)
		names_missing(&names, root, diags, "target file lacks 'kind'");
	else if (!entry)
		names_unknown(&names, kind, diags, "unknown kind of target", "");
	names_release(&names);
	return entry ? parse_file_settings(root, entry, choice, diags) : -EINVAL;
}

static int load_file(const char *path, const struct registry *registry,
	struct target_choice *choice, struct diags *diags)
{
	struct yaml_file *file = yaml_load(path, diags);
	int r = file ? target_file_parse(yaml_root(file), registry, choice, diags) : -EINVAL;

	yaml_file_free(file);
	return r;
}

static char *find_file(const char *name, const struct string_list *config_dirs)
{
	for (size_t i = 0; config_dirs && i < config_dirs->n; i++) {
		char *path = xasprintf("%s/targets/%s.yaml", config_dirs->s[i], name);

		if (file_exists(path))
			return path;
		free(path);
	}
	return NULL;
}

static bool is_path(const char *name)
{
	size_t len = strlen(name);

	return strchr(name, '/') || (len > 5 && !strcmp(name + len - 5, ".yaml"));
}

/* Adds the NAMEs of dir/targets/NAME.yaml. */
static void add_files(struct names *names, const char *dir)
{
	char *path = file_join(dir, "targets");
	struct dirent **entries;
	int n = scandir(path, &entries, NULL, alphasort);

	free(path);
	for (int i = 0; i < n; i++) {
		size_t len = strlen(entries[i]->d_name);

		if (is_path(entries[i]->d_name) && entries[i]->d_name[0] != '.')
			names_add(names, entries[i]->d_name, len - 5);
		free(entries[i]);
	}
	if (n >= 0)
		free(entries);
}

static int unknown_target(const struct yaml_node *node, const char *what,
	const struct registry *registry, const struct string_list *config_dirs, struct diags *diags)
{
	struct names names = NAMES_INIT;

	names_add_entries(&names, registry->targets, registry->n_targets);
	for (size_t i = 0; config_dirs && i < config_dirs->n; i++)
		add_files(&names, config_dirs->s[i]);
	names_unknown(&names, node, diags, what, "");
	names_release(&names);
	return -EINVAL;
}

static int parse_name(const struct yaml_node *node, const struct registry *registry,
	const struct string_list *config_dirs, struct target_choice *choice, struct diags *diags)
{
	const struct registry_entry *entry =
		registry_find(registry->targets, registry->n_targets, node->text);
	char *path;
	int r;

	if (entry)
		return target_default(node, entry, choice, diags);
	if (is_path(node->text)) {
		if (file_exists(node->text))
			return load_file(node->text, registry, choice, diags);
		yaml_error(node, diags, "there is no target file '%s'", node->text);
		return -EINVAL;
	}
	path = find_file(node->text, config_dirs);
	if (!path)
		return unknown_target(node, "unknown target", registry, config_dirs, diags);
	r = load_file(path, registry, choice, diags);
	free(path);
	return r;
}

int target_parse(const struct yaml_node *node, const struct registry *registry,
	const struct string_list *config_dirs, struct target_choice *choice, struct diags *diags)
{
	const struct registry_entry *entry;

	*choice = (struct target_choice){ 0 };
	if (node->kind == YAML_SCALAR && !yaml_is_null(node))
		return parse_name(node, registry, config_dirs, choice, diags);
	if (node->kind != YAML_MAPPING || node->n != 1)
		return unknown_target(node,
			"'target' takes a name, or a mapping of one kind to its settings", registry,
			config_dirs, diags);
	entry = registry_find(registry->targets, registry->n_targets, node->key[0]->text);
	if (!entry)
		return unknown_target(
			node->key[0], "unknown kind of target", registry, NULL, diags);
	return parse_kind(node->item[0], entry, choice, diags);
}

void target_choice_release(struct target_choice *choice)
{
	if (choice->options)
		options_release(choice->table, choice->options);
	free(choice->options);
	free(choice->kind);
	*choice = (struct target_choice){ 0 };
}

json_t *target_choice_json(const struct target_choice *choice)
{
	if (!choice->options)
		return json_string(choice->kind);
	return json_pack("{s:o}", choice->kind, options_to_json(choice->table, choice->options));
}
