/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collectors/perf_event_probe.h"

#include <ctype.h>
#include <errno.h>
#include <perfmon/pfmlib_perf_event.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

#define DEVICES "sys/bus/event_source/devices"

/* The PMU of an extended generic event stands in the upper half of config (since Linux 5.13). */
enum { PMU_TYPE_SHIFT = 32 };

struct found {
	struct perf_event *e;
	size_t n, cap;
};

static struct perf_event *add_event(
	struct found *f, const char *pmu, unsigned int type, uint64_t config)
{
	struct perf_event *e;

	array_reserve(f->e, f->n, f->cap);
	e = &f->e[f->n++];
	*e = (struct perf_event){
		.attr = { .size = sizeof(e->attr), .type = type, .config = config },
		.pmu = xstrdup(pmu),
		.unit = xstrdup(""),
		.scale = 1,
	};
	return e;
}

static void event_release(struct perf_event *e)
{
	free(e->pmu);
	free(e->unit);
	cpulist_release(&e->cpus);
}

static void drop_last(struct found *f)
{
	event_release(&f->e[--f->n]);
}

void perf_event_free(struct perf_event *events, size_t n)
{
	for (size_t i = 0; i < n; i++)
		event_release(&events[i]);
	free(events);
}

/* ---- Files of a PMU in sysfs ---- */

static char *device_file(const struct sysroot *root, const char *pmu, const char *file)
{
	char *path = xasprintf(DEVICES "/%s/%s", pmu, file), *text = NULL;

	sysroot_read_line(root, path, &text, NULL);
	free(path);
	return text;
}

static bool device_type(const struct sysroot *root, const char *pmu, unsigned int *type)
{
	char *text = device_file(root, pmu, "type"), *end;
	unsigned long v;

	if (!text)
		return false;
	v = strtoul(text, &end, 10);
	*type = (unsigned int)v;
	v = end > text && *end == '\0';
	free(text);
	return v;
}

/* "cpus": the cores of a kind that a PMU belongs to; "cpumask": the CPUs by which an uncore PMU is
 * asked. */
static void read_cpus(const struct sysroot *root, struct perf_event *e)
{
	static const char *const files[] = { "cpus", "cpumask" };

	for (size_t i = 0; i < array_size(files) && !e->cpus.n; i++) {
		char *text = device_file(root, e->pmu, files[i]);

		if (text && cpulist_parse(text, &e->cpus, NULL) < 0)
			cpulist_release(&e->cpus);
		e->uncore = i == 1 && e->cpus.n;
		free(text);
	}
}

/* ---- Generic events ---- */

