/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Text with {name} in it: arguments of commands and names of metrics. */
#ifndef SPEC_TEMPLATE_H
#define SPEC_TEMPLATE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/** struct template_piece - literal text, or the name between braces */
struct template_piece {
	const char *text;
	size_t len;
	bool is_name;
};

/**
 * template_next() - the next piece
 * @at: where to go on; begin with the whole text
 *
 * A name is a letter or "_" and then letters, digits and "_"; "{{" and "}}" stand for one brace.
 * Return: 1 with *piece, 0 at the end, -EINVAL when a brace is neither.
 */
int template_next(const char **at, struct template_piece *piece, struct error *err);

/** template_has_names() - true when a well-formed text holds a {name}. */
bool template_has_names(const char *text);

#endif
