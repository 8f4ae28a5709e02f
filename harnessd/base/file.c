/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"

int file_read_fd(int fd, struct strbuf *sb, size_t limit)
{
	size_t chunk = 4096, got = 0;

	for (;;) {
		ssize_t n = read(fd, strbuf_reserve(sb, chunk), chunk);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : 0;
		strbuf_grew(sb, (size_t)n);
		got += (size_t)n;
		if (got > limit)
			return -EFBIG;
		if ((size_t)n == chunk && chunk < (1U << 20))
			chunk *= 2;
	}
}

int file_read(const char *path, size_t limit, char **text, size_t *len, struct error *err)
{
	struct strbuf sb = STRBUF_INIT;
	int fd = open(path, O_RDONLY | O_CLOEXEC), r;

	if (fd < 0)
		return error_sys(err, -errno, "cannot open '%s'", path);
	r = file_read_fd(fd, &sb, limit);
	close(fd);
	if (r < 0) {
		strbuf_release(&sb);
		if (r == -EFBIG)
			return error_set(err, r, "'%s' is larger than %zu bytes", path, limit);
		return error_sys(err, r, "cannot read '%s'", path);
	}
	if (len)
		*len = sb.len;
	*text = strbuf_steal(&sb);
	return 0;
}

int file_write_all(int fd, const void *data, size_t len)
{
	const char *p = data;

	while (len) {
		ssize_t n = write(fd, p, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		p += n;
		len -= (size_t)n;
	}
	return 0;
}

int file_replace(const char *path, const void *data, size_t len, mode_t mode, struct error *err)
{
	char *neighbour = xasprintf("%s.new.%d", path, (int)getpid()), *dir = file_dirname(path);
	int fd = open(neighbour, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode), r;

	if (fd < 0) {
		r = error_sys(err, -errno, "cannot create '%s'", neighbour);
		goto out;
	}
	r = file_write_all(fd, data, len);
	if (r == 0 && fsync(fd) < 0)
		r = -errno;
	close(fd);
	if (r == 0 && rename(neighbour, path) < 0)
		r = -errno;
	if (r < 0) {
		unlink(neighbour);
		error_sys(err, r, "cannot write '%s'", path);
		goto out;
	}
	r = file_sync_dir(dir, err);
out:
	free(dir);
	free(neighbour);
	return r;
}

int file_copy(const char *from, const char *to, struct error *err)
{
	char *data = NULL;
	size_t len = 0;
	struct stat st;
	int r = file_read(from, SIZE_MAX, &data, &len, err);

	if (r == 0 && stat(from, &st) < 0)
		r = error_sys(err, -errno, "cannot read '%s'", from);
	if (r == 0)
		r = file_replace(to, data, len, st.st_mode & 07777, err);
	free(data);
	return r;
}

int file_sync_dir(const char *path, struct error *err)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), r = 0;

	if (fd < 0 || fsync(fd) < 0)
		r = error_sys(err, -errno, "cannot sync the folder '%s'", path);
	if (fd >= 0)
		close(fd);
	return r;
}

int file_make_dirs(const char *path, mode_t mode, struct error *err)
{
	char *copy = xstrdup(path);
	int r = 0;

	for (char *p = copy + 1; r == 0; p++) {
		char c = *p;

		if (c != '/' && c != '\0')
			continue;
		*p = '\0';
		if (mkdir(copy, mode) < 0 && errno != EEXIST)
			r = error_sys(err, -errno, "cannot make the folder '%s'", copy);
		*p = c;
		if (c == '\0')
			break;
	}
	free(copy);
	return r;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path) < 0 && errno != ENOENT ? -1 : 0;
}

int file_remove_tree(const char *path, struct error *err)
{
	if (nftw(path, remove_one, 32, FTW_DEPTH | FTW_PHYS | FTW_MOUNT) < 0 && errno != ENOENT)
		return error_sys(err, -errno, "cannot remove '%s'", path);
	return 0;
}

bool file_exists(const char *path)
{
	return access(path, F_OK) == 0;
}

char *file_join(const char *dir, const char *name)
{
	size_t len = strlen(dir);
	const char *slash = len && dir[len - 1] == '/' ? "" : "/";

	return xasprintf("%s%s%s", dir, slash, name);
}

char *file_dirname(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (!slash)
		return xstrdup(".");
	return slash == path ? xstrdup("/") : xmemdup0(path, (size_t)(slash - path));
}

const char *file_basename(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

char *file_find_program(const char *name)
{
	const char *path = getenv("PATH");
	char *dirs, *save = NULL, *found = NULL;

	if (strchr(name, '/'))
		return access(name, X_OK) == 0 ? xstrdup(name) : NULL;
	dirs = xstrdup(path ? path : "/usr/local/bin:/usr/bin:/bin");
	for (char *dir = strtok_r(dirs, ":", &save); dir && !found;
		dir = strtok_r(NULL, ":", &save)) {
		char *candidate = file_join(dir, name);

		if (access(candidate, X_OK) == 0)
			found = candidate;
		else
			free(candidate);
	}
	free(dirs);
	return found;
}

char *file_state_dir(void)
{
	const char *state = getenv("HARNESS_STATE"), *xdg = getenv("XDG_STATE_HOME");
	const char *home = getenv("HOME");

	if (state && *state)
		return xstrdup(state);
	if (geteuid() == 0)
		return xstrdup("/var/lib/harness");
	if (xdg && *xdg)
		return file_join(xdg, "harness");
	return file_join(home && *home ? home : "/tmp", ".local/state/harness");
}

char *file_self_dir(void)
{
	char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1); /* sysroot-ok: ourselves */

	if (n <= 0)
		return xstrdup(".");
	path[n] = '\0';
	return file_dirname(path);
}
