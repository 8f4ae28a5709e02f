/* SPDX-License-Identifier: GPL-2.0-or-later */
/* YAML documents with the place of every node, bounded and without surprises. */
#ifndef SPEC_YAML_H
#define SPEC_YAML_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "spec/diag.h"

/** Bounds of a document: larger ones are refused with a clear message, aliases never multiply. */
enum {
	YAML_MAX_BYTES = 1 << 20,
	YAML_MAX_DEPTH = 32,
	YAML_MAX_NODES = 50000,
	YAML_MAX_ANCHORS = 1000,
};

enum yaml_kind { YAML_SCALAR, YAML_LIST, YAML_MAPPING };

/**
 * struct yaml_node - one node; owned by the struct yaml_file
 * @quoted: a scalar in quotes (or a block scalar) is always a string
 * @faulty: something in it or below it was noted while it was read (a duplicate key, a tag)
 * @text, @len: scalar's text, NUL-terminated
 * @item: list members, or mapping values
 * @key: mapping keys (scalars), in the order of the file
 */
struct yaml_node {
	enum yaml_kind kind;
	const char *file;
	int line, column;
	bool quoted;
	bool faulty;
	const char *text;
	size_t len;
	struct yaml_node **item;
	struct yaml_node **key;
	size_t n;
};

struct yaml_file;

/**
 * yaml_parse() - one document
 * @name: file name for messages
 * Syntax errors, duplicate keys, several documents, over-large input and keys that are no scalars
 * are noted in @diags. After a finding that leaves the rest readable (duplicate keys, tags) there is
 * still a document, with its faulty nodes marked, so that all its other findings can be told too.
 * Return: the document to be freed with yaml_file_free(), or NULL when there is nothing to go on with.
 */
struct yaml_file *yaml_parse(const char *name, const char *text, size_t len, struct diags *diags);
/** yaml_load() - yaml_parse() of a file. */
struct yaml_file *yaml_load(const char *path, struct diags *diags);
/** yaml_root() - its root node; borrowed. */
const struct yaml_node *yaml_root(const struct yaml_file *file);
/** yaml_text() - the text it was made from; borrowed. */
const char *yaml_text(const struct yaml_file *file);
/** yaml_file_free() - free it with all nodes; NULL is fine ("yaml_free" is a symbol of libyaml's). */
void yaml_file_free(struct yaml_file *file);

/** yaml_get() - value of a key of a mapping, or NULL. */
const struct yaml_node *yaml_get(const struct yaml_node *mapping, const char *key);
/** yaml_to_json() - plain scalars become null, true/false, integers or reals (core schema). */
json_t *yaml_to_json(const struct yaml_node *node);
/**
 * yaml_real() - a decimal number, whatever the locale
 * Return: 0, -EINVAL when the text is none, -ERANGE when it is too large for a double.
 */
int yaml_real(const char *text, double *value);
/** yaml_is_null() - a plain scalar that says nothing: empty, ~ or null. */
bool yaml_is_null(const struct yaml_node *node);
/** yaml_kind_name() - "text", "list" or "mapping". */
const char *yaml_kind_name(const struct yaml_node *node);
/** yaml_excerpt() - the node for a message: 'its text' cut short, "a list", …; owned by the caller. */
char *yaml_excerpt(const struct yaml_node *node);
/** yaml_error() - note a finding at a node. */
void yaml_error(const struct yaml_node *node, struct diags *diags, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif
