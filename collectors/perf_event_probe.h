/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside the perf probe: from an event's name to what perf_event_open(2) takes. */
#ifndef COLLECTORS_PERF_EVENT_PROBE_H
#define COLLECTORS_PERF_EVENT_PROBE_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/cpulist.h"
#include "base/error.h"
#include "base/sysroot.h"

/**
 * struct perf_event - one event of one PMU
 * @pmu: "cpu", "cpu_core", "software", "tracepoint", "uncore_imc_0", ...
 * @unit, @scale: what sysfs gives for the count; "" and 1 without
 * @cpus: CPUs that this PMU counts on; empty: any
 * @uncore: it counts something shared, and @cpus are those by which it is asked
 */
struct perf_event {
	struct perf_event_attr attr;
	char *pmu;
	char *unit;
	double scale;
	struct cpulist cpus;
	bool uncore;
};

/**
 * perf_event_resolve() - look an event up
 * @name: a generic name of perf(1) (cycles, context-switches, L1-dcache-loads), "group:tracepoint",
 *	"pmu/event=0x3c,umask=1/" or "pmu/alias/", an alias of any PMU in sysfs, "r1a8", or a name of
 *	libpfm4; ":u", ":k" or ":uk" behind it count in user space or the kernel only
 * @events: one for each PMU that has it (two on hybrid processors); owned by the caller
 * Return: 0, or -ENOENT and the like with a message.
 */
int perf_event_resolve(const struct sysroot *root, const char *name, struct perf_event **events,
	size_t *n, struct error *err);
/** perf_event_free() - free the result of perf_event_resolve(). */
void perf_event_free(struct perf_event *events, size_t n);

#endif
