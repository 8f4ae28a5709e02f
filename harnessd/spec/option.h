/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Option rows: every setting of every mapping in our YAML files is declared once, in a row, and from
 * the row come parsing, range checks, messages, "harness help", the man page and the JSON schema. */
#ifndef SPEC_OPTION_H
#define SPEC_OPTION_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/strbuf.h"
#include "spec/diag.h"

/**
 * enum option_type - kind of a setting, with the member it fills at the row's offset
 *
 * A key without a value is an error, except that of OPT_JSON (null) and OPT_TABLE (all defaults).
 */
enum option_type {
	OPT_STRING,   /* char *: NULL when unset */
	OPT_BOOL,     /* bool: true, false, yes, no, on, off */
	OPT_INT,      /* long: whole number in min … max */
	OPT_REAL,     /* double in min … max */
	OPT_PERCENT,  /* double: "1%" or 0.01 give 0.01; min, max are fractions */
	OPT_DURATION, /* double seconds: 500ms, 5s (or a bare number), 20m, 2h, 3d */
	OPT_SIZE,     /* long bytes: 4096, 256K, 64M, 2G (powers of 1024) */
	OPT_ENUM,     /* int: index into choices */
	OPT_STRINGS,  /* struct string_list: a list, or one scalar for a list of one */
	OPT_MAP,      /* json_t *: mapping of names to scalars; NULL when unset */
	OPT_JSON,     /* json_t *: anything, kept as it is; NULL when unset */
	OPT_TABLE,    /* the nested table's struct, in place */
	OPT_TABLES,   /* struct table_list: list of mappings of the nested table */
	OPT_NODE,     /* fills nothing: the caller reads the node by yaml_get() */
};

/** struct string_list - owned strings */
struct string_list {
	char **s;
	size_t n, cap;
};

/** string_list_add() - append a copy of a string. */
void string_list_add(struct string_list *list, const char *s);
/** string_list_release() - free it and make it reusable. */
void string_list_release(struct string_list *list);

/** struct table_list - n structs of the nested table, side by side */
struct table_list {
	void *item;
	size_t n, cap;
};

struct option_table;

/**
 * struct option_row - one row
 * @name: as written in the file
 * @offset: offsetof() the member it fills
 * @min, @max: for numbers; both 0 means no limit, max below min no upper limit
 * @dflt: default as it would be written, NULL for none
 * @choices: NULL-terminated, for OPT_ENUM
 * @table: for OPT_TABLE and OPT_TABLES
 * @pattern: PCRE2 that an OPT_STRING (or each of OPT_STRINGS) must match as a whole, or NULL
 * @takes: what it takes, in words ("a list of levels"), where the type does not say it, or NULL
 * @help: what it does, one or more sentences
 * @example: a value, as it would be written, for help and documentation
 * @check: a further check of the parsed member: a message owned by the caller, or NULL when fine
 */
struct option_row {
	const char *name;
	enum option_type type;
	size_t offset;
	bool required;
	double min, max;
	const char *dflt;
	const char *const *choices;
	const struct option_table *table;
	const char *pattern;
	const char *takes;
	const char *help;
	const char *example;
	char *(*check)(const void *member);
};

/**
 * struct option_table - the rows of one kind of mapping
 * @name: "job", "decide", ...; for help and messages
 * @help: one sentence
 * @rows: ended by a row without name
 * @size: of the struct that the rows fill
 * @shorthand: name of the row that a scalar in place of the mapping fills ("ssh: host"), or NULL
 */
struct option_table {
	const char *name;
	const char *help;
	const struct option_row *rows;
	size_t size;
	const char *shorthand;
};

struct yaml_node; /* spec/yaml.h: a node with its place in the file */

/**
 * options_init() - fill a struct with the rows' defaults
 * @out: memory of table->size bytes, whatever it holds
 */
void options_init(const struct option_table *table, void *out);

/**
 * options_parse() - fill a struct from a mapping
 * @node: the mapping (or scalar, when the table has a shorthand)
 * @out: defaults are set first; to be released also after errors
 * @diags: unknown keys (with the nearest), duplicates, wrong types, ranges, missing rows: all of them
 * Return: 0, or -EINVAL when anything was noted.
 */
int options_parse(const struct option_table *table, const struct yaml_node *node, void *out,
	struct diags *diags);

/** options_release() - free what the rows own; the struct itself is the caller's. */
void options_release(const struct option_table *table, void *out);

/**
 * options_to_json() - the settings in force, defaults included; new reference
 *
 * Fractions, seconds and bytes are numbers; what is unset and has no default is left out. The result,
 * written to a file, parses to the same settings.
 */
json_t *options_to_json(const struct option_table *table, const void *in);

/** options_schema() - JSON schema (2020-12) of the mapping; new reference. */
json_t *options_schema(const struct option_table *table);

/** options_help() - text for "harness help": each row with type, range, default, help, example. */
void options_help(const struct option_table *table, struct strbuf *out);

#endif
