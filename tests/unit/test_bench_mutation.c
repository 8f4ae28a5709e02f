/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Genuine outputs, damaged: whatever comes, extraction gives sound values or an error, never both. */
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "tests/unit/bench_util.h"

#include "base/alloc.h"
#include "base/file.h"
#include "base/rng.h"

enum { MAX_BYTES = 1 << 20, MUTATIONS = 60, MAX_CUTS = 150 };

static struct benchmark *load(const char *name)
{
	char *dir = "configs";
	struct string_list dirs = { .s = &dir, .n = 1 };
	struct diags diags = DIAGS_INIT;
	struct benchmark *bench = NULL;

	if (benchmark_load(name, &dirs, &bench, &diags) < 0)
		fail_msg("%s", diags_text(&diags));
	return bench;
}

/* The text as either stream, in memory that ends where it ends. Return: true when it gave values. */
static bool check(const struct benchmark *bench, const char *text, size_t len, bool on_stderr)
{
	char *exact = xmemdup0(text, len);
	struct values samples = VALUES_INIT;
	struct error err = ERROR_INIT;
	struct bench_output output = { 0 };
	int r;

	exact = xrealloc_array(exact, len ? len : 1, 1); /* no NUL behind it */
	if (on_stderr) {
		output.err = exact;
		output.err_len = len;
	} else {
		output.out = exact;
		output.out_len = len;
	}
	r = bench_extract(bench, &output, &samples, &err);
	assert_true(r == 0 || r == -ENODATA || r == -EBADMSG);
	assert_true((r == 0) == (samples.n > 0));
	assert_true((r == 0) == (err.text == NULL));
	for (size_t i = 0; i < samples.n; i++) {
		assert_true(isfinite(samples.v[i].value) && samples.v[i].value >= 0);
		assert_non_null(bench_metric_of(bench, samples.v[i].name));
	}
	values_release(&samples);
	error_release(&err);
	free(exact);
	return r == 0;
}

static size_t mutate(struct rng *rng, char *text, size_t len, size_t room)
{
	static const char odd[] = "\0\n\r,.-+eE0129 \t\xff{}[]\"*#";
	size_t at = rng_below(rng, len), n;

	switch (rng_below(rng, 5)) {
	case 0:
		text[at] = odd[rng_below(rng, sizeof(odd) - 1)];
		return len;
	case 1: /* drop */
		n = 1 + rng_below(rng, 8);
		n = at + n > len ? len - at : n;
		memmove(text + at, text + at + n, len - at - n);
		return len - n;
	case 2: /* insert */
		if (len + 1 > room)
			return len;
		memmove(text + at + 1, text + at, len - at);
		text[at] = odd[rng_below(rng, sizeof(odd) - 1)];
		return len + 1;
	case 3: /* copy a piece elsewhere */
		n = rng_below(rng, len - at);
		if (len + n > room)
			return len;
		memmove(text + len, text + at, n);
		return len + n;
	default:
		text[at] = (char)rng_below(rng, 256);
		return len;
	}
}

static size_t check_file(
	const struct benchmark *bench, const char *path, bool on_stderr, struct rng *rng)
{
	char *text, *copy;
	size_t len, n, k, m, room, good = 0;

	assert_int_equal(file_read(path, MAX_BYTES, &text, &len, NULL), 0);
	room = 4 * len + 16;
	copy = xcalloc(room, 1);
	for (k = 0; len && k < MUTATIONS; k++) {
		memcpy(copy, text, len);
		n = len;
		for (m = 1 + rng_below(rng, 4); m && n; m--)
			n = mutate(rng, copy, n, room);
		good += check(bench, copy, n, on_stderr);
	}
	/* Cut at any byte. */
	for (n = 0; n < len; n += 1 + len / MAX_CUTS)
		good += check(bench, text, n, on_stderr);
	free(copy);
	free(text);
	return good;
}

static void check_tool(const char *name)
{
	struct benchmark *bench = load(name);
	char *dir = file_join("tests/fixtures/benchmarks", name);
	DIR *d = opendir(dir);
	struct dirent *entry;
	size_t files = 0, good = 0;
	struct rng rng;

	assert_non_null(d);
	rng_seed(&rng, 2026);
	while ((entry = readdir(d))) {
		const char *dot = strrchr(entry->d_name, '.');
		char *path = file_join(dir, entry->d_name);

		if (dot && (!strcmp(dot, ".out") || !strcmp(dot, ".err"))) {
			good += check_file(bench, path, !strcmp(dot, ".err"), &rng);
			files++;
		}
		free(path);
	}
	closedir(d);
	free(dir);
	benchmark_free(bench);
	/* Damage beside the figures leaves them readable: else this test would test nothing. */
	assert_true(files > 0 && good > 0);
}

static void test_context_switch2(void **state)
{
	(void)state;
	check_tool("context_switch2");
}

static void test_hackbench(void **state)
{
	(void)state;
	check_tool("hackbench");
}

static void test_schbench(void **state)
{
	(void)state;
	check_tool("schbench");
}

static void test_perf_bench(void **state)
{
	(void)state;
	check_tool("perf-bench");
}

/* Our own says when it is complete: no cut of it counts. */
static void test_cut_context_switch(void **state)
{
	static const char text[] =
		"context_switch 1 test=pipe mode=threads cpus=0,1 timeout=2 interval=1\n"
		"interval 1 switches_per_second 31234.5\n"
		"interval 2 switches_per_second 31334.5\n"
		"round_trip_ns p50=62016 p90=64000 p99=90000 max=123456 n=31000\n"
		"end\n";
	struct benchmark *bench = load("context_switch");
	const size_t whole = sizeof(text) - 1;

	(void)state;
	for (size_t n = 0; n < whole - 1; n++)
		assert_false(check(bench, text, n, false));
	assert_true(check(bench, text, whole, false));
	benchmark_free(bench);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_context_switch2),
		cmocka_unit_test(test_hackbench),
		cmocka_unit_test(test_schbench),
		cmocka_unit_test(test_perf_bench),
		cmocka_unit_test(test_cut_context_switch),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
