/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "spec/option.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/nearest.h"
#include "spec/option_value.h"
#include "spec/yaml.h"

static void parse_value(const struct option_row *row, const struct yaml_node *node, void *member,
	struct diags *diags);

void string_list_add(struct string_list *list, const char *s)
{
	array_reserve(list->s, list->n, list->cap);
	list->s[list->n++] = xstrdup(s);
}

void string_list_release(struct string_list *list)
{
	for (size_t i = 0; i < list->n; i++)
		free(list->s[i]);
	free(list->s);
	*list = (struct string_list){ 0 };
}

static void *member_of(const struct option_row *row, void *out)
{
	return (char *)out + row->offset;
}

static void table_list_release(const struct option_table *table, struct table_list *list)
{
	for (size_t i = 0; i < list->n; i++)
		options_release(table, (char *)list->item + i * table->size);
	free(list->item);
	*list = (struct table_list){ 0 };
}

static void member_release(const struct option_row *row, void *member)
{
	switch (row->type) {
	case OPT_STRING:
		free(*(char **)member);
		*(char **)member = NULL;
		break;
	case OPT_STRINGS:
		string_list_release(member);
		break;
	case OPT_MAP:
	case OPT_JSON:
		json_decref(*(json_t **)member);
		*(json_t **)member = NULL;
		break;
	case OPT_TABLE:
		options_release(row->table, member);
		break;
	case OPT_TABLES:
		table_list_release(row->table, member);
		break;
	default:
		break;
	}
}

void options_release(const struct option_table *table, void *out)
{
	for (const struct option_row *row = table->rows; row->name; row++)
		member_release(row, member_of(row, out));
}

/* A default is written as in a file, and must be what a file could hold. */
static void set_default(const struct option_row *row, void *member)
{
	struct diags diags = DIAGS_INIT;
	struct yaml_file *file;

	if (option_is_scalar(row)) {
		int r = option_set(row, row->dflt, member);

		assert(!r);
		(void)r;
		return;
	}
	file = yaml_parse(row->name, row->dflt, strlen(row->dflt), &diags);
	assert(file);
	parse_value(row, yaml_root(file), member, &diags);
	assert(!diags.n);
	yaml_file_free(file);
	diags_release(&diags);
}

void options_init(const struct option_table *table, void *out)
{
	memset(out, 0, table->size);
	for (const struct option_row *row = table->rows; row->name; row++) {
		if (row->type == OPT_TABLE)
			options_init(row->table, member_of(row, out));
		else if (row->dflt && row->type != OPT_NODE)
			set_default(row, member_of(row, out));
	}
}

/* "'margin' takes a percentage from 0% to 50% such as 1%; got 'lots'; did you mean 'x'?" */
static void wrong_value(const struct option_row *row, const struct yaml_node *node,
	const char *tail, struct diags *diags)
{
	char *takes = option_takes(row), *got = yaml_excerpt(node);
	bool example = row->example && option_is_scalar(row) && row->type != OPT_ENUM;

	yaml_error(node, diags, "'%s' takes %s%s%s; got %s%s", row->name, takes,
		example ? " such as " : "", example ? row->example : "", got, tail);
	free(takes);
	free(got);
}

/* What a wrong scalar may have been meant to be: a choice, or "1%" where "1" stands. */
static char *meant(const struct option_row *row, const struct yaml_node *node)
{
	char *with_sign, *tail = NULL;
	double ignored;
	size_t n = 0;

	if (row->type == OPT_ENUM) {
		while (row->choices[n])
			n++;
		return nearest_suffix(node->text, row->choices, n);
	}
	if (row->type == OPT_PERCENT) {
		with_sign = xasprintf("%s%%", node->text);
		if (!option_set(row, with_sign, &ignored))
			tail = xasprintf("; did you mean '%s'?", with_sign);
		free(with_sign);
	}
	return tail ? tail : xstrdup("");
}

static void parse_scalar(const struct option_row *row, const struct yaml_node *node, void *member,
	struct diags *diags)
{
	char *tail;

	if (node->kind != YAML_SCALAR) {
		wrong_value(row, node, "", diags);
	} else if (option_set(row, node->text, member) < 0) {
		tail = meant(row, node);
		wrong_value(row, node, tail, diags);
		free(tail);
	}
}

static void parse_strings(const struct option_row *row, const struct yaml_node *node,
	struct string_list *list, struct diags *diags)
{
	size_t n = node->kind == YAML_LIST ? node->n : 1;

	string_list_release(list);
	for (size_t i = 0; i < n; i++) {
		const struct yaml_node *item = node->kind == YAML_LIST ? node->item[i] : node;

		if (item->kind != YAML_SCALAR || yaml_is_null(item) ||
			!option_matches(row, item->text))
			wrong_value(row, item, "", diags);
		else
			string_list_add(list, item->text);
	}
}

static void parse_map(const struct option_row *row, const struct yaml_node *node, json_t **map,
	struct diags *diags)
{
	if (node->kind != YAML_MAPPING) {
		wrong_value(row, node, "", diags);
		return;
	}
	for (size_t i = 0; i < node->n; i++)
		if (node->item[i]->kind != YAML_SCALAR)
			yaml_error(node->item[i], diags,
				"'%s' of '%s' takes a plain value, not a %s", node->key[i]->text,
				row->name, yaml_kind_name(node->item[i]));
	json_decref(*map);
	*map = yaml_to_json(node);
}

