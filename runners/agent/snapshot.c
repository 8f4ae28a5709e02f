/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "snapshot.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

static int take_raw(
	const struct sysroot *root, const char *path, struct strbuf *out, struct error *err)
{
	char *text;
	size_t len;
	int r = sysroot_read(root, path, &text, &len, err);

	if (r < 0)
		return r;
	strbuf_add(out, text, len);
	free(text);
	return 0;
}

static void dump_pattern(
	const struct sysroot *root, const char *pattern, struct strbuf *out, struct error *err)
{
	char **paths, *text;
	int n = sysroot_glob(root, pattern, &paths);

	for (int i = 0; i < n; i++) {
		if (sysroot_read_line(root, paths[i], &text, err) < 0)
			continue;
		strbuf_printf(out, "%s: %s\n", paths[i], text);
		free(text);
	}
	sysroot_glob_free(paths, n);
}

int snapshot_take(
	const struct sysroot *root, const json_t *paths, struct strbuf *out, struct error *err)
{
	size_t n = json_array_size(paths);
	const char *first = json_string_value(json_array_get(paths, 0));

	if (!n || !first)
		return error_set(err, -EINVAL, "a snapshot needs \"paths\", an array of strings");
	if (n == 1 && !strpbrk(first, "*?[{"))
		return take_raw(root, first, out, err);
	for (size_t i = 0; i < n; i++) {
		const char *pattern = json_string_value(json_array_get(paths, i));

		if (pattern)
			dump_pattern(root, pattern, out, err);
	}
	if (out->len)
		return 0;
	if (err && err->text)
		return -EACCES;
	return error_set(err, -ENOENT, "this machine has no file '%s'", first);
}
