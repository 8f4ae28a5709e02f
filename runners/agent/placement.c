/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "placement.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"

int affinity_of(pid_t tid, struct affinity *affinity)
{
	affinity->size = CPU_ALLOC_SIZE(CPULIST_MAX_CPU + 1);
	affinity->set = CPU_ALLOC(CPULIST_MAX_CPU + 1);
	if (!affinity->set)
		abort();
	CPU_ZERO_S(affinity->size, affinity->set);
	if (sched_getaffinity(tid, affinity->size, affinity->set) == 0)
		return 0;
	affinity_release(affinity);
	return -errno;
}

void affinity_release(struct affinity *affinity)
{
	if (affinity->set)
		CPU_FREE(affinity->set);
	*affinity = (struct affinity){ 0 };
}

int affinity_bind(const struct cpulist *cpus)
{
	struct affinity got;
	size_t size;
	cpu_set_t *wanted = cpulist_to_set(cpus, &size);
	int r = sched_setaffinity(0, size, wanted) < 0 ? -errno : 0;

	CPU_FREE(wanted);
	if (r < 0)
		return r == -EINVAL ? -ENODEV : r;
	r = affinity_of(0, &got);
	if (r < 0)
		return r;
	for (size_t i = 0; i < cpus->n && r == 0; i++)
		if (!CPU_ISSET_S((size_t)cpus->cpu[i], got.size, got.set))
			r = -ENODEV;
	affinity_release(&got);
	return r;
}

static void set_all_threads(const struct placement *p, const struct affinity *affinity)
{
	char **threads;
	int n = sysroot_glob(p->machine, "proc/self/task/[0-9]*", &threads);

	for (int i = 0; i < n; i++)
		sched_setaffinity((pid_t)strtol(file_basename(threads[i]), NULL, 10),
			affinity->size, affinity->set);
	sysroot_glob_free(threads, n);
	for (int i = 0; i < PLACEMENT_HELPERS; i++)
		if (p->helper[i] > 0)
			sched_setaffinity(p->helper[i], affinity->size, affinity->set);
}

void placement_leave(struct placement *placement, const struct sysroot *machine,
	const struct cpulist *cpus, const pid_t helper[PLACEMENT_HELPERS])
{
	struct affinity rest;

	*placement = (struct placement){ .machine = machine };
	memcpy(placement->helper, helper, sizeof(placement->helper));
	if (affinity_of(0, &placement->before) < 0 || !cpus->n || affinity_of(0, &rest) < 0)
		return;
	for (size_t i = 0; i < cpus->n; i++)
		CPU_CLR_S((size_t)cpus->cpu[i], rest.size, rest.set);
	if (CPU_COUNT_S(rest.size, rest.set) > 0) {
		set_all_threads(placement, &rest);
		placement->moved = true;
	}
	affinity_release(&rest);
}

void placement_return(struct placement *placement)
{
	if (placement->moved)
		set_all_threads(placement, &placement->before);
	affinity_release(&placement->before);
}
