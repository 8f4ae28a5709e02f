/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collectors/perf_probe.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/cpulist.h"
#include "base/json.h"
#include "collectors/perf_event_probe.h"

static const char *const default_events[] = { "task-clock", "context-switches", "cpu-migrations",
	"page-faults", "cycles", "instructions", "branches", "branch-misses" };

enum scope { SCOPE_CPUS, SCOPE_SYSTEM, SCOPE_PROCESS };

/* One name of the options, looked up. @group: number of its {group}, -1 outside. */
struct wanted {
	char *name;
	int group;
	struct perf_event *events;
	size_t n;
	char *error;
};

/* What read(2) gives for one counter; times are those it was enabled and those it really ran. */
struct count {
	uint64_t value, enabled, running;
};

/* One open (or refused) counter; @before: what earlier trials have counted with it. */
struct counter {
	const struct wanted *wanted;
	const struct perf_event *event;
	int cpu, fd;
	bool leader;
	char *error;
	struct count before;
};

struct perf_state {
	const struct sysroot *root;
	enum scope scope;
	struct cpulist cpus; /* to count on; empty with SCOPE_PROCESS */
	struct wanted *wanted;
	size_t n_wanted, cap_wanted;
	struct counter *counter;
	size_t n, cap;
	char *online; /* the CPUs when it was prepared */
};

/* ---- Options ---- */

static void want(struct perf_state *st, const char *name, size_t len, int group)
{
	struct wanted *w;
	struct error err = ERROR_INIT;

	if (!len)
		return;
	array_reserve(st->wanted, st->n_wanted, st->cap_wanted);
	w = &st->wanted[st->n_wanted++];
	*w = (struct wanted){ .name = xmemdup0(name, len), .group = group };
	if (perf_event_resolve(st->root, w->name, &w->events, &w->n, &err) < 0)
		w->error = xstrdup(error_text(&err));
	error_release(&err);
}

/* "{a,pmu/x=1,y=2/}": commas between slashes belong to the event. */
static void want_all(struct perf_state *st, const char *text, int *groups)
{
	bool group = *text == '{', slashed = false;
	int number = group ? (*groups)++ : -1;
	const char *first = text + group, *p;

	for (p = first; *p && !(group && *p == '}' && !p[1]); p++) {
		if (*p == '/')
			slashed = !slashed;
		if (*p != ',' || slashed)
			continue;
		want(st, first, (size_t)(p - first), number);
		first = p + 1;
	}
	want(st, first, (size_t)(p - first), number);
}

static int read_events(struct perf_state *st, const json_t *events, struct error *err)
{
	const json_t *name;
	int groups = 0;
	size_t i;

	if (json_is_string(events))
		want_all(st, json_string_value(events), &groups);
	else if (!events || json_is_null(events))
		for (i = 0; i < array_size(default_events); i++)
			want_all(st, default_events[i], &groups);
	else if (json_is_array(events))
		json_array_foreach(events, i, name)
			if (json_is_string(name))
				want_all(st, json_string_value(name), &groups);
	if (!st->n_wanted)
		return error_set(err, -EINVAL, "perf: 'events' names no event");
	return 0;
}

static int read_scope(struct perf_state *st, const char *name, struct error *err)
{
	static const char *const names[] = { "cpus", "system", "process" };

	for (size_t i = 0; i < array_size(names); i++) {
		if (strcmp(name, names[i]) == 0) {
			st->scope = (enum scope)i;
			return 0;
		}
	}
	return error_set(err, -EINVAL, "perf: scope '%s' is none of cpus, system, process", name);
}

static int read_online(const struct probe_trial *trial, char **online, struct error *err)
{
	return sysroot_read_line(trial->root, "sys/devices/system/cpu/online", online, err);
}

static int read_cpus(struct perf_state *st, const struct probe_trial *trial, struct error *err)
{
	int r;

	if (st->scope == SCOPE_PROCESS)
		return 0;
	for (size_t i = 0; st->scope == SCOPE_CPUS && i < trial->n_cpus; i++)
		if (!cpulist_has(&st->cpus, trial->cpus[i]))
			cpulist_add(&st->cpus, trial->cpus[i]);
	r = read_online(trial, &st->online, st->cpus.n ? NULL : err);
	if (st->cpus.n)
		return 0;
	return r < 0 ? r : cpulist_parse(st->online, &st->cpus, err);
}

/* ---- Opening ---- */

/* What an errno of perf_event_open(2) means to a person; owned by the caller. */
static char *explain(const struct perf_state *st, int code)
{
	char *paranoid = NULL, *text;

	switch (code) {
	case EACCES:
	case EPERM:
		sysroot_read_line(st->root, "proc/sys/kernel/perf_event_paranoid", &paranoid, NULL);
		text = xasprintf("not permitted (kernel.perf_event_paranoid is %s); run as root",
			paranoid ? paranoid : "unknown");
		free(paranoid);
		return text;
	case ENOENT:
	case ENODEV:
	case EOPNOTSUPP:
		return xasprintf("not supported by this machine (%s)", strerror(code));
	case EMFILE:
		return xstrdup("too many open files; raise the limit or count fewer events");
	case EINVAL:
		return xstrdup("not supported in this form (Invalid argument)");
	default:
		return xstrdup(strerror(code));
	}
}

