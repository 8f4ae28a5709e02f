/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The machine under test as knobs see it: facts gathered once, files read through the agent. */
#ifndef RUNNERS_MACHINE_H
#define RUNNERS_MACHINE_H

#include <jansson.h>

#include "base/error.h"

/**
 * struct machine - where a knob is to be turned
 * @facts: the agent's facts (docs/agent-protocol.md); borrowed
 * @read: read one kernel file of that machine; path as for struct sysroot. Return: 0 or -errno as
 *	that machine's kernel gave it; *text owned by the caller.
 * @glob: paths that match a pattern there, as a JSON array of strings; Return: 0 or -errno.
 * @context: for the two
 */
struct machine {
	const json_t *facts;
	int (*read)(void *context, const char *path, char **text, struct error *err);
	int (*glob)(void *context, const char *pattern, json_t **paths, struct error *err);
	void *context;
};

/** machine_read() - m->read without the context argument. */
static inline int machine_read(
	const struct machine *m, const char *path, char **text, struct error *err)
{
	return m->read(m->context, path, text, err);
}

/** machine_glob() - m->glob without the context argument; *paths is a new reference. */
static inline int machine_glob(
	const struct machine *m, const char *pattern, json_t **paths, struct error *err)
{
	return m->glob(m->context, pattern, paths, err);
}

#endif
