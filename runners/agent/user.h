/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Users by name, read from etc/passwd: a static program has no name service. */
#ifndef AGENT_USER_H
#define AGENT_USER_H

#include <sys/types.h>

#include "base/error.h"
#include "base/sysroot.h"

enum { USER_MAX_GROUPS = 256 };

/** struct user - whom a benchmark runs as; release with user_release() */
struct user {
	uid_t uid;
	gid_t gid;
	gid_t groups[USER_MAX_GROUPS];
	size_t n_groups;
	char *home;
};

/**
 * user_lookup() - "name", "uid" or "uid:gid"
 *
 * A name's further groups are taken from etc/group; numbers have none.
 * Return: 0, -ENOENT for an unknown name, -EINVAL.
 */
int user_lookup(const struct sysroot *root, const char *text, struct user *user, struct error *err);
/** user_release() - free what it holds. */
void user_release(struct user *user);

#endif
