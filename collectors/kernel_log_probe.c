/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collectors/kernel_log_probe.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/strbuf.h"

/* The device gives one record for each read(2), of 8 KiB at most. A splat is some tens of lines; a
 * kernel that never stops printing must not fill the agent's memory. */
enum {
	RECORD_MAX = 8192 + 512,
	TEXT_MAX = 16 << 20,
};

struct log_state {
	int fd;
};

static int log_prepare(const struct probe_trial *trial, void **state, struct error *err)
{
	struct log_state *st;
	int fd = sysroot_openat(trial->root, "dev/kmsg", O_RDONLY | O_NONBLOCK);

	if (fd < 0)
		return error_sys(err, fd, "cannot open the kernel's log 'dev/kmsg'");
	/* Only what is printed from now on. A test's plain file takes the same offset. */
	if (lseek(fd, 0, SEEK_END) < 0) {
		int code = -errno;

		close(fd);
		return error_sys(err, code, "cannot go to the end of the kernel's log");
	}
	st = xcalloc(1, sizeof(*st));
	st->fd = fd;
	*state = st;
	return 0;
}

static int log_collect(void *state, char **text, size_t *len, struct error *err)
{
	struct log_state *st = state;
	struct strbuf sb = STRBUF_INIT;
	int r = 0;

	while (!r && sb.len < TEXT_MAX) {
		ssize_t n = read(st->fd, strbuf_reserve(&sb, RECORD_MAX), RECORD_MAX);

		if (n > 0)
			strbuf_grew(&sb, (size_t)n);
		else if (n == 0 || errno == EAGAIN)
			break;
		else if (errno == EPIPE) /* overtaken: the next read goes on with the oldest */
			strbuf_puts(&sb, "# lost: the ring of the kernel's log was overwritten\n");
		else if (errno != EINTR)
			r = error_sys(err, -errno, "cannot read the kernel's log");
	}
	if (sb.len >= TEXT_MAX)
		strbuf_puts(&sb, "\n# lost: the kernel printed more than 16 MiB\n");
	if (r < 0) {
		strbuf_release(&sb);
		return r;
	}
	*len = sb.len;
	*text = sb.data ? strbuf_steal(&sb) : xstrdup("");
	return 0;
}

static void log_release(void *state)
{
	struct log_state *st = state;

	if (!st)
		return;
	close(st->fd);
	free(st);
}

const struct probe_ops kernel_log_probe = {
	.name = "kernel_log",
	.prepare = log_prepare,
	.collect = log_collect,
	.release = log_release,
};
