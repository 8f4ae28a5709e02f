/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One trial: the request to the agent, and what its answer is worth. */
#ifndef EXPERIMENT_TRIAL_H
#define EXPERIMENT_TRIAL_H

#include <jansson.h>
#include <stdint.h>

#include "base/error.h"
#include "base/values.h"
#include "db/store.h"
#include "spec/benchmark.h"
#include "spec/job.h"

/**
 * struct trial_outcome - what a trial gave, owning what a struct store_outcome borrows
 * @store: to hand to store_trial_finish()
 * @figures: one value for each metric
 */
struct trial_outcome {
	struct store_outcome store;
	struct values samples, figures;
	struct values *counter_values;
	struct store_counters *counters;
	char **counter_errors;
	struct store_raw *raw;
	char **raw_names;
	size_t n_raw;
	json_t *result;
	char *reason;
};

/**
 * trial_request() - members of the agent's "run"
 * @argv, @plan: of the arm (arm_plan_json()); @limit: seconds
 */
json_t *trial_request(const struct job *job, const struct benchmark *bench, const json_t *argv,
	const json_t *plan, double limit, const char *nonce);

/** trial_limit() - seconds that the benchmark may take. */
double trial_limit(const struct job *job, const struct benchmark *bench);

/**
 * trial_judge() - samples, figures and counters of an answer, or why it does not count
 * @result: the agent's answer; @nonce: what it must repeat at its end
 *
 * States: done; failed (the benchmark gave no result); void (it ran, but must not count: a signal of
 * ours, CPUs that changed, a lockup). Never fails itself; the outcome says it all.
 */
void trial_judge(const struct job *job, const struct benchmark *bench, const json_t *result,
	const char *nonce, struct trial_outcome *out);

/** trial_broken() - the outcome of a trial without an answer. */
void trial_broken(const char *reason, struct trial_outcome *out);

/** trial_refuse() - a trial that is done must not count after all; the first reason stands. */
void trial_refuse(struct trial_outcome *out, const char *reason);

/** trial_outcome_release() - free it. */
void trial_outcome_release(struct trial_outcome *out);

#endif
