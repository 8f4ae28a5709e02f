/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Performance counters of a trial, counted by the agent (perf_probe.c); this is the host's side. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "collectors/collector.h"
#include "spec/option.h"

/* [{"event": "cycles", "pmu": "cpu", "cpu": 1, "unit": "", "scale": 1.0,
 *   "value": 123, "enabled": 5000000, "running": 5000000, "group": null, "error": null}, ...] */

/* Counted for less of the time than this, a scaled counter is an estimate: LinuxPerf.jl saw wrong
 * ones by a factor of 100 at 46 %. It is shown, but decides nothing. */
#define RUNNING_SHARE_TRUSTED 95.0

struct perf_options {
	struct string_list events;
	int scope;
};

static const char *const scopes[] = { "cpus", "system", "process", NULL };

static const struct option_row rows[] = {
	{
		.name = "events",
		.type = OPT_STRINGS,
		.offset = offsetof(struct perf_options, events),
		.dflt = "[task-clock, context-switches, cpu-migrations, page-faults, cycles, "
			"instructions, branches, branch-misses]",
		.pattern = "[^\\s\\x00-\\x1f]+",
		.help = "What is counted: names as in perf list (cycles, context-switches), "
			"tracepoints (sched:sched_switch), events of a PMU in sysfs "
			"(cpu/event=0x3c/) and the processor's own names as libpfm4 has them. "
			"\"{a,b}\" counts a and b together or not at all. An event that the "
			"machine "
			"lacks is reported as such and the others are counted.",
		.example = "[context-switches, \"{cycles,instructions}\", sched:sched_wakeup]",
	},
	{
		.name = "scope",
		.type = OPT_ENUM,
		.offset = offsetof(struct perf_options, scope),
		.dflt = "cpus",
		.choices = scopes,
		.help = "Where it is counted: on the benchmark's CPUs (all CPUs if it is not bound "
			"to some), on all CPUs of the system, or in the benchmark's process and "
			"what it starts.",
		.example = "system",
	},
	{ 0 },
};

static const struct option_table table = {
	.name = "perf",
	.help = "Performance counters around each trial.",
	.rows = rows,
	.size = sizeof(struct perf_options),
	.shorthand = "events",
};

/* One member of the array. */
struct count {
	const char *event, *pmu, *unit, *error;
	json_t *cpu;
	double value, enabled, running, scale;
};

/* The kernel's counters have 64 bits; the bounds keep every product below finite. */
static bool is_count(const json_t *entry, const char *key, double *number)
{
	*number = json_num(entry, key, -1);
	return *number >= 0 && *number < 1.9e19;
}

static int read_count(const json_t *entry, struct count *c, struct error *err)
{
	*c = (struct count){
		.event = json_str(entry, "event", NULL),
		.pmu = json_str(entry, "pmu", ""),
		.unit = json_str(entry, "unit", ""),
		.error = json_str(entry, "error", NULL),
		.cpu = json_object_get(entry, "cpu"),
		.scale = json_num(entry, "scale", 1),
	};
	if (!c->event || !*c->event)
		return error_set(err, -EINVAL, "a counter has no event name");
	if (c->cpu && !json_is_null(c->cpu) && !json_is_integer(c->cpu))
		return error_set(err, -EINVAL, "counter %s: the CPU is no number", c->event);
	if (c->error)
		return 0;
	if (!is_count(entry, "value", &c->value) || !is_count(entry, "enabled", &c->enabled) ||
		!is_count(entry, "running", &c->running) || !(fabs(c->scale) < 1e12))
		return error_set(err, -EINVAL,
			"counter %s: value, enabled and running are to be numbers", c->event);
	return 0;
}

static void label(const struct count *c, struct value *v, struct values *out)
{
	values_label(out, v, "event", c->event);
	if (*c->pmu)
		values_label(out, v, "pmu", c->pmu);
	if (json_is_integer(c->cpu))
		values_label_int(out, v, "cpu", (long)json_integer_value(c->cpu));
}

