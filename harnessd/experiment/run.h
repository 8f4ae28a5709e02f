/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A run: a job carried out block by block until the verdict is reached. */
#ifndef EXPERIMENT_RUN_H
#define EXPERIMENT_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "db/store.h"
#include "experiment/decide.h"
#include "experiment/design.h"
#include "spec/benchmark.h"
#include "spec/job.h"

/** struct run_step - where a run stands; borrowed for the call */
struct run_step {
	const struct job *job;
	const struct design *design;
	size_t block, arm, position;
	long repeat;
	bool warmup;
	int attempt;
};

/**
 * struct look - what is known after a block; borrowed for the call
 * @seconds_left: at most, until the limits of the job are reached
 */
struct look {
	const struct job *job;
	const struct design *design;
	const struct decision *decision;
	const struct figures *figures;
	double seconds_left;
};

/**
 * struct run_progress - what a run tells while it goes on; every member may be NULL
 * @note: something that takes long, or that a person should know
 * @trial: a trial starts; @done: it ended (@figure NaN when it gave none; @reason NULL when it counts)
 * @look: a block is complete
 */
struct run_progress {
	void (*note)(void *context, const char *text);
	void (*trial)(void *context, const struct run_step *step);
	void (*done)(void *context, const struct run_step *step, double figure, const char *reason);
	void (*look)(void *context, const struct look *look);
	void *context;
};

/**
 * struct run_env - what a run needs of its surroundings; borrowed
 * @state_dir: database, kernels, undo files; @agent_path: harness-agent
 * @programs_dir: where our own benchmarks are
 * @cancel_fd: readable once the run is to stop (Ctrl-C); -1 for none
 */
struct run_env {
	const char *state_dir, *agent_path, *programs_dir;
	struct string_list config_dirs;
	const struct registry *registry;
	int cancel_fd;
	const struct run_progress *progress;
};

/**
 * run_start() - a new run of a job
 * @id: set as soon as the run is on record, also when it fails later (0 when it never was)
 * @conclusion: what the verdicts say
 * Return: 0 when the run reached an end of its own; -EINTR when it was stopped (it can be resumed);
 * or -errno when it could not go on.
 */
int run_start(struct store *store, const struct job *job, const struct benchmark *bench,
	const struct run_env *env, int64_t *id, enum conclusion *conclusion, struct error *err);

/**
 * run_resume() - go on with a run that was interrupted, from its own record of job and benchmark
 * @id: of the run, 0: the newest; its number is put here, 0 when there is none
 * Return: as run_start(); -EBUSY when it has finished, -ENOENT when there is none.
 */
int run_resume(struct store *store, int64_t *id, const struct run_env *env,
	enum conclusion *conclusion, struct error *err);

#endif
