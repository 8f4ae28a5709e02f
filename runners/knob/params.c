/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "runners/knob/knob.h"

#include <errno.h>

#include "runners/knob/level.h"

static int params_check(const json_t *level, struct error *err)
{
	const char *name;
	json_t *value;

	if (!json_is_object(level))
		return error_set(err, -EINVAL,
			"params takes a mapping of the benchmark's parameters, like {timeout: 5}");
	json_object_foreach((json_t *)level, name, value) {
		if (json_is_object(value) || json_is_array(value))
			return error_set(err, -EINVAL,
				"the parameter '%s' must be text, a number, true/false, or null to "
				"leave it out",
				name);
	}
	return 0;
}

static char *params_label(const json_t *level)
{
	return level_mapping_label(level);
}

static int params_plan(const json_t *level, const struct machine *machine, struct knob_plan *plan,
	struct error *err)
{
	int r = params_check(level, err);

	(void)machine;
	if (!r)
		json_object_update(plan->params, (json_t *)level);
	return r;
}

static int params_available(const struct machine *machine, struct error *err)
{
	(void)machine;
	(void)err;
	return 0;
}

const struct knob_ops knob_params = {
	.name = "params",
	.help = "parameters of the benchmark",
	.long_help =
		"A level is a mapping of the benchmark's parameters to values; parameters not\n"
		"named keep the values of the job's own params: and of the benchmark file. null\n"
		"leaves the argument out. 'harness help benchmark NAME' lists the parameters.\n"
		"\n"
		"  factors:\n"
		"    params: [{groups: 1}, {groups: 8}]\n",
	.schema = "{\"type\":\"object\",\"additionalProperties\":"
		  "{\"type\":[\"string\",\"number\",\"boolean\",\"null\"]}}",
	.label = params_label,
	.check = params_check,
	.plan = params_plan,
	.available = params_available,
};
