/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "runners/target/saved_state.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/json.h"
#include "base/sysroot.h"

enum { MAX_HELLO = 1 << 20 };

static const char folder[] = "snapshots";

/* Offset basis and prime of the 128-bit FNV-1a hash (Fowler, Noll, Vo; RFC 9923). */
void digest_init(struct digest *d)
{
	d->sum = (unsigned __int128)0x6c62272e07bb0142 << 64 | 0x62b821756295c58d;
}

static void mix(struct digest *d, const void *data, size_t len)
{
	const unsigned __int128 prime = (unsigned __int128)1 << 88 | 0x13b;
	const unsigned char *p = data;

	for (size_t i = 0; i < len; i++)
		d->sum = (d->sum ^ p[i]) * prime;
}

void digest_add(struct digest *d, const void *data, size_t len)
{
	uint64_t length = len;

	mix(d, &length, sizeof(length));
	mix(d, data, len);
}

void digest_add_text(struct digest *d, const char *text)
{
	digest_add(d, text ? text : "", text ? strlen(text) + 1 : 0);
}

int digest_add_file(struct digest *d, const char *path, struct error *err)
{
	char *data = NULL;
	size_t len = 0;
	int r = file_read(path, SIZE_MAX, &data, &len, err);

	if (r == 0)
		digest_add(d, data, len);
	free(data);
	return r;
}

char *digest_hex(const struct digest *d)
{
	return xasprintf(
		"%016llx%016llx", (unsigned long long)(d->sum >> 64), (unsigned long long)d->sum);
}

static char *path_in(const char *top, const char *key, const char *name)
{
	return xasprintf("%s/%s/%s", top, key, name);
}

/* "about" holds {"hello", "size"}: a state cut short by a power loss is no state. */
static int read_about(const char *top, const char *key, off_t size, char **hello)
{
	char *path = path_in(top, key, "about"), *text = NULL;
	json_t *about = NULL;
	size_t len = 0;
	int r = file_read(path, MAX_HELLO, &text, &len, NULL);

	if (r == 0)
		r = json_parse(text, len, &about, NULL);
	if (r == 0 && json_int(about, "size", -1) != size)
		r = -ENOENT;
	if (r == 0)
		*hello = xstrdup(json_str(about, "hello", ""));
	json_decref(about);
	free(text);
	free(path);
	return r;
}

int saved_state_open(const char *state_dir, const char *key, char **hello)
{
	char *top = file_join(state_dir, folder), *dir = file_join(top, key);
	char *path = file_join(dir, "state");
	int fd = open(path, O_RDONLY | O_CLOEXEC), r = fd < 0 ? -errno : 0;
	struct stat st = { 0 };

	if (fd >= 0 && fstat(fd, &st) < 0)
		r = -errno;
	if (r == 0)
		r = read_about(top, key, st.st_size, hello);
	if (r == 0)
		utimensat(AT_FDCWD, dir, NULL, 0); /* its last use, for prune() */
	else if (fd >= 0)
		close(fd);
	free(path);
	free(dir);
	free(top);
	return r < 0 ? r : fd;
}

int saved_state_begin(const char *state_dir, struct state_draft *draft, struct error *err)
{
	char *path;
	int r;

	draft->fd = -1;
	draft->top = file_join(state_dir, folder);
	draft->dir = xasprintf("%s/.new-%d", draft->top, (int)getpid());
	path = file_join(draft->dir, "state");
	file_remove_tree(draft->dir, NULL);
	r = file_make_dirs(draft->dir, 0755, err);
	if (r == 0) {
		draft->fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
		if (draft->fd < 0)
			r = error_sys(err, -errno, "cannot create '%s'", path);
	}
	free(path);
	if (r < 0)
		saved_state_abort(draft);
	return r;
}

static int write_about(struct state_draft *draft, const char *hello, struct error *err)
{
	char *path = file_join(draft->dir, "about"), *text;
	struct stat st;
	json_t *about;
	int r = fstat(draft->fd, &st) < 0 ? error_sys(err, -errno, "cannot read '%s'", path) : 0;

	about = json_pack(
		"{s:s, s:I}", "hello", hello, "size", (json_int_t)(r == 0 ? st.st_size : -1));
	text = json_line(about);
	if (r == 0)
		r = file_replace(path, text, strlen(text), 0600, err);
	json_decref(about);
	free(text);
	free(path);
	return r;
}

/* One saved state; @keep: the one just made. */
struct entry {
	char *name;
	bool keep;
	struct timespec used;
	long long size;
};

static int newest_first(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	if (x->keep != y->keep)
		return x->keep ? -1 : 1;
	if (x->used.tv_sec != y->used.tv_sec)
		return x->used.tv_sec < y->used.tv_sec ? 1 : -1;
	return x->used.tv_nsec < y->used.tv_nsec ? 1 : x->used.tv_nsec > y->used.tv_nsec ? -1 : 0;
}

/* Remove the states that were not used for longest until the rest fits. The one just made comes first,
 * also where the file system gives it and another the same time of use, and stays in any case. */
static void prune(const char *top, const char *keep, long long limit)
{
	struct sysroot root = SYSROOT_INIT;
	struct entry *entries = NULL;
	char **names = NULL;
	long long sum = 0;
	int n = 0;

	if (sysroot_open(&root, top, NULL) == 0)
		n = sysroot_glob(&root, "*", &names);
	if (n > 0)
		entries = xcalloc((size_t)n, sizeof(*entries));
	for (int i = 0; i < n; i++) {
		char *dir = file_join(top, names[i]), *state = file_join(dir, "state");
		struct stat st;

		entries[i].name = names[i];
		entries[i].keep = strcmp(names[i], keep) == 0;
		if (stat(dir, &st) == 0)
			entries[i].used = st.st_mtim;
		if (stat(state, &st) == 0)
			entries[i].size = (long long)st.st_size;
		free(state);
		free(dir);
	}
	if (n > 0)
		qsort(entries, (size_t)n, sizeof(*entries), newest_first);
	for (int i = 0; i < n; i++) {
		sum += entries[i].size;
		if (!entries[i].keep && sum > limit) {
			char *dir = file_join(top, entries[i].name);

			file_remove_tree(dir, NULL);
			free(dir);
		}
	}
	free(entries);
	if (n >= 0)
		sysroot_glob_free(names, n);
	sysroot_close(&root);
}

int saved_state_commit(struct state_draft *draft, const char *key, const char *hello,
	long long limit, struct error *err)
{
	char *place = file_join(draft->top, key);
	int r = write_about(draft, hello, err);

	if (r == 0) {
		/* One that is there is of no use, or of the same content: ours takes its place. */
		file_remove_tree(place, NULL);
		if (rename(draft->dir, place) < 0 && errno != ENOTEMPTY && errno != EEXIST)
			r = error_sys(err, -errno, "cannot move the guest's state to '%s'", place);
	}
	if (r == 0)
		prune(draft->top, key, limit);
	free(place);
	return r;
}

void saved_state_abort(struct state_draft *draft)
{
	if (draft->fd >= 0)
		close(draft->fd);
	if (draft->dir)
		file_remove_tree(draft->dir, NULL);
	free(draft->top);
	free(draft->dir);
	*draft = (struct state_draft){ .fd = -1 };
}

void saved_state_discard(const char *state_dir, const char *key)
{
	char *top = file_join(state_dir, folder), *dir = file_join(top, key);

	file_remove_tree(dir, NULL);
	free(dir);
	free(top);
}