static int open_event(const struct perf_event *e, pid_t pid, int cpu, int leader)
{
	struct perf_event_attr attr = e->attr;

	attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	attr.disabled = leader < 0;
	attr.inherit = pid > 0;
	attr.enable_on_exec = pid > 0 && leader < 0;
	return (int)syscall(
		SYS_perf_event_open, &attr, pid, cpu, leader, (unsigned long)PERF_FLAG_FD_CLOEXEC);
}

static struct counter *add_counter(
	struct perf_state *st, const struct wanted *w, const struct perf_event *e, int cpu)
{
	struct counter *c;

	array_reserve(st->counter, st->n, st->cap);
	c = &st->counter[st->n++];
	*c = (struct counter){ .wanted = w, .event = e, .cpu = cpu, .fd = -1 };
	return c;
}

static void close_counter(struct counter *c)
{
	if (c->fd >= 0)
		close(c->fd);
	c->fd = -1;
}

/* All or none of a group: what is open of it is closed again when one is refused. */
static void refuse_group(struct counter *c, size_t n, const struct counter *refused)
{
	for (size_t i = 0; i < n; i++) {
		close_counter(&c[i]);
		if (!c[i].error)
			c[i].error = xasprintf("not counted, since %s of its group is refused: %s",
				refused->wanted->name, refused->error);
	}
}

/*
 * Software events of one CPU are switched together, which interrupts that CPU once instead of for each:
 * there is always room for them, so to a person this is no group. Return: the leader's fd, or -1.
 */
static int software_leader(const struct perf_state *st, size_t number)
{
	const struct counter *c = &st->counter[number];

	if (c->cpu < 0 || c->wanted->group >= 0 || !c->event ||
		c->event->attr.type != PERF_TYPE_SOFTWARE)
		return -1;
	for (size_t i = number; i-- > 0;) {
		const struct counter *other = &st->counter[i];

		if (other->cpu == c->cpu && other->leader && other->wanted->group < 0 &&
			other->event->attr.type == PERF_TYPE_SOFTWARE)
			return other->fd;
	}
	return -1;
}

/* Open the counters st->counter[first …], which are one group (or one event). */
static void open_group(struct perf_state *st, size_t first, pid_t pid)
{
	int leader = first < st->n ? software_leader(st, first) : -1;

	for (size_t i = first; i < st->n; i++) {
		struct counter *c = &st->counter[i];

		if (!c->error) {
			c->fd = open_event(c->event, pid, c->cpu, leader);
			if (c->fd < 0)
				c->error = explain(st, errno);
		}
		if (c->error) {
			refuse_group(&st->counter[first], st->n - first, c);
			return;
		}
		c->leader = leader < 0;
		if (c->leader)
			leader = c->fd;
	}
}

/* The k-th event of a name: names with fewer (software in a group with hybrid ones) have none. */
static void add_member(struct perf_state *st, const struct wanted *w, size_t k, int cpu)
{
	if (w->error && k == 0)
		add_counter(st, w, NULL, cpu)->error = xstrdup(w->error);
	else if (k < w->n &&
		 (cpu < 0 || !w->events[k].cpus.n || cpulist_has(&w->events[k].cpus, cpu)))
		add_counter(st, w, &w->events[k], cpu);
}

static void open_unit(struct perf_state *st, size_t from, size_t to, size_t k, int cpu, pid_t pid)
{
	size_t first = st->n;

	for (size_t i = from; i < to; i++)
		add_member(st, &st->wanted[i], k, cpu);
	open_group(st, first, pid);
}

/* Open wanted[from … to), which are one group or one event, everywhere it is to be counted. */
static void open_wanted(struct perf_state *st, size_t from, size_t to, pid_t pid)
{
	size_t most = 1;

	for (size_t i = from; i < to; i++)
		most = st->wanted[i].n > most ? st->wanted[i].n : most;
	for (size_t k = 0; k < most; k++) {
		const struct wanted *w = &st->wanted[from];
		const struct cpulist *cpus = &st->cpus;

		/* Something shared is asked through CPUs of its own, whichever the benchmark's are. */
		if (k < w->n && w->events[k].uncore)
			cpus = &w->events[k].cpus;
		if (st->scope == SCOPE_PROCESS || w->error)
			open_unit(st, from, to, k, -1, pid);
		else
			for (size_t i = 0; i < cpus->n; i++)
				open_unit(st, from, to, k, cpus->cpu[i], -1);
	}
}

static void open_all(struct perf_state *st, pid_t pid)
{
	for (size_t from = 0, to; from < st->n_wanted; from = to) {
		int group = st->wanted[from].group;

		for (to = from + 1; group >= 0 && to < st->n_wanted; to++)
			if (st->wanted[to].group != group)
				break;
		open_wanted(st, from, to, pid);
	}
}

/* ---- The probe ---- */

