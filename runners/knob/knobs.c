/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "runners/knob/knob.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "runners/knob/level.h"

const struct knob_ops *const knobs[] = {
	&knob_sched_features,
	&knob_idle_states,
	&knob_placement,
	&knob_cpus,
	&knob_sysctl,
	&knob_sysfs,
	&knob_cmdline,
	&knob_params,
	&knob_env,
	NULL,
};

const struct knob_ops *knob_find(const char *name, struct error *err)
{
	const char *names[array_size(knobs)];
	size_t n = 0;
	char *hint;

	for (; knobs[n]; n++) {
		if (strcmp(knobs[n]->name, name) == 0)
			return knobs[n];
		names[n] = knobs[n]->name;
	}
	hint = names_hint(name, "the knobs are", names, n);
	error_set(err, -ENOENT, "no knob '%s'%s", name, hint);
	free(hint);
	return NULL;
}
