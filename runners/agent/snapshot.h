/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Many kernel files as one text. */
#ifndef AGENT_SNAPSHOT_H
#define AGENT_SNAPSHOT_H

#include <jansson.h>

#include "base/error.h"
#include "base/strbuf.h"
#include "base/sysroot.h"

/**
 * snapshot_take() - read what a collector asked for
 * @paths: array of strings, each a path or a pattern (see sysroot_glob())
 *
 * One plain path gives its raw text; else a line "path: value" for each file, white space at the
 * value's end gone. Files that can't be read are left out of such a dump.
 * Return: 0, or -errno when there was nothing at all.
 */
int snapshot_take(
	const struct sysroot *root, const json_t *paths, struct strbuf *out, struct error *err);

#endif
