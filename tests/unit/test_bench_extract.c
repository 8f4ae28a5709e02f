/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rules of extraction: what becomes a sample, and above all what does not. */
#include <errno.h>
#include <locale.h>
#include <stdio.h>

#include "tests/unit/bench_util.h"

#include "base/json.h"

#define TIME "  pattern: '^Time: (\\S+)'\n"

static void test_number(void **state)
{
	(void)state;
	gives_value(bench_with(TIME), "Time: 1.25\n", 1.25);
	gives_value(bench_with(TIME), "Time: 1e3", 1000);
	gives_value(bench_with(TIME), "Time: .5\n", .5);
	gives_value(bench_with("  values: any\n" TIME), "Time: -4\n", -4);
	gives_value(bench_with("  scale: 0.001\n" TIME), "Time: 4500\n", 4.5);
}

/* Under another locale: refused, or read right where the file allows it; never the half of it. */
static void test_locale(void **state)
{
	(void)state;
	refuses_text(bench_with(TIME), "Time: 14,516740\n", "'14,516740' is no plain number");
	refuses_text(bench_with("  pattern: 'Time: (\\d+)'\n"), "Time: 14,516740\n",
		"part of a longer number");
	refuses_text(bench_with("  pattern: '(\\d+) usecs'\n"), "Time: 14,516740 usecs\n",
		"part of a longer number");
	refuses_text(bench_with("  pattern: '([\\d.]+) usecs'\n"), "Time: 14,516740 usecs\n",
		"part of a longer number");
	refuses_text(bench_with("  pattern: 'Time: (\\d+)'\n"), "Time: 1e6\n",
		"part of a longer number");
	refuses_text(bench_with(TIME), "Time: 1.234.567\n", "no plain number");
	refuses_text(bench_with(TIME), "Time: 1,234\n", "no plain number");
	gives_value(bench_with("  decimal_comma: yes\n" TIME), "Time: 14,516740\n", 14.516740);
	refuses_text(
		bench_with("  decimal_comma: yes\n" TIME), "Time: 1,234,567\n", "no plain number");
	refuses_text(
		bench_with("  decimal_comma: yes\n" TIME), "Time: 1.234,5\n", "no plain number");
	/* A pattern that says what follows the number knows its format. */
	gives_value(bench_with("  pattern: '^Time: (\\d+),'\n"), "Time: 14,516740\n", 14);
}

static void test_our_locale_does_not_matter(void **state)
{
	(void)state;
	if (!setlocale(LC_ALL, "de_DE.UTF-8") && !setlocale(LC_ALL, "fr_FR.UTF-8")) {
		print_message("skipped: neither de_DE.UTF-8 nor fr_FR.UTF-8 is installed\n");
		skip();
	}
	gives_value(bench_with(TIME), "Time: 1.25\n", 1.25);
	refuses_text(bench_with(TIME), "Time: 1,25\n", "no plain number");
	setlocale(LC_ALL, "C");
}

static void test_no_number(void **state)
{
	static const char *const bad[] = { "nan", "inf", "-inf", "0x1f", "1e", "--1", "+", ".",
		"1_000", "1e999", "12abc", "\xd9\xa1" };

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		char out[64];

		snprintf(out, sizeof(out), "Time: %s\n", bad[i]);
		refuses_text(bench_with("  values: any\n" TIME), out, "number");
	}
	refuses_text(bench_with("  pattern: '^Time: (\\S*)'\n"), "Time: \n", "no number");
}

static void test_missing_is_not_zero(void **state)
{
	struct bench_output empty = output_of(""), other = output_of("hello\n");

	(void)state;
	refuses(bench_with(TIME), &empty, -ENODATA, "'m' was not found");
	refuses(bench_with(TIME), &other, -ENODATA, "stdout begins: 'hello'");
	other.err = "cannot open\n";
	other.err_len = strlen(other.err);
	refuses(bench_with(TIME), &other, -ENODATA, "stderr begins: 'cannot open'");
	/* A lone metric is primary, and one primary has to be there, optional or not. */
	refuses(bench_with(TIME "  optional: yes\n"), &empty, -ENODATA, "primary");
}

static void test_zero(void **state)
{
	const double zero = 0, series[] = { 3, 0 };
	struct bench_output output = output_of("Time: 0.000\n");

	(void)state;
	refuses(bench_with(TIME), &output, -EBADMSG, "'m' is 0");
	gives_values(bench_with("  values: not_negative\n" TIME), &output, 1, &zero);
	output = output_of("Time: -1\n");
	refuses(bench_with("  values: not_negative\n" TIME), &output, -EBADMSG, "below 0");
	output = output_of("Time: 0\nTime: 0\n");
	refuses(bench_with(TIME), &output, -EBADMSG, "'m' is 0");
	output = output_of("Time: 3\nTime: 0\n");
	refuses(bench_with(TIME), &output, -EBADMSG, "'m' is 0");
	gives_values(bench_with("  values: any\n" TIME), &output, 2, series);
}

