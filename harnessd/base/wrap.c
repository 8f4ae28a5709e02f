/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/wrap.h"

#include <stdbool.h>
#include <string.h>

static bool begins_character(char byte)
{
	return ((unsigned char)byte & 0xc0) != 0x80;
}

size_t text_width(const char *text, size_t len)
{
	size_t n = 0;

	for (size_t i = 0; i < len; i++)
		n += begins_character(text[i]);
	return n;
}

size_t text_prefix(const char *text, size_t width)
{
	size_t len = 0;

	for (; text[len]; len++)
		if (begins_character(text[len]) && width-- == 0)
			break;
	return len;
}

void wrap_words(struct strbuf *out, const char *text, size_t at, size_t indent)
{
	bool first = true;

	for (text += strspn(text, " \n"); *text; text += strspn(text, " \n")) {
		size_t len = strcspn(text, " \n"), width = text_width(text, len);

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
