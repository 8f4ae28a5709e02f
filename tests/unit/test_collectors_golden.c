/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Every system fixture against the values that stand beside it. */
#include <glob.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/json.h"
#include "collectors/collector.h"
#include "collectors/kernel_log.h"

#define FIXTURES "tests/fixtures/system/"

/* One fixture: its expectations, its text, and what the collector made of it. */
struct fixture {
	char *path;
	json_t *expect;
	char *text;
	size_t len;
	struct values out;
	struct error err;
	int r;
};

/* Look one value up: a name and up to three labels; NULL for the label means it must be absent. */
struct query {
	const char *name;
	const char *key[3], *value[3];
};

static const struct value *find_value(const struct values *vs, const struct query *q)
{
	for (size_t i = 0; i < vs->n; i++) {
		bool fits = strcmp(vs->v[i].name, q->name) == 0;

		for (size_t k = 0; fits && k < 3 && q->key[k]; k++) {
			const char *label = value_label(&vs->v[i], q->key[k]);

			fits = label && q->value[k] ? strcmp(label, q->value[k]) == 0
						    : label == q->value[k];
		}
		if (fits)
			return &vs->v[i];
	}
	return NULL;
}

static double get(const struct fixture *f, const struct query *q)
{
	const struct value *v = find_value(&f->out, q);

	if (!v)
		fail_msg("%s: no value %s{%s=%s}", f->path, q->name, q->key[0] ? q->key[0] : "",
			q->value[0] ? q->value[0] : "");
	return v->value;
}

static double number(const json_t *value)
{
	return json_number_value(value);
}

static void assert_near(const struct fixture *f, const char *what, double got, double expected)
{
	if (fabs(got - expected) > 1e-9 * fabs(expected))
		fail_msg("%s: %s is %.17g, expected %.17g", f->path, what, got, expected);
}

static double sum_of(const struct fixture *f, const char *name, const char *key, const char *label)
{
	double sum = 0;

	for (size_t i = 0; i < f->out.n; i++) {
		const struct value *v = &f->out.v[i];
		const char *text = key ? value_label(v, key) : NULL;

		if (strcmp(v->name, name) == 0 && (!key || (text && strcmp(text, label) == 0)))
			sum += v->value;
	}
	return sum;
}

static bool has_note(const struct fixture *f, const char *part)
{
	for (size_t i = 0; i < f->out.n_notes; i++)
		if (strstr(f->out.notes[i], part))
			return true;
	return false;
}

/* ---- By kind ---- */

static void check_cpu_columns(const struct fixture *f, const char *name)
{
	const json_t *cpus = json_object_get(f->expect, "cpus"), *cpu;
	int64_t last = json_int(f->expect, "last_cpu", -1);
	bool seen[1024] = { false };
	int64_t n = 0;
	size_t i;

	for (i = 0; i < f->out.n; i++) {
		const char *label = value_label(&f->out.v[i], "cpu");
		int at = label && strcmp(f->out.v[i].name, name) == 0 ? atoi(label) : -1;

		if (at < 0)
			continue;
		assert_true(at <= last && at < 1024);
		n += !seen[at];
		seen[at] = true;
	}
	assert_int_equal(n, json_int(f->expect, "cpu_columns", -1));
	assert_true(seen[last]);
	json_array_foreach(cpus, i, cpu)
		assert_true(seen[json_integer_value(cpu)]);
}

static void check_interrupt_row(const struct fixture *f, const json_t *row)
{
	char *place = xasprintf("%d", (int)json_int(row, "row", -1));
	struct query q = { "interrupts", { "row", "irq" }, { place, json_str(row, "key", "") } };
	const struct value *v = find_value(&f->out, &q);
	const char *text = json_str(row, "description", "");

	assert_non_null(v);
	assert_string_equal(
		value_label(v, "description") ? value_label(v, "description") : "", text);
	assert_near(f, place, sum_of(f, "interrupts", "row", place),
		number(json_object_get(row, "sum")));
	free(place);
}

