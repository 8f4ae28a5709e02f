/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/wrap.h"

#include <stdbool.h>
#include <string.h>

/* Characters, not bytes. */
static size_t width_of(const char *text, size_t len)
{
	size_t n = 0;

	for (size_t i = 0; i < len; i++)
		n += ((unsigned char)text[i] & 0xc0) != 0x80;
	return n;
}

void wrap_words(struct strbuf *out, const char *text, size_t at, size_t indent)
{
	bool first = true;

	for (text += strspn(text, " \n"); *text; text += strspn(text, " \n")) {
		size_t len = strcspn(text, " \n"), width = width_of(text, len);

		if (!first && at + 1 + width > WRAP_WIDTH) {
			strbuf_putc(out, '\n', 1);
			strbuf_putc(out, ' ', indent);
			at = indent;
		} else if (!first) {
			strbuf_putc(out, ' ', 1);
			at++;
		}
		strbuf_add(out, text, len);
		at += width;
		text += len;
		first = false;
	}
	strbuf_putc(out, '\n', 1);
}

void wrap_paragraph(struct strbuf *out, const char *text, size_t indent)
{
	strbuf_putc(out, ' ', indent);
	wrap_words(out, text, indent, indent);
}
