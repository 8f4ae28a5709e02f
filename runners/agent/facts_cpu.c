/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "facts.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/cpulist.h"
#include "base/file.h"
#include "base/json.h"

#define CPU_DIR "sys/devices/system/cpu"

/* The same thing has other names on other architectures: x86, arm64, ppc64/s390. */
static json_t *first_field(const char *text, const char *const *keys)
{
	json_t *value = json_null();

	for (size_t i = 0; keys[i] && json_is_null(value); i++)
		value = fact_field(text, keys[i]);
	return value;
}

json_t *facts_cpu(const struct sysroot *root)
{
	static const char *const model[] = { "model name", "Model", "cpu", "Processor", NULL };
	static const char *const vendor[] = { "vendor_id", "CPU implementer", "platform", NULL };
	static const char *const microcode[] = { "microcode", NULL };
	char *text = NULL;
	json_t *fact;

	sysroot_read(root, "proc/cpuinfo", &text, NULL, NULL);
	fact = json_pack("{s:o, s:o, s:o}", "model", first_field(text ? text : "", model),
		"microcode", first_field(text ? text : "", microcode), "vendor",
		first_field(text ? text : "", vendor));
	free(text);
	return fact;
}

static json_t *cpu_line(const struct sysroot *root, int cpu, const char *file)
{
	char *path = xasprintf(CPU_DIR "/cpu%d/%s", cpu, file);
	json_t *value = fact_line(root, path);

	free(path);
	return value;
}

static json_t *cpu_int(const struct sysroot *root, int cpu, const char *file)
{
	char *path = xasprintf(CPU_DIR "/cpu%d/%s", cpu, file);
	json_t *value = fact_int(root, path);

	free(path);
	return value;
}

/* "thread_siblings_list" is the old name of "core_cpus_list" (5.3). */
static json_t *siblings_of(const struct sysroot *root, int cpu)
{
	json_t *list = cpu_line(root, cpu, "topology/core_cpus_list");

	return json_is_null(list) ? cpu_line(root, cpu, "topology/thread_siblings_list") : list;
}

static bool is_type(const struct sysroot *root, const char *cache, const char *type)
{
	char *path = file_join(cache, "type"), *text;
	bool same = false;

	if (sysroot_read_line(root, path, &text, NULL) == 0) {
		same = strcmp(text, type) == 0;
		free(text);
	}
	free(path);
	return same;
}

static json_t *cache_int(const struct sysroot *root, const char *cache, const char *file)
{
	char *path = file_join(cache, file);
	json_t *value = fact_int(root, path);

	free(path);
	return value;
}

/* The CPUs that share the last-level cache: of the unified ones, that of the highest level. */
static json_t *llc_of(const struct sysroot *root, int cpu)
{
	char *pattern = xasprintf(CPU_DIR "/cpu%d/cache/index[0-9]*", cpu), **caches;
	int n = sysroot_glob(root, pattern, &caches);
	json_int_t highest = -1;
	json_t *llc = json_null();

	for (int i = 0; i < n; i++) {
		json_t *level = cache_int(root, caches[i], "level");

		if (json_is_integer(level) && json_integer_value(level) > highest &&
			is_type(root, caches[i], "Unified")) {
			char *path = file_join(caches[i], "shared_cpu_list");

			highest = json_integer_value(level);
			json_decref(llc);
			llc = fact_line(root, path);
			free(path);
		}
		json_decref(level);
	}
	sysroot_glob_free(caches, n);
	free(pattern);
	return llc;
}

/* ".../cpu3/node1" is a link in the CPU's folder. */
static json_t *node_of(const struct sysroot *root, int cpu)
{
	char *pattern = xasprintf(CPU_DIR "/cpu%d/node[0-9]*", cpu), **found;
	int n = sysroot_glob(root, pattern, &found);
	json_t *node =
		n > 0 ? json_integer(strtol(file_basename(found[0]) + 4, NULL, 10)) : json_null();

	sysroot_glob_free(found, n);
	free(pattern);
	return node;
}

/* Copies of sysfs (tests, fixtures) may lack the links: look the CPU up in the nodes' lists. */
static json_t *node_by_list(const struct sysroot *root, int cpu)
{
	char **lists, *text;
	int n = sysroot_glob(root, "sys/devices/system/node/node[0-9]*/cpulist", &lists);
	json_t *node = json_null();

	for (int i = 0; i < n && json_is_null(node); i++) {
		struct cpulist cpus = CPULIST_INIT;

		if (sysroot_read_line(root, lists[i], &text, NULL) < 0)
			continue;
		if (cpulist_parse(text, &cpus, NULL) == 0 && cpulist_has(&cpus, cpu))
			node = json_integer(strtol(
				lists[i] + strlen("sys/devices/system/node/node"), NULL, 10));
		cpulist_release(&cpus);
		free(text);
	}
	sysroot_glob_free(lists, n);
	return node;
}

