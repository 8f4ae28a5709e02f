/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lists of CPUs, in the kernel's notation. */
#ifndef BASE_CPULIST_H
#define BASE_CPULIST_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

enum { CPULIST_MAX_CPU = 65535 };

/**
 * struct cpulist - CPUs in an order that matters: {cpu0} of a benchmark's command is the first
 *
 * A CPU may stand twice (both threads of a ping-pong on one CPU).
 */
struct cpulist {
	int *cpu;
	size_t n;
	size_t cap;
};

#define CPULIST_INIT ((struct cpulist){ 0 })

/**
 * cpulist_parse() - read "0-3,8" (as in sysfs; white space around is fine, empty is an empty list)
 * Return: 0 or -EINVAL with a message.
 */
int cpulist_parse(const char *text, struct cpulist *list, struct error *err);
/** cpulist_add() - append one CPU. */
void cpulist_add(struct cpulist *list, int cpu);
/** cpulist_copy() - deep copy. */
struct cpulist cpulist_copy(const struct cpulist *list);
/** cpulist_has() - true when the CPU is in the list. */
bool cpulist_has(const struct cpulist *list, int cpu);
/** cpulist_equal() - same CPUs in the same order. */
bool cpulist_equal(const struct cpulist *a, const struct cpulist *b);
/** cpulist_format() - "0-3,8", runs folded, the order kept; owned by the caller. */
char *cpulist_format(const struct cpulist *list);
/**
 * cpulist_to_set() - allocate a kernel CPU mask
 * @size: its size in bytes for sched_setaffinity()
 * Return: the mask, to be freed with CPU_FREE().
 */
cpu_set_t *cpulist_to_set(const struct cpulist *list, size_t *size);
/** cpulist_release() - free it and make it reusable. */
void cpulist_release(struct cpulist *list);

#endif
