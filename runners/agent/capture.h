/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The head of what a benchmark prints, and how much it was. */
#ifndef AGENT_CAPTURE_H
#define AGENT_CAPTURE_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/strbuf.h"

/**
 * struct capture - one stream
 * @read_end: -1 after its end; @write_end: for the benchmark
 * @head: its first @limit bytes; @total: all bytes, kept or not
 */
struct capture {
	int read_end, write_end;
	size_t limit;
	struct strbuf head;
	uint64_t total;
};

/** capture_open() - make the pipe. Return: 0 or -errno. */
int capture_open(struct capture *capture, size_t limit, struct error *err);
/** capture_started() - the benchmark has its end: close ours. */
void capture_started(struct capture *capture);
/** capture_read() - take in what is there now; at its end read_end becomes -1. */
void capture_read(struct capture *capture);
/** capture_release() - close and free. */
void capture_release(struct capture *capture);

#endif
