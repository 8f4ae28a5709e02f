/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "runners/bench/number.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "runners/bench/printable.h"

enum { MAX_NUMBER = 128 };

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static size_t digits(const char *text, size_t len, size_t at)
{
	size_t n = 0;

	while (at + n < len && is_digit(text[at + n]))
		n++;
	return n;
}

/* Length of the number at the beginning of a text that is not over when it ends in digits. */
static size_t number_length(const char *text, size_t len)
{
	size_t at = len && (text[0] == '-' || text[0] == '+'), whole, part = 0, exponent;

	whole = digits(text, len, at);
	at += whole;
	if (at < len && text[at] == '.') {
		part = digits(text, len, at + 1);
		at += 1 + part;
	}
	if (!whole && !part)
		return 0;
	if (at < len && (text[at] == 'e' || text[at] == 'E')) {
		exponent = at + 1 + (at + 1 < len && (text[at + 1] == '-' || text[at + 1] == '+'));
		if (digits(text, len, exponent))
			at = exponent + digits(text, len, exponent);
	}
	return at;
}

static int no_number(const char *text, size_t len, struct error *err)
{
	char shown[48];

	bench_printable(text, len, shown, sizeof(shown));
	return error_set(err, -EBADMSG,
		"'%s' is no plain number (digits with a point, as under LC_ALL=C)", shown);
}

int bench_number(const char *text, size_t len, bool decimal_comma, double *value, struct error *err)
{
	char copy[MAX_NUMBER + 1];
	char *comma;
	double v;

	if (!len || len > MAX_NUMBER)
		return no_number(text, len, err);
	memcpy(copy, text, len);
	copy[len] = '\0';
	comma = decimal_comma ? memchr(copy, ',', len) : NULL;
	if (comma)
		*comma = '.';
	if (number_length(copy, len) != len)
		return no_number(text, len, err);
	/* glibc's "C" locale is static: nothing is allocated, and nothing has to be freed. */
	v = strtod_l(copy, NULL, newlocale(LC_ALL_MASK, "C", (locale_t)0));
	if (!isfinite(v))
		return error_set(err, -EBADMSG, "'%s' is too large for a number", copy);
	*value = v;
	return 0;
}

static bool goes_on_left(const char *text, size_t start)
{
	char c = start ? text[start - 1] : ' ';

	if (is_digit(c))
		return true;
	return (c == '.' || c == ',') && start >= 2 && is_digit(text[start - 2]);
}

static bool goes_on_right(const char *text, size_t len, size_t end)
{
	char c = end < len ? text[end] : ' ', next = end + 1 < len ? text[end + 1] : ' ';

	if (is_digit(c))
		return true;
	if (c == '.' || c == ',')
		return is_digit(next);
	if (c == 'x' || c == 'X')
		return is_digit(next) && text[end - 1] == '0';
	if (c != 'e' && c != 'E')
		return false;
	return is_digit(next) ||
	       ((next == '-' || next == '+') && end + 2 < len && is_digit(text[end + 2]));
}

bool bench_number_cut(
	const char *text, size_t len, size_t start, size_t end, bool open_left, bool open_right)
{
	if (start >= end)
		return false;
	return (open_left && goes_on_left(text, start)) ||
	       (open_right && goes_on_right(text, len, end));
}
