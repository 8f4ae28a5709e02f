/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The JSON schema of a job file, for editors: the rows' own, and the plug-ins' where a row has none. */
#include "spec/job_parts.h"

#include <assert.h>

#include "base/json.h"
#include "spec/option_value.h"

/* A plug-in's settings: its mapping, what its shorthand takes, or nothing at all. */
static json_t *settings_schema(const struct registry_entry *entry)
{
	const struct option_table *table = entry->options;
	json_t *any;

	if (!table)
		return json_pack("{s:s, s:s}", "type", "null", "description", entry->help);
	any = json_pack("[o, {s:s}]", options_schema(table), "type", "null");
	if (table->shorthand)
		json_array_append_new(any, option_schema(option_find(table, table->shorthand)));
	return json_pack("{s:s, s:o}", "description", entry->help, "anyOf", any);
}

/* {name: settings} of one of the plug-ins. */
static json_t *one_of_entries(const struct registry_entry *entries, size_t n)
{
	json_t *properties = json_object();

	for (size_t i = 0; i < n; i++)
		json_object_set_new(properties, entries[i].name, settings_schema(&entries[i]));
	return json_pack("{s:s, s:o, s:b, s:i, s:i}", "type", "object", "properties", properties,
		"additionalProperties", 0, "minProperties", 1, "maxProperties", 1);
}

static json_t *entry_names(const struct registry_entry *entries, size_t n)
{
	json_t *names = json_array();

	for (size_t i = 0; i < n; i++)
		json_array_append_new(names, json_string(entries[i].name));
	return names;
}

static json_t *level_schema(const struct registry_entry *knob)
{
	json_t *schema = knob->schema ? json_loads(knob->schema, 0, NULL) : json_object();

	assert(schema);
	if (!json_object_get(schema, "description"))
		json_object_set_new(schema, "description", json_string(knob->help));
	return schema;
}

/* knob → level, or knob → list of levels. */
static json_t *knobs_schema(const struct registry *registry, bool lists)
{
	json_t *properties = json_object();

	for (size_t i = 0; i < registry->n_knobs; i++) {
		const struct registry_entry *knob = &registry->knobs[i];
		json_t *schema = level_schema(knob);

		if (lists)
			schema = json_pack("{s:s, s:s, s:i, s:o}", "description", knob->help,
				"type", "array", "minItems", 1, "items", schema);
		json_object_set_new(properties, knob->name, schema);
	}
	return json_pack("{s:s, s:o, s:b}", "type", "object", "properties", properties,
		"additionalProperties", 0);
}

static json_t *arms_schema(const struct registry *registry)
{
	json_t *arm = knobs_schema(registry, false);

	json_object_set_new(json_object_get(arm, "properties"), "label",
		json_pack("{s:s, s:s}", "type", "string", "description",
			"The arm's name in the report."));
	return json_pack("{s:s, s:i, s:i, s:o}", "type", "array", "minItems", 1, "maxItems",
		JOB_MAX_ARMS, "items", arm);
}

static json_t *target_schema(const struct registry *registry)
{
	return json_pack("{s:[{s:s, s:o}, o]}", "anyOf", "type", "string", "examples",
		entry_names(registry->targets, registry->n_targets),
		one_of_entries(registry->targets, registry->n_targets));
}

static json_t *collect_schema(const struct registry *registry)
{
	return json_pack("{s:s, s:{s:[{s:o}, o]}}", "type", "array", "items", "anyOf", "enum",
		entry_names(registry->collectors, registry->n_collectors),
		one_of_entries(registry->collectors, registry->n_collectors));
}

/* Adds to a row's description, default and examples what its value may be. */
static void set_schema(json_t *properties, const char *name, json_t *schema)
{
	json_object_update(json_object_get(properties, name), schema);
	json_decref(schema);
}

json_t *job_schema(const struct registry *registry)
{
	json_t *schema = options_schema(&job_table);
	json_t *properties = json_object_get(schema, "properties");

	set_schema(properties, "target", target_schema(registry));
	set_schema(properties, "factors", knobs_schema(registry, true));
	set_schema(properties, "arms", arms_schema(registry));
	set_schema(properties, "fixed", knobs_schema(registry, false));
	set_schema(properties, "baseline",
		json_pack("{s:[{s:s}, o]}", "anyOf", "type", "string",
			knobs_schema(registry, false)));
	set_schema(properties, "collect", collect_schema(registry));
	json_object_set_new(schema, "not", json_pack("{s:[s, s]}", "required", "factors", "arms"));
	json_object_set_new(
		schema, "$schema", json_string("https://json-schema.org/draft/2020-12/schema"));
	return schema;
}
