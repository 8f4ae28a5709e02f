/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is looked at around a trial: snapshots of files, and probes. */
#ifndef AGENT_COLLECT_H
#define AGENT_COLLECT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/cpulist.h"
#include "base/error.h"
#include "base/strbuf.h"
#include "base/sysroot.h"
#include "collectors/probe.h"

/**
 * struct collect - one collector's part; one that fails is left out of what follows
 * @paths: files to snapshot, or NULL for a probe; borrowed
 * @options: of a probe; borrowed
 * @code: the negative errno of its first failure, with @err
 */
struct collect {
	const char *name;
	const json_t *paths;
	const struct probe_ops *probe;
	const json_t *options;
	void *state;
	struct strbuf before, after;
	int code;
	struct error err;
};

/** struct collects_kept - probes of the last trial, for the next one if it wants the same of them */
struct collects_kept {
	struct kept_probe {
		const struct probe_ops *probe;
		json_t *options;
		struct cpulist cpus;
		void *state;
	} * probe;
	size_t n, cap;
};

/**
 * struct collects - all of a trial
 * @cpus: its CPUs; @kept: from the trial before, for the next
 * @whole: it went through to its end
 */
struct collects {
	struct collect *c;
	size_t n;
	const struct sysroot *root;
	struct cpulist cpus;
	struct collects_kept *kept;
	bool whole;
};

/**
 * collects_prepare() - get all ready
 * @items: the request's "collect", borrowed, NULL is fine; @kept: borrowed
 */
void collects_prepare(struct collects *all, const struct sysroot *root, const json_t *items,
	const struct cpulist *cpus, struct collects_kept *kept);
/** collects_attach() - the benchmark's process is there. */
void collects_attach(struct collects *all, pid_t child);
/** collects_before() - take the first snapshots. */
void collects_before(struct collects *all);
/** collects_start() - probes begin. */
void collects_start(struct collects *all);
/** collects_stop() - probes end. */
void collects_stop(struct collects *all);
/** collects_after() - take the second snapshots, gather what probes have. */
void collects_after(struct collects *all);
/** collects_json() - {name: {"before","after"} or {"error"}}; new reference. */
json_t *collects_json(const struct collects *all);
/** collects_release() - free all but what the next trial may use. */
void collects_release(struct collects *all);
/** collects_forget() - free what was kept: the machine is to be changed, or nothing will follow. */
void collects_forget(struct collects_kept *kept);

#endif
