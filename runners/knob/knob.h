/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The plug-in kind "knob": a piece of kernel state, or of a trial's surroundings, that a factor varies.
 *
 * A knob turns a level of the job into a plan, and the agent carries the plan out: it notes the old
 * value, writes, reads back, and puts back. So the knob itself only thinks. */
#ifndef RUNNERS_KNOB_KNOB_H
#define RUNNERS_KNOB_KNOB_H

#include <jansson.h>

#include "base/cpulist.h"
#include "base/error.h"
#include "runners/machine.h"

/** enum write_kind - how the agent reads a file back */
enum write_kind {
	WRITE_PLAIN,   /* the file holds the value */
	WRITE_FEATURE, /* a line of words, NO_ in front when off (sched features) */
	WRITE_CHOICE,  /* all choices, the one in force in [brackets] */
};

/** struct knob_write - one file to set; strings owned by the plan */
struct knob_write {
	char *path;
	char *value;
	enum write_kind kind;
};

/**
 * struct knob_plan - what one arm asks of the machine; filled by every knob of the arm in turn
 * @writes: kernel files to set, in order
 * @cpus: CPUs that the benchmark is pinned to, in the order of {cpu0}, {cpu1}; empty: not pinned
 * @env: object of strings, environment of the benchmark
 * @params: object of scalars, replaces the benchmark's parameters
 * @cmdline: words for the kernel's command line (target vm), "" for none
 *
 * Start with knob_plan_init(), end with knob_plan_release().
 */
struct knob_plan {
	struct knob_write *writes;
	size_t n_writes, cap_writes;
	struct cpulist cpus;
	json_t *env;
	json_t *params;
	char *cmdline;
};

/**
 * struct knob_ops - one knob
 * @name: the factor's name in a job
 * @help: one line; @long_help: paragraphs with examples for "harness help knob NAME"
 * @schema: JSON schema of one level, as JSON text
 * @label: the level as a short text for tables ("NO_TTWU_QUEUE", "same-core", "none"); caller owns
 * @check: is the level well formed? Without a machine. Return: 0 or -EINVAL with what is allowed.
 * @plan: add what the level asks for, after looking at the machine. Return: 0 or -errno with the
 *	reason, said as a person would need it.
 * @available: can it be turned on this machine? Return: 0, or -errno with why not and what helps.
 */
struct knob_ops {
	const char *name;
	const char *help;
	const char *long_help;
	const char *schema;
	char *(*label)(const json_t *level);
	int (*check)(const json_t *level, struct error *err);
	int (*plan)(const json_t *level, const struct machine *machine, struct knob_plan *plan,
		struct error *err);
	int (*available)(const struct machine *machine, struct error *err);
};

/* One file each. */
extern const struct knob_ops knob_sched_features, knob_idle_states, knob_sysctl, knob_sysfs,
	knob_cmdline, knob_params, knob_env, knob_placement, knob_cpus;

/** knobs - every knob, NULL-terminated; the one place (knobs.c) where they are listed. */
extern const struct knob_ops *const knobs[];

/** knob_find() - by name. Return: the knob, or NULL with a message that names the nearest. */
const struct knob_ops *knob_find(const char *name, struct error *err);

/** knob_plan_init() - an empty plan. */
void knob_plan_init(struct knob_plan *plan);
/** knob_plan_write() - add a file to set. */
void knob_plan_write(
	struct knob_plan *plan, const char *path, const char *value, enum write_kind kind);
/**
 * knob_plan_set() - knob_plan_write(), unless the arm asks for that file already
 *
 * The same request again adds nothing; a different value (or, of a line of features, the same word
 * both with and without NO_) is -EINVAL, for the file can't hold both.
 */
int knob_plan_set(struct knob_plan *plan, const char *path, const char *value, enum write_kind kind,
	struct error *err);
/** knob_plan_cpus() - pin the benchmark. Return: 0, or -EINVAL when another knob has pinned it. */
int knob_plan_cpus(struct knob_plan *plan, const struct cpulist *cpus, struct error *err);
/** knob_plan_release() - free what a plan holds. */
void knob_plan_release(struct knob_plan *plan);

#endif
