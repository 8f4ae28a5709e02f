/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which CPUs our own threads run on: during a trial, none of the benchmark's. */
#ifndef AGENT_PLACEMENT_H
#define AGENT_PLACEMENT_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/cpulist.h"
#include "base/error.h"
#include "base/sysroot.h"

/** struct affinity - a CPU mask of any size */
struct affinity {
	cpu_set_t *set;
	size_t size;
};

/** affinity_of() - the mask of a thread (0: this one). Return: 0 or -errno; release it. */
int affinity_of(pid_t tid, struct affinity *affinity);
/** affinity_release() - free it. */
void affinity_release(struct affinity *affinity);

/**
 * affinity_bind() - bind the calling thread to exactly these CPUs
 * Return: 0, -errno; -ENODEV when one of them is offline or not allowed (the kernel itself would
 * silently take the rest).
 */
int affinity_bind(const struct cpulist *cpus);

enum { PLACEMENT_HELPERS = 2 };

/** struct placement - our threads' masks before a trial; @helper: processes of ours, or 0 */
struct placement {
	const struct sysroot *machine;
	struct affinity before;
	pid_t helper[PLACEMENT_HELPERS];
	bool moved;
};

/** placement_leave() - move all our threads off the CPUs, if any others remain. */
void placement_leave(struct placement *placement, const struct sysroot *machine,
	const struct cpulist *cpus, const pid_t helper[PLACEMENT_HELPERS]);
/** placement_return() - and back; release. */
void placement_return(struct placement *placement);

#endif