static void check_interrupts(const struct fixture *f)
{
	const json_t *entry;
	const char *key;
	size_t i;

	check_cpu_columns(f, "interrupts");
	json_array_foreach(json_object_get(f->expect, "row_sums"), i, entry)
		check_interrupt_row(f, entry);
	json_array_foreach(json_object_get(f->expect, "cells"), i, entry) {
		char *row = xasprintf("%d", (int)json_int(entry, "row", -1));
		char *cpu = xasprintf("%d", (int)json_int(entry, "cpu", -1));

		assert_near(f, row,
			get(f, &(struct query){ "interrupts", { "row", "cpu", "irq" },
				       { row, cpu, json_str(entry, "key", "") } }),
			number(json_object_get(entry, "value")));
		free(cpu);
		free(row);
	}
	json_object_foreach((json_t *)json_object_get(f->expect, "cpu_sums_full_rows"), key, entry)
		assert_near(f, key, sum_of(f, "interrupts", "cpu", key), number(entry));
	json_object_foreach(
		(json_t *)json_object_get(f->expect, "rows_without_per_cpu_columns"), key, entry) {
		if (json_is_string(entry))
			assert_true(has_note(f, json_string_value(entry)));
		else
			assert_near(f, key,
				get(f, &(struct query){ "interrupts", { "irq", "cpu" },
					       { key, NULL } }),
				number(entry));
	}
}

static void check_softirqs(const struct fixture *f)
{
	const json_t *entry;
	const char *key;

	check_cpu_columns(f, "softirqs");
	json_object_foreach((json_t *)json_object_get(f->expect, "row_sums"), key, entry)
		assert_near(f, key, sum_of(f, "softirqs", "softirq", key), number(entry));
	json_object_foreach((json_t *)json_object_get(f->expect, "cells"), key, entry) {
		char *row = xstrdup(key), *cpu = strchr(row, '/');

		*cpu++ = '\0';
		assert_near(f, key,
			get(f, &(struct query){ "softirqs", { "softirq", "cpu" }, { row, cpu } }),
			number(entry));
		free(row);
	}
}

static void check_times(const struct fixture *f, const char *member, const char *cpu)
{
	static const char *const modes[] = { "user", "nice", "system", "idle", "iowait", "irq",
		"softirq", "steal", "guest", "guest_nice" };
	const json_t *list = json_object_get(f->expect, member);

	for (size_t i = 0; i < json_array_size(list); i++)
		assert_near(f, modes[i],
			get(f, &(struct query){ "cpu_time", { "mode", "cpu" }, { modes[i], cpu } }),
			number(json_array_get(list, i)));
}

static void check_stat(const struct fixture *f)
{
	static const char *const names[][2] = { { "ctxt", "context_switches" },
		{ "btime", "boot_time" }, { "processes", "forks" },
		{ "procs_running", "procs_running" }, { "procs_blocked", "procs_blocked" },
		{ "intr_total", "interrupts_total" }, { "softirq_total", "softirqs_total" } };
	static const char *const kinds[] = { "HI", "TIMER", "NET_TX", "NET_RX", "BLOCK", "IRQ_POLL",
		"TASKLET", "SCHED", "HRTIMER", "RCU" };
	const json_t *softirqs = json_object_get(f->expect, "softirqs");
	const json_t *cpus = json_object_get(f->expect, "cpus"), *cpu;
	char *numbers = xasprintf(
		"%d interrupt numbers", (int)json_int(f->expect, "intr_numbers_after_total", -1));
	int64_t lines = 0;
	size_t i;

	check_times(f, "total", NULL);
	check_times(f, "cpu0", "0");
	for (i = 0; i < array_size(names); i++)
		assert_near(f, names[i][1], get(f, &(struct query){ names[i][1], { 0 }, { 0 } }),
			number(json_object_get(f->expect, names[i][0])));
	for (i = 0; i < array_size(kinds); i++)
		assert_near(f, kinds[i],
			get(f, &(struct query){ "softirqs", { "softirq" }, { kinds[i] } }),
			number(json_array_get(softirqs, i)));
	assert_true(has_note(f, numbers));
	free(numbers);
	for (i = 0; i < f->out.n; i++)
		lines += strcmp(f->out.v[i].name, "cpu_time") == 0 &&
			 strcmp(value_label(&f->out.v[i], "mode"), "idle") == 0 &&
			 value_label(&f->out.v[i], "cpu");
	assert_int_equal(lines, json_int(f->expect, "cpu_lines", -1));
	json_array_foreach(cpus, i, cpu) {
		char *label = xasprintf("%d", (int)json_integer_value(cpu));

		get(f, &(struct query){ "cpu_time", { "cpu" }, { label } });
		free(label);
	}
}

static void check_cpuidle_cpu(const struct fixture *f, const char *cpu, json_t *states)
{
	const char *state, *counter;
	json_t *counters, *value;

	json_object_foreach(states, state, counters)
		json_object_foreach(counters, counter, value)
			assert_near(f, counter,
				get(f, &(struct query){ counter, { "cpu", "index" },
					       { cpu, state + strlen("state") } }),
				number(value));
}

