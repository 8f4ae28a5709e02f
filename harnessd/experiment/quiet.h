/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Keeping out of the way: the harness's own threads leave the CPUs of a trial on this host. */
#ifndef EXPERIMENT_QUIET_H
#define EXPERIMENT_QUIET_H

#include <jansson.h>
#include <sched.h>

/** struct quiet - the affinity to go back to */
struct quiet {
	cpu_set_t *before;
	size_t size;
};

/**
 * quiet_begin() - move this thread off the given CPUs, where others remain
 * @cpus: array of CPU numbers, may be NULL or empty
 */
void quiet_begin(struct quiet *quiet, const json_t *cpus);
/** quiet_end() - back to where it was allowed before. */
void quiet_end(struct quiet *quiet);

#endif
