/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading text that is not trusted: pieces are cut off the front of a span, nothing is copied, the
 * locale plays no part, and a NUL is a byte like any other. */
#ifndef COLLECTORS_SCAN_H
#define COLLECTORS_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** struct span - bytes from @p up to @end, borrowed */
struct span {
	const char *p, *end;
};

/** span_of() - a span over @len bytes. */
static inline struct span span_of(const char *text, size_t len)
{
	return (struct span){ text, text + len };
}

/** span_str() - a span over a string. */
struct span span_str(const char *s);

/** span_len() - number of bytes. */
static inline size_t span_len(struct span s)
{
	return (size_t)(s.end - s.p);
}

/** span_blank() - true when nothing but white space is left. */
bool span_blank(struct span s);
/** span_line() - cut one line off, without its "\n" or "\r\n". Return: false at the end. */
bool span_line(struct span *text, struct span *line);
/** span_word() - cut one word off, words being parted by white space. Return: false at the end. */
bool span_word(struct span *s, struct span *word);
/** span_field() - cut off what stands before @sep (or the rest). Return: false after the last. */
bool span_field(struct span *s, char sep, struct span *field);
/** span_trim() - without the white space at both ends. */
struct span span_trim(struct span s);
/** span_skip() - cut a prefix off. Return: false, and nothing cut, when it isn't there. */
bool span_skip(struct span *s, const char *prefix);
/** span_eq() - same bytes as a string. */
bool span_eq(struct span s, const char *text);
/** span_same() - same bytes. */
bool span_same(struct span a, struct span b);
/** span_find() - where a string first occurs, or NULL. */
const char *span_find(struct span s, const char *needle);
/** span_after() - cut off everything up to and with a string. Return: false when it isn't there. */
bool span_after(struct span *s, const char *needle);
/** span_ends() - true when the bytes end with a string. */
bool span_ends(struct span s, const char *suffix);
/** span_digits() - cut decimal digits off. Return: false when there are none or they overflow. */
bool span_digits(struct span *s, uint64_t *value);
/** span_u64() - the whole span is one decimal number. */
bool span_u64(struct span s, uint64_t *value);
/** span_real() - the whole span is digits with at most one decimal point (and a sign). */
bool span_real(struct span s, double *value);
/**
 * span_text() - copy as a string fit for labels and messages; owned by the caller
 *
 * White space at the ends goes, a run of control characters becomes one blank, and bytes that are
 * no UTF-8 become '?', so that the result can always be printed and stored as JSON.
 */
char *span_text(struct span s);

#endif
