/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One run of a benchmark, with everything around it. */
#ifndef AGENT_TRIAL_H
#define AGENT_TRIAL_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>

#include "agent.h"
#include "capture.h"
#include "collect.h"
#include "contain.h"
#include "placement.h"
#include "trial_request.h"

/**
 * struct trial - a trial in flight
 * @go: the benchmark waits here for its start; @report: it tells here how that went
 * @started_ns: realtime; @go_ns, @ended_ns: monotonic
 * @exited: @status and @usage are valid
 * @left: processes that lived when it exited
 * @kept: the keeper has the container and the folder
 * @signalled: we sent it a signal; whatever it printed does not count
 * @gone: nobody is left to answer
 * @contained: name of the container's kind
 * @failure: negative errno of a start that failed
 */
struct trial {
	struct agent *agent;
	struct trial_request request;
	char *folder;
	struct contain contain;
	struct placement placement;
	struct collects collects;
	struct capture out, err;
	int go, report;
	pid_t child;
	uint64_t started_ns, go_ns, ended_ns;
	bool kept, exited, signalled, timed_out, cancelled, gone;
	int status;
	struct rusage usage;
	size_t left, survivors;
	const char *contained;
};

/**
 * trial_pause() - let time pass, ready for "cancel"
 * Return: 0, or -ECANCELED (with @cancelled or @gone set).
 */
int trial_pause(struct trial *trial, int64_t ms, struct error *err);

/**
 * trial_watch() - from go to the exit of the benchmark's first process
 * Sees to streams, time limits, cancel and signals. Return: 0 or -errno (it could not be run, or
 * not be killed).
 */
int trial_watch(struct trial *trial, const struct spawn *spawn, struct error *err);

/** trial_settle() - let helpers end, kill what has outlived the benchmark, read the streams to the end. */
void trial_settle(struct trial *trial);

/** trial_clear() - have the keeper kill all that is left. */
void trial_clear(struct trial *trial);

/** trial_result() - the result of "run"; new reference. */
json_t *trial_result(const struct trial *trial);

#endif
