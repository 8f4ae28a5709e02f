/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The plug-in kind "collector": what is looked at around a trial, and how it is read.
 *
 * A collector names kernel files to snapshot, or a probe that runs in the agent; the agent hands back
 * raw text and the host keeps it. Parsing is pure: text in, values out, no I/O. */
#ifndef COLLECTORS_COLLECTOR_H
#define COLLECTORS_COLLECTOR_H

#include <assert.h>
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/values.h"

/** struct collector_text - raw text of one snapshot; len bytes, NUL-terminated, not trusted */
struct collector_text {
	const char *text;
	size_t len;
};

/** collector_text_last() - the later of two texts; at least one is always given. */
static inline const struct collector_text *collector_text_last(
	const struct collector_text *before, const struct collector_text *after)
{
	assert(before || after);
	return after ? after : before;
}

struct option_table;

/**
 * struct collector_ops - one collector
 * @name: as in "collect:" and "harness parse"
 * @aliases: other names "harness parse" takes, NULL-terminated; NULL when there are none
 * @help: one line
 * @paths: what the agent reads before and after a trial, NULL-terminated; NULL for a probe.
 *	One plain path is handed over as its raw text. A pattern (see sysroot_glob()), or more than
 *	one path, is handed over as a dump: a line "path: value" for each file, without the slash in
 *	front, white space at the end of the value gone.
 * @probe: name of the agent's probe that does the collecting instead, or NULL. A probe hands over
 *	one text only, as @after.
 * @options: what may be written below the collector's name in a job, or NULL
 * @parse: text to values. With @after NULL the values are those of one snapshot, zeros included;
 *	with both they are the differences, zeros included only if @all is set.
 *	Return: 0, or -errno with a message: -EINVAL for text that is none of this kind, -ESTALE when
 *	two snapshots can't be compared (another set of CPUs) and the trial is void.
 * @voids: says why these values make the trial void (a splat, ...), or NULL when they don't;
 *	owned by the caller. May be NULL.
 */
struct collector_ops {
	const char *name;
	const char *const *aliases;
	const char *help;
	const char *const *paths;
	const char *probe;
	const struct option_table *options;
	int (*parse)(const struct collector_text *before, const struct collector_text *after,
		bool all, struct values *out, struct error *err);
	char *(*voids)(const struct values *values);
};

/** collectors - every collector, NULL-terminated; the one place where they are listed. */
extern const struct collector_ops *const collectors[];

/**
 * collector_find() - by name or alias
 * Return: the collector, or NULL with a message that names the nearest.
 */
const struct collector_ops *collector_find(const char *name, struct error *err);

#endif
