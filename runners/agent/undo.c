/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "undo.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/strbuf.h"

#define SUFFIX ".json-lines"

void undo_init(struct undo *undo, const struct sysroot *root, const char *dir, const char *boot_id)
{
	*undo = (struct undo){
		.root = root, .dir = dir, .boot_id = boot_id, .fd = -1, .guardian = GUARDIAN_INIT
	};
}

/* Another agent's "undo" may lock and remove a file in the moment before it is locked here. */
static bool still_there(const char *path, int fd)
{
	struct stat by_fd, by_name;

	return fstat(fd, &by_fd) == 0 && stat(path, &by_name) == 0 &&
	       by_fd.st_ino == by_name.st_ino && by_fd.st_dev == by_name.st_dev;
}

/* A file of that name may be what an earlier process of the same number could not put back. */
static int create_locked(const struct undo *undo, char **path)
{
	for (int try = 0; try < 1000; try++) {
		char *name =
			try ? xasprintf("%s/%s.%d.%d" SUFFIX, undo->dir, undo->boot_id,
				      (int)getpid(), try)
			    : xasprintf("%s/%s.%d" SUFFIX, undo->dir, undo->boot_id, (int)getpid());
		int fd = open(name, O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0600);

		if (fd >= 0 && flock(fd, LOCK_EX) == 0 && still_there(name, fd)) {
			*path = name;
			return fd;
		}
		free(name);
		if (fd >= 0)
			close(fd);
		else if (errno != EEXIST)
			return -errno;
	}
	return -EEXIST;
}

static int open_file(struct undo *undo, struct error *err)
{
	int r;

	if (undo->fd >= 0)
		return 0;
	r = file_make_dirs(undo->dir, 0755, err);
	if (r < 0)
		return r;
	r = create_locked(undo, &undo->file);
	if (r < 0)
		return error_sys(
			err, r, "cannot create an undo file in '%s'; use --undo-dir", undo->dir);
	undo->fd = r;
	return file_sync_dir(undo->dir, err);
}

static int append(struct undo *undo, const struct strbuf *lines, struct error *err)
{
	int r = file_write_all(undo->fd, strbuf_text(lines), lines->len);

	if (r == 0 && fsync(undo->fd) < 0)
		r = -errno;
	return r < 0 ? error_sys(err, r, "cannot write the undo file '%s'", undo->file) : 0;
}

static void hold(struct undo *undo, const struct change *change)
{
	struct change *known = changes_find(&undo->held, change->path, change->kind, change->new);

	if (!known) {
		changes_add(&undo->held, change);
		return;
	}
	free(known->new);
	known->new = xstrdup(change->new);
}

int undo_guard(struct undo *undo, struct error *err)
{
	if (!undo->held.n)
		return 0;
	return guardian_start(
		&undo->guardian, undo->root, undo->fd, undo->file, undo->boot_id, err);
}

int undo_note(struct undo *undo, const struct changes *changes, struct error *err)
{
	struct strbuf lines = STRBUF_INIT;
	int r;

	if (!changes->n)
		return 0;
	r = open_file(undo, err);
	if (r == 0)
		r = guardian_start(
			&undo->guardian, undo->root, undo->fd, undo->file, undo->boot_id, err);
	if (r < 0)
		return r;
	for (size_t i = 0; i < changes->n; i++)
		undo_log_line(&lines, &changes->c[i]);
	r = append(undo, &lines, err);
	strbuf_release(&lines);
	for (size_t i = 0; r == 0 && i < changes->n; i++)
		hold(undo, &changes->c[i]);
	return r;
}

int undo_put_back(struct undo *undo, struct change *change, struct error *err)
{
	struct strbuf line = STRBUF_INIT;
	bool wrote;
	int r = change_restore(undo->root, change, undo->boot_id, &wrote, err);

	if (r < 0)
		return r;
	undo_log_line_back(&line, change);
	r = append(undo, &line, err);
	strbuf_release(&line);
	if (r == 0)
		changes_remove(&undo->held, change);
	return r;
}

size_t undo_all(struct undo *undo, json_t *restored, json_t *failed)
{
	size_t n = changes_restore(undo->root, &undo->held, undo->boot_id, restored, failed);

	if (undo->fd >= 0 && n == 0 && ftruncate(undo->fd, 0) == 0)
		fsync(undo->fd);
	return n;
}

void undo_close(struct undo *undo)
{
	guardian_dismiss(&undo->guardian);
	if (undo->file && !undo->held.n)
		unlink(undo->file);
	if (undo->fd >= 0)
		close(undo->fd);
	free(undo->file);
	changes_release(&undo->held);
	undo_init(undo, undo->root, undo->dir, undo->boot_id);
}

static int undo_one_file(const struct sysroot *root, const char *path, const char *boot_id,
	json_t *restored, json_t *failed)
{
	struct changes changes = CHANGES_INIT;
	struct strbuf text = STRBUF_INIT;
	int fd = open(path, O_RDWR | O_CLOEXEC), n = 0;

	if (fd < 0)
		return 0;
	if (flock(fd, LOCK_EX | LOCK_NB) < 0 || !still_there(path, fd))
		goto out;
	n = file_read_fd(fd, &text, SIZE_MAX);
	if (n < 0) {
		json_array_append_new(failed, json_pack("{s:s, s:s, s:s}", "path", path, "value",
						      "", "text", strerror(-n)));
		n = 1;
		goto out;
	}
	undo_log_parse(strbuf_text(&text), text.len, &changes);
	n = (int)changes_restore(root, &changes, boot_id, restored, failed);
	if (n == 0)
		unlink(path);
out:
	close(fd);
	strbuf_release(&text);
	changes_release(&changes);
	return n;
}

static bool is_undo_file(const char *name)
{
	size_t len = strlen(name), suffix = strlen(SUFFIX);

	return len > suffix && strcmp(name + len - suffix, SUFFIX) == 0;
}

int undo_left_behind(const struct sysroot *root, const char *dir, const char *boot_id,
	json_t *restored, json_t *failed, struct error *err)
{
	DIR *d = opendir(dir);
	struct dirent *entry;
	int n = 0;

	if (!d)
		return errno == ENOENT ? 0
				       : error_sys(err, -errno, "cannot open the folder '%s'", dir);
	while ((entry = readdir(d))) {
		char *path = file_join(dir, entry->d_name);

		if (is_undo_file(entry->d_name))
			n += undo_one_file(root, path, boot_id, restored, failed);
		free(path);
	}
	closedir(d);
	return n;
}