static json_t *one_cpu(const struct sysroot *root, int cpu)
{
	json_t *node = node_of(root, cpu);

	if (json_is_null(node))
		node = node_by_list(root, cpu);
	return json_pack("{s:i, s:o, s:o, s:o, s:o, s:o, s:o}", "cpu", cpu, "core",
		cpu_int(root, cpu, "topology/core_id"), "package",
		cpu_int(root, cpu, "topology/physical_package_id"), "die",
		cpu_int(root, cpu, "topology/die_id"), "node", node, "siblings",
		siblings_of(root, cpu), "llc", llc_of(root, cpu));
}

json_t *facts_topology(const struct sysroot *root)
{
	char **found;
	int n = sysroot_glob(root, CPU_DIR "/cpu[0-9]*", &found);
	json_t *cpus = json_array();

	for (int i = 0; i < n; i++)
		json_array_append_new(
			cpus, one_cpu(root, (int)strtol(file_basename(found[i]) + 3, NULL, 10)));
	sysroot_glob_free(found, n);
	return json_pack("{s:o, s:o, s:o}", "online", fact_line(root, CPU_DIR "/online"),
		"possible", fact_line(root, CPU_DIR "/possible"), "cpus", cpus);
}

json_t *facts_mitigations(const struct sysroot *root)
{
	char **found;
	int n = sysroot_glob(root, CPU_DIR "/vulnerabilities/*", &found);
	json_t *all = json_object();

	for (int i = 0; i < n; i++)
		json_object_set_new(all, file_basename(found[i]), fact_line(root, found[i]));
	sysroot_glob_free(found, n);
	return all;
}

static json_t *one_state(const struct sysroot *root, const char *dir)
{
	char *name = file_join(dir, "name"), *disable = file_join(dir, "disable");
	json_t *disabled = fact_int(root, disable);
	json_t *state = json_pack("{s:i, s:o, s:o}", "index",
		(int)strtol(strrchr(dir, '/') + 1 + strlen("state"), NULL, 10), "name",
		fact_line(root, name), "disabled",
		json_is_null(disabled) ? json_null() : json_boolean(json_integer_value(disabled)));

	json_decref(disabled);
	free(name);
	free(disable);
	return state;
}

/* The states of the first CPU that has any. */
json_t *facts_cpuidle(const struct sysroot *root)
{
	char **found;
	int n = sysroot_glob(root, CPU_DIR "/cpu[0-9]*/cpuidle/state[0-9]*", &found);
	json_t *states = json_array();
	json_t *governor = fact_line(root, CPU_DIR "/cpuidle/current_governor");
	size_t first = n > 0 ? (size_t)(strstr(found[0], "/cpuidle/") - found[0]) : 0;

	if (json_is_null(governor))
		governor = fact_line(root, CPU_DIR "/cpuidle/current_governor_ro");
	for (int i = 0; i < n; i++)
		if (strncmp(found[i], found[0], first + 1) == 0)
			json_array_append_new(states, one_state(root, found[i]));
	sysroot_glob_free(found, n);
	return json_pack("{s:o, s:o, s:o}", "driver",
		fact_line(root, CPU_DIR "/cpuidle/current_driver"), "governor", governor, "states",
		states);
}

json_t *facts_cpufreq(const struct sysroot *root)
{
	char **found;
	int n = sysroot_glob(root, CPU_DIR "/cpu[0-9]*/cpufreq/scaling_governor", &found);
	json_t *governors = json_object(), *driver = json_null();

	for (int i = 0; i < n; i++) {
		char *cpu = xasprintf("%ld", strtol(found[i] + strlen(CPU_DIR "/cpu"), NULL, 10));

		json_object_set_new(governors, cpu, fact_line(root, found[i]));
		free(cpu);
	}
	if (n > 0)
		driver = cpu_line(root, (int)strtol(found[0] + strlen(CPU_DIR "/cpu"), NULL, 10),
			"cpufreq/scaling_driver");
	sysroot_glob_free(found, n);
	return json_pack("{s:o, s:o}", "driver", driver, "governors", governors);
}
