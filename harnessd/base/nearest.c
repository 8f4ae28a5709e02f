/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/nearest.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

enum { WORD_MAX = 64 };

static size_t min3(size_t a, size_t b, size_t c)
{
	size_t m = a < b ? a : b;

	return m < c ? m : c;
}

/* Optimal string alignment distance on three rolling rows. */
static size_t distance(const char *a, size_t na, const char *b, size_t nb)
{
	size_t rows[3][WORD_MAX + 1];
	size_t *before = rows[0], *last = rows[1], *row = rows[2], *spare;

	for (size_t j = 0; j <= nb; j++)
		last[j] = j;
	for (size_t i = 1; i <= na; i++) {
		row[0] = i;
		for (size_t j = 1; j <= nb; j++) {
			int ca = tolower((unsigned char)a[i - 1]);
			int cb = tolower((unsigned char)b[j - 1]);

			row[j] = min3(last[j] + 1, row[j - 1] + 1, last[j - 1] + (ca != cb));
			if (i > 1 && j > 1 && ca == tolower((unsigned char)b[j - 2]) &&
				cb == tolower((unsigned char)a[i - 2]) &&
				before[j - 2] + 1 < row[j])
				row[j] = before[j - 2] + 1;
		}
		spare = before;
		before = last;
		last = row;
		row = spare;
	}
	return last[nb];
}

const char *nearest_name(const char *word, const char *const *names, size_t n)
{
	size_t len = strlen(word), limit = len / 3 > 2 ? len / 3 : 2;
	const char *best = NULL;

	if (len > WORD_MAX)
		return NULL;
	for (size_t i = 0; i < n; i++) {
		size_t other = names[i] ? strlen(names[i]) : WORD_MAX + 1, d;

		if (other > WORD_MAX)
			continue;
		d = distance(word, len, names[i], other);
		if (d <= limit && d < (len > other ? len : other)) {
			best = names[i];
			limit = d ? d - 1 : 0;
			if (!d)
				break;
		}
	}
	return best;
}

char *nearest_suffix(const char *word, const char *const *names, size_t n)
{
	const char *best = nearest_name(word, names, n);

	return best ? xasprintf("; did you mean '%s'?", best) : xstrdup("");
}
