/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Nodes as JSON values and as words in a message. */
#include "spec/yaml.h"

#include <ctype.h>
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/strbuf.h"

static bool is_one_of(const char *text, const char *a, const char *b, const char *c)
{
	return !strcmp(text, a) || !strcmp(text, b) || !strcmp(text, c);
}

bool yaml_is_null(const struct yaml_node *node)
{
	return node->kind == YAML_SCALAR && !node->quoted &&
	       (!node->len || !strcmp(node->text, "~") ||
		       is_one_of(node->text, "null", "Null", "NULL"));
}

/* Core schema: [-+]?[0-9]+, 0o[0-7]+, 0x[0-9a-fA-F]+. One that doesn't fit stays text. */
static json_t *integer_json(const char *text)
{
	const char *digits = text, *set = "0123456789";
	long long value;
	int base = 10;

	if (!strncmp(text, "0o", 2) || !strncmp(text, "0x", 2)) {
		base = text[1] == 'o' ? 8 : 16;
		set = base == 8 ? "01234567" : "0123456789abcdefABCDEF";
		digits += 2;
	} else if (*text == '-' || *text == '+') {
		digits++;
	}
	if (!*digits || digits[strspn(digits, set)])
		return NULL;
	errno = 0;
	value = strtoll(base == 10 ? text : digits, NULL, base);
	return errno ? NULL : json_integer(value);
}

/* Core schema: [-+]? ( \. [0-9]+ | [0-9]+ ( \. [0-9]* )? ) ( [eE] [-+]? [0-9]+ )? */
static bool is_real(const char *p)
{
	size_t before, after = 0;

	p += *p == '-' || *p == '+';
	before = strspn(p, "0123456789");
	p += before;
	if (*p == '.') {
		after = strspn(++p, "0123456789");
		p += after;
	}
	if (!before && !after)
		return false;
	if (*p == 'e' || *p == 'E') {
		p++;
		p += *p == '-' || *p == '+';
		if (!isdigit((unsigned char)*p))
			return false;
		p += strspn(p, "0123456789");
	}
	return !*p;
}

int yaml_real(const char *text, double *value)
{
	locale_t c;

	if (!is_real(text))
		return -EINVAL;
	c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	*value = strtod_l(text, NULL, c);
	freelocale(c);
	return isfinite(*value) ? 0 : -ERANGE;
}

static json_t *scalar_json(const struct yaml_node *node)
{
	json_t *value;
	double real;

	if (node->quoted)
		return json_stringn(node->text, node->len);
	if (yaml_is_null(node))
		return json_null();
	if (is_one_of(node->text, "true", "True", "TRUE"))
		return json_true();
	if (is_one_of(node->text, "false", "False", "FALSE"))
		return json_false();
	value = integer_json(node->text);
	if (value)
		return value;
	if (strpbrk(node->text, ".eE") && !yaml_real(node->text, &real))
		return json_real(real);
	return json_stringn(node->text, node->len);
}

json_t *yaml_to_json(const struct yaml_node *node)
{
	json_t *json;

	if (node->kind == YAML_SCALAR)
		return scalar_json(node);
	json = node->kind == YAML_LIST ? json_array() : json_object();
	for (size_t i = 0; i < node->n; i++) {
		json_t *item = yaml_to_json(node->item[i]);

		if (node->kind == YAML_LIST)
			json_array_append_new(json, item);
		else if (node->key[i]->kind == YAML_SCALAR)
			json_object_set_new(json, node->key[i]->text, item);
		else
			json_decref(item);
	}
	return json;
}

char *yaml_excerpt(const struct yaml_node *node)
{
	enum { EXCERPT_MAX = 48 };
	struct strbuf sb = STRBUF_INIT;
	size_t n = node->len;

	if (node->kind != YAML_SCALAR)
		return xasprintf("a %s", yaml_kind_name(node));
	if (yaml_is_null(node))
		return xstrdup("nothing");
	if (n > EXCERPT_MAX)
		for (n = EXCERPT_MAX; n && (node->text[n] & 0xc0) == 0x80; n--)
			;
	strbuf_putc(&sb, '\'', 1);
	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)node->text[i];

		strbuf_putc(&sb, c < 0x20 || c == 0x7f ? ' ' : (char)c, 1);
	}
	strbuf_puts(&sb, n < node->len ? "…'" : "'");
	return strbuf_steal(&sb);
}
