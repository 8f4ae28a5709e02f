/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The only state: one SQLite database in WAL mode, fully synchronous, one writer.
 *
 * Every change of state of a run or trial is one transaction, so after kill -9 or a power loss the
 * database says exactly which trials were finished. Rows and reading are in db/store_read.h
 * and db/store_counter.h. */
#ifndef DB_STORE_H
#define DB_STORE_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/values.h"
#include "db/store_counter.h"
#include "db/store_read.h"

/**
 * store_open() - open or make the database
 * @path: file name; its folder must exist
 * Migrations are run, each in one transaction; a database from a newer program is refused (-EPROTO),
 * a damaged or foreign file too (-EINVAL), and nothing in it is changed. Waits up to 10 s for another
 * writer (-EBUSY after that; so does every call that writes).
 * Return: 0 with *store owned by the caller.
 */
int store_open(const char *path, struct store **store, struct error *err);
/**
 * store_open_readonly() - for show and list: never writes, and never waits for a writer
 * Return: 0, -ENOENT when there is no database, -EPROTO when its schema is not this program's (an
 * older one is brought up to date by the next store_open()), -EINVAL as for store_open().
 */
int store_open_readonly(const char *path, struct store **store, struct error *err);
/** store_close() - NULL is fine. */
void store_close(struct store *store);

/**
 * store_run_create() - new run in state running with its arms, in one transaction; *id is set
 * @run: id, state, verdict, error and end are not looked at; started_ns 0 means now. Texts that are
 *	NULL are kept as "".
 */
int store_run_create(struct store *store, const struct store_run *run, const struct store_arm *arms,
	size_t n_arms, int64_t *id, struct error *err);
/** store_run_facts() - note what was learnt when the target was first entered. */
int store_run_facts(struct store *store, int64_t run, const json_t *facts, const json_t *target,
	struct error *err);
/** store_run_metric() - note the metric that decides, where only a trial's output could tell. */
int store_run_metric(struct store *store, int64_t run, const char *metric, struct error *err);
/** store_arm_plan() - note how an arm was carried out. Return: 0 or -ENOENT. */
int store_arm_plan(
	struct store *store, int64_t run, int64_t arm, const json_t *plan, struct error *err);
/**
 * store_run_end() - new state, with a verdict or error (each may be NULL); sets the end time
 * @state: any but RUN_RUNNING
 */
int store_run_end(struct store *store, int64_t run, enum run_state state, const json_t *verdict,
	const char *why, struct error *err);
/**
 * store_run_resume() - take up an interrupted run: its started trials become lost, it runs again
 *
 * A run in state running is one whose program died; the caller holds the machine lock, so it is not
 * running in fact. A failed run may be taken up as well.
 * Return: number of lost trials, -ENOENT, or -EBUSY when the run has finished.
 */
int store_run_resume(struct store *store, int64_t run, struct error *err);

/**
 * store_trial_begin() - a row in state started, committed before the benchmark starts; *id is set
 * @trial: id, state, reason, elapsed and result are not looked at; started_ns 0 means now
 * Return: 0, or -EEXIST when the run has this arm, block, repeat and attempt already.
 */
int store_trial_begin(struct store *store, int64_t run, const struct store_trial *trial,
	int64_t *id, struct error *err);

/** struct store_raw - raw text kept with a trial: name "stdout", "stderr", "interrupts.before", … */
struct store_raw {
	const char *name;
	const void *data;
	size_t len;
};

/**
 * struct store_outcome - all that a trial gave; written in one transaction with its new state
 * @state: any but TRIAL_STARTED; @started_ns: 0 leaves what store_trial_begin() noted
 * @samples: numbers of the benchmark, in order; @figures: one for each metric (name, value)
 * @counters: of one collector each; only those that are not 0 are kept, names in dictionaries. Two
 *	values with equal name, unit and labels are one counter, and add up. The notes are kept too:
 *	there a collector says what it could not count.
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
	} * counters;
	size_t n_counters;
	const struct store_raw *raw;
	size_t n_raw;
};

/**
 * store_trial_finish() - the trial's outcome, durable when it returns; all of it or nothing
 * Return: 0; -ENOENT; -EALREADY when the trial has ended before; -EEXIST when it would be the second
 * done trial of this arm, block and repeat; -EINVAL for a number that is not finite; -ENOSPC, -EIO.
 */
int store_trial_finish(
	struct store *store, int64_t trial, const struct store_outcome *outcome, struct error *err);

#endif
