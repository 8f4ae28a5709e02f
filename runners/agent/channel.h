/* SPDX-License-Identifier: GPL-2.0-or-later */
/* JSON lines over a pair of descriptors, bounded. */
#ifndef AGENT_CHANNEL_H
#define AGENT_CHANNEL_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/strbuf.h"

/** The longest line the protocol allows, newline included. */
enum { CHANNEL_LINE_MAX = 64 << 20 };

/**
 * struct channel - one end of the conversation
 * @in, @out: descriptors, the caller's; may be equal
 * @port: a virtio-serial port, where end of file only means that the host is away for a moment
 */
struct channel {
	int in, out;
	bool port;
	bool away;
	bool skipping;
	struct strbuf buf;
	size_t scanned;
};

/** channel_init() - over two descriptors; nothing is read or written. */
void channel_init(struct channel *channel, int in, int out, bool port);
/** channel_release() - free the buffer. */
void channel_release(struct channel *channel);

/**
 * channel_fill() - one read(2) into the buffer, to be called when poll() says there is something
 * Return: 1 for more bytes, 0 for the end of the conversation, -EAGAIN for nothing yet, -errno.
 * On a port, -EAGAIN after a pause stands for "the host is away".
 */
int channel_fill(struct channel *channel);

/** channel_back() - true once after the host of a port was away and has come back. */
bool channel_back(struct channel *channel);

/**
 * channel_line() - take the next whole line out of the buffer
 * @line: owned by the caller, NUL-terminated, the newline gone
 * Return: 1 for a line, 0 for none yet, -EMSGSIZE when one was too long and is being dropped.
 */
int channel_line(struct channel *channel, char **line, size_t *len);

/**
 * channel_send() - one value as one line
 * Return: 0, -EMSGSIZE when it would be longer than the protocol allows (nothing is sent), -errno.
 */
int channel_send(struct channel *channel, const json_t *value);

#endif