static void parse_tables(const struct option_row *row, const struct yaml_node *node,
	struct table_list *list, struct diags *diags)
{
	size_t size = row->table->size;

	if (node->kind != YAML_LIST) {
		wrong_value(row, node, "", diags);
		return;
	}
	table_list_release(row->table, list);
	list->item = xcalloc(node->n, size);
	list->cap = node->n;
	for (; list->n < node->n; list->n++)
		options_parse(row->table, node->item[list->n], (char *)list->item + list->n * size,
			diags);
}

static void parse_by_type(const struct option_row *row, const struct yaml_node *node, void *member,
	struct diags *diags)
{
	switch (row->type) {
	case OPT_STRINGS:
		parse_strings(row, node, member, diags);
		break;
	case OPT_MAP:
		parse_map(row, node, member, diags);
		break;
	case OPT_JSON:
		json_decref(*(json_t **)member);
		*(json_t **)member = yaml_to_json(node);
		break;
	case OPT_TABLE:
		options_release(row->table, member);
		options_parse(row->table, node, member, diags);
		break;
	case OPT_TABLES:
		parse_tables(row, node, member, diags);
		break;
	case OPT_NODE:
		break;
	default:
		parse_scalar(row, node, member, diags);
	}
}

static bool may_be_null(const struct option_row *row)
{
	return row->type == OPT_JSON || row->type == OPT_TABLE || row->type == OPT_NODE;
}

static void no_value(
	const struct option_row *row, const struct yaml_node *node, struct diags *diags)
{
	char *tail =
		row->dflt ? xasprintf("; without this line it is %s", row->dflt)
			  : xstrdup(row->required ? "" : "; leave the line out to leave it unset");

	wrong_value(row, node, tail, diags);
	free(tail);
}

static void parse_value(const struct option_row *row, const struct yaml_node *node, void *member,
	struct diags *diags)
{
	size_t before = diags->n;
	char *complaint;

	if (yaml_is_null(node) && !may_be_null(row)) {
		no_value(row, node, diags);
		return;
	}
	parse_by_type(row, node, member, diags);
	if (!row->check || diags->n > before)
		return;
	complaint = row->check(member);
	if (complaint)
		yaml_error(node, diags, "'%s': %s", row->name, complaint);
	free(complaint);
}

static void unknown_key(
	const struct option_table *table, const struct yaml_node *key, struct diags *diags)
{
	const char *names[256];
	char *word = yaml_excerpt(key), *allowed = option_names(table), *suffix;
	size_t n = 0;

	for (; n < array_size(names) && table->rows[n].name; n++)
		names[n] = table->rows[n].name;
	suffix = nearest_suffix(key->text, names, n);
	yaml_error(key, diags, "unknown key %s in %s; allowed: %s%s", word, table->name, allowed,
		suffix);
	free(word);
	free(allowed);
	free(suffix);
}

/* @only: name of the row that a shorthand fills, for a node that is no mapping. */
static void note_missing(const struct option_table *table, const struct yaml_node *node,
	const char *only, struct diags *diags)
{
	for (const struct option_row *row = table->rows; row->name; row++) {
		char *takes;

		if (!row->required || yaml_get(node, row->name) ||
			(only && !strcmp(row->name, only)))
			continue;
		takes = option_takes(row);
		yaml_error(node, diags, "%s lacks '%s', which takes %s%s%s", table->name, row->name,
			takes, row->example ? " such as " : "", row->example ? row->example : "");
		free(takes);
	}
}

static void parse_mapping(const struct option_table *table, const struct yaml_node *node, void *out,
	struct diags *diags)
{
	for (size_t i = 0; i < node->n; i++) {
		const struct option_row *row;

		if (node->key[i]->kind != YAML_SCALAR)
			continue; /* noted by yaml_parse() */
		row = option_find(table, node->key[i]->text);
		if (!row)
			unknown_key(table, node->key[i], diags);
		else
			parse_value(row, node->item[i], member_of(row, out), diags);
	}
}

static void parse_shorthand(const struct option_table *table, const struct yaml_node *node,
	void *out, struct diags *diags)
{
	const struct option_row *row;
	char *names, *got;

	if (table->shorthand) {
		row = option_find(table, table->shorthand);
		parse_value(row, node, member_of(row, out), diags);
		return;
	}
	names = option_names(table);
	got = yaml_excerpt(node);
	yaml_error(node, diags, "%s takes a mapping of %s; got %s", table->name, names, got);
	free(names);
	free(got);
}

int options_parse(const struct option_table *table, const struct yaml_node *node, void *out,
	struct diags *diags)
{
	bool mapping = node->kind == YAML_MAPPING, nothing = yaml_is_null(node);
	size_t before = diags->n;

	options_init(table, out);
	if (mapping || nothing || table->shorthand)
		note_missing(table, node, mapping || nothing ? NULL : table->shorthand, diags);
	if (mapping)
		parse_mapping(table, node, out, diags);
	else if (!nothing)
		parse_shorthand(table, node, out, diags);
	return diags->n > before || node->faulty ? -EINVAL : 0;
}
