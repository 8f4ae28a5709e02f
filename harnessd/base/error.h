/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One error: a negative errno for the program and a sentence for the person. */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include <stdarg.h>

/**
 * struct error - why a call failed
 * @text: the message, lower case, no full stop, the fact first and then what helps; NULL if unset.
 *
 * Start with ERROR_INIT, pass &err last, end with error_release(). Calls leave it untouched when
 * they succeed. Every function that takes one accepts NULL as well.
 */
struct error {
	char *text;
};

#define ERROR_INIT ((struct error){ 0 })

/**
 * error_set() - replace the message
 * @code: the negative errno to hand on
 * Return: @code, so that "return error_set(err, -EINVAL, ...)" reads well.
 */
int error_set(struct error *err, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/** error_vset() - error_set() on a va_list. */
int error_vset(struct error *err, int code, const char *fmt, va_list ap)
	__attribute__((format(printf, 3, 0)));
/** error_sys() - error_set() with ": " and the errno's text added. Return: @code. */
int error_sys(struct error *err, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/** error_prefix() - put text before the message, for context that only the caller knows. */
void error_prefix(struct error *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/** error_text() - the message, or "unknown error"; borrowed until the next change. */
const char *error_text(const struct error *err);
/** error_release() - free the message and make the error reusable. */
void error_release(struct error *err);

#endif
