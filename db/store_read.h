/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading the database (db/store.h): rows and figures; db/store_counter.h has the counters. Each call sees one moment of the database,
 * whatever is written meanwhile; several calls do between store_read_begin() and store_read_end(). */
#ifndef DB_STORE_READ_H
#define DB_STORE_READ_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/values.h"

struct store;

/** enum run_state, enum trial_state - kept as words in the database */
enum run_state { RUN_RUNNING, RUN_INTERRUPTED, RUN_FINISHED, RUN_FAILED };
enum trial_state { TRIAL_STARTED, TRIAL_DONE, TRIAL_FAILED, TRIAL_VOID, TRIAL_LOST };

/** run_state_name(), trial_state_name() - "running", "interrupted", ... */
const char *run_state_name(enum run_state state);
const char *trial_state_name(enum trial_state state);

/** struct store_run - a row; strings owned, see store_run_release() */
struct store_run {
	int64_t id;
	char *name; /* of the job */
	enum run_state state;
	char *job_path, *job_text;
	json_t *job;	      /* the job in force, defaults included */
	char *benchmark_text; /* the benchmark file in force */
	json_t *facts;	      /* of the machine, at the start; may be NULL */
	json_t *target;	      /* what the target says of itself; may be NULL */
	uint64_t seed;
	int64_t baseline_arm;	       /* index (not id) of the baseline */
	char *metric;		       /* the one that decides */
	json_t *verdict;	       /* NULL while there is none */
	char *error;		       /* why it failed or was interrupted, or NULL */
	uint64_t started_ns, ended_ns; /* realtime; ended 0 while running */
	char *version;		       /* of the program */
};

/** struct store_arm - one arm of a run; index counts from 0 in the order of the job */
struct store_arm {
	int64_t id;
	int64_t index;
	char *label;
	json_t *levels; /* object factor → level */
	json_t *plan;	/* writes, cpus, env, params, argv as carried out; may be NULL */
};

/** struct store_trial - one trial */
struct store_trial {
	int64_t id;
	int64_t arm;	  /* index of the arm */
	int64_t block;	  /* from 0 */
	int64_t position; /* order within the block, from 0 */
	int64_t repeat;	  /* trial of that arm within the block, from 0; warm-ups count too */
	int64_t attempt;  /* from 0; higher when an earlier one was void, lost or failed */
	bool warmup;
	enum trial_state state;
	char *reason; /* why void, failed or lost; NULL otherwise */
	char *nonce;
	uint64_t started_ns, elapsed_ns;
	json_t *result; /* exit, signal, rusage, survivors, … without the blobs */
};

/** store_read_begin() - what is read up to store_read_end() is of one moment; don't nest or write. */
int store_read_begin(struct store *store, struct error *err);
/** store_read_end() - let go of that moment. */
void store_read_end(struct store *store);

/** store_run_get() - one run; id 0: the newest. Return: 0 or -ENOENT. */
int store_run_get(struct store *store, int64_t id, struct store_run *run, struct error *err);
/** store_run_release() - free what the row owns. */
void store_run_release(struct store_run *run);
/** store_runs() - the newest @limit runs, newest first; *runs owned by the caller, each to release. */
int store_runs(
	struct store *store, size_t limit, struct store_run **runs, size_t *n, struct error *err);
/** store_arms() - arms by index; *arms owned by the caller, see store_arms_free(). */
int store_arms(
	struct store *store, int64_t run, struct store_arm **arms, size_t *n, struct error *err);
void store_arms_free(struct store_arm *arms, size_t n);
/** store_trials() - all trials in the order they ran; *trials owned, see store_trials_free(). */
int store_trials(struct store *store, int64_t run, struct store_trial **trials, size_t *n,
	struct error *err);
void store_trials_free(struct store_trial *trials, size_t n);

/** struct store_figure - one trial's figure of one metric */
struct store_figure {
	int64_t trial, arm, block, repeat;
	const char *metric, *unit;
	enum better better;
	double value;
};

/**
 * store_figures() - figures of the trials that count (done, no warm-up), in the order they ran
 * @metric: one metric, or NULL for all
 * @each: called for each; strings borrowed for the call; a negative return ends the walk and is
 *	handed on. It may read from the store, but not by store_figures().
 */
int store_figures(struct store *store, int64_t run, const char *metric,
	int (*each)(void *context, const struct store_figure *figure), void *context,
	struct error *err);

/** store_raw_get() - one raw text of a trial, decompressed; owned by the caller. -ENOENT. */
int store_raw_get(struct store *store, int64_t trial, const char *name, char **data, size_t *len,
	struct error *err);
/** store_raw_names() - names of a trial's raw texts in the order given; array, new reference. */
int store_raw_names(struct store *store, int64_t trial, json_t **names, struct error *err);
/** store_samples() - samples of one trial, in order. */
int store_samples(struct store *store, int64_t trial, struct values *samples, struct error *err);

#endif
