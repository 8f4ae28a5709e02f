/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "kernel_file.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/strbuf.h"

static const char *const kind_names[] = {
	[FILE_PLAIN] = "plain",
	[FILE_FEATURE] = "feature",
	[FILE_CHOICE] = "choice",
};

int file_kind_parse(const char *word, enum file_kind *kind, struct error *err)
{
	for (size_t i = 0; word && i < array_size(kind_names); i++) {
		if (strcmp(word, kind_names[i]) == 0) {
			*kind = (enum file_kind)i;
			return 0;
		}
	}
	return error_set(err, -EINVAL, "no kind of file '%s'; there are plain, feature, choice",
		word ? word : "");
}

const char *file_kind_name(enum file_kind kind)
{
	return kind_names[kind];
}

const char *feature_bare_name(const char *word)
{
	return strncmp(word, "NO_", 3) == 0 ? word + 3 : word;
}

/* The next word from *at; its length, 0 when there is none left. */
static size_t next_word(const char **at)
{
	*at += strspn(*at, " \t\n");
	return strcspn(*at, " \t\n");
}

/* Where a feature's word stands in the file's text, whole words only: TTWU_QUEUE is no part of
 * TTWU_QUEUE_DELAY, and NONTASK_CAPACITY is not "NO" and "NTASK_CAPACITY". */
static const char *find_feature(const char *text, const char *name, size_t *len)
{
	const char *bare = feature_bare_name(name);
	size_t bare_len = strlen(bare);

	for (const char *p = text; (*len = next_word(&p)); p += *len) {
		bool off = *len == bare_len + 3 && strncmp(p, "NO_", 3) == 0;

		if ((off || *len == bare_len) && strncmp(p + (off ? 3 : 0), bare, bare_len) == 0)
			return p;
	}
	return NULL;
}

static const char *find_choice(const char *text, size_t *len)
{
	const char *open = strchr(text, '['), *close = open ? strchr(open, ']') : NULL;

	*len = close ? (size_t)(close - open - 1) : 0;
	return close ? open + 1 : NULL;
}

int kernel_file_value(const struct sysroot *root, const char *path, enum file_kind kind,
	const char *name, char **value, struct error *err)
{
	char *text;
	const char *at;
	size_t len;
	int r = sysroot_read_line(root, path, &text, err);

	if (r < 0)
		return r;
	if (kind == FILE_PLAIN) {
		*value = text;
		return 0;
	}
	at = kind == FILE_FEATURE ? find_feature(text, name, &len) : find_choice(text, &len);
	if (at)
		*value = xmemdup0(at, len);
	else if (kind == FILE_FEATURE)
		r = error_set(err, -ENOENT, "no feature '%s' in '%s', which has: %s",
			feature_bare_name(name), path, text);
	else
		r = error_set(
			err, -EINVAL, "'%s' shows no choice in brackets, but: %s", path, text);
	free(text);
	return r;
}

static int stand_in_feature(const char *text, const char *value, struct strbuf *out)
{
	size_t len;
	const char *at = find_feature(text, value, &len);

	if (!at)
		return -EINVAL;
	strbuf_add(out, text, (size_t)(at - text));
	strbuf_puts(out, value);
	strbuf_puts(out, at + len);
	return 0;
}

static int stand_in_choice(const char *text, const char *value, struct strbuf *out)
{
	size_t want = strlen(value), len;
	bool found = false;

	for (const char *p = text; (len = next_word(&p)); p += len) {
		bool bracketed = len >= 2 && *p == '[';
		const char *word = p + bracketed;
		size_t word_len = len - (bracketed ? 2 : 0);
		bool chosen = word_len == want && strncmp(word, value, want) == 0;

		found |= chosen;
		strbuf_printf(out, "%s%s%.*s%s", out->len ? " " : "", chosen ? "[" : "",
			(int)word_len, word, chosen ? "]" : "");
	}
	strbuf_putc(out, '\n', 1);
	return found ? 0 : -EINVAL;
}

static bool has_sibling(const struct sysroot *root, const char *path, const char *suffix)
{
	char *sibling = xasprintf("%s.%s", path, suffix);
	bool there = sysroot_exists(root, sibling);

	free(sibling);
	return there;
}

static int stand_in_write(const struct sysroot *root, const char *path, enum file_kind kind,
	const char *value, struct error *err)
{
	struct strbuf out = STRBUF_INIT;
	char *text = NULL;
	int r;

	if (has_sibling(root, path, "locked"))
		return error_sys(err, -EPERM, "cannot write '%s'", path);
	r = sysroot_read(root, path, &text, NULL, err);
	if (r < 0 || has_sibling(root, path, "stuck"))
		goto out;
	if (kind == FILE_FEATURE)
		r = stand_in_feature(text, value, &out);
	else if (kind == FILE_CHOICE)
		r = stand_in_choice(text, value, &out);
	else
		strbuf_printf(&out, "%s\n", value);
	if (r == 0)
		r = sysroot_write(root, path, strbuf_text(&out), err);
	else
		error_sys(err, r, "cannot write '%s' to '%s'", value, path);
out:
	strbuf_release(&out);
	free(text);
	return r;
}

int kernel_file_write(const struct sysroot *root, const char *path, enum file_kind kind,
	const char *value, struct error *err)
{
	int r;

	if (!sysroot_is_machine(root))
		return stand_in_write(root, path, kind, value, err);
	r = sysroot_write(root, path, value, err);
	if (r < 0)
		error_prefix(err, "value '%s': ", value);
	return r;
}

static bool same_word(const char *a, size_t a_len, const char *b, size_t b_len)
{
	char *x, *y, *x_end, *y_end;
	bool same = a_len == b_len && memcmp(a, b, a_len) == 0;

	if (same || !isdigit((unsigned char)*a) || !isdigit((unsigned char)*b))
		return same;
	x = xmemdup0(a, a_len);
	y = xmemdup0(b, b_len);
	errno = 0;
	same = strtoull(x, &x_end, 0) == strtoull(y, &y_end, 0) && !*x_end && !*y_end && !errno;
	free(x);
	free(y);
	return same;
}

bool kernel_file_same(enum file_kind kind, const char *a, const char *b)
{
	size_t a_len, b_len;

	if (kind != FILE_PLAIN)
		return strcmp(a, b) == 0;
	for (;;) {
		a_len = next_word(&a);
		b_len = next_word(&b);
		if (!a_len || !b_len)
			return a_len == b_len;
		if (!same_word(a, a_len, b, b_len))
			return false;
		a += a_len;
		b += b_len;
	}
}
