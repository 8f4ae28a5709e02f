/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "experiment/quiet.h"

#include <stdlib.h>
#include <string.h>

#include "base/cpulist.h"

void quiet_begin(struct quiet *quiet, const json_t *cpus)
{
	size_t i;
	json_t *cpu;
	cpu_set_t *rest;

	*quiet = (struct quiet){ 0 };
	if (json_array_size(cpus) == 0)
		return;
	quiet->size = CPU_ALLOC_SIZE(CPULIST_MAX_CPU + 1);
	quiet->before = CPU_ALLOC(CPULIST_MAX_CPU + 1);
	rest = CPU_ALLOC(CPULIST_MAX_CPU + 1);
	if (!quiet->before || !rest)
		abort();
	CPU_ZERO_S(quiet->size, quiet->before);
	if (sched_getaffinity(0, quiet->size, quiet->before) < 0) {
		CPU_FREE(quiet->before);
		quiet->before = NULL;
	} else {
		memcpy(rest, quiet->before, quiet->size);
		json_array_foreach(cpus, i, cpu) {
			CPU_CLR_S((size_t)json_integer_value(cpu), quiet->size, rest);
		}
		if (CPU_COUNT_S(quiet->size, rest) > 0)
			sched_setaffinity(0, quiet->size, rest);
	}
	CPU_FREE(rest);
}

void quiet_end(struct quiet *quiet)
{
	if (!quiet->before)
		return;
	sched_setaffinity(0, quiet->size, quiet->before);
	CPU_FREE(quiet->before);
	*quiet = (struct quiet){ 0 };
}
