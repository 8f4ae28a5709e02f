/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "runners/bench/bench.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "runners/bench/printable.h"
#include "spec/pattern.h"

/* A version is a line or two; nobody waits for it longer than this. */
#define VERSION_SEARCH_NS 1000000000ULL

char *bench_version_text(const struct benchmark *bench, const char *text, size_t len)
{
	struct pattern *pattern;
	size_t start, end;
	char *version = NULL, line[128];

	if (!bench->version.pattern) {
		bench_line_around(text, len, 0, line, sizeof(line));
		return line[0] ? xstrdup(line) : NULL;
	}
	if (pattern_new(bench->version.pattern, &pattern, NULL) < 0)
		return NULL;
	if (pattern_next(pattern, text, len, 0, clock_monotonic_ns() + VERSION_SEARCH_NS, NULL) ==
			1 &&
		(pattern_span(pattern, 1, &start, &end) || pattern_span(pattern, 0, &start, &end)))
		version = xmemdup0(text + start, end - start);
	pattern_free(pattern);
	return version;
}
