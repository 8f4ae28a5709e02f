/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pieces of untrusted output, fit for a message. */
#ifndef RUNNERS_BENCH_PRINTABLE_H
#define RUNNERS_BENCH_PRINTABLE_H

#include <stddef.h>

/** bench_printable() - the first line, with other than printable ASCII as '?', cut to @size - 1. */
void bench_printable(const char *text, size_t len, char *out, size_t size);

/** bench_line_around() - the line that holds an offset, as bench_printable(). */
void bench_line_around(const char *text, size_t len, size_t at, char *out, size_t size);

#endif
