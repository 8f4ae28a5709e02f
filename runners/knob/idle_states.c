/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "runners/knob/knob.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/alloc.h"
#include "base/cpulist.h"
#include "base/json.h"
#include "base/strbuf.h"
#include "runners/knob/level.h"

enum want { WANT_NOTHING, WANT_ENABLED, WANT_DISABLED };

/** struct idle_state - one state of one CPU; @named: a name or number asked for it, not "all" */
struct idle_state {
	int cpu, index;
	char *name;
	enum want want;
	bool named;
};

/** struct idle_states - those of the online CPUs, by CPU and number */
struct idle_states {
	struct idle_state *s;
	size_t n, cap;
};

/* Levels that are one word, and what they stand for. */
static const struct short_form {
	const char *name;
	const char *key;
	const char *word;
} short_forms[] = {
	{ "all-enabled", "enable", "all" },
	{ "all-disabled", "disable", "all" },
	{ "all-but-first-disabled", "disable", "all-but-first" },
};

static const char forms[] = "'default', 'all-enabled', 'all-disabled', 'all-but-first-disabled', "
			    "or a mapping like {disable: [C6, 2]}, {disable: all-but-first}, "
			    "{disable: all, enable: [POLL]}";

/* The level as a mapping with lists ("disable": ["all"]); new reference, NULL for other forms. */
static json_t *as_mapping(const json_t *level)
{
	const char *word = json_string_value(level);
	json_t *mapping = json_object(), *value;
	const char *key;

	if (level_is_default(level))
		return mapping;
	for (size_t i = 0; word && i < array_size(short_forms); i++)
		if (strcmp(word, short_forms[i].name) == 0)
			json_object_set_new(
				mapping, short_forms[i].key, json_pack("[s]", short_forms[i].word));
	json_object_foreach((json_t *)level, key, value)
		json_object_set_new(mapping, key,
			json_is_array(value) ? json_incref(value) : json_pack("[O]", value));
	if (json_object_size(mapping))
		return mapping;
	json_decref(mapping);
	return NULL;
}

static int check_state(const json_t *state, struct error *err)
{
	const char *name = json_string_value(state);

	if (name ? *name != '\0' : json_is_integer(state) && json_integer_value(state) >= 0)
		return 0;
	return error_set(err, -EINVAL,
		"an idle state is given by its name (C6) or its number (2), or 'all' or "
		"'all-but-first' for several");
}

static int check_mapping(const json_t *mapping, struct error *err)
{
	static const char *const keys[] = { "disable", "enable" };
	const char *key;
	json_t *list, *state;
	size_t i;
	int r;

	json_object_foreach((json_t *)mapping, key, list) {
		if (strcmp(key, keys[0]) != 0 && strcmp(key, keys[1]) != 0) {
			char *hint = names_hint(key, "there are", keys, array_size(keys));

			error_set(err, -EINVAL, "idle_states has no '%s'%s", key, hint);
			free(hint);
			return -EINVAL;
		}
		json_array_foreach(list, i, state) {
			r = check_state(state, err);
			if (r < 0)
				return r;
		}
	}
	return 0;
}

static int idle_check(const json_t *level, struct error *err)
{
	json_t *mapping = as_mapping(level);
	int r = mapping ? check_mapping(mapping, err)
			: error_set(err, -EINVAL, "idle_states takes %s", forms);

	json_decref(mapping);
	return r;
}

static void label_list(struct strbuf *sb, const char *key, const json_t *list)
{
	size_t i;
	json_t *state;

	json_array_foreach(list, i, state) {
		char *text = json_scalar_text(state);

		if (i)
			strbuf_putc(sb, ',', 1);
		else
			strbuf_printf(sb, "%s%s ", sb->len ? " " : "", key);
		strbuf_puts(sb, text ? text : "?");
		free(text);
	}
}

static char *idle_label(const json_t *level)
{
	struct strbuf sb = STRBUF_INIT;
	const char *key;
	json_t *mapping, *list;

	if (json_is_string(level))
		return xstrdup(json_string_value(level));
	mapping = as_mapping(level);
	json_object_foreach(mapping, key, list)
		label_list(&sb, key, list);
	json_decref(mapping);
	if (!sb.len)
		strbuf_puts(&sb, "default");
	return strbuf_steal(&sb);
}

static void states_release(struct idle_states *states)
{
	for (size_t i = 0; i < states->n; i++)
		free(states->s[i].name);
	free(states->s);
	*states = (struct idle_states){ 0 };
}

static int read_name(
	const struct machine *machine, const char *path, char **name, struct error *err)
{
	int r = machine_read(machine, path, name, err);

	if (!r)
		(*name)[strcspn(*name, "\n")] = '\0';
	return r;
}

static int add_state(const struct machine *machine, const char *path, const struct cpulist *online,
	struct idle_states *states, struct error *err)
{
	struct idle_state s = { 0 };
	int end = 0, r;