static void test_how_it_ended(void **state)
{
	struct bench_output output = output_of("Time: 1\n");

	(void)state;
	output.signalled = true;
	refuses(bench_with(TIME), &output, -EBADMSG, "we sent it a signal");
	output.signalled = false;
	output.timed_out = true;
	refuses(bench_with(TIME), &output, -EBADMSG, "time limit");
	output.timed_out = false;
	output.exit_status = -1;
	output.signal = 9;
	refuses(bench_with(TIME), &output, -EBADMSG, "killed by signal 9");
	output.signal = 0;
	output.exit_status = 1;
	refuses(bench_with(TIME), &output, -EBADMSG, "exit status 1 instead of 0");
	output.exit_status = 137;
	refuses(bench_with(TIME), &output, -EBADMSG, "(killed)");
	output.exit_status = 0;
	output.truncated = true;
	refuses(bench_with(TIME), &output, -EBADMSG, "end is missing");
	output.truncated = false;
	refuses(bench_with(TIME "exit_status: 3\n"), &output, -EBADMSG, "0 instead of 3");
}

static void test_failure_patterns(void **state)
{
	const char *rows = TIME
		"failures:\n- '^oops'\n- {pattern: 'dead', stream: stderr, message: it died}\n";
	struct bench_output output = output_of("Time: 1\noops, 3 lost\n");

	(void)state;
	refuses(bench_with(rows), &output, -EBADMSG, "'oops, 3 lost'");
	output = output_of("Time: 1\ndead\n");
	gives_value(bench_with(rows), "Time: 1\ndead\n", 1);
	output.err = "so dead\n";
	output.err_len = 8;
	refuses(bench_with(rows), &output, -EBADMSG, "it died: 'so dead'");
	/* It says more than the status that goes with it. */
	output.exit_status = 1;
	refuses(bench_with(rows), &output, -EBADMSG, "it died");
}

static void test_require(void **state)
{
	const char *rows = TIME "require:\n- {pattern: '^end$', when: '^v2', message: cut short}\n";

	(void)state;
	gives_value(bench_with(rows), "v1\nTime: 1\n", 1);
	gives_value(bench_with(rows), "v2\nTime: 1\nend\n", 1);
	refuses_text(bench_with(rows), "v2\nTime: 1\n", "cut short");
	refuses_text(bench_with(TIME "require: ['^end$']\n"), "Time: 1\nen", "'^end$'");
}

static void test_streams(void **state)
{
	struct bench_output output = output_of("Time: 1\n");
	json_t *files = json_pack("{s:s}", "r.txt", "Time: 3\n");
	const double one = 1, two = 2, three = 3;

	(void)state;
	output.err = "Time: 2\n";
	output.err_len = 8;
	gives_values(bench_with(TIME), &output, 1, &one);
	gives_values(bench_with("  stream: stderr\n" TIME), &output, 1, &two);
	refuses(bench_with("  stream: file\n  file: r.txt\n" TIME "files: [r.txt]\n"), &output,
		-ENODATA, "not found");
	output.files = files;
	gives_values(bench_with("  stream: file\n  file: r.txt\n" TIME "files: [r.txt]\n"), &output,
		1, &three);
	output.out = NULL;
	output.out_len = 0;
	gives_values(bench_with(TIME), &output, 1, &two);
	json_decref(files);
}

static void test_section(void **state)
{
	const char *rows = "  section: '^Table'\n  section_end: '^\\S'\n  pattern: '^ x=(\\S+)'\n";

	(void)state;
	gives_value(bench_with(rows), "Table 1\n x=1\nTable 2 x=9\n x=2\nother\n x=3\n", 2);
	gives_value(bench_with(rows), "Table 1\n x=1\nTable 2\n x=2", 2);
	gives_value(bench_with(rows), "Table 1\r\n x=1\r\nTable 2\r\n x=2\r\nsum\r\n x=3\r\n", 2);
	struct bench_output output = output_of(" x=1\n");
	refuses(bench_with(rows), &output, -ENODATA, "not found");
	output = output_of("Table 1\n x=1\nTable 2\n");
	refuses(bench_with(rows), &output, -ENODATA, "not found");
}

static void test_patterns_in_order(void **state)
{
	const char *rows = "  pattern: ['^new: (\\S+)', '^old: (\\S+)']\n";
	const double both[] = { 1, 3 };
	struct bench_output output = output_of("new: 1\nold: 2\nnew: 3\n");

	(void)state;
	gives_values(bench_with(rows), &output, 2, both);
	gives_value(bench_with(rows), "old: 2\n", 2);
}

