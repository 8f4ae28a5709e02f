/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "runners/knob/topology.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json.h"

/* Sample:
 * {"online": "0-3", "possible": "0-3", "cpus": [{"cpu": 0, "core": 0, "package": 0, "die": 0,
 *  "node": 0, "siblings": "0,2", "llc": "0-3"}, ...]} */

static int parse_list(
	const json_t *object, const char *key, struct cpulist *list, struct error *err)
{
	return cpulist_parse(json_str(object, key, ""), list, err);
}

/* The lowest CPU of a list names the group; -1 when the machine doesn't show it. */
static int group_of(const json_t *item, const char *key)
{
	struct cpulist list = CPULIST_INIT;
	int lowest = -1;

	if (parse_list(item, key, &list, NULL) < 0)
		return -1;
	for (size_t i = 0; i < list.n; i++)
		if (lowest < 0 || list.cpu[i] < lowest)
			lowest = list.cpu[i];
	cpulist_release(&list);
	return lowest;
}

static bool is_online(const struct topology *t, int cpu)
{
	return !t->online.n || cpulist_has(&t->online, cpu);
}

static int add_cpu(struct topology *t, const json_t *item, struct error *err)
{
	int64_t number = json_int(item, "cpu", -1);
	struct topology_cpu c = {
		.cpu = (int)number,
		.core = group_of(item, "siblings"),
		.llc = group_of(item, "llc"),
		.package = (int)json_int(item, "package", 0),
		.node = (int)json_int(item, "node", 0),
	};

	if (number < 0 || number > CPULIST_MAX_CPU)
		return error_set(err, -EINVAL, "the machine's topology has a CPU without number");
	if (!is_online(t, c.cpu))
		return 0;
	if (topology_find(t, c.cpu))
		return error_set(err, -EINVAL, "the machine's topology has CPU %d twice", c.cpu);
	array_reserve(t->c, t->n, t->cap);
	t->c[t->n++] = c;
	return 0;
}

static const json_t *item_of(const json_t *cpus, int cpu)
{
	size_t i;
	json_t *item;

	json_array_foreach(cpus, i, item)
		if (json_int(item, "cpu", -1) == cpu)
			return item;
	return NULL;
}

/* Without a list of siblings: the same core number in the same die of the same package. */
static bool same_core_number(const json_t *a, const json_t *b)
{
	static const char *const keys[] = { "core", "die", "package" };

	if (!json_is_integer(json_object_get(a, "core")))
		return false;
	for (size_t i = 0; i < array_size(keys); i++)
		if (json_int(a, keys[i], -1) != json_int(b, keys[i], -1))
			return false;
	return true;
}

static void fill_core(struct topology *t, struct topology_cpu *c, const json_t *cpus)
{
	c->core = c->cpu;
	for (size_t i = 0; i < t->n; i++)
		if (t->c[i].cpu < c->core &&
			same_core_number(item_of(cpus, c->cpu), item_of(cpus, t->c[i].cpu)))
			c->core = t->c[i].cpu;
}

static void fill_gaps(struct topology *t, const json_t *cpus)
{
	t->llc_known = true;
	for (size_t i = 0; i < t->n; i++) {
		if (t->c[i].core < 0)
			fill_core(t, &t->c[i], cpus);
		t->c[i].l1 = t->c[i].core;
		if (t->c[i].llc < 0)
			t->llc_known = false;
	}
	for (size_t i = 0; i < t->n && !t->llc_known; i++)
		t->c[i].llc = t->c[i].package;
}

static int by_cpu(const void *a, const void *b)
{
	return ((const struct topology_cpu *)a)->cpu - ((const struct topology_cpu *)b)->cpu;
}

static int parse_cpus(struct topology *t, const json_t *cpus, struct error *err)
{
	size_t i;
	json_t *item;

	json_array_foreach(cpus, i, item) {
		int r = add_cpu(t, item, err);

		if (r < 0)
			return r;
	}
	if (!t->n)
		return error_set(
			err, -EINVAL, "the agent's facts hold no topology: no CPU is online");
	qsort(t->c, t->n, sizeof(*t->c), by_cpu);
	fill_gaps(t, cpus);
	return 0;
}

int topology_parse(const json_t *facts, struct topology *topology, struct error *err)
{
	const json_t *object = json_object_get(facts, "topology");
	int r;

	*topology = (struct topology){ 0 };
	r = parse_list(object, "online", &topology->online, err);
	if (!r)
		r = parse_list(object, "possible", &topology->possible, err);
	if (!r)
		r = parse_list(facts, "isolated", &topology->isolated, err);
	if (!r)
		r = parse_cpus(topology, json_object_get(object, "cpus"), err);
	if (r < 0)
		topology_release(topology);
	return r;
}

static bool has_wide_cores(const struct topology *t)
{
	for (size_t i = 0; i < t->n; i++) {
		size_t threads = 0;

		for (size_t j = 0; j < t->n; j++)
			threads += t->c[j].core == t->c[i].core;
		if (threads > 2)
			return true;
	}
	return false;
}

void topology_read_l1(struct topology *topology, const struct machine *machine)
{
	if (!has_wide_cores(topology))
		return;
	for (size_t i = 0; i < topology->n; i++) {
		struct topology_cpu *c = &topology->c[i];
		char *path = xasprintf(
			"sys/devices/system/cpu/cpu%d/cache/index0/shared_cpu_list", c->cpu);
		struct cpulist list = CPULIST_INIT;
		char *text = NULL;

		if (machine_read(machine, path, &text, NULL) == 0 &&
			cpulist_parse(text, &list, NULL) == 0 && cpulist_has(&list, c->cpu)) {
			c->l1 = c->cpu;
			for (size_t j = 0; j < list.n; j++)
				if (list.cpu[j] < c->l1)
					c->l1 = list.cpu[j];
		}
		cpulist_release(&list);
		free(text);
		free(path);
	}
}

const struct topology_cpu *topology_find(const struct topology *topology, int cpu)
{
	for (size_t i = 0; i < topology->n; i++)
		if (topology->c[i].cpu == cpu)
			return &topology->c[i];
	return NULL;
}

void topology_release(struct topology *topology)
{
	free(topology->c);
	cpulist_release(&topology->online);
	cpulist_release(&topology->possible);
	cpulist_release(&topology->isolated);
	*topology = (struct topology){ 0 };
}
