/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "spec/pattern.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <errno.h>
#include <pcre2.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"

/* A callout before the pattern is called once for each place where a match is tried: the match limit
 * bounds the steps from one place, the deadline looked at here bounds all places together. */
static const char callout_prefix[] = "(?C1)";
enum { PREFIX_LEN = sizeof(callout_prefix) - 1 };

enum {
	MATCH_LIMIT = 1000000,
	HEAP_LIMIT_KIB = 128 * 1024,
	NEST_LIMIT = 50,
	STARTS_PER_LOOK = 64,
};

struct pattern {
	char *text;
	pcre2_code *code;
	pcre2_match_data *match;
	pcre2_match_context *context;
	uint64_t deadline_ns;
	unsigned int starts;
};

static int on_start(pcre2_callout_block *block, void *data)
{
	struct pattern *pattern = data;

	(void)block;
	if (++pattern->starts % STARTS_PER_LOOK)
		return 0;
	return clock_monotonic_ns() > pattern->deadline_ns ? PCRE2_ERROR_CALLOUT : 0;
}

static pcre2_code *compile(const char *text, int *code, size_t *offset)
{
	const uint32_t flags = PCRE2_MULTILINE | PCRE2_NEVER_UTF | PCRE2_NEVER_BACKSLASH_C;
	pcre2_compile_context *context = pcre2_compile_context_create(NULL);
	char *whole = xasprintf("%s%s", callout_prefix, text);
	pcre2_code *compiled;

	pcre2_set_newline(context, PCRE2_NEWLINE_ANYCRLF);
	pcre2_set_bsr(context, PCRE2_BSR_ANYCRLF);
	pcre2_set_parens_nest_limit(context, NEST_LIMIT);
	compiled = pcre2_compile(
		(PCRE2_SPTR)whole, PCRE2_ZERO_TERMINATED, flags, code, offset, context);
	free(whole);
	pcre2_compile_context_free(context);
	return compiled;
}

static void fill(struct pattern *pattern, const char *text)
{
	pattern->text = xstrdup(text);
	pattern->match = pcre2_match_data_create_from_pattern(pattern->code, NULL);
	pattern->context = pcre2_match_context_create(NULL);
	pcre2_set_match_limit(pattern->context, MATCH_LIMIT);
	pcre2_set_heap_limit(pattern->context, HEAP_LIMIT_KIB);
	pcre2_set_callout(pattern->context, on_start, pattern);
}

int pattern_new(const char *text, struct pattern **pattern, struct error *err)
{
	struct pattern *made;
	char why[160];
	size_t offset = 0;
	int code = 0;

	if (strlen(text) > PATTERN_MAX_LENGTH)
		return error_set(err, -EINVAL, "the pattern is longer than %d characters",
			PATTERN_MAX_LENGTH);
	made = xcalloc(1, sizeof(*made));
	made->code = compile(text, &code, &offset);
	if (!made->code) {
		free(made);
		pcre2_get_error_message(code, (PCRE2_UCHAR *)why, sizeof(why));
		offset = offset > PREFIX_LEN ? offset - PREFIX_LEN : 0;
		return error_set(
			err, -EINVAL, "pattern '%s': %s at character %zu", text, why, offset + 1);
	}
	fill(made, text);
	*pattern = made;
	return 0;
}

void pattern_free(struct pattern *pattern)
{
	if (!pattern)
		return;
	pcre2_match_context_free(pattern->context);
	pcre2_match_data_free(pattern->match);
	pcre2_code_free(pattern->code);
	free(pattern->text);
	free(pattern);
}

int pattern_groups(const struct pattern *pattern)
{
	uint32_t n = 0;

	pcre2_pattern_info(pattern->code, PCRE2_INFO_CAPTURECOUNT, &n);
	return (int)n;
}

int pattern_group(const struct pattern *pattern, const char *name)
{
	int n = pcre2_substring_number_from_name(pattern->code, (PCRE2_SPTR)name);

	return n > 0 ? n : -1;
}

static int match_error(const struct pattern *pattern, int code, struct error *err)
{
	char why[160];

	if (code == PCRE2_ERROR_CALLOUT)
		return error_set(
			err, -EBADMSG, "pattern '%s' takes too long on this output", pattern->text);
	pcre2_get_error_message(code, (PCRE2_UCHAR *)why, sizeof(why));
	return error_set(
		err, -EBADMSG, "pattern '%s' gives up on this output: %s", pattern->text, why);
}

int pattern_next(struct pattern *pattern, const char *text, size_t len, size_t from,
	uint64_t deadline_ns, struct error *err)
{
	int n;

	if (from > len)
		return 0;
	pattern->deadline_ns = deadline_ns;
	n = pcre2_match(
		pattern->code, (PCRE2_SPTR)text, len, from, 0, pattern->match, pattern->context);
	if (n == PCRE2_ERROR_NOMATCH)
		return 0;
	return n < 0 ? match_error(pattern, n, err) : 1;
}

int pattern_span(const struct pattern *pattern, int group, size_t *start, size_t *end)
{
	const PCRE2_SIZE *span = pcre2_get_ovector_pointer(pattern->match);

	if (group < 0 || (uint32_t)group >= pcre2_get_ovector_count(pattern->match))
		return 0;
	*start = span[2 * group];
	*end = span[2 * group + 1];
	return *start != PCRE2_UNSET && *start <= *end;
}
