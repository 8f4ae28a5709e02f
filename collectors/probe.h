/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The plug-in kind "probe": what a collector does on the machine under test when a snapshot of files
 * is not enough. Probes are linked into the agent only (X_probe.c); a collector names its own in
 * struct collector_ops and parses on the host what the probe handed over. */
#ifndef COLLECTORS_PROBE_H
#define COLLECTORS_PROBE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/error.h"
#include "base/sysroot.h"

/**
 * struct probe_trial - what a probe may know of the trial; borrowed, valid until release()
 * @options: the collector's settings as the host sent them; may be NULL
 * @cpus: the benchmark's CPUs (none: it is not pinned)
 */
struct probe_trial {
	const struct sysroot *root;
	const json_t *options;
	const int *cpus;
	size_t n_cpus;
};

/**
 * struct probe_ops - one probe; called in the order of the members, once each for a trial
 * @name: as in struct collector_ops
 * @prepare: get everything ready, slow things included; nothing is counted yet.
 *	On failure nothing is left behind and *state is not set.
 * @attach: the benchmark's process exists but has not called exec yet; NULL when not needed
 * @start: begin to count (just before exec); NULL when not needed
 * @stop: end to count (just after exit); NULL when not needed
 * @collect: the raw text for the host; @text owned by the caller, NUL-terminated
 * @again: in place of prepare(), for another trial with equal options and CPUs, after a trial that
 *	went well: is what it got ready still good, and has it been set to none? NULL: never
 * @release: free everything, at any time after prepare(); NULL state is fine
 *
 * All but release() return 0 or -errno with a message. A failed probe never fails the trial: the
 * agent passes the error on in place of the text.
 */
struct probe_ops {
	const char *name;
	int (*prepare)(const struct probe_trial *trial, void **state, struct error *err);
	int (*attach)(void *state, pid_t child, struct error *err);
	int (*start)(void *state, struct error *err);
	int (*stop)(void *state, struct error *err);
	int (*collect)(void *state, char **text, size_t *len, struct error *err);
	bool (*again)(void *state, const struct probe_trial *trial);
	void (*release)(void *state);
};

/** probes - every probe, NULL-terminated (probes_probe.c). */
extern const struct probe_ops *const probes[];

/** probe_find() - by name, or NULL. */
const struct probe_ops *probe_find(const char *name);

#endif
