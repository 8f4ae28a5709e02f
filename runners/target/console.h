/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a guest's console tells about its end. Pure text functions. */
#ifndef RUNNERS_TARGET_CONSOLE_H
#define RUNNERS_TARGET_CONSOLE_H

#include <stddef.h>

/**
 * console_panic_line() - the first "Kernel panic - not syncing: …" without what stands before it
 * Return: the line, owned by the caller, or NULL when the kernel did not panic.
 */
char *console_panic_line(const char *text, size_t len);

/**
 * console_tail() - the last lines, fit for a message
 * @lines: how many at most; each is cut at 200 bytes
 *
 * Carriage returns, escape sequences, other control characters and empty lines are left out.
 * Return: lines, each with its newline, "" when there is nothing; owned by the caller.
 */
char *console_tail(const char *text, size_t len, size_t lines);

/**
 * console_read() - the last part of a console's log file, bounded whatever the guest printed
 * @len: bytes in the result
 * Return: the text, "" when there is no such file; owned by the caller.
 */
char *console_read(const char *path, size_t *len);

#endif