static void check_cpuidle(const struct fixture *f)
{
	const char *key;
	json_t *entry;

	json_object_foreach((json_t *)f->expect, key, entry)
		if (strncmp(key, "cpu", 3) == 0 && json_is_object(entry))
			check_cpuidle_cpu(f, key + 3, entry);
	json_object_foreach(json_object_get(f->expect, "states"), key, entry) {
		if (json_is_string(entry)) {
			get(f, &(struct query){ "usage", { "index", "state" },
				       { key, json_string_value(entry) } });
			continue;
		}
		assert_near(f, key, get(f, &(struct query){ "usage", { "state" }, { key } }),
			number(json_array_get(entry, 0)));
		assert_near(f, key, get(f, &(struct query){ "time", { "state" }, { key } }),
			number(json_array_get(entry, 1)));
	}
	if (json_str(f->expect, "driver", NULL)) {
		assert_true(has_note(f, json_str(f->expect, "driver", NULL)));
		assert_true(has_note(f, json_str(f->expect, "governor", NULL)));
	}
}

static void check_features(const struct fixture *f)
{
	const char *key;
	json_t *entry;

	assert_int_equal(f->out.n, json_int(f->expect, "count", -1));
	json_object_foreach(json_object_get(f->expect, "features"), key, entry)
		assert_near(f, key,
			get(f, &(struct query){ "sched_feature", { "feature" }, { key } }),
			json_is_true(entry));
}

static void check_vmstat(const struct fixture *f)
{
	const char *key;
	json_t *entry;

	assert_int_equal(f->out.n, json_int(f->expect, "lines", -1));
	json_object_foreach(json_object_get(f->expect, "values"), key, entry)
		assert_near(f, key, get(f, &(struct query){ key, { 0 }, { 0 } }), number(entry));
}

static void check_hardirqs(const struct fixture *f)
{
	const char *key;
	json_t *entry;

	json_object_foreach(json_object_get(f->expect, "values"), key, entry)
		assert_near(f, key, get(f, &(struct query){ "irq_time", { "irq" }, { key } }),
			number(entry));
	assert_near(f, "sum", get(f, &(struct query){ "irq_time_total", { 0 }, { 0 } }),
		number(json_object_get(f->expect, "sum")));
	assert_near(f, "sum", sum_of(f, "irq_time", NULL, NULL),
		number(json_object_get(f->expect, "sum")));
	assert_near(f, "resched",
		get(f, &(struct query){ "irq_time_group", { "group" }, { "resched" } }),
		number(json_object_get(f->expect, "resched_sum")));
}

/* Smallest running share of an event; 100 when it is never below. */
static double least_running(const struct fixture *f, const char *event)
{
	double least = 100;

	for (size_t i = 0; i < f->out.n; i++)
		if (strcmp(f->out.v[i].name, "running_share") == 0 &&
			strcmp(value_label(&f->out.v[i], "event"), event) == 0)
			least = fmin(least, f->out.v[i].value);
	return least;
}

static void check_missing(const struct fixture *f, const char *member, const char *what)
{
	const json_t *name;
	size_t i;

	json_array_foreach(json_object_get(f->expect, member), i, name) {
		char *note = xasprintf("%s: %s", json_string_value(name), what);

		assert_true(has_note(f, note));
		assert_null(find_value(
			&f->out, &(struct query){ json_string_value(name), { 0 }, { 0 } }));
		free(note);
	}
}

/* The rows of an interval stand together. */
static size_t count_intervals(const struct fixture *f)
{
	const char *last = "";
	size_t n = 0;

	for (size_t i = 0; i < f->out.n; i++) {
		const char *time = value_label(&f->out.v[i], "interval");

		assert_non_null(time);
		n += strcmp(time, last) != 0;
		last = time;
	}
	return n;
}

static void check_perf_stat(const struct fixture *f)
{
	static const char *const shares[] = { "running_pct", "min_running_pct" };
	const char *key;
	json_t *entry;

	json_object_foreach(json_object_get(f->expect, "sums"), key, entry)
		assert_near(f, key, sum_of(f, key, NULL, NULL), number(entry));
	if (json_object_get(f->expect, "intervals"))
		assert_int_equal(count_intervals(f), json_int(f->expect, "intervals", -1));
	json_object_foreach(json_object_get(f->expect, "values"), key, entry)
		assert_near(f, key, get(f, &(struct query){ key, { 0 }, { 0 } }), number(entry));
	for (size_t i = 0; i < array_size(shares); i++)
		json_object_foreach(json_object_get(f->expect, shares[i]), key, entry) {
			char *note = xasprintf("%s was counted", key);

			assert_near(f, key, least_running(f, key), number(entry));
			assert_int_equal(has_note(f, note), number(entry) < 95);
			free(note);
		}
	check_missing(f, "not_counted", "not counted");
	check_missing(f, "not_supported", "not supported");
}

