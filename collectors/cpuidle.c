/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Idle states: how often and how long each CPU was in each. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/cpulist.h"
#include "collectors/collector.h"
#include "collectors/scan.h"

/* A dump of sysfs, one file a line (names of states may hold blanks):
 *	sys/devices/system/cpu/cpu0/cpuidle/state1/name: Shared Cede
 *	sys/devices/system/cpu/cpu0/cpuidle/state1/usage: 759
 * or the summary that scripts print:
 *	CPU4: snooze (enabled ), Usage = 2053854 times, Time = 2041727 us */

enum counter { USAGE, TIME, ABOVE, BELOW, REJECTED, DISABLED, N_COUNTERS };

static const struct {
	const char *file, *name, *unit;
} counters[N_COUNTERS] = {
	[USAGE] = { "usage", "usage", "count" },
	[TIME] = { "time", "time", "us" },
	[ABOVE] = { "above", "above", "count" },
	[BELOW] = { "below", "below", "count" },
	[REJECTED] = { "rejected", "rejected", "count" },
	[DISABLED] = { "disable", "disabled", "" },
};

/* One state of one CPU; @has: bits of the counters that the text holds. */
struct state {
	int cpu, index;
	char *name;
	unsigned int has;
	uint64_t count[N_COUNTERS];
};

struct states {
	struct state *s;
	size_t n, cap;
	struct span driver, governor;
	size_t unknown;
};

static void states_release(struct states *st)
{
	for (size_t i = 0; i < st->n; i++)
		free(st->s[i].name);
	free(st->s);
}

static struct state *find_state(const struct states *st, int cpu, int index)
{
	/* The files of one state stand together: the last one is the likely one. */
	for (size_t i = st->n; i-- > 0;)
		if (st->s[i].cpu == cpu && st->s[i].index == index)
			return &st->s[i];
	return NULL;
}

static struct state *get_state(struct states *st, int cpu, int index)
{
	struct state *s = find_state(st, cpu, index);

	if (s)
		return s;
	array_reserve(st->s, st->n, st->cap);
	s = &st->s[st->n++];
	*s = (struct state){ .cpu = cpu, .index = index };
	return s;
}

static bool small_number(struct span *s, uint64_t max, int *number)
{
	uint64_t v;

	if (!span_digits(s, &v) || v > max)
		return false;
	*number = (int)v;
	return true;
}

/* Return: false when the value is no number where one belongs. */
static bool set_file(struct state *s, struct span file, struct span value)
{
	if (span_eq(file, "name")) {
		free(s->name);
		s->name = span_text(value);
		return true;
	}
	for (int c = 0; c < N_COUNTERS; c++) {
		if (!span_eq(file, counters[c].file))
			continue;
		if (!span_u64(span_trim(value), &s->count[c]))
			return false;
		s->has |= 1u << c;
	}
	return true; /* desc, latency, power, residency, ...: settings, no counters */
}

static bool parse_dump_line(struct span line, struct states *st)
{
	struct span path = line, value;
	int cpu, index;

	while (span_skip(&path, "/"))
		;
	if (!span_skip(&path, "sys/devices/system/cpu/"))
		return false;
	value = path;
	if (!span_after(&value, ":"))
		return false;
	path.end = value.p - 1;
	if (span_eq(path, "cpuidle/current_driver"))
		st->driver = span_trim(value);
	else if (span_eq(path, "cpuidle/current_governor"))
		st->governor = span_trim(value);
	if (!span_skip(&path, "cpu") || !small_number(&path, CPULIST_MAX_CPU, &cpu))
		return span_skip(&path, "idle/");
	if (!span_skip(&path, "/cpuidle/"))
		return false;
	if (!span_skip(&path, "state") || !small_number(&path, 255, &index) ||
		!span_skip(&path, "/"))
		return true; /* driver/name and the like */
	return set_file(get_state(st, cpu, index), path, value);
}

/* The states of a CPU stand in order, so the index is the number of those before. */
static int next_index(const struct states *st, int cpu)
{
	int n = 0;

	for (size_t i = 0; i < st->n; i++)
		n += st->s[i].cpu == cpu;
	return n;
}

static bool parse_summary_line(struct span line, struct states *st)
{
	struct span name, status;
	struct state state = { .has = 1u << USAGE | 1u << TIME | 1u << DISABLED };

	line = span_trim(line);
	if (!span_skip(&line, "CPU") || !small_number(&line, CPULIST_MAX_CPU, &state.cpu) ||
		!span_skip(&line, ":"))
		return false;
	name = line;
	if (!span_after(&line, "("))
		return false;
	name.end = line.p - 1;
	status = line;
	if (!span_after(&line, "), Usage = ") || !span_digits(&line, &state.count[USAGE]) ||
		!span_skip(&line, " times, Time = ") || !span_digits(&line, &state.count[TIME]) ||
		!span_eq(span_trim(line), "us"))
		return false;
	status.end = span_find(status, "),");
	state.count[DISABLED] = !span_eq(span_trim(status), "enabled");
	state.index = next_index(st, state.cpu);
	state.name = span_text(name);
	*get_state(st, state.cpu, state.index) = state;
	return true;
}

