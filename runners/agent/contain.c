/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "contain.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"

/* The surest first; the last one always works. */
static const struct contain_ops *const ways[] = { &contain_cgroup, &contain_subreaper };

int contain_open(struct contain *contain, const struct sysroot *machine, const char *which,
	const char *id, struct error *err)
{
	bool any = strcmp(which, "auto") == 0;
	int r = error_set(
		err, -EINVAL, "no way to contain '%s'; there are auto, cgroup, subreaper", which);

	for (size_t i = 0; i < array_size(ways); i++) {
		if (!any && strcmp(which, ways[i]->name) != 0)
			continue;
		*contain = (struct contain){
			.ops = ways[i], .machine = machine, .id = xstrdup(id), .dirfd = -1
		};
		r = ways[i]->open(contain, err);
		if (r == 0)
			return 0;
		free(contain->id);
	}
	return r;
}

void contain_signal(const struct contain *contain, int signal)
{
	struct pids pids = PIDS_INIT;

	contain->ops->pids(contain, &pids);
	for (size_t i = 0; i < pids.n; i++)
		kill(pids.pid[i], signal);
	free(pids.pid);
}

size_t contain_count(const struct contain *contain)
{
	struct pids pids = PIDS_INIT;

	contain->ops->pids(contain, &pids);
	free(pids.pid);
	return pids.n;
}

void contain_adopt(
	struct contain *contain, const struct sysroot *machine, const char *way, const char *path)
{
	*contain = (struct contain){ .machine = machine, .path = xstrdup(path), .dirfd = -1 };
	for (size_t i = 0; i < array_size(ways); i++)
		if (strcmp(way, ways[i]->name) == 0)
			contain->ops = ways[i];
}

void contain_close(struct contain *contain)
{
	contain->ops->close(contain);
	contain_release(contain);
}

void contain_release(struct contain *contain)
{
	if (contain->dirfd >= 0)
		close(contain->dirfd);
	free(contain->id);
	free(contain->path);
	*contain = (struct contain){ .dirfd = -1 };
}
