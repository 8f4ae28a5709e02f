/* SPDX-License-Identifier: GPL-2.0-or-later */
/* "Did you mean ...?" */
#ifndef BASE_NEAREST_H
#define BASE_NEAREST_H

#include <stddef.h>

/**
 * nearest_name() - the known name that a mistyped one most likely meant
 * @names: n candidates; NULL entries are passed over
 *
 * Distance counts insertions, deletions, substitutions and swapped neighbours (optimal string
 * alignment), upper and lower case being the same; a name farther than a third of the word's
 * length, or 2, is no suggestion.
 * Return: one of @names, borrowed, or NULL.
 */
const char *nearest_name(const char *word, const char *const *names, size_t n);

/** nearest_suffix() - "; did you mean 'x'?" or "", owned by the caller; for error messages. */
char *nearest_suffix(const char *word, const char *const *names, size_t n);

#endif