	if (sscanf(path, "sys/devices/system/cpu/cpu%d/cpuidle/state%d/name%n", &s.cpu, &s.index,
		    &end) != 2 ||
		!end || path[end] || (online->n && !cpulist_has(online, s.cpu)))
		return 0;
	r = read_name(machine, path, &s.name, err);
	if (r < 0)
		return r;
	array_reserve(states->s, states->n, states->cap);
	states->s[states->n++] = s;
	return 0;
}

static int explain_none(const struct machine *machine, struct error *err)
{
	const char *driver = json_str(json_object_get(machine->facts, "cpuidle"), "driver", "none");

	if (strcmp(driver, "none") == 0)
		return error_set(err, -ENODEV,
			"this machine has no cpuidle driver, so it has no idle states to turn on "
			"or "
			"off; in a guest of target: vm choose the idle loop with cmdline: "
			"idle=poll");
	return error_set(err, -ENODEV,
		"the cpuidle driver '%s' shows no idle states for the online CPUs", driver);
}

static int states_read(const struct machine *machine, struct idle_states *states, struct error *err)
{
	struct cpulist online = CPULIST_INIT;
	json_t *paths = NULL, *path;
	size_t i;
	int r;

	*states = (struct idle_states){ 0 };
	r = cpulist_parse(
		json_str(json_object_get(machine->facts, "topology"), "online", ""), &online, err);
	if (!r)
		r = machine_glob(machine, "sys/devices/system/cpu/cpu[0-9]*/cpuidle/state*/name",
			&paths, err);
	json_array_foreach(paths, i, path) {
		if (r < 0)
			break;
		r = add_state(machine, json_string_value(path), &online, states, err);
	}
	if (!r && !states->n)
		r = explain_none(machine, err);
	json_decref(paths);
	cpulist_release(&online);
	if (r < 0)
		states_release(states);
	return r;
}

/* The states of the CPU at @at, as "POLL, C1, C6"; @end is where the next CPU's begin. */
static char *names_of_cpu(const struct idle_states *states, size_t at, size_t *end)
{
	struct strbuf sb = STRBUF_INIT;
	size_t i = at;

	for (; i < states->n && states->s[i].cpu == states->s[at].cpu; i++)
		strbuf_printf(
			&sb, "%s%d %s", i > at ? ", " : "", states->s[i].index, states->s[i].name);
	*end = i;
	return strbuf_steal(&sb);
}

static void add_group(struct strbuf *sb, struct cpulist *cpus, const char *names)
{
	char *list = cpulist_format(cpus);

	strbuf_printf(sb, "; CPUs %s have: %s", list, names);
	free(list);
	cpulist_release(cpus);
}

/* Neighbouring CPUs with the same states are told together. */
static char *states_text(const struct idle_states *states)
{
	struct strbuf sb = STRBUF_INIT;
	struct cpulist cpus = CPULIST_INIT;
	char *last = NULL;

	for (size_t at = 0; at < states->n;) {
		int cpu = states->s[at].cpu;
		char *names = names_of_cpu(states, at, &at);

		if (last && strcmp(names, last) != 0)
			add_group(&sb, &cpus, last);
		cpulist_add(&cpus, cpu);
		free(last);
		last = names;
	}
	if (last)
		add_group(&sb, &cpus, last);
	free(last);
	return strbuf_steal(&sb);
}

static bool all_digits(const char *text)
{
	return *text && !text[strspn(text, "0123456789")] && strlen(text) < 6;
}

static bool has_name(const struct idle_states *states, const char *name)
{
	for (size_t i = 0; i < states->n; i++)
		if (strcasecmp(states->s[i].name, name) == 0)
			return true;
	return false;
}

/** struct selector - which states a word of the level means: by name, or all from a number on */
struct selector {
	const char *name;
	json_int_t first, last;
	bool sweeping;
};

static struct selector select_states(const struct idle_states *states, const json_t *word)
{
	const char *name = json_string_value(word);

	if (!name)
		return (struct selector){ NULL, json_integer_value(word), json_integer_value(word),
			false };
	if (strcmp(name, "all") == 0)
		return (struct selector){ NULL, 0, INT32_MAX, true };
	if (strcmp(name, "all-but-first") == 0)
		return (struct selector){ NULL, 1, INT32_MAX, true };
	if (all_digits(name) && !has_name(states, name))
		return (struct selector){ NULL, atoi(name), atoi(name), false };
	return (struct selector){ name, 0, 0, false };
}

static bool selects(const struct selector *sel, const struct idle_state *s)
{
	if (sel->name)
		return strcasecmp(sel->name, s->name) == 0;
	return s->index >= sel->first && s->index <= sel->last;
}

