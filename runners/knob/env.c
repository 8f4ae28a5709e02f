/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "runners/knob/knob.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "runners/knob/level.h"

static bool is_name(const char *name)
{
	if (isdigit((unsigned char)*name) || !*name)
		return false;
	for (; *name; name++)
		if (!isalnum((unsigned char)*name) && *name != '_')
			return false;
	return true;
}

static bool sets_locale(const char *name)
{
	return strncmp(name, "LC_", 3) == 0 || strcmp(name, "LANG") == 0 ||
	       strcmp(name, "LANGUAGE") == 0;
}

static int check_name(const char *name, struct error *err)
{
	if (!is_name(name))
		return error_set(err, -EINVAL,
			"'%s' is no name of an environment variable: letters, digits and _ only, "
			"no "
			"digit first",
			name);
	if (sets_locale(name))
		return error_set(err, -EINVAL,
			"'%s' can't be set: benchmarks always run with LC_ALL=C, for another "
			"locale "
			"changes how they print numbers",
			name);
	return 0;
}

static int env_check(const json_t *level, struct error *err)
{
	int r = level_check_mapping(level, "env", "{MALLOC_ARENA_MAX: 1}", false, err);
	const char *name;
	json_t *value;

	if (r < 0)
		return r;
	json_object_foreach((json_t *)level, name, value) {
		r = check_name(name, err);
		if (r < 0)
			return r;
	}
	return 0;
}

static char *env_label(const json_t *level)
{
	return level_mapping_label(level);
}

static int env_plan(const json_t *level, const struct machine *machine, struct knob_plan *plan,
	struct error *err)
{
	int r = env_check(level, err);
	const char *name;
	json_t *value;

	(void)machine;
	if (r < 0)
		return r;
	json_object_foreach((json_t *)level, name, value) {
		char *text = level_value_text(value);

		json_object_set_new(plan->env, name, json_string(text));
		free(text);
	}
	return 0;
}

static int env_available(const struct machine *machine, struct error *err)
{
	(void)machine;
	(void)err;
	return 0;
}

const struct knob_ops knob_env = {
	.name = "env",
	.help = "environment variables of the benchmark",
	.long_help =
		"A level is a mapping of names to values; {} adds nothing.\n"
		"\n"
		"  factors:\n"
		"    env: [{}, {MALLOC_ARENA_MAX: 1}, {OMP_NUM_THREADS: 4, OMP_NESTED: 'true'}]\n"
		"\n"
		"The locale can't be varied: LC_ALL=C is always set and LANG, LANGUAGE and the\n"
		"other LC_ variables are removed, so that numbers are printed in one way.\n",
	.schema =
		"{\"type\":\"object\",\"propertyNames\":{\"pattern\":\"^[A-Za-z_][A-Za-z0-9_]*$\"},"
		"\"additionalProperties\":{\"type\":[\"string\",\"number\",\"boolean\"]}}",
	.label = env_label,
	.check = env_check,
	.plan = env_plan,
	.available = env_available,
};
