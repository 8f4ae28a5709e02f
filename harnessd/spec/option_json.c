/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Option rows as JSON: the settings in force, and the schema that editors check a file with. */
#include "spec/option.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "spec/option_value.h"

static json_t *strings_json(const struct string_list *list)
{
	json_t *array = json_array();

	for (size_t i = 0; i < list->n; i++)
		json_array_append_new(array, json_string(list->s[i]));
	return array;
}

static json_t *tables_json(const struct option_table *table, const struct table_list *list)
{
	json_t *array = json_array();

	for (size_t i = 0; i < list->n; i++)
		json_array_append_new(
			array, options_to_json(table, (const char *)list->item + i * table->size));
	return array;
}

/* Return: NULL for what is unset. */
static json_t *member_json(const struct option_row *row, const void *member)
{
	switch (row->type) {
	case OPT_STRING:
		return *(char *const *)member ? json_string(*(char *const *)member) : NULL;
	case OPT_BOOL:
		return json_boolean(*(const bool *)member);
	case OPT_INT:
	case OPT_SIZE:
		return json_integer(*(const long *)member);
	case OPT_REAL:
	case OPT_PERCENT:
	case OPT_DURATION:
		return json_real(*(const double *)member);
	case OPT_ENUM:
		return json_string(row->choices[*(const int *)member]);
	case OPT_STRINGS:
		return strings_json(member);
	case OPT_MAP:
	case OPT_JSON:
		return json_deep_copy(*(json_t *const *)member);
	case OPT_TABLE:
		return options_to_json(row->table, member);
	case OPT_TABLES:
		return tables_json(row->table, member);
	default:
		return NULL;
	}
}

json_t *options_to_json(const struct option_table *table, const void *in)
{
	json_t *object = json_object();

	for (const struct option_row *row = table->rows; row->name; row++) {
		json_t *value = member_json(row, (const char *)in + row->offset);

		if (value)
			json_object_set_new(object, row->name, value);
	}
	return object;
}

static void set_range(const struct option_row *row, json_t *schema)
{
	bool whole = row->type == OPT_INT || row->type == OPT_SIZE;

	if (!option_has_range(row))
		return;
	json_object_set_new(schema, "minimum",
		whole ? json_integer((json_int_t)row->min) : json_real(row->min));
	if (row->max >= row->min)
		json_object_set_new(schema, "maximum",
			whole ? json_integer((json_int_t)row->max) : json_real(row->max));
}

/* A number, or a text with a unit. */
static json_t *number_or_text(const struct option_row *row, const char *type, const char *pattern)
{
	json_t *number = json_pack("{s:s}", "type", type);

	if (row->type == OPT_DURATION && !option_has_range(row))
		json_object_set_new(number, "minimum", json_integer(0));
	set_range(row, number);
	return json_pack(
		"{s:[o, {s:s, s:s}]}", "anyOf", number, "type", "string", "pattern", pattern);
}

/* A plain 1000 or 6.10 is a number to an editor, and taken as the text it is by us. */
static json_t *string_schema(const struct option_row *row)
{
	json_t *schema = json_pack("{s:[s, s, s]}", "type", "string", "number", "boolean");
	char *anchored;

	if (row->pattern) {
		anchored = xasprintf("^(?:%s)$", row->pattern);
		json_object_set_new(schema, "pattern", json_string(anchored));
		free(anchored);
	}
	return schema;
}

static json_t *enum_schema(const struct option_row *row)
{
	json_t *choices = json_array();

	for (size_t i = 0; row->choices[i]; i++)
		json_array_append_new(choices, json_string(row->choices[i]));
	return json_pack("{s:o}", "enum", choices);
}

static json_t *number_schema(const struct option_row *row)
{
	json_t *schema = json_pack("{s:s}", "type", row->type == OPT_INT ? "integer" : "number");

	set_range(row, schema);
	return schema;
}

/* A nested mapping, or what its shorthand takes. */
static json_t *nested_schema(const struct option_table *table)
{
	json_t *schema = options_schema(table);

	if (!table->shorthand)
		return schema;
	return json_pack(
		"{s:[o, o]}", "anyOf", schema, option_schema(option_find(table, table->shorthand)));
}

static json_t *type_schema(const struct option_row *row)
{
	switch (row->type) {
	case OPT_STRING:
		return string_schema(row);
	case OPT_BOOL:
		return json_pack("{s:[b, b, s, s, s, s]}", "enum", 1, 0, "yes", "no", "on", "off");
	case OPT_INT:
	case OPT_REAL:
		return number_schema(row);
	case OPT_PERCENT:
		return number_or_text(row, "number", "^[0-9]+(\\.[0-9]*)? *%$");
	case OPT_DURATION:
		return number_or_text(row, "number", "^[0-9]+(\\.[0-9]*)? *(ms|s|m|min|h|d)?$");
	case OPT_SIZE:
		return number_or_text(row, "integer", "^[0-9]+(\\.[0-9]*)? *[KMGT]?$");
	case OPT_ENUM:
		return enum_schema(row);
	case OPT_STRINGS:
		return json_pack("{s:[o, {s:s, s:o}]}", "anyOf", string_schema(row), "type",
			"array", "items", string_schema(row));
	case OPT_MAP:
		return json_pack("{s:s, s:{s:[s, s, s, s]}}", "type", "object",
			"additionalProperties", "type", "string", "number", "boolean", "null");
	case OPT_TABLE:
		return nested_schema(row->table);
	case OPT_TABLES:
		return json_pack("{s:s, s:o}", "type", "array", "items", nested_schema(row->table));
	default:
		return json_object();
	}
}

json_t *option_schema(const struct option_row *row)
{
	json_t *schema = type_schema(row);

	json_object_set_new(schema, "description", json_string(row->help));
	if (row->dflt)
		json_object_set_new(schema, "default", option_text_json(row->dflt));
	if (row->example)
		json_object_set_new(
			schema, "examples", json_pack("[o]", option_text_json(row->example)));
	return schema;
}

json_t *options_schema(const struct option_table *table)
{
	json_t *properties = json_object(), *required = json_array(), *schema;

	for (const struct option_row *row = table->rows; row->name; row++) {
		json_object_set_new(properties, row->name, option_schema(row));
		if (row->required)
			json_array_append_new(required, json_string(row->name));
	}
	schema = json_pack("{s:s, s:s, s:s, s:o, s:b}", "title", table->name, "description",
		table->help, "type", "object", "properties", properties, "additionalProperties", 0);
	if (json_array_size(required))
		json_object_set(schema, "required", required);
	json_decref(required);
	return schema;
}
