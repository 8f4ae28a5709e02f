/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Plug-ins that are none, for the tests of harnessd/spec. */
#ifndef TESTS_UNIT_SPEC_FAKE_H
#define TESTS_UNIT_SPEC_FAKE_H

#include <errno.h>
#include <string.h>

#include "base/alloc.h"
#include "base/cpulist.h"
#include "spec/registry.h"

static inline int fake_text_check(const json_t *level, struct error *err)
{
	const char *text = json_string_value(level);

	if (!text || !*text || strchr(text, ' '))
		return error_set(err, -EINVAL, "a level is one word");
	return 0;
}

static inline char *fake_text_label(const json_t *level)
{
	return xstrdup(json_string_value(level));
}

static inline int fake_cpus_check(const json_t *level, struct error *err)
{
	const json_t *cpu;
	size_t i;

	json_array_foreach(level, i, cpu) {
		if (!json_is_integer(cpu))
			return error_set(err, -EINVAL, "CPU %zu of the list is no number", i);
	}
	return json_array_size(level) ? 0 : error_set(err, -EINVAL, "cpus takes a list of CPUs");
}

static inline char *fake_cpus_label(const json_t *level)
{
	struct cpulist list = CPULIST_INIT;
	const json_t *cpu;
	char *text;
	size_t i;

	json_array_foreach(level, i, cpu)
		cpulist_add(&list, (int)json_integer_value(cpu));
	text = cpulist_format(&list);
	cpulist_release(&list);
	return text;
}

static const struct registry_entry fake_knobs[] = {
	{ .name = "features",
		.help = "words",
		.check = fake_text_check,
		.label = fake_text_label,
		.schema = "{\"oneOf\":[{\"type\":\"string\"},{\"type\":\"array\",\"items\":"
			  "{\"type\":\"string\"}}]}" },
	{ .name = "cpus",
		.help = "CPUs",
		.check = fake_cpus_check,
		.label = fake_cpus_label,
		.schema = "{\"type\":\"array\",\"items\":{\"type\":\"integer\"}}" },
	{ .name = "kernel",
		.help = "a kernel",
		.check = fake_text_check,
		.label = fake_text_label,
		.schema = "{\"type\":\"string\"}" },
};

struct fake_vm {
	long cpus, memory;
	char *kernel;
	double boot_timeout;
};

static const struct option_row fake_vm_rows[] = {
	{ .name = "cpus",
		.type = OPT_INT,
		.offset = offsetof(struct fake_vm, cpus),
		.min = 1,
		.max = 64,
		.dflt = "2",
		.help = "CPUs of the guest.",
		.example = "4" },
	{ .name = "memory",
		.type = OPT_SIZE,
		.offset = offsetof(struct fake_vm, memory),
		.min = 64 << 20,
		.max = 1LL << 40,
		.dflt = "1G",
		.help = "Memory of the guest.",
		.example = "512M" },
	{ .name = "kernel",
		.type = OPT_STRING,
		.offset = offsetof(struct fake_vm, kernel),
		.help = "Its kernel." },
	{ .name = "boot_timeout",
		.type = OPT_DURATION,
		.offset = offsetof(struct fake_vm, boot_timeout),
		.dflt = "2m",
		.help = "Limit." },
	{ 0 },
};

static const struct option_table fake_vm_table = {
	.name = "vm", .help = "a guest", .rows = fake_vm_rows, .size = sizeof(struct fake_vm)
};

struct fake_ssh {
	char *host;
};

static const struct option_row fake_ssh_rows[] = {
	{ .name = "host",
		.type = OPT_STRING,
		.required = true,
		.help = "Its name.",
		.example = "lab.example" },
	{ 0 },
};

static const struct option_table fake_ssh_table = { .name = "ssh",
	.help = "another machine",
	.rows = fake_ssh_rows,
	.size = sizeof(struct fake_ssh),
	.shorthand = "host" };

static const struct registry_entry fake_targets[] = {
	{ .name = "local", .help = "this machine" },
	{ .name = "vm", .help = "a guest", .options = &fake_vm_table },
	{ .name = "ssh", .help = "another machine", .options = &fake_ssh_table },
};

struct fake_perf {
	struct string_list events;
	int scope;
};

static const char *const fake_scopes[] = { "cpus", "system", "process", NULL };

static const struct option_row fake_perf_rows[] = {
	{ .name = "events",
		.type = OPT_STRINGS,
		.offset = offsetof(struct fake_perf, events),
		.dflt = "[task-clock, cycles]",
		.help = "What is counted." },
	{ .name = "scope",
		.type = OPT_ENUM,
		.offset = offsetof(struct fake_perf, scope),
		.choices = fake_scopes,
		.dflt = "cpus",
		.help = "Where." },
	{ 0 },
};

static const struct option_table fake_perf_table = {
	.name = "perf", .help = "counters", .rows = fake_perf_rows, .size = sizeof(struct fake_perf)
};

static const struct registry_entry fake_collectors[] = {
	{ .name = "interrupts", .help = "interrupts" },
	{ .name = "perf", .help = "counters", .options = &fake_perf_table },
};

static const struct registry fake_registry = {
	.knobs = fake_knobs,
	.n_knobs = array_size(fake_knobs),
	.targets = fake_targets,
	.n_targets = array_size(fake_targets),
	.collectors = fake_collectors,
	.n_collectors = array_size(fake_collectors),
};

#endif
