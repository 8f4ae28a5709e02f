/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The arms that a job asks for: the full factorial of its factors, or those listed by hand. */
#ifndef SPEC_JOB_ARMS_H
#define SPEC_JOB_ARMS_H

#include <jansson.h>
#include <stddef.h>

#include "spec/job.h"
#include "spec/registry.h"

/** job_arm_count() - how many; the last factor changes fastest. */
size_t job_arm_count(const struct job *job);
/** job_arm_levels() - object knob → level of one arm; new reference. */
json_t *job_arm_levels(const struct job *job, size_t arm);
/** job_arm_label() - the arm's own label, or its levels' joined; owned by the caller. */
char *job_arm_label(const struct registry *registry, const struct job *job, size_t arm);

#endif
