/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside the kernel_log collector: lines of a log, whoever wrote them down. */
#ifndef COLLECTORS_LOG_LINE_H
#define COLLECTORS_LOG_LINE_H

#include <stdbool.h>
#include <stddef.h>

#include "collectors/scan.h"

/**
 * struct log_line - one line
 * @number: in the text, from 1
 * @raw: as it is to be shown, with its time stamp
 * @caller: "T1" or "C0" where the kernel tells who printed it
 * @text: the message alone, its indentation kept
 */
struct log_line {
	size_t number;
	struct span raw, caller, text;
};

/** struct log - all lines; those of kmsg records point into @own, the others into the input */
struct log {
	struct log_line *line;
	size_t n, cap;
	char *own;
	size_t lost; /* number of lines that tell of lost records */
};

/** log_read() - take a log apart: dmesg with any kind of time stamp, a console's, kmsg records. */
void log_read(struct log *log, const char *text, size_t len);
/** log_release() - free it. */
void log_release(struct log *log);

#endif