static const struct {
	const char *name;
	unsigned int type;
	uint64_t config;
} generic[] = {
	{ "cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES },
	{ "cpu-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES },
	{ "instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS },
	{ "cache-references", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES },
	{ "cache-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES },
	{ "branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS },
	{ "branch-instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS },
	{ "branch-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES },
	{ "bus-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES },
	{ "ref-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES },
	{ "stalled-cycles-frontend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND },
	{ "stalled-cycles-backend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND },
	{ "cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK },
	{ "task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK },
	{ "page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS },
	{ "faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS },
	{ "context-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES },
	{ "cs", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES },
	{ "cpu-migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS },
	{ "migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS },
	{ "minor-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN },
	{ "major-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ },
	{ "alignment-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_ALIGNMENT_FAULTS },
	{ "emulation-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_EMULATION_FAULTS },
	{ "dummy", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY },
	{ "bpf-output", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_BPF_OUTPUT },
	{ "cgroup-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CGROUP_SWITCHES },
};

static const char *const caches[] = {
	[PERF_COUNT_HW_CACHE_L1D] = "L1-dcache",
	[PERF_COUNT_HW_CACHE_L1I] = "L1-icache",
	[PERF_COUNT_HW_CACHE_LL] = "LLC",
	[PERF_COUNT_HW_CACHE_DTLB] = "dTLB",
	[PERF_COUNT_HW_CACHE_ITLB] = "iTLB",
	[PERF_COUNT_HW_CACHE_BPU] = "branch",
	[PERF_COUNT_HW_CACHE_NODE] = "node",
};

static const struct {
	const char *suffix;
	unsigned int op, result;
} cache_ops[] = {
	{ "-loads", PERF_COUNT_HW_CACHE_OP_READ, PERF_COUNT_HW_CACHE_RESULT_ACCESS },
	{ "-load-misses", PERF_COUNT_HW_CACHE_OP_READ, PERF_COUNT_HW_CACHE_RESULT_MISS },
	{ "-stores", PERF_COUNT_HW_CACHE_OP_WRITE, PERF_COUNT_HW_CACHE_RESULT_ACCESS },
	{ "-store-misses", PERF_COUNT_HW_CACHE_OP_WRITE, PERF_COUNT_HW_CACHE_RESULT_MISS },
	{ "-prefetches", PERF_COUNT_HW_CACHE_OP_PREFETCH, PERF_COUNT_HW_CACHE_RESULT_ACCESS },
	{ "-prefetch-misses", PERF_COUNT_HW_CACHE_OP_PREFETCH, PERF_COUNT_HW_CACHE_RESULT_MISS },
};

static bool cache_event(const char *name, uint64_t *config)
{
	for (size_t c = 0; c < array_size(caches); c++) {
		size_t len = strlen(caches[c]);

		if (strncmp(name, caches[c], len) != 0)
			continue;
		for (size_t o = 0; o < array_size(cache_ops); o++) {
			if (strcmp(name + len, cache_ops[o].suffix) != 0)
				continue;
			*config = c | cache_ops[o].op << 8 | cache_ops[o].result << 16;
			return true;
		}
	}
	return false;
}

/* A processor's generic event: one for each kind of cores. A PMU of cores is called "cpu", or has
 * the list of its cores in "cpus" (hybrid x86: cpu_core and cpu_atom; arm: one for each kind). */
static void add_core_events(
	const struct sysroot *root, unsigned int type, uint64_t config, struct found *f)
{
	char **paths;
	int n = sysroot_glob(root, DEVICES "/*/cpus", &paths);

	for (int i = 0; n > 1 && i < n; i++) {
		char *pmu = xstrdup(paths[i] + strlen(DEVICES "/"));
		unsigned int pmu_type;

		*strchr(pmu, '/') = '\0';
		if (device_type(root, pmu, &pmu_type))
			read_cpus(root, add_event(f, pmu, type,
						config | (uint64_t)pmu_type << PMU_TYPE_SHIFT));
		free(pmu);
	}
	if (!f->n)
		add_event(f, "cpu", type, config);
	if (n >= 0)
		sysroot_glob_free(paths, n);
}

static bool add_generic(const struct sysroot *root, const char *name, struct found *f)
{
	uint64_t config;

	for (size_t i = 0; i < array_size(generic); i++) {
		if (strcmp(name, generic[i].name) != 0)
			continue;
		if (generic[i].type == PERF_TYPE_SOFTWARE)
			add_event(f, "software", generic[i].type, generic[i].config);
		else
			add_core_events(root, generic[i].type, generic[i].config, f);
		return true;
	}
	if (!cache_event(name, &config))
		return false;
	add_core_events(root, PERF_TYPE_HW_CACHE, config, f);
	return true;
}

/* ---- Tracepoints ---- */

static int add_tracepoint(
	const struct sysroot *root, const char *name, struct found *f, struct error *err)
{
	static const char *const places[] = { "sys/kernel/tracing", "sys/kernel/debug/tracing" };
	const char *colon = strchr(name, ':');
	bool mounted = false;

	for (size_t i = 0; i < array_size(places); i++) {
		char *events = xasprintf("%s/events", places[i]);
		char *path =
			xasprintf("%s/%.*s/%s/id", events, (int)(colon - name), name, colon + 1);
		char *text = NULL, *end = NULL;
		unsigned long id = 0;

		mounted = mounted || sysroot_exists(root, events);
		if (sysroot_read_line(root, path, &text, NULL) == 0)
			id = strtoul(text, &end, 10);
		free(path);
		free(events);
		if (end && end > text && *end == '\0')
			add_event(f, "tracepoint", PERF_TYPE_TRACEPOINT, id);
		free(text);
		if (f->n)
			return 0;
	}
	return error_set(err, -ENOENT,
		mounted ? "this kernel has no tracepoint of that name"
			: "tracefs is not mounted (or not for us to read)");
}

/* ---- Events of PMUs in sysfs ---- */

/* Put a value into the bits that a format names: "config:0-7,32-35", "config1:3". */
static int set_format(struct perf_event_attr *attr, const char *format, uint64_t value)
{
	const struct {
		const char *name;
		__u64 *field;
	} fields[] = {
		{ "config:", &attr->config },
		{ "config1:", &attr->config1 },
		{ "config2:", &attr->config2 },
		{ "config3:", NULL },
	};
	__u64 *field = NULL;
	const char *p = NULL;

	for (size_t i = 0; i < array_size(fields); i++) {
		if (strncmp(format, fields[i].name, strlen(fields[i].name)) == 0) {
			field = fields[i].field;
			p = format + strlen(fields[i].name);
		}
	}
	while (field && p && *p) {
		char *end;
		unsigned long first = strtoul(p, &end, 10), last = first;

		if (end == p)
			return -EINVAL;
		if (*end == '-') {
			p = end + 1;
			last = strtoul(p, &end, 10);
			if (end == p)
				return -EINVAL;
		}
		if (first > last || last > 63)
			return -EINVAL;
		for (unsigned long bit = first; bit <= last; bit++, value >>= 1)
			if (value & 1)
				*field |= UINT64_C(1) << bit;
		p = *end == ',' ? end + 1 : end;
		if (*end && *end != ',')
			return -EINVAL;
	}
	return field && value == 0 ? 0 : -EINVAL; /* bits left over: the value is too large */
}

static int add_terms(const struct sysroot *root, const char *pmu, const char *terms,
	struct perf_event *e, bool aliases, struct error *err);

/* "name.unit" and "name.scale" beside the alias. */
static void read_alias_unit(
	const struct sysroot *root, const char *pmu, const char *alias, struct perf_event *e)
{
	char *file = xasprintf("events/%s.unit", alias), *text = device_file(root, pmu, file), *end;

	if (text) {
		free(e->unit);
		e->unit = text;
	}
	free(file);
	file = xasprintf("events/%s.scale", alias);
	text = device_file(root, pmu, file);
	if (text) {
		/* The agent never sets a locale, so the decimal point is a point. */
		double scale = strtod(text, &end);

		if (end > text && *end == '\0' && scale > 0 && scale < 1e12)
			e->scale = scale;
	}
	free(text);
	free(file);
}

static int add_term(const struct sysroot *root, const char *pmu, char *term, struct perf_event *e,
	bool aliases, struct error *err)
{
	char *equals = strchr(term, '='), *file, *text, *end = NULL;
	uint64_t value = 1;
	int r;

	if (equals) {
		*equals = '\0';
		value = strtoull(equals + 1, &end, 0);
		if (end == equals + 1 || *end)
			return error_set(
				err, -EINVAL, "'%s' of '%s' is no number", equals + 1, term);
	}
	if (strncmp(term, "config", 6) == 0) {
		text = xasprintf("%s:0-63", term);
	} else {
		file = xasprintf("format/%s", term);
		text = device_file(root, pmu, file);
		free(file);
	}
	if (text) {
		r = set_format(&e->attr, text, value);
		free(text);
		return r ? error_set(err, r, "the value of '%s' does not fit its format", term) : 0;
	}
	file = xasprintf("events/%s", term);
	text = equals || !aliases ? NULL : device_file(root, pmu, file);
	free(file);
	if (!text)
		return error_set(err, -ENOENT, "PMU %s has no term '%s'", pmu, term);
	read_alias_unit(root, pmu, term, e);
	r = add_terms(root, pmu, text, e, false, err);
	free(text);
	return r;
}

static int add_terms(const struct sysroot *root, const char *pmu, const char *terms,
	struct perf_event *e, bool aliases, struct error *err)
{
	char *copy = xstrdup(terms), *rest = copy, *term;
	int r = 0;

	while (!r && (term = strsep(&rest, ",")))
		if (*term)
			r = add_term(root, pmu, term, e, aliases, err);
	free(copy);
	return r;
}

static int add_pmu_event(const struct sysroot *root, const char *pmu, const char *terms,
	struct found *f, struct error *err)
{
	struct perf_event *e;
	unsigned int type;

	if (strchr(pmu, '/') || strcmp(pmu, "..") == 0 || !device_type(root, pmu, &type))
		return error_set(err, -ENOENT, "this machine has no PMU '%s'", pmu);
	e = add_event(f, pmu, type, 0);
	read_cpus(root, e);
	return add_terms(root, pmu, terms, e, true, err);
}

/* "cpu/event=0x3c/", "cpu/cycles/u" */
static int add_slashed(
	const struct sysroot *root, const char *name, struct found *f, struct error *err)
{
	char *pmu = xstrdup(name), *terms = strchr(pmu, '/'), *last;
	int r;

	*terms++ = '\0';
	last = strrchr(terms, '/');
	if (last)
		*last = '\0';
	r = last ? add_pmu_event(root, pmu, terms, f, err)
		 : error_set(err, -EINVAL, "the slash behind the terms is missing");
	free(pmu);
	return r;
}

/* An alias without its PMU ("energy-pkg"): whoever has it, several PMUs of one kind included. */
static void add_aliases(const struct sysroot *root, const char *name, struct found *f)
{
	char *pattern, **paths;
	int n;

	if (!*name || strpbrk(name, "/*?[{"))
		return;
	pattern = xasprintf(DEVICES "/*/events/%s", name);
	n = sysroot_glob(root, pattern, &paths);
	for (int i = 0; i < n; i++) {
		char *pmu = xstrdup(paths[i] + strlen(DEVICES "/"));
		size_t had = f->n;

		*strchr(pmu, '/') = '\0';
		/* "energy-pkg.unit" is a file there, too, but holds no terms. */
		if (add_pmu_event(root, pmu, name, f, NULL) < 0 && f->n > had)
			drop_last(f);
		free(pmu);
	}
	if (n >= 0)
		sysroot_glob_free(paths, n);
	free(pattern);
}

/* ---- The rest ---- */

static bool add_raw(const char *name, struct found *f)
{
	uint64_t config;
	char *end;

	if (name[0] != 'r' || !isxdigit((unsigned char)name[1]))
		return false;
	config = strtoull(name + 1, &end, 16);
	if (*end)
		return false;
	add_event(f, "cpu", PERF_TYPE_RAW, config);
	return true;
}

static int add_from_libpfm(const char *name, struct found *f, struct error *err)
{
	struct perf_event_attr attr = { .size = sizeof(attr) };
	pfm_perf_encode_arg_t arg = { .attr = &attr, .size = sizeof(arg) };
	struct perf_event *e;
	int r = pfm_initialize();

	if (r == PFM_SUCCESS)
		r = pfm_get_os_event_encoding(name, PFM_PLM0 | PFM_PLM3, PFM_OS_PERF_EVENT, &arg);
	if (r != PFM_SUCCESS)
		return error_set(err, -ENOENT,
			"neither perf nor this processor has an event of that name (libpfm4: %s)",
			pfm_strerror(r));
	e = add_event(f, "cpu", attr.type, attr.config);
	e->attr.config1 = attr.config1;
	e->attr.config2 = attr.config2;
	e->attr.exclude_user = attr.exclude_user;
	e->attr.exclude_kernel = attr.exclude_kernel;
	return 0;
}

/* ":u", ":k", ":h" behind the name or behind the last slash: cut off and put into the attributes.
 * "sched:sched_wakeup" has none: its last part is longer or other letters. */
static void cut_modifiers(char *name, bool *user, bool *kernel)
{
	char *end = strrchr(name, strchr(name, '/') ? '/' : ':'), *p;

	*user = *kernel = false;
	if (!end || !end[1])
		return;
	for (p = end + 1; *p; p++)
		if (!strchr("ukhHG", *p))
			return;
	*user = strchr(end + 1, 'u');
	*kernel = strchr(end + 1, 'k');
	end[*end == '/'] = '\0';
}

static int look_up(const struct sysroot *root, const char *name, struct found *f, struct error *err)
{
	if (strchr(name, '/'))
		return add_slashed(root, name, f, err);
	if (add_generic(root, name, f))
		return 0;
	add_aliases(root, name, f);
	if (f->n || add_raw(name, f))
		return 0;
	if (strchr(name, ':') && !strstr(name, "::") && islower((unsigned char)*name)) {
		struct error why = ERROR_INIT;
		int r = add_tracepoint(root, name, f, &why);

		/* "snb_ep::UNHALTED:u" and "ix86arch:..." are libpfm4's. */
		if (r < 0 && add_from_libpfm(name, f, NULL) < 0)
			error_set(err, r, "%s", error_text(&why));
		else
			r = 0;
		error_release(&why);
		return r;
	}
	return add_from_libpfm(name, f, err);
}

int perf_event_resolve(const struct sysroot *root, const char *name, struct perf_event **events,
	size_t *n, struct error *err)
{
	struct found f = { 0 };
	char *bare = xstrdup(name);
	bool user, kernel;
	int r;

	cut_modifiers(bare, &user, &kernel);
	r = look_up(root, bare, &f, err);
	free(bare);
	if (r < 0) {
		perf_event_free(f.e, f.n);
		return r;
	}
	for (size_t i = 0; i < f.n && (user || kernel); i++) {
		f.e[i].attr.exclude_user = !user;
		f.e[i].attr.exclude_kernel = !kernel;
		f.e[i].attr.exclude_hv = 1;
	}
	*events = f.e;
	*n = f.n;
	return 0;
}
