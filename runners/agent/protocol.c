/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "protocol.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/json.h"
#include "base/strbuf.h"
#include "reply.h"

enum { PROTOCOL_VERSION = 1 };

static json_t *make_hello(const struct agent *agent)
{
	return json_pack("{s:s, s:i, s:s, s:i, s:s}", "hello", "harness-agent", "protocol",
		PROTOCOL_VERSION, "version", HARNESS_VERSION, "pid", (int)getpid(), "boot_id",
		agent->boot_id);
}

static int op_hello(struct agent *agent, const json_t *request, json_t **result, struct error *err)
{
	(void)request;
	(void)err;
	*result = make_hello(agent);
	return 0;
}

static int op_bye(struct agent *agent, const json_t *request, json_t **result, struct error *err)
{
	json_t *undone = NULL;
	int r = op_undo(agent, request, &undone, err);
	const json_t *failed = json_object_get(undone, "failed");

	agent->leaving = true;
	if (r == 0 && json_array_size(failed))
		r = error_set(err, -EIO, "%zu settings could not be put back: %s",
			json_array_size(failed), json_str(json_array_get(failed, 0), "text", ""));
	json_decref(undone);
	*result = r == 0 ? json_object() : NULL;
	return r;
}

static const struct {
	const char *name;
	agent_op *call;
} ops[] = {
	{ "facts", op_facts },
	{ "read", op_read },
	{ "glob", op_glob },
	{ "snapshot", op_snapshot },
	{ "set", op_set },
	{ "run", op_run },
	{ "undo", op_undo },
	{ "mount", op_mount },
	{ "hello", op_hello },
	{ "bye", op_bye },
};

json_t *reply_error(int code, const struct error *err)
{
	const char *name = strerrorname_np(-code);
	const char *text = error_text(err);
	json_t *blob = json_blob(text, strlen(text));

	return json_pack("{s:i, s:s, s:o}", "errno", -code, "name", name ? name : "", "text", blob);
}

static json_t *make_reply(const json_t *id, int r, json_t *result, const struct error *err)
{
	json_t *reply = json_object();

	json_object_set(reply, "id", id ? (json_t *)id : json_null());
	json_object_set_new(reply, "ok", json_boolean(r == 0));
	if (r == 0)
		json_object_set_new(reply, "result", result);
	else
		json_object_set_new(reply, "error", reply_error(r, err));
	return reply;
}

/* Takes the reference of @result. */
static void send_reply(
	struct agent *agent, const json_t *id, int r, json_t *result, struct error *err)
{
	json_t *reply = make_reply(id, r, result, err);
	int sent = channel_send(&agent->channel, reply);

	json_decref(reply);
	if (sent == -EMSGSIZE) {
		error_set(err, -EMSGSIZE,
			"the reply would be longer than %d MiB; ask for less at a time",
			CHANNEL_LINE_MAX >> 20);
		reply = make_reply(id, -EMSGSIZE, NULL, err);
		sent = channel_send(&agent->channel, reply);
		json_decref(reply);
	}
	if (sent < 0)
		agent->host_gone = true;
}

static int unknown_op(const char *name, struct error *err)
{
	struct strbuf list = STRBUF_INIT;
	int r;

	for (size_t i = 0; i < array_size(ops); i++)
		strbuf_printf(&list, "%s%s", i ? ", " : "", ops[i].name);
	r = error_set(err, -EOPNOTSUPP, "no operation '%s'; there are %s, and cancel during run",
		name, strbuf_text(&list));
	strbuf_release(&list);
	return r;
}

static int dispatch(struct agent *agent, const json_t *request, json_t **result, struct error *err)
{
	const char *name = json_str(request, "op", NULL);

	if (!json_is_object(request) || !name)
		return error_set(err, -EINVAL, "a request is an object with \"id\" and \"op\"");
	for (size_t i = 0; i < array_size(ops); i++)
		if (strcmp(ops[i].name, name) == 0)
			return ops[i].call(agent, request, result, err);
	return unknown_op(name, err);
}

/* A cancel that arrives when the trial has just ended is late, not wrong: it gets no reply. */
static bool is_cancel(const json_t *request)
{
	return strcmp(json_str(request, "op", ""), "cancel") == 0;
}

