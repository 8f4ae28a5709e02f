/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "capture.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

enum {
	/* A full pipe would make the benchmark wait for us: be generous, where the kernel allows it. */
	PIPE_BYTES = 1 << 20,
	CHUNK_BYTES = 64 << 10,
	/* A flood on one stream must not keep the agent from its clock. */
	CHUNKS_AT_A_TIME = 64,
};

int capture_open(struct capture *capture, size_t limit, struct error *err)
{
	int ends[2];

	*capture = (struct capture){ .read_end = -1, .write_end = -1, .limit = limit };
	if (pipe2(ends, O_CLOEXEC) < 0)
		return error_sys(err, -errno, "cannot make a pipe");
	capture->read_end = ends[0];
	capture->write_end = ends[1];
	fcntl(ends[0], F_SETFL, O_NONBLOCK);
	fcntl(ends[0], F_SETPIPE_SZ, PIPE_BYTES);
	return 0;
}

void capture_started(struct capture *capture)
{
	if (capture->write_end >= 0)
		close(capture->write_end);
	capture->write_end = -1;
}

static void keep(struct capture *capture, const char *data, size_t n)
{
	size_t room = capture->limit - capture->head.len;

	capture->total += n;
	if (room)
		strbuf_add(&capture->head, data, n < room ? n : room);
}

void capture_read(struct capture *capture)
{
	char chunk[CHUNK_BYTES];

	for (int i = 0; i < CHUNKS_AT_A_TIME && capture->read_end >= 0; i++) {
		ssize_t n = read(capture->read_end, chunk, sizeof(chunk));

		if (n > 0) {
			keep(capture, chunk, (size_t)n);
		} else if (n < 0 && (errno == EAGAIN || errno == EINTR)) {
			return;
		} else {
			close(capture->read_end);
			capture->read_end = -1;
		}
	}
}

void capture_release(struct capture *capture)
{
	capture_started(capture);
	if (capture->read_end >= 0)
		close(capture->read_end);
	strbuf_release(&capture->head);
	*capture = (struct capture){ .read_end = -1, .write_end = -1 };
}
