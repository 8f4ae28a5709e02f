/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "channel.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/json.h"

enum { FILL_BYTES = 64 << 10 };

void channel_init(struct channel *channel, int in, int out, bool port)
{
	*channel = (struct channel){ .in = in, .out = out, .port = port };
}

void channel_release(struct channel *channel)
{
	strbuf_release(&channel->buf);
}

/* A port whose other end is closed reads as ended and polls as ready for ever: look at it slowly. */
static int host_is_away(struct channel *channel)
{
	channel->away = true;
	strbuf_clear(&channel->buf);
	channel->scanned = 0;
	clock_sleep_ns(10000000);
	return -EAGAIN;
}

int channel_fill(struct channel *channel)
{
	ssize_t n = read(channel->in, strbuf_reserve(&channel->buf, FILL_BYTES), FILL_BYTES);

	if (n > 0) {
		strbuf_grew(&channel->buf, (size_t)n);
		return 1;
	}
	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return -EAGAIN;
	if (channel->port)
		return host_is_away(channel);
	return n < 0 ? -errno : 0;
}

bool channel_back(struct channel *channel)
{
	struct pollfd p = { .fd = channel->in, .events = POLLIN };

	if (!channel->away || poll(&p, 1, 0) < 0 || p.revents & POLLHUP)
		return false;
	channel->away = false;
	return true;
}

static void drop_front(struct channel *channel, size_t n)
{
	struct strbuf *sb = &channel->buf;

	if (n < sb->len)
		memmove(sb->data, sb->data + n, sb->len - n);
	sb->len -= n;
	if (sb->data)
		sb->data[sb->len] = '\0';
	channel->scanned = 0;
}

int channel_line(struct channel *channel, char **line, size_t *len)
{
	struct strbuf *sb = &channel->buf;
	const char *from = sb->len ? sb->data + channel->scanned : NULL;
	const char *end = from ? memchr(from, '\n', sb->len - channel->scanned) : NULL;
	bool skipped = channel->skipping;

	if (!end && sb->len < CHANNEL_LINE_MAX) {
		channel->scanned = sb->len;
		return 0;
	}
	if (!end) {
		channel->skipping = true;
		drop_front(channel, sb->len);
		return skipped ? 0 : -EMSGSIZE;
	}
	*len = (size_t)(end - sb->data);
	*line = skipped ? NULL : xmemdup0(sb->data, *len);
	drop_front(channel, *len + 1);
	channel->skipping = false;
	return skipped ? channel_line(channel, line, len) : 1;
}

int channel_send(struct channel *channel, const json_t *value)
{
	char *text = json_line(value);
	size_t len = strlen(text);
	int r = -EMSGSIZE;

	if (len < CHANNEL_LINE_MAX) {
		text[len] = '\n'; /* in place of the NUL: no second copy of what may be large */
		r = file_write_all(channel->out, text, len + 1);
	}
	free(text);
	return r;
}