/* A name outweighs "all" on the other side; two names against each other are a mistake. */
static int want(struct idle_state *s, enum want wanted, bool named, struct error *err)
{
	if (s->want != WANT_NOTHING && s->want != wanted) {
		if (s->named == named)
			return error_set(err, -EINVAL,
				"the idle state '%s' is to be both disabled and enabled", s->name);
		if (s->named)
			return 0;
	}
	s->want = wanted;
	s->named |= named;
	return 0;
}

static int apply_word(
	struct idle_states *states, const json_t *word, enum want wanted, struct error *err)
{
	struct selector sel = select_states(states, word);
	bool found = sel.sweeping;
	char *text, *there;

	for (size_t i = 0; i < states->n; i++) {
		int r = selects(&sel, &states->s[i])
				? want(&states->s[i], wanted, !sel.sweeping, err)
				: 0;

		if (r < 0)
			return r;
		found |= selects(&sel, &states->s[i]);
	}
	if (found)
		return 0;
	text = json_scalar_text(word);
	there = states_text(states);
	error_set(err, -EINVAL, "no online CPU has an idle state '%s'%s", text, there);
	free(text);
	free(there);
	return -EINVAL;
}

static int apply_mapping(struct idle_states *states, const json_t *mapping, struct error *err)
{
	const char *key;
	json_t *list, *word;
	size_t i;
	int r;

	json_object_foreach((json_t *)mapping, key, list) {
		json_array_foreach(list, i, word) {
			r = apply_word(states, word,
				strcmp(key, "enable") == 0 ? WANT_ENABLED : WANT_DISABLED, err);
			if (r < 0)
				return r;
		}
	}
	return 0;
}

static int plan_writes(const struct idle_states *states, struct knob_plan *plan, struct error *err)
{
	for (size_t i = 0; i < states->n; i++) {
		const struct idle_state *s = &states->s[i];
		char *path;
		int r;

		if (s->want == WANT_NOTHING)
			continue;
		path = xasprintf(
			"sys/devices/system/cpu/cpu%d/cpuidle/state%d/disable", s->cpu, s->index);
		r = knob_plan_set(
			plan, path, s->want == WANT_DISABLED ? "1" : "0", WRITE_PLAIN, err);
		free(path);
		if (r < 0)
			return r;
	}
	return 0;
}

static int idle_plan(const json_t *level, const struct machine *machine, struct knob_plan *plan,
	struct error *err)
{
	struct idle_states states = { 0 };
	json_t *mapping;
	int r = idle_check(level, err);

	if (r < 0)
		return r;
	mapping = as_mapping(level);
	if (json_object_size(mapping)) {
		r = states_read(machine, &states, err);
		if (!r)
			r = apply_mapping(&states, mapping, err);
		if (!r)
			r = plan_writes(&states, plan, err);
		states_release(&states);
	}
	json_decref(mapping);
	return r;
}

static int idle_available(const struct machine *machine, struct error *err)
{
	struct idle_states states;
	int r = states_read(machine, &states, err);

	if (r < 0)
		return r;
	states_release(&states);
	return machine_need_root(machine, err);
}

const struct knob_ops knob_idle_states = {
	.name = "idle_states",
	.help = "which idle states (cpuidle) the online CPUs may use",
	.long_help =
		"A level is one of the words\n"
		"\n"
		"  default                  as the machine has them\n"
		"  all-enabled              every state may be used\n"
		"  all-disabled             none may; menu and teo then still use the first\n"
		"  all-but-first-disabled   only the first state, which polls on most machines\n"
		"\n"
		"or a mapping with disable: and enable:, each a state or a list of them. A state\n"
		"is a name as the kernel gives it (blanks belong to it; upper and lower case are\n"
		"the same), a number, or 'all' or 'all-but-first'. A name or number outweighs\n"
		"these two. States not named stay as they are.\n"
		"\n"
		"  factors:\n"
		"    idle_states: [default, all-disabled]\n"
		"  factors:\n"
		"    idle_states: [default, {disable: [C6, C10]}, {disable: haltpoll idle}]\n"
		"  fixed:\n"
		"    idle_states: {disable: all, enable: POLL}\n"
		"\n"
		"A name applies to each online CPU that has it; one that no CPU has is an error\n"
		"that lists those there are. Guests often have no cpuidle driver at all; there\n"
		"cmdline: idle=poll is the way (target vm).\n",
	.schema =
		"{\"oneOf\":[{\"enum\":[\"default\",\"all-enabled\",\"all-disabled\","
		"\"all-but-first-disabled\"]},{\"type\":\"object\",\"additionalProperties\":false,"
		"\"minProperties\":1,\"properties\":{"
		"\"disable\":{\"type\":[\"string\",\"integer\",\"array\"],"
		"\"items\":{\"type\":[\"string\",\"integer\"]}},"
		"\"enable\":{\"type\":[\"string\",\"integer\",\"array\"],"
		"\"items\":{\"type\":[\"string\",\"integer\"]}}}}]}",
	.label = idle_label,
	.check = idle_check,
	.plan = idle_plan,
	.available = idle_available,
};
