/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A session with the machine under test: the target, its agent, its facts, and the arm in force. */
#ifndef EXPERIMENT_SESSION_H
#define EXPERIMENT_SESSION_H

#include <jansson.h>
#include <stdbool.h>

#include "base/cpulist.h"
#include "base/error.h"
#include "experiment/design.h"
#include "runners/agent_client.h"
#include "runners/target/target.h"
#include "spec/benchmark.h"
#include "spec/job.h"

/** Limits of the conversation, in ms, on top of what a trial itself may take. */
enum { SESSION_CALL_MS = 60000, SESSION_TRIAL_SLACK_MS = 30000 };

/**
 * struct session - one at a time for each run
 * @facts: of the machine as it is now; @describe: of the target
 * @arm: index of the arm whose knobs are in force, -1 for none
 * @cmdline: kernel words of the machine that runs now
 */
struct session {
	const struct target_ops *ops;
	struct target *target;
	struct agent_client *client;
	json_t *facts;
	json_t *describe;
	long arm;
	char *cmdline;
	int cancel_fd;
};

/** session_open() - make the target; nothing is started yet. @options: struct of the kind's rows. */
int session_open(struct session *session, const char *kind, const void *options,
	const struct target_env *env, int cancel_fd, struct error *err);

/**
 * session_enter() - have a living agent on a machine with these kernel words
 * @fresh: a clean machine is wanted where the target can give one
 * Facts are read anew whenever the machine is another one. Return: 0 or -errno.
 */
int session_enter(struct session *session, const char *cmdline, bool fresh, struct error *err);

/** session_call() - agent_call() on the session's agent. */
int session_call(struct session *session, const char *op, json_t *args, int timeout_ms,
	json_t **result, struct error *err);

/** session_machine() - the machine behind it, for knobs; valid until the next session_enter(). */
struct machine session_machine(struct session *session);

/** session_lost() - after a broken conversation: what happened, for a trial's reason; owned. */
char *session_lost(struct session *session);

/** session_undo() - put every knob back. Return: 0 or -errno; nothing to do without an agent. */
int session_undo(struct session *session, struct error *err);

/** session_close() - put knobs back, end the agent and the target. */
void session_close(struct session *session);

#endif