static void test_units(void **state)
{
	const char *rows = "  unit: us\n  pattern: '^t (?<value>[\\d.]+) ?(?<unit>\\w+)'\n"
			   "  units: {us: 1, ms: 1000}\n";

	(void)state;
	gives_value(bench_with(rows), "t 1.5 ms\n", 1500);
	gives_value(bench_with(rows), "t 7us\n", 7);
	refuses_text(bench_with(rows), "t 7 s\n", "unit 's'");
}

static void test_names_from_groups(void **state)
{
	struct benchmark *bench =
		bench_from("command: [x]\nmetrics:\n"
			   "- {name: p99, better: lower, pattern: '^ 99th: (\\S+)', primary: yes}\n"
			   "- {name: 'p{pct}', better: lower, pattern: '^ (?<pct>\\S*?)th: "
			   "(?<value>\\S+)'}\n");
	struct bench_output output = output_of(" 50th: 5\n 99th: 9\n 50th: 6\n");
	struct values samples = VALUES_INIT;
	struct error err = ERROR_INIT;

	(void)state;
	assert_int_equal(bench_extract(bench, &output, &samples, &err), 0);
	assert_int_equal(samples.n, 3);
	assert_string_equal(samples.v[0].name, "p99");
	assert_null(value_label(&samples.v[0], "interval"));
	assert_string_equal(samples.v[1].name, "p50");
	assert_string_equal(value_label(&samples.v[2], "interval"), "2");
	assert_string_equal(bench_primary(bench, &samples), "p99");
	assert_string_equal(bench_metric_of(bench, "p99")->name, "p99");
	assert_string_equal(bench_metric_of(bench, "p99.9")->name, "p{pct}");
	assert_null(bench_metric_of(bench, "p"));
	assert_null(bench_metric_of(bench, "q99"));
	output = output_of(" 99th: 1\n th: 5\n");
	assert_int_equal(bench_extract(bench, &output, &samples, &err), -EBADMSG);
	/* Untouched by a failure. */
	assert_int_equal(samples.n, 3);
	output = output_of(" 99th: 1\n \x01\xffth: 5\n");
	assert_int_equal(bench_extract(bench, &output, &samples, &err), -EBADMSG);
	assert_non_null(strstr(error_text(&err), "no name"));
	error_release(&err);
	values_release(&samples);
	benchmark_free(bench);
}

static void test_alternatives(void **state)
{
	const char *yaml =
		"command: [x]\nmetrics:\n"
		"- {name: a, better: lower, pattern: '^a (\\S+)', optional: yes, primary: yes, "
		"unless: j}\n"
		"- {name: b, better: lower, pattern: '^b (\\S+)', optional: yes, primary: yes}\n"
		"- {name: j, better: lower, json: [/x/0, /y~1z], optional: yes, primary: yes}\n";
	const double two[] = { 2, 1 }, j[] = { 5 };
	struct bench_output output = output_of("a 1\nb 2\n");

	(void)state;
	gives_values(bench_from(yaml), &output, 2, two);
	output = output_of("a 1\n{\"x\": [5]}\n");
	gives_values(bench_from(yaml), &output, 1, j);
	output = output_of("log\n[not json\n  {\"y/z\": \"5\"}\ntail\n");
	gives_values(bench_from(yaml), &output, 1, j);
	output = output_of("{\"x\": [\"5,5\"]}");
	refuses(bench_from(yaml), &output, -EBADMSG, "no plain number");
	output = output_of("{\"x\": [null]}");
	refuses(bench_from(yaml), &output, -EBADMSG, "no number");
	output = output_of("{\"x\": [5]");
	refuses(bench_from(yaml), &output, -ENODATA, "primary");
	output = output_of("{\"x\": [1e999]}");
	refuses(bench_from(yaml), &output, -ENODATA, "primary");
}

static void test_odd_bytes(void **state)
{
	static const char nul[] = "noise\0Time: 9\nTime: 1\n", in_number[] = "Time: 1\0002\n";
	struct bench_output output = { .out = nul, .out_len = sizeof(nul) - 1 };
	const double one = 1;

	(void)state;
	gives_values(bench_with(TIME), &output, 1, &one);
	output = (struct bench_output){ .out = in_number, .out_len = sizeof(in_number) - 1 };
	refuses(bench_with(TIME), &output, -EBADMSG, "'1?2' is no plain number");
	gives_value(bench_with("  pattern: '^Time: (\\S+)$'\n"), "Time: 1\r\nx\r\n", 1);
	gives_value(bench_with("  pattern: '^Time: (\\S+)$'\n"), "\xff\xfe\nTime: 1", 1);
	/* Not one line, but one with a carriage return in it is two. */
	gives_value(bench_with("  pattern: '^Time: (\\S+)$'\n"), "10%\rTime: 1\r", 1);
}

