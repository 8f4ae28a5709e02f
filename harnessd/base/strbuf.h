/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A growing string. */
#ifndef BASE_STRBUF_H
#define BASE_STRBUF_H

#include <stdarg.h>
#include <stddef.h>

/**
 * struct strbuf - bytes with a terminating NUL that is not counted
 * @data: never NULL after the first change; read through strbuf_text()
 */
struct strbuf {
	char *data;
	size_t len;
	size_t cap;
};

#define STRBUF_INIT ((struct strbuf){ 0 })

/** strbuf_reserve() - make room for more bytes; Return: where to write them (see strbuf_grew). */
char *strbuf_reserve(struct strbuf *sb, size_t more);
/** strbuf_grew() - n of the reserved bytes have been written. */
void strbuf_grew(struct strbuf *sb, size_t n);
/** strbuf_add() - append bytes. */
void strbuf_add(struct strbuf *sb, const void *data, size_t len);
/** strbuf_puts() - append a string. */
void strbuf_puts(struct strbuf *sb, const char *s);
/** strbuf_putc() - append one byte, n times. */
void strbuf_putc(struct strbuf *sb, char c, size_t n);
/** strbuf_printf() - append formatted text. */
void strbuf_printf(struct strbuf *sb, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/** strbuf_vprintf() - append formatted text. */
void strbuf_vprintf(struct strbuf *sb, const char *fmt, va_list ap)
	__attribute__((format(printf, 2, 0)));
/** strbuf_text() - the text, "" when empty; borrowed until the next change. */
const char *strbuf_text(const struct strbuf *sb);
/** strbuf_steal() - hand the text to the caller and start anew. */
char *strbuf_steal(struct strbuf *sb);
/** strbuf_clear() - empty it, keep the memory. */
void strbuf_clear(struct strbuf *sb);
/** strbuf_release() - free it and make it reusable. */
void strbuf_release(struct strbuf *sb);

#endif