static int parse_states(const struct collector_text *t, struct states *st, struct error *err)
{
	struct span text = span_of(t->text, t->len), line;
	size_t number = 0, known = 0;

	*st = (struct states){ 0 };
	while (span_line(&text, &line)) {
		number++;
		if (span_blank(line))
			continue;
		if (parse_dump_line(line, st) || parse_summary_line(line, st))
			known++;
		else if (span_find(line, "/cpuidle/state"))
			return error_set(err, -EINVAL,
				"line %zu names an idle state's file without a value that fits",
				number);
		else
			st->unknown++;
	}
	if (!known)
		return error_set(err, -EINVAL,
			"there are no idle states in the text; the machine has no cpuidle driver, "
			"or the text is of another kind");
	return 0;
}

static struct value *emit(const struct state *s, enum counter c, double number, struct values *out)
{
	struct value *v = values_add(out, counters[c].name, counters[c].unit, number);

	values_label_int(out, v, "cpu", s->cpu);
	if (s->name) {
		values_label(out, v, "state", s->name);
	} else {
		char *name = xasprintf("state%d", s->index);

		values_label(out, v, "state", name);
		free(name);
	}
	values_label_int(out, v, "index", s->index);
	return v;
}

static void emit_snapshot(const struct states *st, struct values *out)
{
	char *driver = span_text(st->driver), *governor = span_text(st->governor);

	for (size_t i = 0; i < st->n; i++)
		for (int c = 0; c < N_COUNTERS; c++)
			if (st->s[i].has & 1u << c)
				emit(&st->s[i], c, (double)st->s[i].count[c], out);
	if (*driver || *governor)
		values_note(out, "driver %s, governor %s", *driver ? driver : "none",
			*governor ? governor : "none");
	if (!st->n)
		values_note(out, "no CPU has idle states");
	if (st->unknown)
		values_note(out, "%zu lines are none of an idle state", st->unknown);
	free(driver);
	free(governor);
}

static bool has_cpu(const struct states *st, int cpu)
{
	for (size_t i = 0; i < st->n; i++)
		if (st->s[i].cpu == cpu)
			return true;
	return false;
}

static int check_cpus(const struct states *a, const struct states *b, struct error *err)
{
	for (int turn = 0; turn < 2; turn++) {
		const struct states *one = turn ? b : a, *other = turn ? a : b;

		for (size_t i = 0; i < one->n; i++)
			if (!has_cpu(other, one->s[i].cpu))
				return error_set(err, -ESTALE,
					"CPU %d has idle states %s only: the CPUs changed between "
					"the two snapshots",
					one->s[i].cpu, turn ? "in the second" : "in the first");
	}
	return 0;
}

static void note_state(const struct state *s, const char *what, struct values *out)
{
	values_note(
		out, "CPU %d state %d (%s): %s", s->cpu, s->index, s->name ? s->name : "?", what);
}

static void emit_difference(
	const struct state *old, const struct state *new, bool all, struct values *out)
{
	for (int c = 0; c < N_COUNTERS; c++) {
		uint64_t from = old->count[c], to = new->count[c];

		if (!(old->has & new->has & 1u << c))
			continue;
		if (c == DISABLED) {
			if (from != to)
				note_state(new,
					to ? "was disabled between the snapshots"
					   : "was enabled between the snapshots",
					out);
			if (to || all)
				emit(new, c, (double)to, out);
		} else if (to < from) {
			note_state(new, "a counter was set back, left out", out);
		} else if (to > from || all) {
			emit(new, c, (double)(to - from), out);
		}
	}
}

static int emit_differences(const struct states *old, const struct states *new, bool all,
	struct values *out, struct error *err)
{
	int r = check_cpus(old, new, err);

	for (size_t i = 0; !r && i < new->n; i++) {
		const struct state *s = &new->s[i], *was = find_state(old, s->cpu, s->index);

		if (was && (!was->name || !s->name || strcmp(was->name, s->name) == 0))
			emit_difference(was, s, all, out);
		else
			note_state(s, "is another state than before, left out", out);
	}
	for (size_t i = 0; !r && i < old->n; i++)
		if (!find_state(new, old->s[i].cpu, old->s[i].index))
			note_state(&old->s[i], "vanished between the snapshots", out);
	return r;
}

static int parse(const struct collector_text *before, const struct collector_text *after, bool all,
	struct values *out, struct error *err)
{
	struct states old = { 0 }, new = { 0 };
	int r = parse_states(collector_text_last(before, after), &new, err);

	if (!r && before && after) {
		r = parse_states(before, &old, err);
		if (!r)
			r = emit_differences(&old, &new, all, out, err);
	} else if (!r) {
		emit_snapshot(&new, out);
	}
	states_release(&old);
	states_release(&new);
	return r;
}

static const char *const aliases[] = { "cpuidle_dump", "cpuidle_names", NULL };
static const char *const paths[] = {
	"sys/devices/system/cpu/cpuidle/{current_driver,current_governor}",
	"sys/devices/system/cpu/cpu[0-9]*/cpuidle/state[0-9]*/"
	"{name,usage,time,above,below,rejected,disable}",
	NULL,
};

const struct collector_ops cpuidle_collector = {
	.name = "cpuidle",
	.aliases = aliases,
	.help = "idle states of each CPU: entries, time, too deep, too shallow, rejected, disabled",
	.paths = paths,
	.parse = parse,
};
