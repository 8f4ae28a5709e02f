/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A writer of cpio archives in the "newc" form, the one that the kernel unpacks as its initramfs. */
#ifndef RUNNERS_TARGET_CPIO_H
#define RUNNERS_TARGET_CPIO_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/strbuf.h"

/**
 * struct cpio - an archive being written
 * @out: the bytes so far
 * @seen: paths that are in it
 * @ino: number of the last entry
 *
 * The same calls give the same bytes: times, owners and inode numbers come from nothing else.
 * Paths are written without the slash in front; folders above a path are added when they are
 * missing; a path that is there already is left as it is.
 */
struct cpio {
	struct strbuf out;
	json_t *seen;
	unsigned int ino;
};

/** cpio_init() - begin an archive. */
void cpio_init(struct cpio *cpio);
/** cpio_has() - true when the path is in the archive; a slash in front does not matter. */
bool cpio_has(const struct cpio *cpio, const char *path);
/** cpio_dir() - add a folder; @mode: permission bits. */
void cpio_dir(struct cpio *cpio, const char *path, unsigned int mode);
/** cpio_file() - add a file of at most 4 GiB; @mode: permission bits. */
void cpio_file(
	struct cpio *cpio, const char *path, unsigned int mode, const void *data, size_t len);
/** cpio_link() - add a symbolic link. */
void cpio_link(struct cpio *cpio, const char *path, const char *to);
/** cpio_char_device() - add a character device. */
void cpio_char_device(struct cpio *cpio, const char *path, unsigned int mode,
	unsigned int major_number, unsigned int minor_number);
/** cpio_end() - add the trailer; the archive is then in cpio->out. */
void cpio_end(struct cpio *cpio);
/** cpio_release() - free all. */
void cpio_release(struct cpio *cpio);

#endif
