/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From an arm's levels to what is to be done on this machine. */
#ifndef EXPERIMENT_ARM_PLAN_H
#define EXPERIMENT_ARM_PLAN_H

#include <jansson.h>

#include "base/error.h"
#include "experiment/design.h"
#include "runners/knob/knob.h"
#include "spec/benchmark.h"
#include "spec/job.h"

/**
 * arm_cmdline() - the kernel's words that an arm wants
 *
 * Needs no machine, since it decides which machine is booted. Owned by the caller.
 */
char *arm_cmdline(const struct arm *arm);

/**
 * arm_plan() - ask every knob of the arm for its part, looking at the machine
 * @plan: to be released by the caller, also after an error
 * Return: 0 or -errno; the message begins with the arm and the knob.
 */
int arm_plan(const struct arm *arm, const struct machine *machine, struct knob_plan *plan,
	struct error *err);

/**
 * arm_command() - the benchmark's arguments under this plan
 * Parameters are the benchmark's own, under the job's, under the arm's. *argv: new reference.
 */
int arm_command(const struct benchmark *bench, const struct job *job, const struct knob_plan *plan,
	json_t **argv, struct error *err);

/** arm_writes() - the plan's writes as the agent's "set" wants them; new reference. */
json_t *arm_writes(const struct knob_plan *plan);

/** arm_plan_json() - the plan for the record: writes, cpus, pin, env, argv, cmdline; new reference. */
json_t *arm_plan_json(
	const struct benchmark *bench, const struct knob_plan *plan, const json_t *argv);

#endif
