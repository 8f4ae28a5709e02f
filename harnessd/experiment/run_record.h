/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the database knows of a run: which trials count already, and the job it carries out. */
#ifndef EXPERIMENT_RUN_RECORD_H
#define EXPERIMENT_RUN_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "db/store.h"
#include "experiment/design.h"
#include "experiment/run.h"

/**
 * struct run_record - trials by place (block, arm, repeat): attempts made, and whether one counts
 * @seconds: that the trials took before the run was taken up again
 */
struct run_record {
	struct run_place {
		size_t block, arm;
		long repeat;
		bool warmup, counts;
		int attempts;
	} * place;
	size_t n, cap;
	double seconds;
};

/** run_record_init() - nothing has run yet. */
void run_record_init(struct run_record *record);
/** run_record_load() - the trials of a run that is taken up again. */
int run_record_load(struct run_record *record, struct store *store, int64_t run, struct error *err);
/** run_record_add() - a trial has ended. */
void run_record_add(struct run_record *record, const struct run_step *step, enum trial_state state);
/** run_record_has() - is there a trial that counts in this place? */
bool run_record_has(const struct run_record *record, const struct run_step *step);
/** run_record_counted() - trials that count of an arm in a block, warm-ups left out. */
size_t run_record_counted(const struct run_record *record, size_t block, size_t arm);
/** run_record_attempts() - attempts made in this place: the number of the next one. */
int run_record_attempts(const struct run_record *record, const struct run_step *step);
/** run_record_release() - free it. */
void run_record_release(struct run_record *record);

/**
 * run_record_metric() - the metric that decides, as far as the files tell
 * @metric: owned by the caller; NULL when only a trial's output can tell: the benchmark has several
 *	primary metrics, one for each version or mode of the tool, and the job names none
 * Return: 0, or -EINVAL when the job names one that the benchmark does not have.
 */
int run_record_metric(
	const struct job *job, const struct benchmark *bench, char **metric, struct error *err);
/** run_record_create() - put a new run on record. */
int run_record_create(struct store *store, const struct job *job, const struct benchmark *bench,
	const struct design *design, uint64_t seed, const char *metric, int64_t *id,
	struct error *err);
/** run_record_reload() - job and benchmark as the run's own record has them. */
int run_record_reload(const struct store_run *row, const struct run_env *env, struct job **job,
	struct benchmark **bench, struct error *err);

#endif
