/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Golden: every genuine output of the four benchmarks gives the values beside it, or an error. */
#include <dirent.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/json.h"
#include "runners/bench/bench.h"

enum { MAX_BYTES = 1 << 20 };

static struct benchmark *load(const char *name)
{
	char *dir = xstrdup("configs");
	struct string_list dirs = { .s = &dir, .n = 1 };
	struct diags diags = DIAGS_INIT;
	struct benchmark *bench = NULL;
	char *text;

	if (benchmark_load(name, &dirs, &bench, &diags) < 0) {
		text = diags_text(&diags);
		fail_msg("%s", text);
	}
	diags_release(&diags);
	free(dir);
	return bench;
}

/* A file of a case beside its .expect.json, "" for null. */
static void read_part(const char *dir, const json_t *name, char **text, size_t *len)
{
	char *path;

	*text = xstrdup("");
	*len = 0;
	if (!json_is_string(name))
		return;
	free(*text);
	path = file_join(dir, json_string_value(name));
	assert_int_equal(file_read(path, MAX_BYTES, text, len, NULL), 0);
	free(path);
}

static size_t expected_count(const json_t *metric)
{
	const json_t *values = json_object_get(metric, "values");

	return values ? json_array_size(values) : 1;
}

static double expected_value(const json_t *metric, size_t at)
{
	const json_t *values = json_object_get(metric, "values");

	return json_number_value(
		values ? json_array_get(values, at) : json_object_get(metric, "value"));
}

static void check_metric(const char *name, const json_t *metric, const struct values *samples)
{
	const char *want = json_str(metric, "name", "");
	size_t at = 0;

	for (size_t i = 0; i < samples->n; i++) {
		const struct value *v = &samples->v[i];

		if (strcmp(v->name, want))
			continue;
		assert_true(at < expected_count(metric));
		if (fabs(v->value - expected_value(metric, at)) > 1e-9)
			fail_msg("%s: %s is %g, not %g", name, want, v->value,
				expected_value(metric, at));
		assert_string_equal(v->unit, json_str(metric, "unit", ""));
		assert_string_equal(better_name(v->better), json_str(metric, "better", ""));
		if (expected_count(metric) > 1)
			assert_int_equal(atoi(value_label(v, "interval")), at + 1);
		at++;
	}
	if (at != expected_count(metric))
		fail_msg("%s: %zu samples of %s", name, at, want);
}

static void check_values(const char *name, const struct benchmark *bench, const json_t *metrics,
	const struct values *samples)
{
	size_t i, total = 0;
	json_t *metric;

	json_array_foreach(metrics, i, metric) {
		check_metric(name, metric, samples);
		total += expected_count(metric);
		if (json_flag(metric, "primary", false) &&
			strcmp(bench_primary(bench, samples), json_str(metric, "name", "")))
			fail_msg("%s: primary is %s", name, bench_primary(bench, samples));
	}
	if (total != samples->n)
		fail_msg("%s: %zu samples, %zu expected", name, samples->n, total);
}

/* Without a signal of ours: the output and the status alone have to tell. */
static void check_case(const struct benchmark *bench, const char *dir, const char *file)
{
	char *path = file_join(dir, file), *text, *out, *err_text;
	struct values samples = VALUES_INIT;
	struct error err = ERROR_INIT;
	struct bench_output output = { 0 };
	json_t *expect = NULL;
	size_t len;
	bool ok;
	int r;

	assert_int_equal(file_read(path, MAX_BYTES, &text, &len, NULL), 0);
	assert_int_equal(json_parse(text, len, &expect, NULL), 0);
	read_part(dir, json_object_get(expect, "stdout"), &out, &output.out_len);
	read_part(dir, json_object_get(expect, "stderr"), &err_text, &output.err_len);
	output.out = out;
	output.err = err_text;
	output.exit_status = (int)json_int(expect, "exit_status", -1);
	r = bench_extract(bench, &output, &samples, &err);
	ok = !strcmp(json_str(expect, "result", ""), "ok");
	if (ok && r < 0)
		fail_msg("%s: %s", file, error_text(&err));
	if (!ok && (r >= 0 || samples.n || !err.text))
		fail_msg("%s: gave %zu samples", file, samples.n);
	if (ok)
		check_values(file, bench, json_object_get(expect, "metrics"), &samples);
	values_release(&samples);
	error_release(&err);
	json_decref(expect);
	free(text);
	free(out);
	free(err_text);
	free(path);
}

static void check_tool(const char *name, size_t at_least)
{
	struct benchmark *bench = load(name);
	char *dir = file_join("tests/fixtures/benchmarks", name);
	DIR *d = opendir(dir);
	struct dirent *entry;
	size_t n = 0;

	assert_non_null(d);
	while ((entry = readdir(d))) {
		if (!strstr(entry->d_name, ".expect.json"))
			continue;
		check_case(bench, dir, entry->d_name);
		n++;
	}
	closedir(d);
	if (n < at_least)
		fail_msg("%s: %zu cases instead of at least %zu", dir, n, at_least);
	free(dir);
	benchmark_free(bench);
}

static void test_context_switch2(void **state)
{
	(void)state;
	check_tool("context_switch2", 13);
}

static void test_hackbench(void **state)
{
	(void)state;
	check_tool("hackbench", 15);
}

static void test_schbench(void **state)
{
	(void)state;
	check_tool("schbench", 22);
}

static void test_perf_bench(void **state)
{
	(void)state;
	check_tool("perf-bench", 20);
}

/* The narrower files agree with the general one where both apply. */
static void test_perf_bench_narrow(void **state)
{
	const char *dir = "tests/fixtures/benchmarks/perf-bench";
	struct benchmark *pipe = load("perf-bench-sched-pipe");
	struct benchmark *messaging = load("perf-bench-sched-messaging");

	(void)state;
	check_case(pipe, dir, "sched-pipe.expect.json");
	check_case(pipe, dir, "sched-pipe-v6.12.expect.json");
	check_case(pipe, dir, "locale-de_DE.expect.json");
	check_case(pipe, dir, "err-cgroups-v6.12.expect.json");
	check_case(messaging, dir, "sched-messaging.expect.json");
	check_case(messaging, dir, "sched-messaging-v5.10.expect.json");
	check_case(messaging, dir, "err-unknown-bench.expect.json");
	benchmark_free(pipe);
	benchmark_free(messaging);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_context_switch2),
		cmocka_unit_test(test_hackbench),
		cmocka_unit_test(test_schbench),
		cmocka_unit_test(test_perf_bench),
		cmocka_unit_test(test_perf_bench_narrow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
