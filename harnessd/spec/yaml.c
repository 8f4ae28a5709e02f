/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "spec/yaml.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "base/alloc.h"
#include "base/file.h"
#include "spec/yaml_text.h"

/**
 * struct yaml_file - a document
 * @doc: libyaml's document, which owns the text of every scalar
 */
struct yaml_file {
	char *name;
	char *text;
	yaml_document_t doc;
	struct yaml_node *root;
};

/* The tree being made of libyaml's graph, in which an alias is one more way to the same node. */
struct builder {
	struct yaml_file *file;
	struct diags *diags;
	bool *on_path; /* of each node of the graph: we are below it */
	size_t nodes, bytes;
	bool stop;
};

static void node_free(struct yaml_node *node)
{
	if (!node)
		return;
	for (size_t i = 0; i < node->n; i++) {
		node_free(node->item[i]);
		if (node->key)
			node_free(node->key[i]);
	}
	free(node->item);
	free(node->key);
	free(node);
}

static void mark_faulty(struct yaml_node *node, struct diags *diags, const char *text)
{
	yaml_error(node, diags, "%s", text);
	node->faulty = true;
}

static struct yaml_node *node_new(struct builder *b, const yaml_node_t *from)
{
	struct yaml_node *node = xcalloc(1, sizeof(*node));

	node->file = b->file->name;
	node->text = "";
	node->line = (int)from->start_mark.line + 1;
	node->column = (int)from->start_mark.column + 1;
	return node;
}

/* Why the building ends at this node of the graph, or NULL; owned by the caller. */
static char *refusal(const struct builder *b, int index, int depth)
{
	if (b->on_path[index - 1])
		return xstrdup("what begins here holds itself through an alias");
	if (depth > YAML_MAX_DEPTH)
		return xasprintf("nested more than %d deep", YAML_MAX_DEPTH);
	if (b->nodes > YAML_MAX_NODES)
		return xasprintf("more than %d values in one document, counting those that "
				 "aliases repeat",
			YAML_MAX_NODES);
	if (b->bytes > 2 * YAML_MAX_BYTES)
		return xasprintf(
			"aliases make the document larger than %d bytes", 2 * YAML_MAX_BYTES);
	return NULL;
}

static struct yaml_node *build(struct builder *b, int index, int depth);

static void build_scalar(struct builder *b, struct yaml_node *node, const yaml_node_t *from)
{
	node->kind = YAML_SCALAR;
	node->text = (const char *)from->data.scalar.value;
	node->len = from->data.scalar.length;
	node->quoted = from->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
	b->bytes += node->len;
	if (strlen(node->text) != node->len)
		mark_faulty(node, b->diags, "text with a NUL character (\\0) in it is not allowed");
}

static void build_list(
	struct builder *b, struct yaml_node *node, const yaml_node_t *from, int depth)
{
	const yaml_node_item_t *item = from->data.sequence.items.start;
	size_t n = (size_t)(from->data.sequence.items.top - item);

	node->kind = YAML_LIST;
	node->item = xcalloc(n, sizeof(struct yaml_node *));
	for (size_t i = 0; i < n && !b->stop; i++) {
		node->item[i] = build(b, item[i], depth + 1);
		node->n++;
		node->faulty |= node->item[i]->faulty;
	}
}

/* Notes a key that stands in the mapping already; @seen: key → line of the first. */
static void check_duplicate(
	struct builder *b, struct yaml_node *node, struct yaml_node *key, json_t *seen)
{
	const json_t *first;
	char *text;

	if (key->kind != YAML_SCALAR || key->faulty)
		return;
	first = json_object_get(seen, key->text);
	if (first) {
		text = yaml_excerpt(key);
		yaml_error(key, b->diags, "key %s stands here twice; the first is in line %d", text,
			(int)json_integer_value(first));
		free(text);
		node->faulty = true;
	} else {
		json_object_set_new(seen, key->text, json_integer(key->line));
	}
}

static void build_mapping(
	struct builder *b, struct yaml_node *node, const yaml_node_t *from, int depth)
{
	const yaml_node_pair_t *pair = from->data.mapping.pairs.start;
	size_t n = (size_t)(from->data.mapping.pairs.top - pair);
	json_t *seen = json_object();

	node->kind = YAML_MAPPING;
	node->item = xcalloc(n, sizeof(struct yaml_node *));
	node->key = xcalloc(n, sizeof(struct yaml_node *));
	for (size_t i = 0; i < n && !b->stop; i++) {
		struct yaml_node *key = build(b, pair[i].key, depth + 1);

		node->key[i] = key;
		if (!b->stop && key->kind != YAML_SCALAR)
			mark_faulty(key, b->diags, "a key must be a text, not a list or mapping");
		if (!b->stop)
			check_duplicate(b, node, key, seen);
		node->item[i] = build(b, pair[i].value, depth + 1);
		node->n++;
		node->faulty |= key->faulty || node->item[i]->faulty;
	}
	json_decref(seen);
}

