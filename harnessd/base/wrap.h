/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Words filled into lines for a terminal of 80 columns. */
#ifndef BASE_WRAP_H
#define BASE_WRAP_H

#include <stddef.h>

#include "base/strbuf.h"

enum { WRAP_WIDTH = 79 };

/** text_width() - characters of UTF-8 in a text of so many bytes. */
size_t text_width(const char *text, size_t len);
/** text_prefix() - bytes of a text's first @width characters; all of it when it has fewer. */
size_t text_prefix(const char *text, size_t width);

/**
 * wrap_words() - append the words of a text, lines at most WRAP_WIDTH wide, and end the last line
 * @at: the column that the line begun in @out has reached
 * @indent: blanks before each further line
 * Blanks and newlines between words count alike. Width is in characters of UTF-8; a longer word has
 * a line of its own.
 */
void wrap_words(struct strbuf *out, const char *text, size_t at, size_t indent);
/** wrap_paragraph() - the same from the beginning of a line, all lines indented. */
void wrap_paragraph(struct strbuf *out, const char *text, size_t indent);

#endif
