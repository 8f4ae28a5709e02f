/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "experiment/session.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json.h"

int session_open(struct session *session, const char *kind, const void *options,
	const struct target_env *env, int cancel_fd, struct error *err)
{
	*session = (struct session){ .arm = -1, .cancel_fd = cancel_fd };
	session->ops = target_find(kind, err);
	if (!session->ops)
		return -EINVAL;
	return session->ops->open(options, env, &session->target, err);
}

static void forget_agent(struct session *session)
{
	agent_client_free(session->client);
	session->client = NULL;
	session->arm = -1;
}

static int read_facts(struct session *session, struct error *err)
{
	json_decref(session->facts);
	json_decref(session->describe);
	session->facts = NULL;
	session->describe = session->ops->describe(session->target);
	return session_call(session, "facts", NULL, SESSION_CALL_MS, &session->facts, err);
}

int session_enter(struct session *session, const char *cmdline, bool fresh, struct error *err)
{
	struct target_link link = { .in = -1, .out = -1 };
	bool same = session->client && !agent_client_dead(session->client) && session->facts &&
		    session->cmdline && strcmp(session->cmdline, cmdline) == 0;
	bool facts_hold;
	int r;

	if (same && !fresh)
		return 0;
	r = session->ops->enter(session->target, cmdline, fresh, &link, err);
	if (r < 0) {
		forget_agent(session);
		return r;
	}
	if (same && !link.fresh)
		return 0;
	facts_hold = session->facts && session->cmdline && strcmp(session->cmdline, cmdline) == 0;
	forget_agent(session);
	free(session->cmdline);
	session->cmdline = xstrdup(cmdline);
	session->client = agent_client_new(link.in, link.out);
	agent_client_cancel_fd(session->client, session->cancel_fd);
	/* A guest restored from its snapshot is the machine that the facts were read from. */
	return facts_hold ? 0 : read_facts(session, err);
}

int session_call(struct session *session, const char *op, json_t *args, int timeout_ms,
	json_t **result, struct error *err)
{
	if (!session->client) {
		json_decref(args);
		return error_set(err, -EPIPE, "there is no agent to talk to");
	}
	return agent_call(session->client, op, args, timeout_ms, result, err);
}

struct machine session_machine(struct session *session)
{
	return agent_client_machine(session->client, session->facts);
}

char *session_lost(struct session *session)
{
	char *why = session->ops->lost(session->target);

	forget_agent(session);
	return why;
}

int session_undo(struct session *session, struct error *err)
{
	json_t *result = NULL, *failed;
	int r;

	session->arm = -1;
	if (!session->client || agent_client_dead(session->client))
		return 0;
	/* Knobs go back even after Ctrl-C has made the cancel descriptor readable. */
	agent_client_cancel_fd(session->client, -1);
	r = session_call(session, "undo", NULL, SESSION_CALL_MS, &result, err);
	agent_client_cancel_fd(session->client, session->cancel_fd);
	if (r < 0)
		return r;
	failed = json_array_get(json_object_get(result, "failed"), 0);
	if (failed)
		r = error_set(err, -EIO, "cannot put '%s' back to '%s': %s",
			json_str(failed, "path", "?"), json_str(failed, "value", "?"),
			json_str(failed, "text", "?"));
	json_decref(result);
	return r;
}

void session_close(struct session *session)
{
	json_t *result = NULL;

	if (session->client && !agent_client_dead(session->client)) {
		agent_client_cancel_fd(session->client, -1);
		if (session_call(session, "bye", NULL, SESSION_CALL_MS, &result, NULL) == 0)
			json_decref(result);
	}
	forget_agent(session);
	if (session->ops && session->target)
		session->ops->close(session->target);
	json_decref(session->facts);
	json_decref(session->describe);
	free(session->cmdline);
	*session = (struct session){ .arm = -1 };
}
