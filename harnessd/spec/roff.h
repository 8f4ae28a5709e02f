/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Text as source of a manual page: man(7) macros, for groff and mandoc alike. */
#ifndef SPEC_ROFF_H
#define SPEC_ROFF_H

#include <stddef.h>

#include "base/strbuf.h"

/**
 * roff_escape() - append text so that it is printed as it is, wherever in a line it stands
 *
 * Signs that mean something to roff become its names for them, characters beyond ASCII \[uXXXX] (what
 * is no UTF-8: U+FFFD), so that no encoding has to be agreed on. Newlines remain; a dot that would
 * begin a request is guarded.
 */
void roff_escape(struct strbuf *out, const char *text, size_t len);
/** roff_words() - the words of a text on one line, to be filled. */
void roff_words(struct strbuf *out, const char *text);
/**
 * roff_prose() - a help text as paragraphs, lists and examples
 *
 * An empty line ends a paragraph, and other lines are filled. Of lines that begin with a blank,
 *
 *	--name   text, two blanks or more behind the name,
 *	         going on as deep as you like
 *
 * is an item of a list, and all else is kept as it stands. "Usage: " begins lines to keep, too.
 */
void roff_prose(struct strbuf *out, const char *text);

#endif
