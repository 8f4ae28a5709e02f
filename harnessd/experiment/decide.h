/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The verdict of a run: every arm against the baseline, several arms with one error rate. Pure. */
#ifndef EXPERIMENT_DECIDE_H
#define EXPERIMENT_DECIDE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "experiment/figures.h"
#include "spec/job.h"
#include "stat/compare.h"

/** enum conclusion - a run's verdicts in one word; the exit status of "harness run" follows it */
enum conclusion {
	CONCLUSION_NO_REGRESSION,
	CONCLUSION_REGRESSION,
	CONCLUSION_UNDECIDED,
};

/**
 * struct decision - what is known after the blocks that have run
 * @plan: of the looks
 * @arm: a comparison for each arm; the baseline's own is not filled
 * @stopped: every comparison is over
 */
struct decision {
	size_t n_arms, baseline;
	struct compare_plan plan;
	struct comparison *arm;
	bool stopped;
	enum conclusion conclusion;
};

/**
 * decide() - replay the looks that the blocks so far allow
 * @final: no more blocks will come
 *
 * Several arms share one error by Holm's step-down at every look (compare_arms()); equivalence is
 * claimed arm by arm. A verdict once reached stands.
 * Return: 0 or -errno (a plan that can't be made).
 */
int decide(const struct figures *figures, size_t baseline, const struct job_decide *settings,
	bool final, struct decision *decision, struct error *err);

/** decision_release() - free it. */
void decision_release(struct decision *decision);

/** decision_json() - the verdict for the record, each p over all looks and adjusted by Holm; @labels: of the arms; new reference. */
json_t *decision_json(const struct decision *decision, const struct figures *figures,
	const char *const *labels, const struct job_decide *settings);

/** conclusion_name() - "no regression", "regression", "undecided". */
const char *conclusion_name(enum conclusion conclusion);

#endif
