/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "spec/yaml_text.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "spec/yaml.h"

size_t yaml_bom_length(const char *text, size_t len)
{
	return len >= 3 && !memcmp(text, "\xef\xbb\xbf", 3) ? 3 : 0;
}

/* One character at p, n > 0 bytes left. Return: its length, or 0 when it is no valid UTF-8. */
static size_t utf8_char(const unsigned char *p, size_t n, uint32_t *c)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t len = p[0] < 0x80 ? 1 : p[0] >= 0xf0 ? 4 : p[0] >= 0xe0 ? 3 : 2;

	*c = p[0];
	if (len == 1)
		return 1;
	if (p[0] < 0xc2 || p[0] > 0xf4 || len > n)
		return 0;
	*c = p[0] & (0x7fU >> len);
	for (size_t i = 1; i < len; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		*c = *c << 6 | (p[i] & 0x3f);
	}
	return *c < least[len] || *c > 0x10ffff || (*c >= 0xd800 && *c < 0xe000) ? 0 : len;
}

/* The characters that YAML calls printable, and the line breaks. */
static bool allowed(uint32_t c)
{
	if (c < 0x20 || c == 0x7f)
		return c == '\t' || c == '\n' || c == '\r';
	return c == 0x85 || (c >= 0xa0 && c != 0xfeff && c != 0xfffe && c != 0xffff) || c < 0x7f;
}

static char *fault_of(size_t len, uint32_t c, unsigned char byte)
{
	if (!len)
		return xasprintf("byte 0x%02x is no UTF-8; save the file as UTF-8", byte);
	if (!c)
		return xstrdup("a NUL byte; this is no text file");
	return xasprintf("control character U+%04X; only tabs and line ends are allowed", c);
}

static int check_characters(const char *name, const char *text, size_t len, struct diags *diags)
{
	const unsigned char *p = (const unsigned char *)text;
	int line = 1, column = 1;

	for (size_t i = yaml_bom_length(text, len), n; i < len; i += n) {
		uint32_t c;

		n = utf8_char(p + i, len - i, &c);
		if (!n || !allowed(c)) {
			char *fault = fault_of(n, c, p[i]);

			diags_add(diags, name, line, column, "%s", fault);
			free(fault);
			return -EINVAL;
		}
		if (c == '\n' || (c == '\r' && (i + 1 == len || p[i + 1] != '\n'))) {
			line++;
			column = 1;
		} else if (c != '\r') {
			column++;
		}
	}
	return 0;
}

int yaml_check_text(const char *name, const char *text, size_t len, struct diags *diags)
{
	if (len > YAML_MAX_BYTES) {
		diags_add(diags, name, 0, 0, "the file has %zu bytes, more than the %d allowed",
			len, YAML_MAX_BYTES);
		return -EINVAL;
	}
	return check_characters(name, text, len, diags);
}

void yaml_reader_init(yaml_parser_t *parser, const char *text, size_t len)
{
	if (!yaml_parser_initialize(parser))
		abort();
	yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(parser, (const unsigned char *)text, len);
}

/* libyaml's words for a problem, and what usually helps. */
static const struct {
	const char *problem, *help;
} hints[] = {
	{ "found character that cannot start any token", "put a text that begins so into quotes" },
	{ "mapping values are not allowed in this context",
		"check the indentation, and put a text that holds ': ' into quotes" },
	{ "did not find expected key", "check the indentation of this line" },
	{ "did not find expected '-' indicator",
		"items of a list begin with '- ', all in the same column" },
	{ "could not find expected ':'", "a name is followed by ': ' and its value" },
	{ "did not find expected ',' or ']'", "items are parted by commas and end with ']'" },
	{ "did not find expected ',' or '}'", "members are parted by commas and end with '}'" },
	{ "block sequence entries are not allowed in this context",
		"a list begins on a line of its own" },
	{ "found undefined alias", "an alias *x needs an anchor &x before it; a text that begins "
				   "with * goes into quotes" },
	{ "found unexpected end of stream", "a quote is not closed" },
	{ "did not find expected node content", "a value is missing here" },
};

/* The byte at one of libyaml's marks, whose index counts characters. */
static char char_at(const char *text, size_t index)
{
	for (; *text && index; index--)
		do
			text++;
		while ((*text & 0xc0) == 0x80);
	return *text;
}

static const char *hint_for(const char *problem, char at)
{
	if (at == '\t')
		return "indent with spaces, YAML allows no tabs there";
	for (size_t i = 0; i < array_size(hints); i++)
		if (!strcmp(problem, hints[i].problem))
			return hints[i].help;
	return NULL;
}