/* Return: the node, never NULL; a refusal leaves it an empty scalar and b->stop set. */
static struct yaml_node *build(struct builder *b, int index, int depth)
{
	const yaml_node_t *from = yaml_document_get_node(&b->file->doc, index);
	struct yaml_node *node = node_new(b, from);
	char *why;

	if (b->stop)
		return node;
	b->nodes++;
	why = refusal(b, index, depth);
	if (why) {
		mark_faulty(node, b->diags, why);
		free(why);
		b->stop = true;
		return node;
	}
	b->on_path[index - 1] = true;
	if (from->type == YAML_SCALAR_NODE)
		build_scalar(b, node, from);
	else if (from->type == YAML_SEQUENCE_NODE)
		build_list(b, node, from, depth);
	else
		build_mapping(b, node, from, depth);
	b->on_path[index - 1] = false;
	return node;
}

static int build_tree(struct yaml_file *file, struct diags *diags)
{
	struct builder b = { .file = file, .diags = diags };
	size_t n = (size_t)(file->doc.nodes.top - file->doc.nodes.start);

	if (!n) {
		diags_add(diags, file->name, 0, 0, "the file is empty");
		return -EINVAL;
	}
	b.on_path = xcalloc(n, sizeof(bool));
	file->root = build(&b, 1, 0);
	free(b.on_path);
	return b.stop ? -EINVAL : 0;
}

static int read_document(struct yaml_file *file, size_t len, struct diags *diags)
{
	size_t bom = yaml_bom_length(file->text, len);
	const char *text = file->text + bom;
	yaml_parser_t parser;
	bool faulty = false;
	int r = yaml_check_events(file->name, text, len - bom, &faulty, diags);

	if (r < 0)
		return r;
	yaml_reader_init(&parser, text, len - bom);
	if (!yaml_parser_load(&parser, &file->doc)) {
		yaml_syntax_error(file->name, text, &parser, diags);
		r = -EINVAL;
	} else {
		r = build_tree(file, diags);
	}
	yaml_parser_delete(&parser);
	if (file->root)
		file->root->faulty |= faulty;
	return r;
}

struct yaml_file *yaml_parse(const char *name, const char *text, size_t len, struct diags *diags)
{
	struct yaml_file *file;

	if (yaml_check_text(name, text, len, diags) < 0)
		return NULL;
	file = xcalloc(1, sizeof(*file));
	file->name = xstrdup(name);
	file->text = xmemdup0(text, len);
	if (read_document(file, len, diags) < 0) {
		yaml_file_free(file);
		return NULL;
	}
	return file;
}

struct yaml_file *yaml_load(const char *path, struct diags *diags)
{
	struct yaml_file *file;
	size_t len = 0;
	char *text;
	int r = file_read(path, YAML_MAX_BYTES, &text, &len, NULL);

	if (r == -EFBIG) {
		diags_add(diags, path, 0, 0, "the file is larger than %d bytes", YAML_MAX_BYTES);
		return NULL;
	}
	if (r < 0) {
		errno = -r;
		diags_add(diags, path, 0, 0, "cannot read the file: %m");
		return NULL;
	}
	file = yaml_parse(path, text, len, diags);
	free(text);
	return file;
}

const struct yaml_node *yaml_root(const struct yaml_file *file)
{
	return file->root;
}

const char *yaml_text(const struct yaml_file *file)
{
	return file->text;
}

void yaml_file_free(struct yaml_file *file)
{
	if (!file)
		return;
	node_free(file->root);
	yaml_document_delete(&file->doc);
	free(file->name);
	free(file->text);
	free(file);
}

const struct yaml_node *yaml_get(const struct yaml_node *mapping, const char *key)
{
	if (!mapping || mapping->kind != YAML_MAPPING)
		return NULL;
	for (size_t i = 0; i < mapping->n; i++)
		if (mapping->key[i]->kind == YAML_SCALAR && !strcmp(mapping->key[i]->text, key))
			return mapping->item[i];
	return NULL;
}

const char *yaml_kind_name(const struct yaml_node *node)
{
	static const char *const names[] = { "text", "list", "mapping" };

	return names[node->kind];
}

void yaml_error(const struct yaml_node *node, struct diags *diags, const char *fmt, ...)
{
	va_list ap;
	char *text;

	va_start(ap, fmt);
	text = xvasprintf(fmt, ap);
	va_end(ap);
	diags_add(diags, node->file, node->line, node->column, "%s", text);
	free(text);
}