static void test_floods(void **state)
{
	size_t n = 200000, i;
	char *text = malloc(n * 16 + 1), *at = text;
	struct bench_output output = { .out = text };

	(void)state;
	for (i = 0; i < n; i++)
		at += sprintf(at, "Time: %zu\n", i + 1);
	output.out_len = (size_t)(at - text);
	refuses(bench_with(TIME), &output, -EBADMSG, "more than 100000 samples");
	output.out_len = strlen("Time: 1\nTime: 2\n");
	gives_values(bench_with(TIME), &output, 2, (const double[]){ 1, 2 });
	for (i = 0, at = text; i < 2000; i++)
		at += sprintf(at, "n%zu: 1\n", i);
	output.out_len = (size_t)(at - text);
	refuses(bench_from("command: [x]\nmetrics:\n- {name: 'a{n}', better: lower, pattern: "
			   "'^n(?<n>\\d+): (?<value>\\d+)'}\n"),
		&output, -EBADMSG, "more than 1000 metrics");
	free(text);
}

/* 100 MB without and with a result at the end. */
static void test_large(void **state)
{
	static const char line[] =
		"Each sender will pass 1000 messages of 100 bytes, or so it says ...\n";
	const size_t len = sizeof(line) - 1, size = 100 << 20;
	char *text = malloc(size + 16);
	struct bench_output output = { .out = text };
	const double want = 0.5;
	size_t i;

	(void)state;
	assert_non_null(text);
	for (i = 0; i + len <= size; i += len)
		memcpy(text + i, line, len);
	output.out_len = i;
	refuses(bench_with(TIME), &output, -ENODATA, "not found");
	memcpy(text + i, "Time: 0.5", 9);
	output.out_len = i + 9;
	gives_values(bench_with(TIME), &output, 1, &want);
	free(text);
}

/* Patterns that would take for ever give up with a reason. */
static void test_backtracking(void **state)
{
	char text[4096];
	struct bench_output output = { .out = text, .out_len = sizeof(text) };

	(void)state;
	memset(text, 'a', sizeof(text));
	text[sizeof(text) - 2] = '!';
	text[sizeof(text) - 1] = '\n';
	refuses(bench_with("  pattern: '^(?:(a+)+|b)$'\n"), &output, -EBADMSG,
		"gives up on this output");
	refuses(bench_with(TIME "failures: ['^(?:(a+)+|b)$']\n"), &output, -EBADMSG,
		"gives up on this output");
}

static void test_figure(void **state)
{
	static const struct {
		const char *take;
		double want;
	} cases[] = { { "last", 4 }, { "first", 10 }, { "median", 3.5 },
		{ "median_after_first", 3 }, { "mean", 5 }, { "sum", 20 }, { "min", 3 },
		{ "max", 10 } };
	struct bench_output output = output_of("Time: 10\nTime: 3\nTime: 3\nTime: 4\n");
	struct bench_output single = output_of("Time: 7\n");
	double figure;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct values samples = VALUES_INIT;
		struct benchmark *bench;
		char rows[80];

		snprintf(rows, sizeof(rows), TIME "  take: %s\n", cases[i].take);
		bench = bench_with(rows);
		assert_int_equal(bench_extract(bench, &output, &samples, NULL), 0);
		assert_int_equal(bench_figure(bench, &samples, "m", &figure, NULL), 0);
		assert_true(figure == cases[i].want);
		assert_int_equal(bench_figure(bench, &samples, "n", &figure, NULL), -ENOENT);
		assert_int_equal(bench_extract(bench, &single, &samples, NULL), 0);
		assert_int_equal(bench_figure(bench, &samples, "m", &figure, NULL), 0);
		assert_true(figure == 7);
		values_release(&samples);
		benchmark_free(bench);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_number),
		cmocka_unit_test(test_locale),
		cmocka_unit_test(test_our_locale_does_not_matter),
		cmocka_unit_test(test_no_number),
		cmocka_unit_test(test_missing_is_not_zero),
		cmocka_unit_test(test_zero),
		cmocka_unit_test(test_how_it_ended),
		cmocka_unit_test(test_failure_patterns),
		cmocka_unit_test(test_require),
		cmocka_unit_test(test_streams),
		cmocka_unit_test(test_section),
		cmocka_unit_test(test_patterns_in_order),
		cmocka_unit_test(test_units),
		cmocka_unit_test(test_names_from_groups),
		cmocka_unit_test(test_alternatives),
		cmocka_unit_test(test_odd_bytes),
		cmocka_unit_test(test_floods),
		cmocka_unit_test(test_large),
		cmocka_unit_test(test_backtracking),
		cmocka_unit_test(test_figure),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