static char *where(const struct count *c)
{
	char *pmu = *c->pmu ? xasprintf(" (%s)", c->pmu) : xstrdup(""), *text;

	if (json_is_integer(c->cpu))
		text = xasprintf(
			"%s%s on CPU %lld", c->event, pmu, (long long)json_integer_value(c->cpu));
	else
		text = xasprintf("%s%s", c->event, pmu);
	free(pmu);
	return text;
}

/* No value for what was not counted: 0 would be a lie. */
static void emit_not_counted(const struct count *c, struct values *out)
{
	char *place = where(c);

	label(c, values_add(out, "not_counted", "", 1), out);
	values_note(out, "%s: not counted: %s", place,
		c->enabled > 0 ? "it never got a counter of the hardware" : "nothing ran");
	free(place);
}

static bool same_refusal(const struct count *a, const struct count *b)
{
	return b->error && strcmp(a->event, b->event) == 0 && strcmp(a->pmu, b->pmu) == 0 &&
	       strcmp(a->error, b->error) == 0;
}

/* What was refused on each of many CPUs is told once. */
static void emit_refused(const json_t *list, size_t at, struct values *out)
{
	struct count c, other;
	size_t refused = 0;

	read_count(json_array_get(list, at), &c, NULL);
	for (size_t i = 0; i < json_array_size(list); i++) {
		read_count(json_array_get(list, i), &other, NULL);
		if (!same_refusal(&c, &other))
			continue;
		if (i < at)
			return;
		refused++;
	}
	c.cpu = NULL;
	label(&c, values_add(out, "not_supported", "", (double)refused), out);
	values_note(out, "%s: %s", c.event, c.error);
}

/* The kernel's two clocks count time and name no unit of their own. */
static const char *unit_of(const struct count *c)
{
	if (*c->unit)
		return c->unit;
	return strcmp(c->event, "task-clock") == 0 || strcmp(c->event, "cpu-clock") == 0 ? "ns"
											 : "count";
}

static void emit_count(const struct count *c, struct values *out)
{
	double share = c->enabled > 0 ? 100 * c->running / c->enabled : 0;
	char *place;

	if (c->running <= 0) {
		emit_not_counted(c, out);
		return;
	}
	label(c,
		values_add(out, c->event, unit_of(c),
			c->value * c->scale * (share < 100 ? c->enabled / c->running : 1)),
		out);
	if (share >= 100)
		return;
	label(c, values_add(out, "running_share", "%", share), out);
	if (share >= RUNNING_SHARE_TRUSTED)
		return;
	place = where(c);
	values_note(out,
		"%s was counted %.2f %% of the time and scaled up: no figure for a verdict", place,
		share);
	free(place);
}

static int check_all(const json_t *list, struct error *err)
{
	struct count c;
	size_t i;
	json_t *entry;
	int r = 0;

	if (!json_is_array(list))
		return error_set(err, -EINVAL, "the counters are no JSON array");
	json_array_foreach(list, i, entry) {
		r = read_count(entry, &c, err);
		if (r < 0)
			return r;
	}
	return 0;
}

static int parse(const struct collector_text *before, const struct collector_text *after, bool all,
	struct values *out, struct error *err)
{
	const struct collector_text *text = collector_text_last(before, after);
	json_t *list = NULL, *entry;
	struct count c;
	size_t i;
	int r;

	(void)all; /* a counter that was asked for is reported, 0 or not */
	if (before && after)
		return error_set(err, -EINVAL, "perf gives one text of a trial, not two");
	r = json_parse(text->text, text->len, &list, err);
	if (!r)
		r = check_all(list, err);
	if (!r) {
		json_array_foreach(list, i, entry) {
			read_count(entry, &c, NULL);
			if (c.error)
				emit_refused(list, i, out);
			else
				emit_count(&c, out);
		}
	}
	json_decref(list);
	return r;
}

const struct collector_ops perf_collector = {
	.name = "perf",
	.help = "performance counters, software events and tracepoints of each trial",
	.probe = "perf",
	.options = &table,
	.parse = parse,
};
