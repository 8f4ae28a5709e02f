/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How everything that a benchmark starts can be found and killed: its own cgroup, or else its keeper
 * being the subreaper of all of them. */
#ifndef AGENT_CONTAIN_H
#define AGENT_CONTAIN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/sysroot.h"
#include "process.h"

struct contain;

/**
 * struct contain_ops - one way to contain
 * @name: "cgroup", "subreaper"
 * @open: Return: 0 or -errno with the reason it can't be had here
 * @pids: processes in there that live
 * @strike: kill what is there at this moment; to be repeated until pids() finds none
 * @close: remove what open() made
 */
struct contain_ops {
	const char *name;
	int (*open)(struct contain *contain, struct error *err);
	void (*pids)(const struct contain *contain, struct pids *out);
	void (*strike)(const struct contain *contain);
	void (*close)(struct contain *contain);
};

/**
 * struct contain - one trial's container
 * @id: part of its name, unique on this machine
 * @path: the cgroup's folder, as for struct sysroot; NULL without one
 * @dirfd: that folder, for clone3(); -1 without one
 */
struct contain {
	const struct contain_ops *ops;
	const struct sysroot *machine;
	char *id;
	char *path;
	int dirfd;
};

extern const struct contain_ops contain_cgroup;
extern const struct contain_ops contain_subreaper;

/**
 * contain_open() - the surest container that can be had
 * @which: "auto", or the name of the one that is wanted
 * Return: 0 or -errno.
 */
int contain_open(struct contain *contain, const struct sysroot *machine, const char *which,
	const char *id, struct error *err);
/** contain_signal() - send a signal to each process in there. */
void contain_signal(const struct contain *contain, int signal);
/** contain_count() - how many processes live in there. */
size_t contain_count(const struct contain *contain);
/**
 * contain_adopt() - in the keeper: the same container
 * @way: name of its kind; @path: as in struct contain, or NULL. The folder's descriptor is set later.
 */
void contain_adopt(
	struct contain *contain, const struct sysroot *machine, const char *way, const char *path);
/** contain_close() - remove it, which must be empty, and release it. */
void contain_close(struct contain *contain);
/** contain_release() - forget it without removing it. */
void contain_release(struct contain *contain);

/** contain_cgroup_mount() - where cgroup v2 is mounted, as for struct sysroot; NULL: nowhere; caller owns */
char *contain_cgroup_mount(const struct sysroot *root);

/**
 * contain_left_behind() - kill what trials of agents that are gone have left in cgroups
 * Return: how many processes that were.
 */
size_t contain_left_behind(const struct sysroot *machine);

#endif
