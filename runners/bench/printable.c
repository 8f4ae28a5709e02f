/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "runners/bench/printable.h"

#include <string.h>

static int is_line_end(char c)
{
	return c == '\n' || c == '\r';
}

void bench_printable(const char *text, size_t len, char *out, size_t size)
{
	size_t i, n = 0;

	for (i = 0; i < len && n + 1 < size && !is_line_end(text[i]); i++)
		out[n++] = text[i] == '\t' ? ' ' : text[i] >= ' ' && text[i] <= '~' ? text[i] : '?';
	out[n] = '\0';
	if (i < len && !is_line_end(text[i]) && n >= 3)
		memcpy(out + n - 3, "...", 3);
}

void bench_line_around(const char *text, size_t len, size_t at, char *out, size_t size)
{
	while (at < len && is_line_end(text[at]))
		at++;
	while (at && !is_line_end(text[at - 1]))
		at--;
	while (at < len && (text[at] == ' ' || text[at] == '\t'))
		at++;
	bench_printable(text + at, len - at, out, size);
}
