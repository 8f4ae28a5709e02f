/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "runners/knob/knob.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "runners/knob/setting.h"
#include "runners/knob/level.h"

#define SYSCTL_ROOT "proc/sys/"
#define SCHED_DEBUGFS "sys/kernel/debug/sched/"

static const char example[] = "{kernel.numa_balancing: 0}";

/* Scheduler settings that Linux 5.13 moved from sysctl to debugfs; later changes in the note. */
static const struct moved {
	const char *name;
	const char *file;
	const char *note;
} moved[] = {
	{ "kernel.sched_migration_cost_ns", "migration_cost_ns", "" },
	{ "kernel.sched_nr_migrate", "nr_migrate", "" },
	{ "kernel.sched_tunable_scaling", "tunable_scaling", "" },
	{ "kernel.sched_min_granularity_ns", "min_granularity_ns", " (base_slice_ns since 6.6)" },
	{ "kernel.sched_latency_ns", "latency_ns", " (gone since 6.6)" },
	{ "kernel.sched_wakeup_granularity_ns", "wakeup_granularity_ns", " (gone since 6.6)" },
	{ "kernel.numa_balancing_scan_delay_ms", "numa_balancing/scan_delay_ms", "" },
	{ "kernel.numa_balancing_scan_period_min_ms", "numa_balancing/scan_period_min_ms", "" },
	{ "kernel.numa_balancing_scan_period_max_ms", "numa_balancing/scan_period_max_ms", "" },
	{ "kernel.numa_balancing_scan_size_mb", "numa_balancing/scan_size_mb", "" },
};

/* Slashes and dots change places, unless the first separator is a slash already: as sysctl(8). */
static void swap_separators(char *name)
{
	char *first = strpbrk(name, "./");

	if (!first || *first == '/')
		return;
	for (char *p = name; *p; p++) {
		if (*p == '.')
			*p = '/';
		else if (*p == '/')
			*p = '.';
	}
}

static char *sysctl_path(const char *name)
{
	char *path = xasprintf(SYSCTL_ROOT "%s", name);

	swap_separators(path + strlen(SYSCTL_ROOT));
	return path;
}

/* A dotted name stays as it is written, but one that was written with slashes gets dots. */
static char *sysctl_name(const char *path)
{
	char *name = xstrdup(path + strlen(SYSCTL_ROOT));

	for (char *p = name; *p; p++)
		*p = *p == '/' ? '.' : *p == '.' ? '/' : *p;
	return name;
}

static int check_name(const char *name, struct error *err)
{
	char *path = sysctl_path(name), *p = path + strlen(SYSCTL_ROOT);
	int r = 0;

	for (bool more = true; more && !r; p++) {
		size_t len = strcspn(p, "/");

		more = p[len] == '/';
		if (!len || (len == 1 && *p == '.') || (len == 2 && strncmp(p, "..", 2) == 0) ||
			p[strcspn(p, "*?[]{}\n")])
			r = error_set(err, -EINVAL,
				"'%s' is no name of a sysctl; write it like kernel.numa_balancing "
				"(for "
				"other files there is the knob sysfs)",
				name);
		p += len;
	}
	free(path);
	return r;
}

static int sysctl_check(const json_t *level, struct error *err)
{
	const char *name;
	json_t *value;
	int r;

	if (level_is_default(level))
		return 0;
	r = level_check_mapping(level, "sysctl", example, true, err);
	if (r < 0)
		return r;
	json_object_foreach((json_t *)level, name, value) {
		r = check_name(name, err);
		if (!r)
			r = setting_check_value(name, value, err);
		if (r < 0)
			return r;
	}
	return 0;
}

static char *sysctl_label(const json_t *level)
{
	return level_mapping_label(level);
}

static int explain_missing(const struct machine *machine, const char *name, const char *path,
	const char *value, struct error *err)
{
	char *found = sysctl_name(path), *nearest = NULL;

	for (size_t i = 0; i < array_size(moved); i++) {
		if (strcmp(moved[i].name, found) != 0)
			continue;
		error_set(err, -ENOENT,
			"this kernel has no sysctl '%s': Linux 5.13 moved it to debugfs; write "
			"sysfs: "
			"{/" SCHED_DEBUGFS "%s: %s}%s",
			name, moved[i].file, value, moved[i].note);
		goto out;
	}
	nearest = setting_nearest(machine, path);
	free(found);
	found = nearest ? sysctl_name(nearest) : NULL;
	if (found)
		error_set(err, -ENOENT, "this kernel has no sysctl '%s'; did you mean '%s'?", name,
			found);
	else
		error_set(
			err, -ENOENT, "this kernel has no sysctl '%s' (no file '/%s')", name, path);
out:
	free(nearest);
	free(found);
	return -ENOENT;
}

static int plan_one(const struct machine *machine, const char *name, const json_t *value,
	struct knob_plan *plan, struct error *err)
{
	char *path = sysctl_path(name), *text = level_value_text(value);
	int r = setting_plan(machine, path, text, plan, err);

	if (r == -ENOENT)
		r = explain_missing(machine, name, path, text, err);
	free(path);
	free(text);
	return r;
}

static int sysctl_plan(const json_t *level, const struct machine *machine, struct knob_plan *plan,
	struct error *err)
{
	const char *name;
	json_t *value;
	int r = sysctl_check(level, err);

	if (r < 0 || level_is_default(level))
		return r;
	json_object_foreach((json_t *)level, name, value) {
		r = plan_one(machine, name, value, plan, err);
		if (r < 0)
			return r;
	}
	return 0;
}

static int sysctl_available(const struct machine *machine, struct error *err)
{
	json_t *paths = NULL;
	size_t n = 0;

	if (machine_glob(machine, SYSCTL_ROOT "*", &paths, NULL) == 0)
		n = json_array_size(paths);
	json_decref(paths);
	if (!n)
		return error_set(err, -ENOENT,
			"this kernel has no sysctls; it needs CONFIG_PROC_SYSCTL=y and /%s",
			SYSCTL_ROOT);
	return machine_need_root(machine, err);
}

const struct knob_ops knob_sysctl = {
	.name = "sysctl",
	.help = "kernel settings by their sysctl names",
	.long_help =
		"A level is a mapping of sysctl names to values, or 'default' to leave them as\n"
		"they are. Names are those of sysctl(8): a slash in a dotted name stands for a\n"
		"dot in the file's name. A value of several words is text or a list.\n"
		"\n"
		"  factors:\n"
		"    sysctl: [{kernel.numa_balancing: 0}, {kernel.numa_balancing: 1}]\n"
		"  fixed:\n"
		"    sysctl: {net.ipv4.tcp_rmem: [4096, 131072, 6291456], vm.swappiness: 10}\n"
		"\n"
		"Scheduler settings such as kernel.sched_migration_cost_ns live in debugfs since\n"
		"Linux 5.13; the knob sysfs reaches them there. What is written is read back, so\n"
		"write a value the way the kernel prints it.\n",
	.schema =
		"{\"oneOf\":[{\"const\":\"default\"},{\"type\":\"object\",\"additionalProperties\":"
		"{\"type\":[\"string\",\"number\",\"boolean\",\"array\"]}}]}",
	.label = sysctl_label,
	.check = sysctl_check,
	.plan = sysctl_plan,
	.available = sysctl_available,
};
