/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A kernel for guests from the distribution's package archive, unpacked and not installed. */
#ifndef RUNNERS_TARGET_FETCH_KERNEL_H
#define RUNNERS_TARGET_FETCH_KERNEL_H

#include <stddef.h>

#include "base/error.h"
#include "spec/option.h"

/** struct fetch_progress - tells a person what is going on; @say may be NULL */
struct fetch_progress {
	void (*say)(void *context, const char *text);
	void *context;
};

/**
 * vm_fetch_kernel() - download a kernel package with apt and unpack it
 * @state_dir: it goes to STATE/kernels/RELEASE, all of it or nothing
 * @package: NULL for the distribution's current kernel
 * @kernel_path: the image, owned by the caller; also when that release had been fetched before
 * Return: 0; -ENOENT where there is no apt or no such package; else -errno.
 */
int vm_fetch_kernel(const char *state_dir, const char *package,
	const struct fetch_progress *progress, char **kernel_path, struct error *err);

/**
 * fetch_parse_depends() - the parts of a kernel among the lines of "apt-cache depends PACKAGE"
 *
 * A kernel is an image package, and in some distributions packages of modules beside it.
 */
void fetch_parse_depends(const char *text, size_t len, struct string_list *packages);

#endif
