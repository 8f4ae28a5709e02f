/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "runners/knob/knob.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "runners/knob/setting.h"
#include "runners/knob/level.h"

static const char example[] = "{/sys/kernel/mm/ksm/run: 0}";

/* The path as struct sysroot takes it. */
static const char *relative(const char *path)
{
	return path + strspn(path, "/");
}

static bool climbs(const char *path)
{
	for (const char *p = path; (p = strstr(p, "..")); p += 2)
		if ((p == path || p[-1] == '/') && (p[2] == '/' || !p[2]))
			return true;
	return false;
}

static bool is_features(const char *path)
{
	const char *base = strrchr(path, '/');

	return strstr(path, "/sched/features") || (base && strcmp(base, "/sched_features") == 0);
}

static int check_path(const char *path, struct error *err)
{
	const char *rest = relative(path);

	if (strncmp(rest, "sys/", 4) != 0 && strncmp(rest, "proc/", 5) != 0)
		return error_set(err, -EINVAL,
			"'%s' is neither below /%s nor below /%s; write the whole path", path,
			"sys", "proc");
	if (climbs(rest))
		return error_set(err, -EINVAL, "'%s' holds '..'; write the path without it", path);
	if (is_features(rest))
		return error_set(err, -EINVAL,
			"'%s' holds many settings, each read back by its name; use the knob "
			"sched_features",
			path);
	return 0;
}

static int sysfs_check(const json_t *level, struct error *err)
{
	const char *path;
	json_t *value;
	int r;

	if (level_is_default(level))
		return 0;
	r = level_check_mapping(level, "sysfs", example, true, err);
	if (r < 0)
		return r;
	json_object_foreach((json_t *)level, path, value) {
		r = check_path(path, err);
		if (!r)
			r = setting_check_value(path, value, err);
		if (r < 0)
			return r;
	}
	return 0;
}

static char *sysfs_label(const json_t *level)
{
	return level_mapping_label(level);
}

static int plan_matches(const struct machine *machine, const char *pattern, const char *value,
	struct knob_plan *plan, struct error *err)
{
	json_t *paths, *path;
	size_t i;
	int r = machine_glob(machine, pattern, &paths, err);

	if (r < 0)
		return r;
	if (!json_array_size(paths))
		r = error_set(err, -ENOENT, "no file matches '/%s'", pattern);
	json_array_foreach(paths, i, path) {
		r = setting_plan(machine, json_string_value(path), value, plan, err);
		if (r < 0)
			break;
	}
	json_decref(paths);
	return r;
}

static int plan_one(const struct machine *machine, const char *path, const json_t *value,
	struct knob_plan *plan, struct error *err)
{
	char *text = level_value_text(value);
	int r = strpbrk(path, "*?[{") ? plan_matches(machine, relative(path), text, plan, err)
				      : setting_plan(machine, relative(path), text, plan, err);

	free(text);
	return r;
}

static int sysfs_plan(const json_t *level, const struct machine *machine, struct knob_plan *plan,
	struct error *err)
{
	const char *path;
	json_t *value;
	int r = sysfs_check(level, err);

	if (r < 0 || level_is_default(level))
		return r;
	json_object_foreach((json_t *)level, path, value) {
		r = plan_one(machine, path, value, plan, err);
		if (r < 0)
			return r;
	}
	return 0;
}

static int sysfs_available(const struct machine *machine, struct error *err)
{
	return machine_need_root(machine, err);
}

const struct knob_ops knob_sysfs = {
	.name = "sysfs",
	.help = "any kernel file below /sys or /proc",
	.long_help =
		"A level is a mapping of paths to values, or 'default' to leave them as they are.\n"
		"A path may hold * ? [..] and {a,b}; the value then goes to each file that\n"
		"matches.\n"
		"\n"
		"  factors:\n"
		"    sysfs:\n"
		"    - default\n"
		"    - {/sys/devices/system/cpu/cpu*/cpufreq/scaling_governor: performance}\n"
		"    - {/sys/kernel/mm/transparent_hugepage/enabled: never}\n"
		"    - {/sys/kernel/debug/sched/migration_cost_ns: 5000000}\n"
		"\n"
		"A file that shows its choices, as in 'always [madvise] never', takes one of\n"
		"them. true and false become 1 and 0, or Y and N where the file reads so. What\n"
		"is written is read back and put back afterwards: write a value the way the\n"
		"kernel prints it; a file that can't be read can't be a knob.\n",
	.schema = "{\"oneOf\":[{\"const\":\"default\"},{\"type\":\"object\",\"propertyNames\":"
		  "{\"pattern\":\"^/*(sys|proc)/\"},\"additionalProperties\":"
		  "{\"type\":[\"string\",\"number\",\"boolean\",\"array\"]}}]}",
	.label = sysfs_label,
	.check = sysfs_check,
	.plan = sysfs_plan,
	.available = sysfs_available,
};
