/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "runners/agent_client.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/strbuf.h"

enum {
	PROTOCOL_VERSION = 1,
	LINE_MAX_BYTES = 64 << 20,
	READ_BYTES = 64 << 10,
	/* poll() promises room for this much in a pipe. */
	WRITE_BYTES = 4096,
	/* A login's greeting is passed over, an endless stream is not. */
	GREETING_MAX_BYTES = 256 << 10,
	/* One file of the machine under test, even an emulated and loaded one. */
	FILE_TIMEOUT_MS = 60000,
};

#define NS_PER_MS 1000000ULL

struct agent_client {
	int in, out, cancel_fd;
	bool dead;
	int64_t last_id;
	struct strbuf buf;
	size_t scanned;
	json_t *hello;
	char *greeting; /* the last line that was passed over: often the reason of a failure */
	size_t greeting_bytes;
};

/* What one call waits for. */
struct wait {
	struct agent_client *client;
	uint64_t end_ns;
	int timeout_ms;
	const char *op;
	bool cancelled;
	struct error *err;
};

struct agent_client *agent_client_new(int in, int out)
{
	struct agent_client *client = xcalloc(1, sizeof(*client));

	client->in = in;
	client->out = out;
	client->cancel_fd = -1;
	return client;
}

void agent_client_free(struct agent_client *client)
{
	if (!client)
		return;
	strbuf_release(&client->buf);
	json_decref(client->hello);
	free(client->greeting);
	free(client);
}

bool agent_client_dead(const struct agent_client *client)
{
	return client->dead;
}

void agent_client_cancel_fd(struct agent_client *client, int fd)
{
	client->cancel_fd = fd;
}

static int timed_out(struct wait *w)
{
	w->client->dead = true;
	return error_set(w->err, -ETIMEDOUT, "the agent has not answered '%s' within %d ms", w->op,
		w->timeout_ms);
}

static int gone(struct wait *w)
{
	const char *last = w->client->greeting;

	w->client->dead = true;
	return error_set(w->err, -EPIPE, "the agent is gone%s%s%s",
		last ? "; the last line from there was: '" : "", last ? last : "", last ? "'" : "");
}

static int no_protocol(struct wait *w, const char *what, const char *line)
{
	w->client->dead = true;
	return error_set(w->err, -EPROTO, "the agent's answer is %s: '%.200s'", what, line);
}

static int ms_left(const struct wait *w)
{
	uint64_t now = clock_monotonic_ns();

	return now >= w->end_ns ? 0 : (int)((w->end_ns - now) / NS_PER_MS + 1);
}

/* write(2) whose SIGPIPE, if it comes, is swallowed: a library may not end its program. */
static ssize_t write_quietly(int fd, const void *data, size_t len)
{
	static const struct timespec no_wait;
	sigset_t pipe_only, before, pending;
	ssize_t n;
	int code;

	sigemptyset(&pipe_only);
	sigaddset(&pipe_only, SIGPIPE);
	sigpending(&pending);
	pthread_sigmask(SIG_BLOCK, &pipe_only, &before);
	n = write(fd, data, len);
	code = errno;
	if (n < 0 && code == EPIPE && !sigismember(&pending, SIGPIPE))
		sigtimedwait(&pipe_only, NULL, &no_wait);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	errno = code;
	return n;
}

/* A program that could not even start has said why before it closed its input. */
static void hear_last_words(struct agent_client *client)
{
	struct pollfd p = { .fd = client->in, .events = POLLIN };
	struct strbuf *sb = &client->buf;
	ssize_t n;
	char *line;

	while (sb->len < GREETING_MAX_BYTES && poll(&p, 1, 0) > 0 &&
		(n = read(client->in, strbuf_reserve(sb, READ_BYTES), READ_BYTES)) > 0)
		strbuf_grew(sb, (size_t)n);
	while (sb->len && strchr("\r\n", sb->data[sb->len - 1]))
		sb->data[--sb->len] = '\0';
	if (!sb->len || client->hello)
		return;
	line = strrchr(sb->data, '\n');
	free(client->greeting);
	client->greeting = xasprintf("%.200s", line ? line + 1 : sb->data);
}

