/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A level of a knob: its YAML as the JSON that the knob wants, checked and labelled. */
#include "spec/job_parts.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "spec/job_names.h"

/* May a value under this schema be a text, and may it be another scalar? */
struct scalars {
	bool text, other;
};

static void add_type(struct scalars *s, const char *type)
{
	if (!strcmp(type, "string"))
		s->text = true;
	else if (strcmp(type, "array") && strcmp(type, "object"))
		s->other = true;
}

static void add_value(struct scalars *s, const json_t *value)
{
	s->text |= json_is_string(value);
	s->other |= !json_is_string(value);
}

static struct scalars scalars_of(const json_t *schema)
{
	static const char *const choices[] = { "oneOf", "anyOf" };
	const json_t *type = json_object_get(schema, "type"), *item;
	struct scalars s = { 0 };
	size_t i;

	if (json_is_string(type))
		add_type(&s, json_string_value(type));
	json_array_foreach(type, i, item)
		add_type(&s, json_string_value(item));
	json_array_foreach(json_object_get(schema, "enum"), i, item)
		add_value(&s, item);
	if (json_object_get(schema, "const"))
		add_value(&s, json_object_get(schema, "const"));
	for (size_t c = 0; c < array_size(choices); c++)
		json_array_foreach(json_object_get(schema, choices[c]), i, item) {
			struct scalars inner = scalars_of(item);

			s.text |= inner.text;
			s.other |= inner.other;
		}
	return s;
}

/* The schema of a list's items (key NULL) or of a mapping's member, or NULL when it says nothing. */
static const json_t *child_schema(const json_t *schema, const char *key)
{
	static const char *const choices[] = { "oneOf", "anyOf" };
	const json_t *child, *item;
	size_t i;

	child = json_object_get(
		key ? json_object_get(schema, "properties") : schema, key ? key : "items");
	if (!child && key)
		child = json_object_get(schema, "additionalProperties");
	for (size_t c = 0; c < array_size(choices) && !json_is_object(child); c++)
		json_array_foreach(json_object_get(schema, choices[c]), i, item) {
			child = child_schema(item, key);
			if (child)
				break;
		}
	return json_is_object(child) ? child : NULL;
}

/*
 * As yaml_to_json(), but where the knob wants text a plain 6.10, on or 0x10 stays the text it is:
 * "kernel: [6.10]" does not become 6.1.
 */
static json_t *typed_json(const struct yaml_node *node, const json_t *schema)
{
	struct scalars s;
	json_t *json;

	if (node->kind == YAML_SCALAR) {
		s = scalars_of(schema);
		if (s.text && !s.other && !yaml_is_null(node))
			return json_string(node->text);
		return yaml_to_json(node);
	}
	json = node->kind == YAML_LIST ? json_array() : json_object();
	for (size_t i = 0; i < node->n; i++) {
		const char *key = node->kind == YAML_LIST ? NULL : node->key[i]->text;
		json_t *value = typed_json(node->item[i], child_schema(schema, key));

		if (key)
			json_object_set_new(json, key, value);
		else
			json_array_append_new(json, value);
	}
	return json;
}

char *job_level_label(const struct registry_entry *knob, const json_t *level)
{
	if (knob && knob->label)
		return knob->label(level);
	return json_is_string(level) ? xstrdup(json_string_value(level)) : json_line(level);
}

json_t *job_read_level(struct job_reader *reader, const struct registry_entry *knob,
	const struct yaml_node *node, char **label)
{
	json_t *schema = knob->schema ? json_loads(knob->schema, JSON_DECODE_ANY, NULL) : NULL;
	json_t *level = typed_json(node, schema);
	struct error err = ERROR_INIT;

	json_decref(schema);
	if (knob->check && knob->check(level, &err) < 0) {
		yaml_error(node, reader->diags, "%s", error_text(&err));
		error_release(&err);
		json_decref(level);
		return NULL;
	}
	*label = job_level_label(knob, level);
	return level;
}

const struct registry_entry *job_find_knob(
	struct job_reader *reader, const struct yaml_node *key, const char *where)
{
	const struct registry *registry = reader->registry;
	const struct registry_entry *knob =
		registry_find(registry->knobs, registry->n_knobs, key->text);
	struct names names = NAMES_INIT;
	char *in;

	if (knob)
		return knob;
	names_add_entries(&names, registry->knobs, registry->n_knobs);
	in = xasprintf(" in %s", where);
	names_unknown(&names, key, reader->diags, "unknown knob", in);
	free(in);
	names_release(&names);
	return NULL;
}
