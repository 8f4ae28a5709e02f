/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Ordinary files and folders (kernel files go through base/sysroot.h). */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "base/strbuf.h"

/**
 * file_read_fd() - append what a descriptor holds, to its end
 * @limit: -EFBIG when there is more than this many bytes
 * Return: 0 or -errno.
 */
int file_read_fd(int fd, struct strbuf *sb, size_t limit);
/** file_read() - whole content of a file, at most @limit bytes; @text owned by the caller. */
int file_read(const char *path, size_t limit, char **text, size_t *len, struct error *err);
/** file_write_all() - write all bytes to a descriptor. Return: 0 or -errno. */
int file_write_all(int fd, const void *data, size_t len);
/**
 * file_replace() - new content of a file, all of it or nothing
 *
 * Writes a neighbour, syncs it, renames it over @path and syncs the folder: after a power loss the
 * old content or the new one is there. Return: 0 or -errno.
 */
int file_replace(const char *path, const void *data, size_t len, mode_t mode, struct error *err);
/** file_copy() - copy a file's content and permission bits. */
int file_copy(const char *from, const char *to, struct error *err);
/** file_sync_dir() - make a folder's entries durable. */
int file_sync_dir(const char *path, struct error *err);
/** file_make_dirs() - mkdir -p. Return: 0 or -errno. */
int file_make_dirs(const char *path, mode_t mode, struct error *err);
/** file_remove_tree() - rm -rf within one file system; a missing path is no error. */
int file_remove_tree(const char *path, struct error *err);
/** file_exists() - true when the path can be reached. */
bool file_exists(const char *path);
/** file_join() - "dir/name" with one slash; owned by the caller. */
char *file_join(const char *dir, const char *name);
/** file_dirname() - folder part of a path, "." when there is none; owned by the caller. */
char *file_dirname(const char *path);
/** file_basename() - last component; borrowed. */
const char *file_basename(const char *path);
/** file_find_program() - where execvp() would find it, or NULL; owned by the caller. */
char *file_find_program(const char *name);
/** file_state_dir() - HARNESS_STATE, or the default for this user; owned by the caller. */
char *file_state_dir(void);
/** file_self_dir() - folder of the running program; owned by the caller. */
char *file_self_dir(void);

#endif