static int send_text(struct wait *w, const char *text, size_t len)
{
	while (len) {
		struct pollfd p = { .fd = w->client->out, .events = POLLOUT };
		ssize_t n = poll(&p, 1, ms_left(w));

		if (n == 0)
			return timed_out(w);
		if (n > 0)
			n = write_quietly(
				p.fd, text, len < WRITE_BYTES ? len : (size_t)WRITE_BYTES);
		if (n < 0 && (errno == EINTR || errno == EAGAIN))
			continue;
		if (n < 0) {
			hear_last_words(w->client);
			return gone(w);
		}
		text += n;
		len -= (size_t)n;
	}
	return 0;
}

/* Takes the reference of @value. */
static int send_line(struct wait *w, json_t *value)
{
	char *text = json_line(value);
	size_t len = strlen(text);
	int r;

	json_decref(value);
	text[len] = '\n'; /* in place of the NUL */
	r = send_text(w, text, len + 1);
	free(text);
	return r;
}

static int fill(struct wait *w)
{
	struct agent_client *client = w->client;
	ssize_t n = read(client->in, strbuf_reserve(&client->buf, READ_BYTES), READ_BYTES);

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return 0;
	if (n <= 0)
		return gone(w);
	strbuf_grew(&client->buf, (size_t)n);
	return 0;
}

/* Return: 1 with a line (owned by the caller), 0 for none yet, -EPROTO. */
static int take_line(struct wait *w, char **line)
{
	struct strbuf *sb = &w->client->buf;
	size_t from = w->client->scanned, len;
	const char *eol = sb->len > from ? memchr(sb->data + from, '\n', sb->len - from) : NULL;

	if (!eol) {
		w->client->scanned = sb->len;
		return sb->len < LINE_MAX_BYTES ? 0 : no_protocol(w, "too long", sb->data);
	}
	len = (size_t)(eol - sb->data);
	*line = xmemdup0(sb->data, len);
	memmove(sb->data, sb->data + len + 1, sb->len - len - 1);
	sb->len -= len + 1;
	w->client->scanned = 0;
	return 1;
}

/* The pipe that says "cancel" may stay readable: the word is sent once a call. */
static int wait_for_bytes(struct wait *w)
{
	struct pollfd fds[] = {
		{ .fd = w->client->in, .events = POLLIN },
		{ .fd = w->cancelled ? -1 : w->client->cancel_fd, .events = POLLIN },
	};
	int n = poll(fds, array_size(fds), ms_left(w));

	if (n < 0)
		return errno == EINTR ? 0 : gone(w);
	if (n == 0)
		return timed_out(w);
	if (fds[1].revents) {
		w->cancelled = true;
		n = send_line(w, json_pack("{s:s}", "op", "cancel"));
		if (n < 0)
			return n;
	}
	return fds[0].revents ? fill(w) : 0;
}

static int read_line(struct wait *w, char **line)
{
	int r;

	while ((r = take_line(w, line)) == 0) {
		r = wait_for_bytes(w);
		if (r < 0)
			return r;
	}
	return r < 0 ? r : 0;
}

static int pass_over(struct wait *w, char *line)
{
	struct agent_client *client = w->client;

	client->greeting_bytes += strlen(line);
	if (client->hello || client->greeting_bytes > GREETING_MAX_BYTES)
		return no_protocol(w, "no JSON", line);
	free(client->greeting);
	client->greeting = xasprintf("%.200s", line);
	return 0;
}

/* A first line of another process, while an answer is awaited, means that a guest's agent was killed
 * and replaced: the answer will never come. */
static int take_hello(struct wait *w, const json_t *hello)
{
	struct agent_client *client = w->client;
	bool replaced =
		client->hello && json_int(client->hello, "pid", 0) != json_int(hello, "pid", 0);

	json_decref(client->hello);
	client->hello = json_incref((json_t *)hello);
	if (!replaced)
		return 0;
	client->dead = true;
	return error_set(w->err, -EPIPE, "the agent was killed and another has taken its place");
}

