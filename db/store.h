/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The only state: one SQLite database in WAL mode, fully synchronous, one writer.
 *
 * Every change of state of a run or trial is one transaction, so after kill -9 or a power loss the
 * database says exactly which trials were finished. */
#ifndef DB_STORE_H
#define DB_STORE_H

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

/**
 * store_open() - open or make the database
 * @path: file name; its folder must exist
 * Migrations are run, each in one transaction; a database from a newer program is refused (-EPROTO),
 * a damaged or foreign file too (-EINVAL), and nothing in it is changed. Waits up to 10 s for another
 * writer. Return: 0 with *store owned by the caller.
 */
int store_open(const char *path, struct store **store, struct error *err);
/** store_open_readonly() - for show and list: never writes, -ENOENT when there is no database. */
int store_open_readonly(const char *path, struct store **store, struct error *err);
/** store_close() - NULL is fine. */
void store_close(struct store *store);

/** struct store_run - a row; strings owned, see store_run_release() */
struct store_run {
	int64_t id;
	char *name;		/* of the job */
	enum run_state state;
	char *job_path, *job_text;
	json_t *job;		/* the job in force, defaults included */
	char *benchmark_text;	/* the benchmark file in force */
	json_t *facts;		/* of the machine, at the start; may be NULL */
	json_t *target;		/* what the target says of itself; may be NULL */
	uint64_t seed;
	int64_t baseline_arm;	/* index (not id) of the baseline */
	char *metric;		/* the one that decides */
	json_t *verdict;	/* NULL while there is none */
	char *error;		/* why it failed or was interrupted, or NULL */
	uint64_t started_ns, ended_ns; /* realtime; ended 0 while running */
	char *version;		/* of the program */
};

/** struct store_arm - one arm of a run; index counts from 0 in the order of the job */
struct store_arm {
	int64_t id;
	int64_t index;
	char *label;
	json_t *levels;		/* object factor → level */
	json_t *plan;		/* writes, cpus, env, params, argv as carried out; may be NULL */
};

/** struct store_trial - one trial */
struct store_trial {
	int64_t id;
	int64_t arm;		/* index of the arm */
	int64_t block;		/* from 0 */
	int64_t position;	/* order within the block, from 0 */
	int64_t repeat;		/* trial of that arm within the block, from 0; warm-ups count too */
	int64_t attempt;	/* from 0; higher when an earlier one was void, lost or failed */
	bool warmup;
	enum trial_state state;
	char *reason;		/* why void, failed or lost; NULL otherwise */
	char *nonce;
	uint64_t started_ns, elapsed_ns;
	json_t *result;		/* exit, signal, rusage, survivors, … without the blobs */
};

/** store_run_create() - new run in state running with its arms, in one transaction; *id is set. */
int store_run_create(struct store *store, const struct store_run *run, const struct store_arm *arms,
	size_t n_arms, int64_t *id, struct error *err);
/** store_run_facts() - note what was learnt when the target was first entered. */
int store_run_facts(struct store *store, int64_t run, const json_t *facts, const json_t *target,
	struct error *err);
/** store_arm_plan() - note how an arm was carried out. */
int store_arm_plan(struct store *store, int64_t run, int64_t arm, const json_t *plan,
	struct error *err);
/** store_run_end() - new state, with a verdict or error (each may be NULL); sets the end time. */
int store_run_end(struct store *store, int64_t run, enum run_state state, const json_t *verdict,
	const char *why, struct error *err);
/**
 * store_run_resume() - take up an interrupted run: its started trials become lost, it runs again
 * Return: number of lost trials, -ENOENT, or -EBUSY when the run has finished.
 */
int store_run_resume(struct store *store, int64_t run, struct error *err);

/** store_trial_begin() - a row in state started, committed before the benchmark starts; *id is set. */
int store_trial_begin(struct store *store, int64_t run, const struct store_trial *trial, int64_t *id,
	struct error *err);

/** struct store_raw - raw text kept with a trial: name "stdout", "stderr", "interrupts.before", … */
struct store_raw {
	const char *name;
	const void *data;
	size_t len;
};

/**
 * struct store_outcome - all that a trial gave; written in one transaction with its new state
 * @samples: numbers of the benchmark, in order; @figures: one for each metric (name, value)
 * @counters: of one collector each; only those that are not 0 are kept, names in dictionaries
 * @unsupported: object counter name → why it could not be counted, or NULL
 */
struct store_outcome {
	enum trial_state state;
	const char *reason;
	uint64_t started_ns, elapsed_ns;
	const json_t *result;
	const struct values *samples;
	const struct values *figures;
	const struct store_counters {
		const char *collector;
		const struct values *values;
		const char *error; /* why this collector has nothing, or NULL */
	} *counters;
	size_t n_counters;
	const struct store_raw *raw;
	size_t n_raw;
};

/** store_trial_finish() - the trial's outcome, durable when it returns. */
int store_trial_finish(struct store *store, int64_t trial, const struct store_outcome *outcome,
	struct error *err);

/** store_run_get() - one run; id 0: the newest. Return: 0 or -ENOENT. */
int store_run_get(struct store *store, int64_t id, struct store_run *run, struct error *err);
/** store_run_release() - free what the row owns. */
void store_run_release(struct store_run *run);
/** store_runs() - the newest @limit runs, newest first; *runs owned by the caller, each to release. */
int store_runs(struct store *store, size_t limit, struct store_run **runs, size_t *n,
	struct error *err);
/** store_arms() - arms by index; *arms owned by the caller, see store_arms_free(). */
int store_arms(struct store *store, int64_t run, struct store_arm **arms, size_t *n,
	struct error *err);
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
 * @each: called for each; strings borrowed for the call; a negative return ends the walk
 */
int store_figures(struct store *store, int64_t run, const char *metric,
	int (*each)(void *context, const struct store_figure *figure), void *context,
	struct error *err);

/** struct store_counter - a counter of one trial (store_counters) */
struct store_counter {
	int64_t trial, arm, block;
	double elapsed_s;
	const char *collector;
	const struct value *value; /* name, unit, labels, number */
};

/**
 * store_counters() - counters of the trials that count, ordered by collector, counter, trial
 * @collector: one collector, or NULL for all
 */
int store_counters(struct store *store, int64_t run, const char *collector,
	int (*each)(void *context, const struct store_counter *counter), void *context,
	struct error *err);
/** store_collector_errors() - [{"collector","error","trials"}] of a run; new reference. */
int store_collector_errors(struct store *store, int64_t run, json_t **errors, struct error *err);
/** store_raw_get() - one raw text of a trial, decompressed; owned by the caller. -ENOENT. */
int store_raw_get(struct store *store, int64_t trial, const char *name, char **data, size_t *len,
	struct error *err);
/** store_samples() - samples of one trial, in order. */
int store_samples(struct store *store, int64_t trial, struct values *samples, struct error *err);

#endif
