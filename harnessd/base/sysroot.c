/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/sysroot.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/strbuf.h"

int sysroot_open(struct sysroot *root, const char *path, struct error *err)
{
	if (!path || !*path)
		path = "/";
	*root = SYSROOT_INIT;
	root->dirfd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (root->dirfd < 0)
		return error_sys(err, -errno, "cannot open the folder '%s'", path);
	root->path = xstrdup(path);
	return 0;
}

void sysroot_close(struct sysroot *root)
{
	if (root->dirfd >= 0)
		close(root->dirfd);
	free(root->path);
	*root = SYSROOT_INIT;
}

bool sysroot_is_machine(const struct sysroot *root)
{
	return root->path && strcmp(root->path, "/") == 0;
}

static bool climbs(const char *path)
{
	for (const char *p = path; (p = strstr(p, "..")); p += 2) {
		bool starts = p == path || p[-1] == '/';

		if (starts && (p[2] == '/' || p[2] == '\0'))
			return true;
	}
	return false;
}

int sysroot_openat(const struct sysroot *root, const char *path, int flags)
{
	int fd;

	while (*path == '/')
		path++;
	if (climbs(path))
		return -EINVAL;
	fd = openat(root->dirfd, path, flags | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/* "/proc/x" on the machine, "ROOT/proc/x" in a test's folder: the name a person can look up. */
static char *full_name(const struct sysroot *root, const char *path)
{
	while (*path == '/')
		path++;
	return sysroot_is_machine(root) ? xasprintf("/%s", path)
					: xasprintf("%s/%s", root->path, path);
}

static int fail(
	const struct sysroot *root, const char *path, int code, const char *verb, struct error *err)
{
	char *name;

	if (!err)
		return code;
	name = full_name(root, path);
	error_sys(err, code, "cannot %s '%s'", verb, name);
	free(name);
	return code;
}

int sysroot_read(
	const struct sysroot *root, const char *path, char **text, size_t *len, struct error *err)
{
	struct strbuf sb = STRBUF_INIT;
	int fd = sysroot_openat(root, path, O_RDONLY), r;

	if (fd < 0)
		return fail(root, path, fd, "open", err);
	r = file_read_fd(fd, &sb, SIZE_MAX);
	close(fd);
	if (r < 0) {
		strbuf_release(&sb);
		return fail(root, path, r, "read", err);
	}
	if (len)
		*len = sb.len;
	*text = strbuf_steal(&sb);
	return 0;
}

int sysroot_read_line(const struct sysroot *root, const char *path, char **text, struct error *err)
{
	size_t len;
	int r = sysroot_read(root, path, text, &len, err);

	if (r < 0)
		return r;
	while (len && isspace((unsigned char)(*text)[len - 1]))
		(*text)[--len] = '\0';
	return 0;
}

int sysroot_write(
	const struct sysroot *root, const char *path, const char *value, struct error *err)
{
	int fd = sysroot_openat(root, path, O_WRONLY | O_TRUNC), r = 0;
	ssize_t n;

	if (fd < 0)
		return fail(root, path, fd, "open for writing", err);
	n = write(fd, value, strlen(value));
	if (n < 0)
		r = fail(root, path, -errno, "write", err);
	else if ((size_t)n != strlen(value))
		r = fail(root, path, -EIO, "write all of the value to", err);
	close(fd);
	return r;
}

bool sysroot_exists(const struct sysroot *root, const char *path)
{
	while (*path == '/')
		path++;
	return !climbs(path) && faccessat(root->dirfd, *path ? path : ".", F_OK, 0) == 0;
}

struct matches {
	char **paths;
	size_t n, cap;
};

static void match_component(
	const struct sysroot *root, const char *done, const char *rest, struct matches *out);

static void descend(const struct sysroot *root, const char *done, const char *name,
	const char *rest, struct matches *out)
{
	char *path = *done ? xasprintf("%s/%s", done, name) : xstrdup(name);

	if (rest) {
		match_component(root, path, rest, out);
		free(path);
	} else if (sysroot_exists(root, path)) {
		array_reserve(out->paths, out->n, out->cap);
		out->paths[out->n++] = path;
	} else {
		free(path);
	}
}

static void match_entries(const struct sysroot *root, const char *done, const char *pattern,
	const char *rest, struct matches *out)
{
	int fd = sysroot_openat(root, *done ? done : ".", O_RDONLY | O_DIRECTORY);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;

	if (!dir) {
		if (fd >= 0)
			close(fd);
		return;
	}
	while ((entry = readdir(dir))) {
		if (entry->d_name[0] != '.' && fnmatch(pattern, entry->d_name, 0) == 0)
			descend(root, done, entry->d_name, rest, out);
	}
	closedir(dir);
}

/* One path component: braces are spelt out first, then a wildcard is matched by the folder. */
static void match_component(
	const struct sysroot *root, const char *done, const char *rest, struct matches *out)
{
	const char *slash = strchr(rest, '/');
	size_t len = slash ? (size_t)(slash - rest) : strlen(rest);
	char *part = xmemdup0(rest, len);
	char *open = strchr(part, '{'), *close = open ? strchr(open, '}') : NULL;
	const char *next = slash ? slash + 1 : NULL;

	if (close) {
		char *save = NULL, *tail = close + 1;

		*open = *close = '\0';
		for (char *alt = strtok_r(open + 1, ",", &save); alt;
			alt = strtok_r(NULL, ",", &save)) {
			char *one = xasprintf(
				"%s%s%s%s%s", part, alt, tail, next ? "/" : "", next ? next : "");

			match_component(root, done, one, out);
			free(one);
		}
	} else if (strpbrk(part, "*?[")) {
		match_entries(root, done, part, next, out);
	} else {
		descend(root, done, part, next, out);
	}
	free(part);
}

static int by_version(const void *a, const void *b)
{
	return strverscmp(*(char *const *)a, *(char *const *)b);
}

int sysroot_glob(const struct sysroot *root, const char *pattern, char ***paths)
{
	struct matches out = { 0 };

	while (*pattern == '/')
		pattern++;
	*paths = NULL;
	if (climbs(pattern))
		return -EINVAL;
	match_component(root, "", pattern, &out);
	if (out.n)
		qsort(out.paths, out.n, sizeof(*out.paths), by_version);
	*paths = out.paths;
	return (int)out.n;
}

void sysroot_glob_free(char **paths, int n)
{
	for (int i = 0; i < n; i++)
		free(paths[i]);
	free(paths);
}