static int agent_error(struct wait *w, const json_t *reply)
{
	const json_t *error = json_object_get(reply, "error");
	int code = (int)json_int(error, "errno", EIO);
	char *text = NULL;
	size_t len;

	if (json_blob_read(json_object_get(error, "text"), &text, &len) < 0)
		text = xstrdup("the agent gave no reason");
	error_set(w->err, -1, "%s", text);
	free(text);
	return code > 0 && code < 4096 ? -code : -EIO;
}

/* Return: 1 when @reply was the answer and *result is set, 0 to go on, or -errno. */
static int look_at(struct wait *w, const json_t *reply, const char *line, json_t **result)
{
	const json_t *value = json_object_get(reply, "result");

	if (json_str(reply, "hello", NULL))
		return take_hello(w, reply);
	if (json_int(reply, "id", -1) != w->client->last_id)
		return no_protocol(w, "to nothing that was asked", line);
	if (!json_flag(reply, "ok", false))
		return agent_error(w, reply);
	if (!value)
		return no_protocol(w, "without a result", line);
	*result = json_incref((json_t *)value);
	return 1;
}

static int read_reply(struct wait *w, json_t **result)
{
	int r = 0;

	while (r == 0) {
		json_t *reply = NULL;
		char *line = NULL;

		r = read_line(w, &line);
		if (r < 0)
			return r;
		if (json_parse(line, strlen(line), &reply, NULL) < 0 || !json_is_object(reply))
			r = pass_over(w, line);
		else
			r = look_at(w, reply, line, result);
		json_decref(reply);
		free(line);
	}
	return r < 0 ? r : 0;
}

int agent_call(struct agent_client *client, const char *op, json_t *args, int timeout_ms,
	json_t **result, struct error *err)
{
	struct wait w = { .client = client,
		.end_ns = clock_monotonic_ns() + (uint64_t)timeout_ms * NS_PER_MS,
		.timeout_ms = timeout_ms,
		.op = op,
		.err = err };
	json_t *request;
	int r;

	if (client->dead) {
		json_decref(args);
		return error_set(err, -EPIPE, "the conversation with the agent has ended before");
	}
	request = json_pack("{s:I, s:s}", "id", (json_int_t)++client->last_id, "op", op);
	if (args)
		json_object_update(request, args);
	json_decref(args);
	r = send_line(&w, request);
	return r < 0 ? r : read_reply(&w, result);
}

int agent_client_hello(
	struct agent_client *client, int timeout_ms, const json_t **hello, struct error *err)
{
	json_t *asked = NULL;
	int64_t version;
	int r = agent_call(client, "hello", NULL, timeout_ms, &asked, err);

	if (r < 0)
		return r;
	if (!client->hello) {
		/* A guest that was resumed from a snapshot has said its first line long ago. */
		client->hello = json_incref(asked);
	}
	json_decref(asked);
	version = json_int(client->hello, "protocol", 0);
	if (version != PROTOCOL_VERSION) {
		client->dead = true;
		return error_set(err, -EPROTO,
			"the agent there speaks protocol %d, this program %d; install the agent "
			"that "
			"belongs to this program",
			(int)version, PROTOCOL_VERSION);
	}
	*hello = client->hello;
	return 0;
}

static int read_file(void *context, const char *path, char **text, struct error *err)
{
	json_t *result;
	size_t len;
	int r = agent_call(
		context, "read", json_pack("{s:s}", "path", path), FILE_TIMEOUT_MS, &result, err);

	if (r < 0)
		return r;
	if (json_blob_read(json_object_get(result, "text"), text, &len) < 0)
		r = error_set(err, -EPROTO, "the agent's answer has no text");
	json_decref(result);
	return r;
}

static int glob_files(void *context, const char *pattern, json_t **paths, struct error *err)
{
	json_t *result;
	int r = agent_call(context, "glob", json_pack("{s:s}", "pattern", pattern), FILE_TIMEOUT_MS,
		&result, err);

	if (r < 0)
		return r;
	*paths = json_incref(json_object_get(result, "paths"));
	json_decref(result);
	return *paths ? 0 : error_set(err, -EPROTO, "the agent's answer has no paths");
}

struct machine agent_client_machine(struct agent_client *client, const json_t *facts)
{
	return (struct machine){
		.facts = facts, .read = read_file, .glob = glob_files, .context = client
	};
}
