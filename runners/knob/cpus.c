/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "runners/knob/knob.h"

#include <errno.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/json.h"
#include "runners/knob/topology.h"

static int bad_form(struct error *err)
{
	return error_set(err, -EINVAL,
		"cpus takes CPU numbers, as a list like [0, 8] or as text like '0-3,8'");
}

static int add_number(const json_t *item, struct cpulist *list, struct error *err)
{
	json_int_t cpu = json_integer_value(item);

	if (!json_is_integer(item) || cpu < 0 || cpu > CPULIST_MAX_CPU)
		return bad_form(err);
	cpulist_add(list, (int)cpu);
	return 0;
}

static int parse_level(const json_t *level, struct cpulist *list, struct error *err)
{
	int r = 0;
	size_t i;
	json_t *item;

	*list = CPULIST_INIT;
	if (json_is_string(level))
		return cpulist_parse(json_string_value(level), list, err);
	if (json_is_integer(level))
		return add_number(level, list, err);
	json_array_foreach(level, i, item) {
		r = add_number(item, list, err);
		if (r < 0) {
			cpulist_release(list);
			return r;
		}
	}
	return 0;
}

static int cpus_check(const json_t *level, struct error *err)
{
	struct cpulist list;
	int r = parse_level(level, &list, err);

	if (!r && !list.n)
		r = bad_form(err);
	cpulist_release(&list);
	return r;
}

static char *cpus_label(const json_t *level)
{
	struct cpulist list;
	char *text;

	if (parse_level(level, &list, NULL) < 0 || !list.n)
		return json_line(level);
	text = cpulist_format(&list);
	cpulist_release(&list);
	return text;
}

static int check_online(const struct topology *t, const struct cpulist *list, struct error *err)
{
	for (size_t i = 0; i < list->n; i++) {
		int cpu = list->cpu[i];
		char *there;

		if (topology_find(t, cpu))
			continue;
		there = cpulist_format(&t->online);
		if (cpulist_has(&t->possible, cpu))
			error_set(err, -ENODEV, "CPU %d is offline; online are %s", cpu, there);
		else
			error_set(err, -ENODEV, "this machine has no CPU %d; online are %s", cpu,
				there);
		free(there);
		return -ENODEV;
	}
	return 0;
}

static int cpus_plan(const json_t *level, const struct machine *machine, struct knob_plan *plan,
	struct error *err)
{
	struct cpulist list;
	struct topology t;
	int r = cpus_check(level, err);

	if (!r)
		r = topology_parse(machine->facts, &t, err);
	if (r < 0)
		return r;
	parse_level(level, &list, NULL);
	r = check_online(&t, &list, err);
	if (!r)
		r = knob_plan_cpus(plan, &list, err);
	cpulist_release(&list);
	topology_release(&t);
	return r;
}

static int cpus_available(const struct machine *machine, struct error *err)
{
	struct topology t;
	int r = topology_parse(machine->facts, &t, err);

	topology_release(&t);
	return r;
}

const struct knob_ops knob_cpus = {
	.name = "cpus",
	.help = "which CPUs the benchmark runs on, by number",
	.long_help =
		"A level is a list of CPU numbers, or text as the kernel writes such lists. Their\n"
		"order counts: the first is {cpu0} of the benchmark's command, the second {cpu1};\n"
		"one may stand twice. Each must exist and be online.\n"
		"\n"
		"  factors:\n"
		"    cpus: [[0, 1], [0, 8]]\n"
		"  fixed:\n"
		"    cpus: 0-3\n"
		"\n"
		"To choose them by what they share, see placement; a job uses one of the two.\n",
	.schema = "{\"oneOf\":[{\"type\":\"array\",\"minItems\":1,\"items\":"
		  "{\"type\":\"integer\",\"minimum\":0}},"
		  "{\"type\":\"integer\",\"minimum\":0},{\"type\":\"string\"}]}",
	.label = cpus_label,
	.check = cpus_check,
	.plan = cpus_plan,
	.available = cpus_available,
};