static void check_splat(const struct fixture *f, const struct splat *s, const json_t *expect)
{
	const json_t *cpu = json_object_get(expect, "cpu");
	const char *contains = json_str(expect, "contains", "");

	assert_string_equal(s->type, json_str(expect, "type", ""));
	assert_int_equal(s->first_line, json_int(expect, "first_line", -1));
	assert_int_equal(s->occurrences, json_int(expect, "occurrences", -1));
	if (!strstr(s->title, contains))
		fail_msg("%s: the title '%s' lacks '%s'", f->path, s->title, contains);
	assert_non_null(strstr(s->text, contains));
	/* Of the hung task's panic the fixture tells no CPU, but the next line does: it is 0. */
	if (json_is_integer(cpu))
		assert_int_equal(s->cpu, json_integer_value(cpu));
	else if (strcmp(s->type, "panic") != 0)
		assert_int_equal(s->cpu, -1);
}

static void check_dmesg(const struct fixture *f)
{
	const json_t *list = json_object_get(f->expect, "splats");
	struct splat *splats;
	size_t n;

	assert_int_equal(kernel_log_splats(f->text, f->len, &splats, &n), 0);
	if (n != json_array_size(list))
		fail_msg("%s: %zu splats", f->path, n);
	assert_int_equal(f->out.n, n);
	for (size_t i = 0; i < n; i++) {
		check_splat(f, &splats[i], json_array_get(list, i));
		assert_string_equal(value_label(&f->out.v[i], "type"), splats[i].type);
	}
	kernel_log_splats_free(splats, n);
}

static void check_error(const struct fixture *f)
{
	assert_true(f->r < 0);
	assert_int_equal(f->out.n, 0);
	assert_non_null(f->err.text);
	if (strcmp(json_str(f->expect, "errno", ""), "EPERM") == 0)
		assert_int_equal(f->r, -1);
}

/* ---- All of them ---- */

static const struct {
	const char *kind;
	void (*check)(const struct fixture *f);
} kinds[] = {
	{ "proc_interrupts", check_interrupts },
	{ "proc_softirqs", check_softirqs },
	{ "proc_stat", check_stat },
	{ "proc_vmstat", check_vmstat },
	{ "cpuidle_dump", check_cpuidle },
	{ "cpuidle_names", check_cpuidle },
	{ "sched_features", check_features },
	{ "sched_features_error", check_error },
	{ "bcc_hardirqs", check_hardirqs },
	{ "bcc_hardirqs_error", check_error },
	{ "perf_stat_csv", check_perf_stat },
	{ "perf_stat_text", check_perf_stat },
	{ "dmesg", check_dmesg },
};

static void check_fixture(const char *expect_path)
{
	struct fixture f = { .out = VALUES_INIT, .err = ERROR_INIT };
	const char *kind;
	char *text, *folder, *name;
	size_t len;
	bool known = false;

	assert_int_equal(file_read(expect_path, 1 << 20, &text, &len, NULL), 0);
	assert_int_equal(json_parse(text, len, &f.expect, NULL), 0);
	free(text);
	folder = file_dirname(expect_path);
	f.path = file_join(folder, json_str(f.expect, "file", ""));
	assert_int_equal(file_read(f.path, 1 << 20, &f.text, &f.len, NULL), 0);
	kind = json_str(f.expect, "kind", "");
	name = xstrdup(file_basename(folder));
	/* Both the folder's name and the kind are names of the collector. */
	assert_non_null(collector_find(name, NULL));
	assert_ptr_equal(collector_find(name, NULL), collector_find(kind, NULL));
	f.r = collector_find(kind, NULL)
		      ->parse(&(struct collector_text){ f.text, f.len }, NULL, false, &f.out,
			      &f.err);
	for (size_t i = 0; i < array_size(kinds); i++) {
		if (strcmp(kinds[i].kind, kind) != 0)
			continue;
		known = true;
		if (kinds[i].check != check_error && f.r != 0)
			fail_msg("%s: %s", f.path, error_text(&f.err));
		kinds[i].check(&f);
	}
	if (!known)
		fail_msg("%s: no check for the kind '%s'", f.path, kind);
	values_release(&f.out);
	error_release(&f.err);
	json_decref(f.expect);
	free(name);
	free(folder);
	free(f.path);
	free(f.text);
}

static void test_fixtures(void **state)
{
	glob_t g;

	(void)state;
	assert_int_equal(glob(FIXTURES "*/*.expect.json", 0, NULL, &g), 0);
	assert_true(g.gl_pathc >= 34);
	for (size_t i = 0; i < g.gl_pathc; i++)
		check_fixture(g.gl_pathv[i]);
	globfree(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_fixtures) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
