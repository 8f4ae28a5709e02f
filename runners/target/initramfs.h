/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The initramfs of a guest: the agent as its init, the programs of the trials, the modules. */
#ifndef RUNNERS_TARGET_INITRAMFS_H
#define RUNNERS_TARGET_INITRAMFS_H

#include <jansson.h>
#include <stdbool.h>

#include "base/error.h"
#include "runners/target/cpio.h"

/**
 * struct initramfs_content - what goes in
 * @agent: becomes /init and /harness-agent; it must be static
 * @programs: array of {"name", "path"}: become /bin/NAME, with their libraries when they are dynamic
 *	and their interpreter when they are scripts; NULL for none
 * @modules: "lib/modules/RELEASE" on this machine, NULL when the kernel has everything built in
 * @share: a folder of the host will be mounted: the modules for 9p are needed as well
 */
struct initramfs_content {
	const char *agent;
	const json_t *programs;
	const char *modules;
	bool share;
};

/**
 * initramfs_build() - make the archive
 *
 * /modules.list names the modules by their paths in the guest, in the order to load them. A static
 * busybox of the host comes along as /bin/busybox with its names linked to it. The same files give
 * the same bytes. Return: 0 with the ended archive in @cpio, to be released by the caller; -errno.
 */
int initramfs_build(const struct initramfs_content *content, struct cpio *cpio, struct error *err);

#endif
