/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts of a job that need the plug-ins to be read. For job*.c. */
#ifndef SPEC_JOB_PARTS_H
#define SPEC_JOB_PARTS_H

#include "spec/diag.h"
#include "spec/job.h"
#include "spec/job_arms.h"
#include "spec/option.h"
#include "spec/registry.h"
#include "spec/yaml.h"

enum { JOB_MAX_ARMS = 256 };

/** struct job_reader - a job being read; everything borrowed but what @job is given */
struct job_reader {
	const struct registry *registry;
	const struct string_list *config_dirs;
	const struct yaml_node *root;
	struct job *job;
	struct diags *diags;
};

/** job_table - rows of a job file. */
extern const struct option_table job_table;

/** job_read_arms() - factors, arms, fixed and baseline, all of them checked against each other. */
void job_read_arms(struct job_reader *reader);
/**
 * job_read_baseline() - against the arms read before; the baseline is made complete
 * @arms_fine: false: the arms are wrong, which would make every baseline wrong
 */
void job_read_baseline(struct job_reader *reader, bool arms_fine);
/** job_read_collect() - the collectors, or those of the default that there are. */
void job_read_collect(struct job_reader *reader);

/**
 * job_read_level() - one level of a knob, checked by the knob
 * @label: short text; owned by the caller
 * Return: the level, new reference, or NULL with what is wrong noted.
 */
json_t *job_read_level(struct job_reader *reader, const struct registry_entry *knob,
	const struct yaml_node *node, char **label);
/** job_level_label() - a level as a short text; owned by the caller. */
char *job_level_label(const struct registry_entry *knob, const json_t *level);
/** job_find_knob() - the knob that a key names, or NULL with a message; @where: "factors". */
const struct registry_entry *job_find_knob(
	struct job_reader *reader, const struct yaml_node *key, const char *where);

#endif
