/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/strbuf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

char *strbuf_reserve(struct strbuf *sb, size_t more)
{
	size_t need = sb->len + more + 1;

	if (need > sb->cap) {
		sb->cap = need > sb->cap * 2 ? need : sb->cap * 2;
		sb->data = xrealloc_array(sb->data, sb->cap, 1);
		sb->data[sb->len] = '\0'; /* it may be that nothing is written */
	}
	return sb->data + sb->len;
}

void strbuf_grew(struct strbuf *sb, size_t n)
{
	sb->len += n;
	sb->data[sb->len] = '\0';
}

void strbuf_add(struct strbuf *sb, const void *data, size_t len)
{
	char *to = strbuf_reserve(sb, len);

	if (len)
		memcpy(to, data, len);
	strbuf_grew(sb, len);
}

void strbuf_puts(struct strbuf *sb, const char *s)
{
	strbuf_add(sb, s, strlen(s));
}

void strbuf_putc(struct strbuf *sb, char c, size_t n)
{
	memset(strbuf_reserve(sb, n), c, n);
	strbuf_grew(sb, n);
}

void strbuf_vprintf(struct strbuf *sb, const char *fmt, va_list ap)
{
	char *s = xvasprintf(fmt, ap);

	strbuf_puts(sb, s);
	free(s);
}

void strbuf_printf(struct strbuf *sb, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	strbuf_vprintf(sb, fmt, ap);
	va_end(ap);
}

const char *strbuf_text(const struct strbuf *sb)
{
	return sb->data ? sb->data : "";
}

char *strbuf_steal(struct strbuf *sb)
{
	char *text = sb->data ? sb->data : xstrdup("");

	*sb = STRBUF_INIT;
	return text;
}

void strbuf_clear(struct strbuf *sb)
{
	sb->len = 0;
	if (sb->data)
		sb->data[0] = '\0';
}

void strbuf_release(struct strbuf *sb)
{
	free(sb->data);
	*sb = STRBUF_INIT;
}
