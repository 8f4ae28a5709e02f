/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "db/machine_lock.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"

enum { POLL_NS = 50 * 1000 * 1000, MAX_HOLDER = 512 };

static char *lock_path(const char *state_dir, const char *name)
{
	char *path = xasprintf("%s/locks/%s.lock", state_dir, name);

	for (char *p = path + strlen(state_dir) + strlen("/locks/"); *p; p++)
		if (!isalnum((unsigned char)*p) && !strchr("-_.", *p))
			*p = '_';
	return path;
}

static int open_lock(const char *state_dir, const char *path, struct error *err)
{
	char *dir = file_join(state_dir, "locks");
	int ret = file_make_dirs(dir, 0755, err), fd;

	free(dir);
	if (ret < 0)
		return ret;
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
	return fd < 0 ? error_sys(err, -errno, "cannot open lock '%s'", path) : fd;
}

/* One line, "run of job x, process 123"; empty in the moment between taking and writing. */
static char *read_holder(int fd)
{
	char text[MAX_HOLDER];
	ssize_t n = pread(fd, text, sizeof(text), 0);
	const char *end = n > 0 ? memchr(text, '\n', (size_t)n) : NULL;

	return end ? xmemdup0(text, (size_t)(end - text)) : xstrdup("another program");
}

static int write_holder(int fd, const char *path, const char *what, struct error *err)
{
	char *text = xasprintf("%.*s, process %d\n", MAX_HOLDER / 2, what, (int)getpid());
	int ret = 0;

	for (char *p = text; p[0] && p[1]; p++)
		if ((unsigned char)*p < ' ')
			*p = ' ';
	if (ftruncate(fd, 0) < 0 || pwrite(fd, text, strlen(text), 0) < 0)
		ret = error_sys(err, -errno, "cannot write lock '%s'", path);
	free(text);
	return ret;
}

/* Tell who it is when it is somebody new; *told is what was told last. */
static void tell(
	int fd, char **told, void (*waiting)(void *context, const char *holder), void *context)
{
	char *holder = read_holder(fd);

	if (waiting && (!*told || strcmp(holder, *told) != 0))
		waiting(context, holder);
	free(*told);
	*told = holder;
}

/* By asking again and again, since a handled signal (Ctrl-C) has to end the wait. */
static int wait_for(int fd, bool wait, void (*waiting)(void *context, const char *holder),
	void *context, struct error *err)
{
	const struct timespec nap = { .tv_nsec = POLL_NS };
	char *told = NULL;
	int ret = 0;

	while (flock(fd, LOCK_EX | LOCK_NB) < 0) {
		if (errno != EWOULDBLOCK && errno != EINTR) {
			ret = error_sys(err, -errno, "cannot lock");
			break;
		}
		tell(fd, &told, wait ? waiting : NULL, context);
		if (!wait) {
			ret = error_set(err, -EBUSY, "the machine is in use by %s", told);
			break;
		}
		if (nanosleep(&nap, NULL) < 0) {
			ret = error_set(err, -EINTR,
				"interrupted while waiting for the machine, in use by %s", told);
			break;
		}
	}
	free(told);
	return ret;
}

int machine_lock_take(const char *state_dir, const char *name, const char *what, bool wait,
	void (*waiting)(void *context, const char *holder), void *context, struct machine_lock *out,
	struct error *err)
{
	char *path = lock_path(state_dir, name);
	int fd = open_lock(state_dir, path, err);
	int ret = fd < 0 ? fd : wait_for(fd, wait, waiting, context, err);

	if (ret == 0)
		ret = write_holder(fd, path, what, err);
	if (ret < 0) {
		if (fd >= 0)
			close(fd);
		free(path);
		return ret;
	}
	*out = (struct machine_lock){ .fd = fd, .path = path };
	return 0;
}

void machine_lock_release(struct machine_lock *lock)
{
	if (lock->fd >= 0) {
		if (ftruncate(lock->fd, 0) < 0) {
			/* Only the holder's name stays: the lock itself is gone with the descriptor. */
		}
		close(lock->fd);
	}
	free(lock->path);
	*lock = MACHINE_LOCK_INIT;
}
