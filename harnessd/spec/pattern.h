/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Regular expressions of benchmark files on output that nobody vouches for: PCRE2, multi-line, bytes
 * (no UTF), lines ending in LF or CRLF, and bounded in steps, memory and time. */
#ifndef SPEC_PATTERN_H
#define SPEC_PATTERN_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum { PATTERN_MAX_LENGTH = 4096 };

struct pattern;

/** pattern_new() - compile; errors tell the character. Return: 0 or -EINVAL. */
int pattern_new(const char *text, struct pattern **pattern, struct error *err);
/** pattern_free() - free it; NULL is fine. */
void pattern_free(struct pattern *pattern);

/** pattern_groups() - how many groups it has. */
int pattern_groups(const struct pattern *pattern);
/** pattern_group() - number of a named group, or -1. */
int pattern_group(const struct pattern *pattern, const char *name);

/**
 * pattern_next() - first match at or behind an offset
 * @deadline_ns: clock_monotonic_ns() at which to give up
 * Return: 1 with the groups set, 0 when there is none, -EBADMSG when it takes too many steps, too
 * much memory or too long.
 */
int pattern_next(struct pattern *pattern, const char *text, size_t len, size_t from,
	uint64_t deadline_ns, struct error *err);
/**
 * pattern_span() - where a group of the last match lies; group 0 is the whole of it
 * Return: 1, or 0 when the group took no part.
 */
int pattern_span(const struct pattern *pattern, int group, size_t *start, size_t *end);

#endif
