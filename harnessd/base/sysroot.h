/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel's files, seen through a folder that tests can replace.
 *
 * Every path below /proc, /sys and /dev/kmsg is opened through a struct sysroot and written without
 * the leading slash ("proc/interrupts"); "make lint" rejects the absolute literals elsewhere. */
#ifndef BASE_SYSROOT_H
#define BASE_SYSROOT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/**
 * struct sysroot - an open root folder
 * @dirfd: the folder; -1 when closed
 * @path: its path, for messages ("/" for the real machine)
 */
struct sysroot {
	int dirfd;
	char *path;
};

#define SYSROOT_INIT ((struct sysroot){ .dirfd = -1 })

/** sysroot_open() - open a root folder; NULL or "/" is the machine. Return: 0 or -errno. */
int sysroot_open(struct sysroot *root, const char *path, struct error *err);
/** sysroot_close() - close it. */
void sysroot_close(struct sysroot *root);
/** sysroot_is_machine() - true for "/", false for a test's folder. */
bool sysroot_is_machine(const struct sysroot *root);

/**
 * sysroot_openat() - open one file
 * @path: relative to the root; ".." is refused with -EINVAL
 * @flags: as for open(2); O_CLOEXEC is added
 * Return: a descriptor or -errno.
 */
int sysroot_openat(const struct sysroot *root, const char *path, int flags);

/**
 * sysroot_read() - whole text of a file, whatever its size
 * @text: owned by the caller, NUL-terminated; @len: its length without the NUL (may be NULL)
 * Return: 0 or -errno (as the kernel gave it: -EPERM may come from open or from read).
 */
int sysroot_read(
	const struct sysroot *root, const char *path, char **text, size_t *len, struct error *err);

/** sysroot_read_line() - sysroot_read() without trailing white space. */
int sysroot_read_line(const struct sysroot *root, const char *path, char **text, struct error *err);

/** sysroot_write() - write a value in one write(2). Return: 0 or -errno. */
int sysroot_write(
	const struct sysroot *root, const char *path, const char *value, struct error *err);

/** sysroot_exists() - true when the path can be reached. */
bool sysroot_exists(const struct sysroot *root, const char *path);

/**
 * sysroot_glob() - paths that match a pattern, numbers in numeric order (cpu2 before cpu10)
 * @pattern: relative; each component may hold * ? [..] and {a,b}
 * @paths: owned by the caller, see sysroot_glob_free()
 * Return: number of matches (0 is no error) or -errno.
 */
int sysroot_glob(const struct sysroot *root, const char *pattern, char ***paths);
/** sysroot_glob_free() - free the result of sysroot_glob(). */
void sysroot_glob_free(char **paths, int n);

#endif
