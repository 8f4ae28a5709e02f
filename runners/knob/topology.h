/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which online CPUs share a core, a cache, a node: from the agent's facts. */
#ifndef RUNNERS_KNOB_TOPOLOGY_H
#define RUNNERS_KNOB_TOPOLOGY_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/cpulist.h"
#include "base/error.h"
#include "runners/machine.h"

/**
 * struct topology_cpu - one online CPU
 * @core, @l1, @llc: CPUs with the same number share a core, an innermost cache, a last-level cache
 *	(the number is that of the lowest CPU that does)
 * @package, @node: as the kernel numbers them
 */
struct topology_cpu {
	int cpu;
	int core, l1, llc;
	int package, node;
};

/**
 * struct topology - the online CPUs in ascending order
 * @possible: CPUs that there can be, offline ones included
 * @isolated: CPUs that the scheduler leaves alone (isolcpus=)
 * @llc_known: false: the machine shows no caches, and a package is taken as one last-level cache
 */
struct topology {
	struct topology_cpu *c;
	size_t n, cap;
	struct cpulist online, possible, isolated;
	bool llc_known;
};

/**
 * topology_parse() - from the facts of a machine
 * @topology: to be released with topology_release(); empty after an error
 *
 * Offline CPUs are left out. CPUs with unknown siblings are alone in their core (or, where only that
 * is known, share the core number within a package); @l1 starts as @core.
 * Return: 0, or -EINVAL when the facts hold no usable topology.
 */
int topology_parse(const json_t *facts, struct topology *topology, struct error *err);

/**
 * topology_read_l1() - look up which threads of a core share the innermost cache
 *
 * Only asked of the machine where a core has more than two threads online: elsewhere the threads of
 * a core share it. POWER's cores of eight threads are two small cores of four, which the kernel shows
 * nowhere but in the sharing of this cache.
 */
void topology_read_l1(struct topology *topology, const struct machine *machine);

/** topology_find() - an online CPU by number, or NULL. */
const struct topology_cpu *topology_find(const struct topology *topology, int cpu);

/** topology_release() - free it and make it reusable. */
void topology_release(struct topology *topology);

#endif
