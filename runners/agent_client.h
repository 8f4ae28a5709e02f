/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The host's end of the conversation with harness-agent (docs/agent-protocol.md). */
#ifndef RUNNERS_AGENT_CLIENT_H
#define RUNNERS_AGENT_CLIENT_H

#include <jansson.h>
#include <stdbool.h>

#include "base/error.h"
#include "runners/machine.h"

struct agent_client;

/**
 * agent_client_new() - talk over two descriptors, which stay the caller's
 *
 * Sends nothing yet. A reply longer than the protocol's limit, an unknown id or no JSON ends the
 * conversation with -EPROTO; only before the agent's first word lines that are no JSON (a login's
 * greeting) are passed over.
 */
struct agent_client *agent_client_new(int in, int out);
/** agent_client_free() - forget it; NULL is fine. The descriptors stay open. */
void agent_client_free(struct agent_client *client);

/**
 * agent_call() - one request and its reply
 * @op: the operation; @args: its members, reference stolen, NULL for none
 * @timeout_ms: how long to wait for the whole reply
 * @result: the reply's "result", new reference
 * Return: 0; the agent's -errno with its message; -ETIMEDOUT; -EPIPE when the agent is gone;
 * -EPROTO for a reply that is none. After -ETIMEDOUT, -EPIPE and -EPROTO the client is dead and every further call fails
 * with -EPIPE.
 */
int agent_call(struct agent_client *client, const char *op, json_t *args, int timeout_ms,
	json_t **result, struct error *err);

/**
 * agent_client_hello() - the agent's first line, or what it answers when asked who it is
 * @hello: {"hello", "protocol", "version", "pid", "boot_id", "undone"}, borrowed from the client
 * Return: as agent_call(); -EPROTO also for an agent of another protocol version.
 */
int agent_client_hello(
	struct agent_client *client, int timeout_ms, const json_t **hello, struct error *err);

/** agent_client_dead() - true after the conversation broke. */
bool agent_client_dead(const struct agent_client *client);

/**
 * agent_client_cancel_fd() - a descriptor that, once readable, makes a waiting call send "cancel",
 * so that the agent ends the trial in flight (TERM, then KILL) and answers; -1 for none
 */
void agent_client_cancel_fd(struct agent_client *client, int fd);

/**
 * agent_client_machine() - the machine behind the agent, for knobs
 * @facts: borrowed for as long as the result is used
 */
struct machine agent_client_machine(struct agent_client *client, const json_t *facts);

#endif
