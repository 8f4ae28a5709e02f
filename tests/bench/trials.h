/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Trials through the path that "harness run" takes: agent, collectors, judge, store. */
#ifndef TESTS_BENCH_TRIALS_H
#define TESTS_BENCH_TRIALS_H

#include <jansson.h>
#include <stdint.h>

#include "bench.h"
#include "db/store.h"
#include "experiment/session.h"
#include "experiment/trial.h"
#include "spec/registry.h"

/** struct trials - a run under way on this machine; @steps: ms of each step of a trial, by step */
struct trials {
	struct registry registry;
	struct job *job;
	struct benchmark *bench;
	struct target_env env;
	struct session session;
	struct store *store;
	json_t *argv, *plan;
	int64_t run, next;
	struct series steps[6];
};

/** trials_open() - start agent and database. @job, @bench: texts of files. @plan: cpus of the arm. */
int trials_open(struct trials *t, const struct bench *b, const char *job, const char *bench,
	json_t *argv, json_t *cpus, struct error *err);
/** trials_once() - one trial, durable on return. @outcome: to release, NULL when not wanted. */
int trials_once(struct trials *t, struct trial_outcome *outcome, struct error *err);
/** trials_agent() - process number of the agent. */
int trials_agent(struct trials *t);
/** trials_close() - end it all. */
void trials_close(struct trials *t);

/** trials_step - names of the steps. */
extern const char *const trials_step[6];

#endif
