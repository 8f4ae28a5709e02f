/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collectors/collector.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/nearest.h"

#define FOR_EACH_COLLECTOR(do)                                                        \
	do                                                                            \
	(interrupts) do(softirqs) do(cpuidle) do(cpustat) do(perf) do(kernel_log) do( \
		sched_features) do(vmstat) do(irqtime) do(perf_stat)

#define DECLARE(name) extern const struct collector_ops name##_collector;
#define LIST(name) &name##_collector,

FOR_EACH_COLLECTOR(DECLARE)

const struct collector_ops *const collectors[] = { FOR_EACH_COLLECTOR(LIST) NULL };

static bool is_called(const struct collector_ops *ops, const char *name)
{
	if (strcmp(ops->name, name) == 0)
		return true;
	for (const char *const *alias = ops->aliases; alias && *alias; alias++)
		if (strcmp(*alias, name) == 0)
			return true;
	return false;
}

const struct collector_ops *collector_find(const char *name, struct error *err)
{
	const char *names[array_size(collectors)] = { 0 };
	char *suffix;
	size_t n = 0;

	for (const struct collector_ops *const *ops = collectors; *ops; ops++) {
		if (is_called(*ops, name))
			return *ops;
		names[n++] = (*ops)->name;
	}
	suffix = nearest_suffix(name, names, n);
	error_set(err, -ENOENT, "there is no collector '%s'%s", name, suffix);
	free(suffix);
	return NULL;
}
