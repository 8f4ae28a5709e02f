/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the agent hands to its keeper for a trial, as bytes and descriptors. Between two processes of
 * one binary; never stored or sent farther. */
#ifndef AGENT_KEEPER_PACK_H
#define AGENT_KEEPER_PACK_H

#include "base/strbuf.h"
#include "contain.h"
#include "spawn.h"

/**
 * struct keeper_load - a trial in the keeper's hands
 * @spawn: what to start; points into the other members
 * @bytes: as they came; strings point into them
 */
struct keeper_load {
	struct spawn spawn;
	struct contain contain;
	char **argv, **env;
	struct cpulist cpus;
	struct affinity affinity;
	struct user user;
	char *bytes;
};

/** keeper_pack() - all but the descriptors of both. */
void keeper_pack(const struct spawn *spawn, const struct contain *contain, struct strbuf *out);
/**
 * keeper_unpack() - the reverse
 * @bytes: become the load's; @machine: borrowed
 * Descriptors are left at -1; contain.ops is NULL when its name is unknown.
 */
void keeper_unpack(char *bytes, const struct sysroot *machine, struct keeper_load *load);
/** keeper_load_release() - free it, and close the container's folder; removes nothing. */
void keeper_load_release(struct keeper_load *load);

#endif
