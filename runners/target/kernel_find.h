/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which kernel a guest boots, and where that kernel's modules are. */
#ifndef RUNNERS_TARGET_KERNEL_FIND_H
#define RUNNERS_TARGET_KERNEL_FIND_H

#include <stddef.h>

#include "base/error.h"
#include "base/sysroot.h"

/**
 * struct guest_kernel - a kernel that was found
 * @path: the image
 * @release: as "uname -r" will give it; "" when the image does not tell
 * @modules: its "lib/modules/RELEASE" folder, NULL when there is none (everything built in)
 */
struct guest_kernel {
	char *path;
	char *release;
	char *modules;
};

/**
 * kernel_find() - by path, by release, or the newest
 * @root: where "boot" and "lib/modules" are looked for: the machine, or a test's folder
 * @state_dir: its "kernels" folder holds those that were fetched
 * @wanted: a path (has a slash); a release; "installed" or "fetched" for the newest of those;
 *	NULL for the newest of all
 * @modules: a "lib/modules/RELEASE" folder to use instead of looking for it, or NULL
 * Return: 0; -ENOENT, with what would help; -EACCES when there are kernels that we may not read.
 */
int kernel_find(const struct sysroot *root, const char *state_dir, const char *wanted,
	const char *modules, struct guest_kernel *kernel, struct error *err);

/** kernel_release() - free all and make it reusable. */
void kernel_release(struct guest_kernel *kernel);

/**
 * kernel_image_release() - release that an x86 bzImage's header names ("6.1.0-57-amd64")
 * Return: owned by the caller; "" when the image is none or does not tell.
 */
char *kernel_image_release(const char *data, size_t len);

/** kernel_compare_releases() - order of two releases; "6.12-rc1" comes before "6.12". */
int kernel_compare_releases(const char *a, const char *b);

#endif
