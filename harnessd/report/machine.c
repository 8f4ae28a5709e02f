/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What was run, when, and on which machine: the head of the report. */
#include "report/report.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/cpulist.h"
#include "base/json.h"
#include "base/wrap.h"
#include "report/table.h"

static size_t online_cpus(const json_t *facts)
{
	struct cpulist list = CPULIST_INIT;
	size_t n = 0;

	if (cpulist_parse(
		    json_str(json_object_get(facts, "topology"), "online", ""), &list, NULL) == 0)
		n = list.n;
	cpulist_release(&list);
	return n;
}

static void write_kernel(const struct report *report, struct strbuf *line)
{
	const json_t *facts = report->run.facts, *kernel = json_object_get(facts, "kernel");
	const char *id = json_str(kernel, "build_id", NULL);

	strbuf_printf(line, "kernel:  Linux %s %s", json_str(kernel, "release", "unknown"),
		json_str(kernel, "machine", ""));
	if (id)
		strbuf_printf(line, ", build id %.12s", id);
	strbuf_printf(line, "; %s", json_str(kernel, "cmdline", ""));
}

static void write_machine(const struct report *report, struct strbuf *line)
{
	const json_t *facts = report->run.facts, *cpu = json_object_get(facts, "cpu");
	const json_t *idle = json_object_get(facts, "cpuidle");
	const char *virt = json_str(facts, "virtualisation", NULL);

	strbuf_printf(line, "machine: %zu x %s", online_cpus(facts), json_str(cpu, "model", "CPU"));
	if (json_str(cpu, "microcode", NULL))
		strbuf_printf(line, ", microcode %s", json_str(cpu, "microcode", ""));
	if (virt)
		strbuf_printf(line, ", %s guest", virt);
	strbuf_printf(line, ", clock %s", json_str(facts, "clocksource", "unknown"));
	strbuf_printf(line, ", idle driver %s", json_str(idle, "driver", "none"));
}

static void write_benchmark(const struct report *report, struct strbuf *line)
{
	const char *name = json_str(report->run.job, "benchmark", NULL);
	const char *version =
		json_str(json_object_get(report->run.facts, "benchmark"), "version", NULL);

	if (name)
		strbuf_printf(line, "; benchmark %s%s%s", name, version ? " " : "",
			version ? version : "");
}

/* "target:  vm, tcg,thread=single, QEMU 7.2.22, 4 CPUs (2 threads per core), 512 MiB" */
static void write_target(const struct report *report, struct strbuf *line)
{
	const json_t *t = report->run.target;
	const char *qemu = json_str(t, "qemu", NULL);

	strbuf_printf(line, "target:  %s", json_str(t, "kind", "unknown"));
	if (qemu)
		strbuf_printf(line, ", %s, QEMU %.*s, %lld CPUs", json_str(t, "accel", "?"),
			(int)strcspn(qemu, " "), qemu, (long long)json_int(t, "cpus", 0));
	if (qemu && json_int(t, "threads", 1) > 1)
		strbuf_printf(
			line, " (%lld threads per core)", (long long)json_int(t, "threads", 1));
	if (qemu)
		strbuf_printf(line, ", %lld MiB", (long long)json_int(t, "memory", 0) >> 20);
	write_benchmark(report, line);
}

void report_machine(const struct report *report, struct strbuf *out)
{
	const struct store_run *run = &report->run;
	char *when = clock_iso8601(run->started_ns), *title;
	void (*const parts[])(const struct report *, struct strbuf *) = { write_kernel,
		write_machine, write_target };

	title = xasprintf("%s: run %lld, %s, harness %s, seed %llu", run->name, (long long)run->id,
		when, run->version ? run->version : "?", (unsigned long long)run->seed);
	wrap_words(out, title, 0, 2);
	if (json_str(run->job, "description", NULL))
		wrap_words(out, json_str(run->job, "description", ""), 0, 0);
	free(title);
	free(when);
	for (size_t i = 0; run->facts && i < array_size(parts); i++) {
		struct strbuf line = STRBUF_INIT;

		parts[i](report, &line);
		report_cut(out, strbuf_text(&line), REPORT_WIDTH); /* the JSON has all */
		strbuf_release(&line);
	}
	if (report_times_are_emulated(report)) {
		char *why = xasprintf("note: %s; read the event counts first, and of the times "
				      "only the medians",
			json_str(run->target, "timing", ""));

		wrap_words(out, why, 0, 9);
		free(why);
	}
}

bool report_times_are_emulated(const struct report *report)
{
	return json_str(report->run.target, "timing", NULL) != NULL;
}
