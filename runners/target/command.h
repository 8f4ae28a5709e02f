/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Helper programs of the host (dpkg, xz, the dynamic loader, ...), and lists of strings. */
#ifndef RUNNERS_TARGET_COMMAND_H
#define RUNNERS_TARGET_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/error.h"
#include "base/strbuf.h"
#include "spec/option.h"

/** words_add() - append a copy of a string to a list. */
void words_add(struct string_list *list, const char *text);
/** words_addf() - append formatted text to a list. */
void words_addf(struct string_list *list, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/** words_has() - true when the list has this string. */
bool words_has(const struct string_list *list, const char *text);
/** words_release() - free all and make it reusable. */
void words_release(struct string_list *list);

/**
 * command_run() - run a program to its end and keep what it prints
 * @argv: program (looked up in PATH) and arguments
 * @dir: where it runs, NULL for here
 * @seconds: it is killed after this long
 * @out: standard output, NUL-terminated, NULL to throw it away; at most 1 GiB
 *
 * It runs with LC_ALL=C and without input. Return: 0; -ENOENT when there is no such program;
 * -ETIMEDOUT; -EIO when it failed, with the last line it wrote to standard error.
 */
int command_run(const struct string_list *argv, const char *dir, double seconds, struct strbuf *out,
	struct error *err);

/** command_runv() - command_run() with program and arguments in an array that ends with NULL. */
int command_runv(const char *const *argv, double seconds, struct strbuf *out, struct error *err);
/** command_runl() - the same with program and arguments one by one. */
#define command_runl(seconds, out, err, ...) \
	command_runv((const char *const[]){ __VA_ARGS__, NULL }, seconds, out, err)

/**
 * command_wait() - wait for a child's end
 * @seconds: at most so long; 0 only looks
 * @status: as from waitpid()
 * Return: true when it has ended and was reaped.
 */
bool command_wait(pid_t pid, double seconds, int *status);

/** command_status_text() - "exit status 3", "signal 9 (Killed)"; owned by the caller. */
char *command_status_text(int status);

#endif
