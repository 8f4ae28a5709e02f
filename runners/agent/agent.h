/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The agent's own state, and its operations. */
#ifndef AGENT_AGENT_H
#define AGENT_AGENT_H

#include <jansson.h>
#include <stdbool.h>

#include "base/error.h"
#include "base/sysroot.h"
#include "channel.h"
#include "collect.h"
#include "keeper.h"
#include "undo.h"

/**
 * struct agent - one conversation
 * @root: where the protocol's paths are taken from; @machine: always the real one, for processes
 * @boot_id: of @root, "unknown" when it has none
 * @signals: a signalfd of INT, TERM and HUP
 * @contain: "auto", "cgroup" or "subreaper"
 * @guest: it is a guest's: mount is allowed and the channel is a port
 * @leaving: "bye" was said; @host_gone: the conversation ended; @signal: the one that ends it
 * @keeper: there is one from the first trial on
 * @kept: probes of the last trial
 * @trials: how many there were, for names
 */
struct agent {
	struct sysroot root, machine;
	char *boot_id;
	const char *undo_dir, *work_dir, *contain;
	struct undo undo;
	struct keeper keeper;
	struct collects_kept kept;
	struct channel channel;
	int signals;
	bool guest;
	bool leaving, host_gone;
	int signal;
	unsigned int trials;
};

/**
 * An operation: @request is the whole request, *result a new reference.
 * Return: 0 or -errno with a message.
 */
typedef int agent_op(
	struct agent *agent, const json_t *request, json_t **result, struct error *err);

agent_op op_facts;    /* facts.c */
agent_op op_read;     /* read.c */
agent_op op_glob;     /* read.c */
agent_op op_snapshot; /* read.c */
agent_op op_set;      /* set.c */
agent_op op_undo;     /* set.c */
agent_op op_run;      /* trial.c */
agent_op op_mount;    /* mount.c */

/** agent_init() - open the roots; the other members are the caller's to fill before. */
int agent_init(struct agent *agent, const char *root, struct error *err);
/** agent_release() - put everything back and free. Return: how many settings could not be. */
size_t agent_release(struct agent *agent);

#endif
