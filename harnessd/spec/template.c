/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "spec/template.h"

#include <errno.h>
#include <string.h>

static bool name_begins(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static size_t name_length(const char *s)
{
	size_t n = 0;

	if (!name_begins(*s))
		return 0;
	while (name_begins(s[n]) || (s[n] >= '0' && s[n] <= '9'))
		n++;
	return n;
}

/* One brace for two: a literal piece of its own. */
static void brace(const char **at, struct template_piece *piece)
{
	*piece = (struct template_piece){ .text = *at, .len = 1 };
	*at += 2;
}

int template_next(const char **at, struct template_piece *piece, struct error *err)
{
	const char *s = *at;
	size_t n = strcspn(s, "{}");

	if (n) {
		*piece = (struct template_piece){ .text = s, .len = n };
		*at += n;
		return 1;
	}
	if (!*s)
		return 0;
	if (s[1] == s[0]) {
		brace(at, piece);
		return 1;
	}
	n = *s == '{' ? name_length(s + 1) : 0;
	if (!n || s[n + 1] != '}')
		return error_set(err, -EINVAL,
			"'%.20s' is no {name}; write '%c%c' for the brace itself", s, *s, *s);
	*piece = (struct template_piece){ .text = s + 1, .len = n, .is_name = true };
	*at += n + 2;
	return 1;
}

bool template_has_names(const char *text)
{
	struct template_piece piece = { 0 };

	while (template_next(&text, &piece, NULL) == 1)
		if (piece.is_name)
			return true;
	return false;
}