static char *context_of(const yaml_parser_t *parser)
{
	int line = (int)parser->context_mark.line + 1;

	if (!parser->context)
		return xstrdup("");
	if (parser->context_mark.line != parser->problem_mark.line)
		return xasprintf(", %s that begins in line %d", parser->context, line);
	return xasprintf(", %s", parser->context);
}

void yaml_syntax_error(
	const char *name, const char *text, const yaml_parser_t *parser, struct diags *diags)
{
	int line = (int)parser->problem_mark.line + 1,
	    column = (int)parser->problem_mark.column + 1;
	const char *problem = parser->problem ? parser->problem : "unreadable", *help;
	char *context;

	if (parser->error == YAML_MEMORY_ERROR)
		abort();
	if (!strcmp(problem, "second occurrence")) {
		diags_add(diags, name, line, column,
			"an anchor of this name stands in line %d already",
			(int)parser->context_mark.line + 1);
		return;
	}
	help = hint_for(problem, char_at(text, parser->problem_mark.index));
	context = context_of(parser);
	diags_add(diags, name, line, column, "no valid YAML: %s%s%s%s", problem, context,
		help ? "; " : "", help ? help : "");
	free(context);
}

/* What has been seen of the stream so far. */
struct census {
	const char *name;
	struct diags *diags;
	int depth, nodes, anchors, documents;
	bool faulty;
};

static const yaml_char_t *tag_of(const yaml_event_t *event)
{
	switch (event->type) {
	case YAML_SCALAR_EVENT:
		return event->data.scalar.tag;
	case YAML_SEQUENCE_START_EVENT:
		return event->data.sequence_start.tag;
	case YAML_MAPPING_START_EVENT:
		return event->data.mapping_start.tag;
	default:
		return NULL;
	}
}

static bool has_anchor(const yaml_event_t *event)
{
	switch (event->type) {
	case YAML_SCALAR_EVENT:
		return event->data.scalar.anchor;
	case YAML_SEQUENCE_START_EVENT:
		return event->data.sequence_start.anchor;
	case YAML_MAPPING_START_EVENT:
		return event->data.mapping_start.anchor;
	default:
		return false;
	}
}

static void count_event(struct census *c, const yaml_event_t *event)
{
	switch (event->type) {
	case YAML_DOCUMENT_START_EVENT:
		c->documents++;
		break;
	case YAML_SEQUENCE_START_EVENT:
	case YAML_MAPPING_START_EVENT:
		c->depth++;
		c->nodes++;
		break;
	case YAML_SEQUENCE_END_EVENT:
	case YAML_MAPPING_END_EVENT:
		c->depth--;
		break;
	case YAML_SCALAR_EVENT:
	case YAML_ALIAS_EVENT:
		c->nodes++;
		break;
	default:
		break;
	}
	c->anchors += has_anchor(event);
}

static int check_event(struct census *c, const yaml_event_t *event)
{
	int line = (int)event->start_mark.line + 1, column = (int)event->start_mark.column + 1;

	count_event(c, event);
	if (tag_of(event)) {
		diags_add(c->diags, c->name, line, column,
			"tags (!…) have no meaning here; put a text that looks like a number into "
			"quotes");
		c->faulty = true;
	}
	if (c->documents > 1)
		diags_add(c->diags, c->name, line, column,
			"a second document begins here; one file holds one document");
	else if (c->depth > YAML_MAX_DEPTH)
		diags_add(c->diags, c->name, line, column, "nested more than %d deep",
			YAML_MAX_DEPTH);
	else if (c->nodes > YAML_MAX_NODES)
		diags_add(c->diags, c->name, line, column, "more than %d values in one document",
			YAML_MAX_NODES);
	else if (c->anchors > YAML_MAX_ANCHORS)
		diags_add(c->diags, c->name, line, column, "more than %d anchors in one document",
			YAML_MAX_ANCHORS);
	else
		return 0;
	return -EINVAL;
}

int yaml_check_events(
	const char *name, const char *text, size_t len, bool *faulty, struct diags *diags)
{
	struct census census = { .name = name, .diags = diags };
	yaml_event_type_t type = YAML_NO_EVENT;
	yaml_parser_t parser;
	int r = 0;

	yaml_reader_init(&parser, text, len);
	while (!r && type != YAML_STREAM_END_EVENT) {
		yaml_event_t event;

		if (!yaml_parser_parse(&parser, &event)) {
			yaml_syntax_error(name, text, &parser, diags);
			r = -EINVAL;
			break;
		}
		type = event.type;
		r = check_event(&census, &event);
		yaml_event_delete(&event);
	}
	yaml_parser_delete(&parser);
	*faulty = census.faulty;
	return r;
}
