/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Planning to set a kernel file by its path: what sysctl and sysfs have in common. */
#ifndef RUNNERS_KNOB_SETTING_H
#define RUNNERS_KNOB_SETTING_H

#include "base/error.h"
#include "runners/knob/knob.h"
#include "runners/machine.h"

/**
 * setting_plan() - add one existing file to a plan
 * @path: without the slash in front; @value: as the job gives it
 *
 * Looks at what the file holds: a file that shows its choices with the one in force in [brackets]
 * takes one of these, a file that reads Y or N takes them for true and false.
 * Return: 0; -errno with a message when the file can't be read, -EINVAL for a value that is none of
 * the choices.
 */
int setting_plan(const struct machine *machine, const char *path, const char *value,
	struct knob_plan *plan, struct error *err);

/**
 * setting_nearest() - the existing path that a mistyped one most likely meant
 *
 * One component may be wrong. Return: owned by the caller, or NULL.
 */
char *setting_nearest(const struct machine *machine, const char *path);

/**
 * setting_check_value() - is it something that can be written?
 * @name: for the message. Return: 0 or -EINVAL.
 */
int setting_check_value(const char *name, const json_t *value, struct error *err);

#endif
