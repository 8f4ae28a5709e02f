/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "runners/target/qmp.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/strbuf.h"

enum { MAX_LINE = 4 << 20 };

struct qmp {
	int fd;
	bool greeted;
	struct strbuf buffer;
};

struct qmp *qmp_new(int fd)
{
	struct qmp *qmp = xcalloc(1, sizeof(*qmp));

	qmp->fd = fd;
	return qmp;
}

void qmp_free(struct qmp *qmp)
{
	if (!qmp)
		return;
	strbuf_release(&qmp->buffer);
	free(qmp);
}

/* More bytes into the buffer. Return: 0 or -errno. */
static int receive(struct qmp *qmp, uint64_t limit)
{
	struct pollfd p = { .fd = qmp->fd, .events = POLLIN };
	uint64_t now = clock_monotonic_ns();
	ssize_t n;
	int r;

	if (now >= limit)
		return -ETIMEDOUT;
	r = poll(&p, 1, (int)((limit - now) / 1000000) + 1);
	if (r <= 0)
		return r == 0 || errno == EINTR ? 0 : -errno;
	n = read(qmp->fd, strbuf_reserve(&qmp->buffer, 4096), 4096);
	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return 0;
	if (n <= 0)
		return -EPIPE;
	strbuf_grew(&qmp->buffer, (size_t)n);
	return qmp->buffer.len > MAX_LINE ? -EPROTO : 0;
}

/* The next line as JSON. */
static int next_message(struct qmp *qmp, uint64_t limit, json_t **message)
{
	char *newline;
	size_t used;
	int r = 0;

	while (!qmp->buffer.len || !(newline = memchr(qmp->buffer.data, '\n', qmp->buffer.len))) {
		r = receive(qmp, limit);
		if (r < 0)
			return r;
	}
	used = (size_t)(newline - qmp->buffer.data) + 1;
	if (json_parse(qmp->buffer.data, used, message, NULL) < 0)
		r = -EPROTO;
	memmove(qmp->buffer.data, qmp->buffer.data + used, qmp->buffer.len - used + 1);
	qmp->buffer.len -= used;
	return r;
}

/* {"return": ...} or {"error": {"class", "desc"}}; {"event": ...} may come before it. */
static int next_reply(struct qmp *qmp, uint64_t limit, json_t **result, struct error *err)
{
	for (;;) {
		json_t *message = NULL, *value;
		int r = next_message(qmp, limit, &message);

		if (r < 0)
			return r;
		value = json_object_get(message, "return");
		if (value && result)
			*result = json_incref(value);
		if (!value && json_object_get(message, "error"))
			r = error_set(err, -EIO, "%s",
				json_str(json_object_get(message, "error"), "desc", "no reason"));
		json_decref(message);
		if (value || r < 0)
			return r;
	}
}

static int send_line(int fd, const char *line, int pass_fd)
{
	char space[CMSG_SPACE(sizeof(int))] = { 0 };
	struct iovec part = { (char *)line, strlen(line) };
	struct msghdr head = { .msg_iov = &part, .msg_iovlen = 1 };

	if (pass_fd >= 0) {
		struct cmsghdr *control;

		head.msg_control = space;
		head.msg_controllen = sizeof(space);
		control = CMSG_FIRSTHDR(&head);
		control->cmsg_level = SOL_SOCKET;
		control->cmsg_type = SCM_RIGHTS;
		control->cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(control), &pass_fd, sizeof(int));
	}
	while (part.iov_len) {
		ssize_t n = sendmsg(fd, &head, MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		part.iov_base = (char *)part.iov_base + n;
		part.iov_len -= (size_t)n;
		head.msg_control = NULL;
		head.msg_controllen = 0;
	}
	return 0;
}

static int exchange(struct qmp *qmp, json_t *request, int pass_fd, uint64_t limit, json_t **result,
	struct error *err)
{
	char *json = json_line(request), *line = xasprintf("%s\n", json);
	int r = send_line(qmp->fd, line, pass_fd);

	if (r == 0)
		r = next_reply(qmp, limit, result, err);
	free(line);
	free(json);
	return r;
}

/* QEMU says {"QMP": ...} and wants to be asked for its abilities before anything else. */
static int greet(struct qmp *qmp, uint64_t limit, struct error *err)
{
	json_t *greeting = NULL, *request;
	int r = next_message(qmp, limit, &greeting);

	if (r == 0 && !json_object_get(greeting, "QMP"))
		r = -EPROTO;
	json_decref(greeting);
	if (r < 0)
		return r;
	request = json_pack("{s:s}", "execute", "qmp_capabilities");
	r = exchange(qmp, request, -1, limit, NULL, err);
	json_decref(request);
	qmp->greeted = r == 0;
	return r;
}

int qmp_call(struct qmp *qmp, const char *command, json_t *arguments, int pass_fd, double seconds,
	json_t **result, struct error *err)
{
	uint64_t limit = clock_monotonic_ns() + (uint64_t)(seconds * 1e9);
	json_t *request = json_pack("{s:s}", "execute", command);
	struct error why = ERROR_INIT;
	int r = qmp->greeted ? 0 : greet(qmp, limit, &why);

	if (arguments)
		json_object_set_new(request, "arguments", arguments);
	if (r == 0)
		r = exchange(qmp, request, pass_fd, limit, result, &why);
	if (r == -EPIPE)
		error_set(err, r, "QEMU is gone");
	else if (r == -ETIMEDOUT)
		error_set(err, r, "QEMU did not answer '%s' within %.0f s", command, seconds);
	else if (r < 0)
		error_set(err, r, "QEMU refused '%s': %s", command,
			why.text ? why.text : strerror(-r));
	error_release(&why);
	json_decref(request);
	return r;
}