static void refuse_line(struct agent *agent, const char *why_not_json)
{
	struct error err = ERROR_INIT;

	if (why_not_json)
		error_set(&err, -EINVAL, "%s", why_not_json);
	else
		error_set(&err, -EMSGSIZE, "the line is longer than the %d MiB that are allowed",
			CHANNEL_LINE_MAX >> 20);
	send_reply(agent, NULL, why_not_json ? -EINVAL : -EMSGSIZE, NULL, &err);
	error_release(&err);
}

/* The next request in the buffer; lines that are none are answered with an error. */
static json_t *next_request(struct agent *agent)
{
	json_t *request = NULL;

	while (!request && !agent->host_gone) {
		struct error err = ERROR_INIT;
		char *line = NULL;
		size_t len;
		int r = channel_line(&agent->channel, &line, &len);

		if (r == 0)
			break;
		if (r < 0)
			refuse_line(agent, NULL);
		else if (json_parse(line, len, &request, &err) < 0)
			refuse_line(agent, error_text(&err));
		error_release(&err);
		free(line);
	}
	return request;
}

static void answer_all(struct agent *agent)
{
	json_t *request;

	while (!agent->leaving && !agent->signal && (request = next_request(agent))) {
		struct error err = ERROR_INIT;
		json_t *result = NULL;
		int r = 0;

		if (!is_cancel(request)) {
			r = dispatch(agent, request, &result, &err);
			if (!agent->host_gone && !agent->channel.away && !agent->signal)
				send_reply(agent, json_object_get(request, "id"), r, result, &err);
			else
				json_decref(result);
		}
		error_release(&err);
		json_decref(request);
	}
}

void protocol_take_signal(struct agent *agent)
{
	struct signalfd_siginfo info;

	if (read(agent->signals, &info, sizeof(info)) == sizeof(info))
		agent->signal = (int)info.ssi_signo;
}

static void greet(struct agent *agent, const json_t *undone)
{
	json_t *hello = make_hello(agent);

	if (json_array_size(undone))
		json_object_set(hello, "undone", (json_t *)undone);
	if (channel_send(&agent->channel, hello) < 0)
		agent->host_gone = true;
	json_decref(hello);
}

/* The host of a port has gone away: what it had set is not wanted any more. */
static void forget_host(struct agent *agent)
{
	json_t *ignored = json_array();

	undo_all(&agent->undo, ignored, ignored);
	json_decref(ignored);
}

static void take_in(struct agent *agent)
{
	bool was_away = agent->channel.away;
	int r = channel_fill(&agent->channel);

	if (r == 0 || (r < 0 && r != -EAGAIN))
		agent->host_gone = true;
	if (agent->channel.away && !was_away)
		forget_host(agent);
}

void protocol_serve(struct agent *agent, const json_t *undone)
{
	greet(agent, undone);
	while (!agent->leaving && !agent->host_gone && !agent->signal) {
		struct pollfd fds[] = {
			{ .fd = agent->channel.in, .events = POLLIN },
			{ .fd = agent->signals, .events = POLLIN },
		};

		/* An absent host's return wakes nobody for sure. */
		if (poll(fds, array_size(fds), agent->channel.away ? 20 : -1) < 0)
			continue;
		if (fds[1].revents)
			protocol_take_signal(agent);
		if (channel_back(&agent->channel))
			greet(agent, NULL);
		if (fds[0].revents)
			take_in(agent);
		answer_all(agent);
	}
}

enum trial_word protocol_during_trial(struct agent *agent, bool readable)
{
	enum trial_word word = WORD_NONE;
	json_t *request;

	if (readable)
		take_in(agent);
	if (agent->host_gone || agent->channel.away)
		return WORD_GONE;
	while ((request = next_request(agent))) {
		struct error err = ERROR_INIT;

		if (is_cancel(request))
			word = WORD_CANCEL;
		else
			send_reply(agent, json_object_get(request, "id"),
				error_set(&err, -EBUSY,
					"a trial is in flight; only cancel is taken now"),
				NULL, &err);
		error_release(&err);
		json_decref(request);
	}
	return agent->host_gone ? WORD_GONE : word;
}
