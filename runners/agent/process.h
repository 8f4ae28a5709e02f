/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The agent's helper processes, and processes as /proc shows them. */
#ifndef AGENT_PROCESS_H
#define AGENT_PROCESS_H

#include <stddef.h>
#include <sys/types.h>

#include "base/sysroot.h"

/** struct pids - a list of processes; free .pid */
struct pids {
	pid_t *pid;
	size_t n, cap;
};

#define PIDS_INIT ((struct pids){ 0 })

/**
 * process_become_helper() - make this freshly forked process outlive its parent's troubles
 * @name: as ps shows it
 * @keep: n descriptors that stay open; all others are closed, 0 to 2 lead to nowhere
 *
 * Own session, every signal blocked that can be, nothing held of the parent's conversation.
 */
void process_become_helper(const char *name, const int *keep, size_t n);

/** process_spare_from_oom() - ask the kernel never to choose this process, if it may be asked. */
void process_spare_from_oom(const struct sysroot *machine);

/** process_descendants() - living children and their children of @parent, zombies left out. */
void process_descendants(const struct sysroot *machine, pid_t parent, struct pids *out);

/** process_count_named() - how many processes have this name (comm). */
size_t process_count_named(const struct sysroot *root, const char *comm);

#endif
