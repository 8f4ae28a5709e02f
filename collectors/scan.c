/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collectors/scan.h"

#include <string.h>

#include "base/alloc.h"
#include "base/strbuf.h"

/* isspace() without the locale. */
static bool is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

struct span span_str(const char *s)
{
	return span_of(s, strlen(s));
}

bool span_blank(struct span s)
{
	return span_len(span_trim(s)) == 0;
}

bool span_line(struct span *text, struct span *line)
{
	const char *nl;

	if (text->p == text->end)
		return false;
	nl = memchr(text->p, '\n', span_len(*text));
	*line = (struct span){ text->p, nl ? nl : text->end };
	text->p = nl ? nl + 1 : text->end;
	if (line->end > line->p && line->end[-1] == '\r')
		line->end--;
	return true;
}

bool span_word(struct span *s, struct span *word)
{
	while (s->p < s->end && is_space(*s->p))
		s->p++;
	word->p = s->p;
	while (s->p < s->end && !is_space(*s->p))
		s->p++;
	word->end = s->p;
	return word->p < word->end;
}

bool span_field(struct span *s, char sep, struct span *field)
{
	const char *end;

	if (!s->p)
		return false;
	end = span_len(*s) ? memchr(s->p, sep, span_len(*s)) : NULL;
	*field = (struct span){ s->p, end ? end : s->end };
	s->p = end ? end + 1 : NULL;
	return true;
}

struct span span_trim(struct span s)
{
	while (s.p < s.end && is_space(*s.p))
		s.p++;
	while (s.end > s.p && is_space(s.end[-1]))
		s.end--;
	return s;
}

bool span_skip(struct span *s, const char *prefix)
{
	size_t len = strlen(prefix);

	if (span_len(*s) < len || memcmp(s->p, prefix, len) != 0)
		return false;
	s->p += len;
	return true;
}

bool span_eq(struct span s, const char *text)
{
	return span_same(s, span_str(text));
}

bool span_same(struct span a, struct span b)
{
	return span_len(a) == span_len(b) && memcmp(a.p, b.p, span_len(a)) == 0;
}

const char *span_find(struct span s, const char *needle)
{
	return span_len(s) ? memmem(s.p, span_len(s), needle, strlen(needle)) : NULL;
}

bool span_after(struct span *s, const char *needle)
{
	const char *at = span_find(*s, needle);

	if (at)
		s->p = at + strlen(needle);
	return at;
}

bool span_ends(struct span s, const char *suffix)
{
	size_t len = strlen(suffix);

	return span_len(s) >= len && memcmp(s.end - len, suffix, len) == 0;
}

bool span_digits(struct span *s, uint64_t *value)
{
	const char *p = s->p;
	uint64_t v = 0;

	for (; p < s->end && is_digit(*p); p++)
		if (__builtin_mul_overflow(v, 10, &v) ||
			__builtin_add_overflow(v, (uint64_t)(*p - '0'), &v))
			return false;
	if (p == s->p)
		return false;
	s->p = p;
	*value = v;
	return true;
}

bool span_u64(struct span s, uint64_t *value)
{
	return span_digits(&s, value) && s.p == s.end;
}

/* Exact up to 2^53 before the point and rounded once behind it: whole and fraction are gathered as
 * one integer, which is divided by a power of ten that a double holds exactly (up to 10^22). */
bool span_real(struct span s, double *value)
{
	bool minus = span_skip(&s, "-");
	double scale = 1, v = 0;
	size_t digits = 0;
	bool point = false;

	for (; s.p < s.end; s.p++) {
		if (*s.p == '.' && !point) {
			point = true;
			continue;
		}
		if (!is_digit(*s.p) || ++digits > 40)
			return false;
		if (point && (v >= 9e15 || scale >= 1e22))
			continue; /* beyond what a double can hold */
		v = v * 10 + (*s.p - '0');
		if (point)
			scale *= 10;
	}
	if (!digits)
		return false;
	*value = (minus ? -v : v) / scale;
	return true;
}

/* Length of the UTF-8 sequence at p, 0 when it is none. */
static size_t utf8_len(const char *p, const char *end)
{
	const unsigned char *u = (const unsigned char *)p;
	size_t n = u[0] < 0x80			 ? 1
		   : u[0] >= 0xc2 && u[0] < 0xe0 ? 2
		   : u[0] >= 0xe0 && u[0] < 0xf0 ? 3
		   : u[0] >= 0xf0 && u[0] < 0xf5 ? 4
						 : 0;

	if (!n || (size_t)(end - p) < n)
		return 0;
	for (size_t i = 1; i < n; i++)
		if ((u[i] & 0xc0) != 0x80)
			return 0;
	if ((u[0] == 0xe0 && u[1] < 0xa0) || (u[0] == 0xed && u[1] > 0x9f) ||
		(u[0] == 0xf0 && u[1] < 0x90) || (u[0] == 0xf4 && u[1] > 0x8f))
		return 0; /* overlong, surrogate, beyond the last code point */
	return n;
}

char *span_text(struct span s)
{
	struct strbuf sb = STRBUF_INIT;
	bool control = false;

	s = span_trim(s);
	while (s.p < s.end) {
		unsigned char c = (unsigned char)*s.p;
		size_t n = utf8_len(s.p, s.end);

		if (c < 0x20 || c == 0x7f) {
			if (!control)
				strbuf_putc(&sb, ' ', 1);
			control = true;
			s.p++;
			continue;
		}
		control = false;
		if (n)
			strbuf_add(&sb, s.p, n);
		else
			strbuf_putc(&sb, '?', 1);
		s.p += n ? n : 1;
	}
	return sb.data ? strbuf_steal(&sb) : xstrdup("");
}
