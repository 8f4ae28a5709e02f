/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The scheduler's feature line, for the knob, the doctor and the collectors. */
#ifndef RUNNERS_KNOB_SCHED_FEATURES_H
#define RUNNERS_KNOB_SCHED_FEATURES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "runners/machine.h"

/** struct sched_feature - one feature; @name without the NO_ of one that is off */
struct sched_feature {
	char *name;
	bool on;
};

/** struct sched_features - the line of one kernel, in its order */
struct sched_features {
	struct sched_feature *f;
	size_t n, cap;
};

#define SCHED_FEATURES_INIT ((struct sched_features){ 0 })

/**
 * sched_features_parse() - the text of the features file
 * @features: to be released with sched_features_release(); empty after an error
 *
 * A feature is off exactly when NO_ stands in front: NONTASK_CAPACITY is one that is on.
 * Return: 0; -EINVAL for text that is no such line; -EPERM for the captured complaint of a program
 * that was not let read it.
 */
int sched_features_parse(
	const char *text, size_t len, struct sched_features *features, struct error *err);

/** sched_features_find() - by name without NO_; NULL when the kernel has none such. */
const struct sched_feature *sched_features_find(
	const struct sched_features *features, const char *name);

/** sched_features_release() - free it and make it reusable. */
void sched_features_release(struct sched_features *features);

/**
 * sched_features_read() - find and read the features file of a machine
 * @path: one of two fixed strings; where it is (new place, 5.13 on, or the old one)
 *
 * Tells apart why it can't be read: -ENODEV debugfs is not there or not mounted, -ENOENT the file is
 * absent, -EPERM lockdown, -EACCES not root; each message says what helps.
 */
int sched_features_read(const struct machine *machine, const char **path,
	struct sched_features *features, struct error *err);

#endif
