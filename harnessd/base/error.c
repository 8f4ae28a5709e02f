/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/error.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

int error_vset(struct error *err, int code, const char *fmt, va_list ap)
{
	char *text;

	if (!err)
		return code;
	text = xvasprintf(fmt, ap); /* before the free: the old text may be an argument */
	free(err->text);
	err->text = text;
	return code;
}

int error_set(struct error *err, int code, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	error_vset(err, code, fmt, ap);
	va_end(ap);
	return code;
}

int error_sys(struct error *err, int code, const char *fmt, ...)
{
	va_list ap;

	if (!err)
		return code;
	va_start(ap, fmt);
	error_vset(err, code, fmt, ap);
	va_end(ap);
	return error_set(err, code, "%s: %s", err->text, strerror(-code));
}

void error_prefix(struct error *err, const char *fmt, ...)
{
	char *prefix, *text;
	va_list ap;

	if (!err)
		return;
	va_start(ap, fmt);
	prefix = xvasprintf(fmt, ap);
	va_end(ap);
	text = xasprintf("%s%s", prefix, error_text(err));
	free(prefix);
	free(err->text);
	err->text = text;
}

const char *error_text(const struct error *err)
{
	return err && err->text ? err->text : "unknown error";
}

void error_release(struct error *err)
{
	if (!err)
		return;
	free(err->text);
	err->text = NULL;
}
