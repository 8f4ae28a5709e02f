/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A job: what a YAML file asks for. */
#ifndef SPEC_JOB_H
#define SPEC_JOB_H

#include <jansson.h>
#include <stddef.h>
#include <stdint.h>

#include "spec/diag.h"
#include "spec/option.h"
#include "spec/registry.h"

/** struct job_level - one setting of a factor; @label is unique within the factor */
struct job_level {
	char *label;
	json_t *value;
	int line, column;
};

/** struct job_factor - something the experiment varies; @name is a knob's */
struct job_factor {
	char *name;
	struct job_level *levels;
	size_t n_levels;
	int line, column;
};

/** struct job_arm - one arm listed by hand: object knob → level, and its label or NULL */
struct job_arm {
	char *label;
	json_t *levels;
	int line, column;
};

/** struct job_collect - one collector with its settings (an object with defaults filled in) */
struct job_collect {
	char *name;
	json_t *options;
};

/**
 * struct job_decide - how the verdict is reached (statistics.md, section 1)
 * @metric: NULL: the benchmark's primary metric
 * @margin: fraction; effects smaller than this are "equivalent"; 0: equivalence is not sought
 * @confidence: 1 - chance of calling two equal arms different (0.99)
 * @equivalence_confidence: 1 - chance of a false "equivalent" (0.95)
 * @max_time: seconds for the whole run, 0 for no limit; @max_blocks: most blocks
 */
struct job_decide {
	char *metric;
	double margin;
	double confidence;
	double equivalence_confidence;
	double max_time;
	long max_blocks;
};

/** enum job_reboot - when a target that can boot gives a fresh machine */
enum job_reboot { REBOOT_NEVER, REBOOT_BLOCK };

/**
 * struct job - a job file, checked
 * @path, @text: the file and its text as read
 * @benchmark: name or path of the benchmark file
 * @params: object of scalars, may be NULL
 * @target: kind of target; @target_options: struct filled by that kind's rows, NULL if it has none
 * @factors: full factorial, or @arms listed by hand (then n_factors is 0)
 * @fixed: object knob → level for every arm, may be NULL
 * @baseline: object of all factors → level, or the label of one of @arms as a string; NULL: the first
 * @trials: trials of an arm within a block that count; @warmup: those before them that don't
 * @seed: 0: a fresh one
 * @trial_timeout: seconds, 0: the benchmark's own limit
 * @cooldown: seconds of rest before each trial
 * @user: run the benchmark as this user, NULL: as the agent runs
 */
struct job {
	char *path, *text;
	char *name, *description;
	char *benchmark;
	json_t *params;
	char *target;
	void *target_options;
	const struct option_table *target_table;
	struct job_factor *factors;
	size_t n_factors;
	struct job_arm *arms;
	size_t n_arms;
	json_t *fixed;
	json_t *baseline;
	struct job_collect *collect;
	size_t n_collect;
	struct job_decide decide;
	long trials, warmup;
	int reboot;
	uint64_t seed;
	double trial_timeout;
	double cooldown;
	char *user;
};

/**
 * job_parse() - a job from text
 * @name: file name for messages
 * @config_dirs: folders with benchmarks/ and targets/, to resolve a target file's name; n of them
 * @job: owned by the caller, see job_free(); NULL when anything was noted
 * Everything wrong is noted in @diags, not only the first. Return: 0 or -EINVAL.
 */
int job_parse(const char *name, const char *text, size_t len, const struct registry *registry,
	const struct string_list *config_dirs, struct job **job, struct diags *diags);
/** job_load() - job_parse() of a file. */
int job_load(const char *path, const struct registry *registry,
	const struct string_list *config_dirs, struct job **job, struct diags *diags);
/** job_free() - free it; NULL is fine. */
void job_free(struct job *job);
/**
 * job_to_json() - the job in force, defaults included; new reference
 *
 * Written to a file it parses to the same job.
 */
json_t *job_to_json(const struct job *job);
/** job_schema() - JSON schema of a job file, plug-ins included; new reference. */
json_t *job_schema(const struct registry *registry);
/** job_tables() - the tables of a job file's mappings, for help; ended by NULL. */
const struct option_table *const *job_tables(void);

#endif