static void perf_release(void *state)
{
	struct perf_state *st = state;

	if (!st)
		return;
	for (size_t i = 0; i < st->n; i++) {
		close_counter(&st->counter[i]);
		free(st->counter[i].error);
	}
	for (size_t i = 0; i < st->n_wanted; i++) {
		free(st->wanted[i].name);
		free(st->wanted[i].error);
		perf_event_free(st->wanted[i].events, st->wanted[i].n);
	}
	free(st->counter);
	free(st->wanted);
	free(st->online);
	cpulist_release(&st->cpus);
	free(st);
}

static int perf_prepare(const struct probe_trial *trial, void **state, struct error *err)
{
	struct perf_state *st = xcalloc(1, sizeof(*st));
	int r;

	st->root = trial->root;
	r = read_scope(st, json_str(trial->options, "scope", "cpus"), err);
	if (!r)
		r = read_cpus(st, trial, err);
	if (!r)
		r = read_events(st, json_object_get(trial->options, "events"), err);
	if (r < 0) {
		perf_release(st);
		return r;
	}
	if (st->scope != SCOPE_PROCESS)
		open_all(st, -1);
	*state = st;
	return 0;
}

/* The child has not called exec yet: the kernel enables the counters when it does. */
static int perf_attach(void *state, pid_t child, struct error *err)
{
	struct perf_state *st = state;

	if (child <= 0)
		return error_set(err, -EINVAL, "perf: there is no process to count in");
	if (st->scope == SCOPE_PROCESS)
		open_all(st, child);
	return 0;
}

static int switch_all(struct perf_state *st, unsigned long request, struct error *err)
{
	int r = 0;

	for (size_t i = 0; i < st->n; i++) {
		const struct counter *c = &st->counter[i];

		if (c->fd >= 0 && c->leader && ioctl(c->fd, request, 0) < 0 && !r)
			r = error_sys(
				err, -errno, "perf: cannot switch counter %s", c->wanted->name);
	}
	return r;
}

/* Return: NULL, or why there is no count. */
static const char *read_count(const struct counter *c, struct count *count)
{
	ssize_t n = read(c->fd, count, sizeof(*count));

	if (n < 0)
		return strerror(errno);
	/* a pinned counter that lost its place */
	return n == sizeof(*count) ? NULL : "the kernel gave up counting it";
}

/*
 * Opening the first and closing the last counter of a software event makes the kernel patch its own
 * code, which takes longer than everything else here: the counters stay open, stopped.
 */
static bool perf_again(void *state, const struct probe_trial *trial)
{
	struct perf_state *st = state;
	char *online = NULL;
	bool same;

	if (st->scope == SCOPE_PROCESS || !st->online || read_online(trial, &online, NULL) < 0)
		return false;
	same = strcmp(online, st->online) == 0;
	free(online);
	for (size_t i = 0; same && i < st->n; i++)
		if (st->counter[i].fd >= 0)
			same = !read_count(&st->counter[i], &st->counter[i].before);
	return same;
}

static int perf_start(void *state, struct error *err)
{
	struct perf_state *st = state;

	return st->scope == SCOPE_PROCESS ? 0 : switch_all(st, PERF_EVENT_IOC_ENABLE, err);
}

static int perf_stop(void *state, struct error *err)
{
	return switch_all(state, PERF_EVENT_IOC_DISABLE, err);
}

static void set_count(json_t *object, const char *key, const char *error, uint64_t count)
{
	json_object_set_new(object, key, error ? json_null() : json_integer((json_int_t)count));
}

static json_t *counter_to_json(const struct counter *c)
{
	struct count count = { 0 };
	json_t *o = json_object();
	const char *error = c->error;

	json_object_set_new(o, "event", json_string(c->wanted->name));
	json_object_set_new(o, "pmu", json_string(c->event ? c->event->pmu : ""));
	json_object_set_new(o, "cpu", c->cpu >= 0 ? json_integer(c->cpu) : json_null());
	json_object_set_new(o, "unit", json_string(c->event ? c->event->unit : ""));
	json_object_set_new(o, "scale", json_real(c->event ? c->event->scale : 1));
	json_object_set_new(
		o, "group", c->wanted->group >= 0 ? json_integer(c->wanted->group) : json_null());
	if (!error)
		error = read_count(c, &count);
	set_count(o, "value", error, count.value - c->before.value);
	set_count(o, "enabled", error, count.enabled - c->before.enabled);
	set_count(o, "running", error, count.running - c->before.running);
	json_object_set_new(o, "error", error ? json_string(error) : json_null());
	return o;
}

static int perf_collect(void *state, char **text, size_t *len, struct error *err)
{
	struct perf_state *st = state;
	json_t *list = json_array();

	(void)err;
	for (size_t i = 0; i < st->n; i++)
		json_array_append_new(list, counter_to_json(&st->counter[i]));
	*text = json_line(list);
	*len = strlen(*text);
	json_decref(list);
	return 0;
}

const struct probe_ops perf_probe = {
	.name = "perf",
	.prepare = perf_prepare,
	.attach = perf_attach,
	.start = perf_start,
	.stop = perf_stop,
	.collect = perf_collect,
	.again = perf_again,
	.release = perf_release,
};
