/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Benchmark files: rows, checks with their places, commands. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>

#include "tests/unit/bench_util.h"

#include "base/clock.h"
#include "base/json.h"
#include "spec/pattern.h"
#include "spec/template.h"

#define METRIC "metrics:\n- {name: m, better: lower, pattern: '(\\d+)'}\n"

/* All findings of a text as one text. */
static char *findings(const char *yaml)
{
	struct diags diags = DIAGS_INIT;
	struct benchmark *bench = NULL;
	char *text;

	assert_int_equal(benchmark_parse("b.yaml", yaml, strlen(yaml), &bench, &diags), -EINVAL);
	assert_null(bench);
	text = diags_text(&diags);
	diags_release(&diags);
	return text;
}

static void finds(const char *yaml, const char *part)
{
	char *text = findings(yaml);

	if (!strstr(text, part))
		fail_msg("'%s' does not hold '%s'", text, part);
	free(text);
}

static void test_defaults(void **state)
{
	struct benchmark *bench = bench_from("command: [x, -l]\n" METRIC);
	const struct bench_metric *m = bench->metrics.item;

	(void)state;
	assert_string_equal(bench->name, "test");
	assert_string_equal(bench->path, "test.yaml");
	assert_true(bench->pin);
	assert_int_equal(bench->exit_status, 0);
	assert_int_equal(bench->cpus, 0);
	assert_true(bench->timeout == 600);
	assert_int_equal(bench->command.n, 2);
	assert_int_equal(m->stream, STREAM_EITHER);
	assert_int_equal(m->take, TAKE_LAST);
	assert_int_equal(m->values, VALUES_POSITIVE);
	assert_true(m->scale == 1);
	assert_true(m->primary); /* the only one */
	assert_false(m->optional);
	assert_false(m->decimal_comma);
	benchmark_free(bench);
}

static void test_pattern_errors_have_places(void **state)
{
	(void)state;
	finds("command: [x]\nmetrics:\n- name: m\n  better: lower\n  pattern: '(\\d+'\n",
		"b.yaml:5:12: pattern '(\\d+': missing closing parenthesis at character 5");
	finds("command: [x]\nmetrics:\n- name: m\n  better: lower\n  pattern:\n  - '(\\d+)'\n  - "
	      "'(*)'\n",
		"b.yaml:7:5: pattern '(*)'");
	finds("command: [x]\nfailures:\n- {pattern: '['}\n" METRIC, "b.yaml:3:13: pattern '['");
	finds("command: [x]\nfailures: ['[']\n" METRIC, "b.yaml:2:12: pattern '['");
	finds("command: [x]\nrequire:\n- {pattern: a, when: '+'}\n" METRIC,
		"b.yaml:3:22: pattern '+'");
	finds("command: [x]\nmetrics:\n- {name: m, better: lower, pattern: '(a)', section: '(',\n"
	      "   section_end: ')'}\n",
		"b.yaml:4:17: pattern ')'");
	finds("command: [x]\nversion: {command: [x], pattern: 'v'}\n" METRIC,
		"2:34: the pattern has no group");
	finds("command: [x]\nmetrics:\n- {name: m, better: lower, pattern: '(*UTF)(a)'}\n", "UTF");
	finds("command: [x]\nmetrics:\n- {name: m, better: lower, pattern: 'a'}\n",
		"no group for the number");
}

static void test_all_findings_at_once(void **state)
{
	char *text = findings("command: ['x{nmae}']\nparams: {name: 1, other: 2}\nmetrics:\n"
			      "- {name: 'a{g}', better: lower, pattern: '(x)', primary: yes}\n"
			      "- {name: b, better: sideways, pattern: '(x'}\n");

	(void)state;
	assert_non_null(strstr(text, "b.yaml:1:11: {nmae} is no parameter"));
	assert_non_null(strstr(text, "did you mean 'name'?"));
	assert_non_null(strstr(text, "does not use the parameter 'other'"));
	assert_non_null(strstr(text, "b.yaml:4:42: the pattern has no group (?<g>...)"));
	assert_non_null(strstr(text, "sideways"));
	assert_non_null(strstr(text, "b.yaml:5:40: pattern '(x'"));
	free(text);
}

static void test_metric_checks(void **state)
{
	static const struct {
		const char *rows, *part;
	} cases[] = {
		{ "{name: m, better: lower}", "needs 'pattern' or 'json'" },
		{ "{name: m, better: lower, pattern: '(a)', json: /a}", "and not both" },
		{ "{name: m, better: lower, json: a/b}", "begin with '/'" },
		{ "{name: 'm{x}', better: lower, json: /a}", "needs a pattern" },
		{ "{name: m, better: lower, json: /a, section: b}", "go with 'pattern'" },
		{ "{name: m, better: lower, pattern: '(a)', section_end: b}", "needs 'section'" },
		{ "{name: m, better: lower, pattern: '(a)', scale: 0}", "scale of 0" },
		{ "{name: m, better: lower, pattern: '(a)', units: {s: 1}}", "group (?<unit>...)" },
		{ "{name: m, better: lower, pattern: '(a)(?<unit>b)'}", "needs 'units'" },
		{ "{name: m, better: lower, pattern: '(a)(?<unit>b)', units: {b: 0}}", "above 0" },
		{ "{name: m, better: none, pattern: '(a)'}", "whether higher or lower" },
		{ "{name: m, better: lower, pattern: '(a)', stream: file}", "needs 'file'" },
		{ "{name: m, better: lower, pattern: '(a)', file: x}", "needs stream: file" },
		{ "{name: m, better: lower, pattern: '(a)', stream: file, file: x}", "not among" },
		{ "{name: m, better: lower, pattern: '(a)', unless: x}", "no metric 'x'" },
		{ "{name: 'm{', better: lower, pattern: '(a)'}", "is no {name}" },
		{ "{name: m, better: lower, pattern: '(a)', patern: x}", "pattern" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char yaml[512];

		snprintf(yaml, sizeof(yaml), "command: [x]\nmetrics:\n- %s\n", cases[i].rows);
		finds(yaml, cases[i].part);
	}
	finds("command: [x]\nmetrics: []\n", "at least one metric");
	finds("command: [x]\n", "metrics");
	finds("command: []\n" METRIC, "no program");
	finds("command: ['{']\n" METRIC, "write '{{'");
	finds("command: ['{cpu0}{cpus}{cpu}']\n" METRIC, "{cpu} is no parameter");
	finds("command: ['{cpu0}']\nparams: {cpu0: 3}\n" METRIC, "cannot be a parameter");
	finds("command: [x]\nmetrics:\n- {name: a, better: lower, pattern: '(a)'}\n"
	      "- {name: b, better: lower, pattern: '(a)'}\n",
		"'primary: true'");
	finds("command: [x]\nmetrics:\n- {name: a, better: lower, pattern: '(a)', primary: true}\n"
	      "- {name: a, better: lower, pattern: '(a)'}\n",
		"there is a metric 'a' before");
	finds("command: [x]\nmetrics:\n- {name: a, better: lower, pattern: '(a)', primary: true}\n"
	      "- {name: b, better: lower, pattern: '(a)', unless: c}\n"
	      "- {name: c, better: lower, pattern: '(a)', unless: a}\n",
		"without an 'unless' of its own");
}

static void test_load(void **state)
{
	char *dir = "configs";
	struct string_list dirs = { .s = &dir, .n = 1 };
	struct diags diags = DIAGS_INIT;
	struct benchmark *bench;
	char *text;

	(void)state;
	assert_int_equal(benchmark_load("hackbench", &dirs, &bench, &diags), 0);
	assert_string_equal(bench->name, "hackbench");
	benchmark_free(bench);
	assert_int_equal(
		benchmark_load("configs/benchmarks/schbench.yaml", &dirs, &bench, &diags), 0);
	benchmark_free(bench);
	assert_true(benchmark_load("hackbnech", &dirs, &bench, &diags) < 0);
	assert_true(benchmark_load("./none.yaml", &dirs, &bench, &diags) < 0);
	assert_null(bench);
	text = diags_text(&diags);
	assert_non_null(strstr(text, "did you mean 'hackbench'?"));
	assert_non_null(strstr(text, "none.yaml"));
	free(text);
	diags_release(&diags);
}

/* Each file that we ship loads, has its own name, and makes a command without any setting. */
static void test_shipped_files(void **state)
{
	char *dir = "configs";
	struct string_list dirs = { .s = &dir, .n = 1 };
	struct cpulist cpus = CPULIST_INIT;
	DIR *d = opendir("configs/benchmarks");
	struct dirent *entry;
	size_t n = 0;

	(void)state;
	assert_non_null(d);
	cpulist_add(&cpus, 0);
	cpulist_add(&cpus, 1);
	while ((entry = readdir(d))) {
		struct diags diags = DIAGS_INIT;
		struct benchmark *bench;
		struct error err = ERROR_INIT;
		json_t *argv;
		char *dot = strstr(entry->d_name, ".yaml");

		if (!dot)
			continue;
		*dot = '\0';
		if (benchmark_load(entry->d_name, &dirs, &bench, &diags) < 0)
			fail_msg("%s", diags_text(&diags));
		assert_string_equal(bench->name, entry->d_name);
		assert_non_null(bench->description);
		assert_non_null(bench->install);
		if (bench_command(bench, NULL, &cpus, &argv, &err) < 0)
			fail_msg("%s", error_text(&err));
		json_decref(argv);
		benchmark_free(bench);
		n++;
	}
	closedir(d);
	cpulist_release(&cpus);
	assert_true(n >= 7);
}

static void command_is(const struct benchmark *bench, const char *params,
	const struct cpulist *cpus, const char *want)
{
	json_t *object = params ? json_loads(params, 0, NULL) : NULL, *argv = NULL;
	struct error err = ERROR_INIT;
	char *line;
	int r;

	assert_true(!params || object);
	r = bench_command(bench, object, cpus, &argv, &err);
	line = r < 0 ? strdup(error_text(&err)) : json_line(argv);
	if (r < 0 ? !strstr(line, want) : strcmp(line, want))
		fail_msg("%s, not %s", line, want);
	free(line);
	error_release(&err);
	json_decref(argv);
	json_decref(object);
}

static void test_command(void **state)
{
	struct benchmark *bench =
		bench_from("command: [x, '-n{n}', '-t{t}', '-p{p}', '{{{n}}}', '{cpu0},{cpu1}',"
			   " '{cpus}']\nparams: {n: 4, t: null, p: false}\n" METRIC);
	struct cpulist cpus = CPULIST_INIT, one = CPULIST_INIT;

	(void)state;
	cpulist_add(&cpus, 3);
	cpulist_add(&cpus, 3);
	cpulist_add(&one, 7);
	command_is(bench, NULL, &cpus, "[\"x\",\"-n4\",\"{4}\",\"3,3\",\"3,3\"]");
	command_is(bench, "{\"n\": 0.5, \"t\": \"a b\", \"p\": true}", NULL,
		"[\"x\",\"-n0.5\",\"-ta b\",\"-p\",\"{0.5}\"]");
	command_is(bench, "{\"n\": null}", NULL, "[\"x\"]");
	command_is(bench, NULL, &one, "names {cpu1}, and the arm has only 1 CPU");
	command_is(bench, "{\"m\": 1}", NULL, "no parameter 'm'; it has n, t, p");
	command_is(bench, "{\"p\": 1}", NULL, "has to be true or false");
	command_is(bench, "{\"n\": [1]}", NULL, "has to be one value");
	benchmark_free(bench);
	bench = bench_from("command: [x, '{cpu1}']\ncpus: 2\n" METRIC);
	command_is(bench, NULL, &one, "needs 2 CPUs and the arm names 1");
	command_is(bench, NULL, NULL, "needs 2 CPUs and the arm names 0");
	command_is(bench, NULL, &cpus, "[\"x\",\"3\"]");
	cpulist_release(&cpus);
	cpulist_release(&one);
	benchmark_free(bench);
}

static void test_version(void **state)
{
	static const char text[] = "\nperf version 6.1.187\nmore\n";
	struct benchmark *bench = bench_from(
		"command: [x]\nversion: {command: [x], pattern: 'version (\\S+)'}\n" METRIC);
	char *version = bench_version_text(bench, text, sizeof(text) - 1);

	(void)state;
	assert_string_equal(version, "6.1.187");
	assert_null(bench_version_text(bench, "what?", 5));
	free(version);
	benchmark_free(bench);
	bench = bench_from("command: [x]\nversion: {command: [x]}\n" METRIC);
	version = bench_version_text(bench, text, sizeof(text) - 1);
	assert_string_equal(version, "perf version 6.1.187");
	assert_null(bench_version_text(bench, "", 0));
	free(version);
	benchmark_free(bench);
}

static void test_template(void **state)
{
	const char *at = "a{b_1}}}c";
	struct template_piece piece;
	struct error err = ERROR_INIT;

	(void)state;
	assert_int_equal(template_next(&at, &piece, &err), 1);
	assert_false(piece.is_name);
	assert_int_equal(template_next(&at, &piece, &err), 1);
	assert_true(piece.is_name);
	assert_memory_equal(piece.text, "b_1", piece.len);
	assert_int_equal(template_next(&at, &piece, &err), 1);
	assert_memory_equal(piece.text, "}", piece.len);
	assert_int_equal(template_next(&at, &piece, &err), 1);
	assert_int_equal(template_next(&at, &piece, &err), 0);
	at = "{1}";
	assert_int_equal(template_next(&at, &piece, &err), -EINVAL);
	at = "}";
	assert_int_equal(template_next(&at, &piece, &err), -EINVAL);
	at = "{a";
	assert_int_equal(template_next(&at, &piece, &err), -EINVAL);
	assert_true(template_has_names("x{y}"));
	assert_false(template_has_names("{{x}}"));
	error_release(&err);
}

/* Many cheap tries: no step limit is hit, the deadline ends them. */
static void test_pattern_deadline(void **state)
{
	struct pattern *pattern;
	struct error err = ERROR_INIT;
	char text[4096];

	(void)state;
	memset(text, 'a', sizeof(text));
	assert_int_equal(pattern_new("[ab]+[cd]", &pattern, &err), 0);
	assert_int_equal(pattern_next(pattern, text, sizeof(text), 0, UINT64_MAX, &err), 0);
	assert_int_equal(
		pattern_next(pattern, text, sizeof(text), 0, clock_monotonic_ns() - 1, &err),
		-EBADMSG);
	assert_non_null(strstr(error_text(&err), "takes too long"));
	assert_int_equal(pattern_next(pattern, text, sizeof(text), sizeof(text) + 1, 0, &err), 0);
	error_release(&err);
	pattern_free(pattern);
}

static void test_pattern_length(void **state)
{
	char *text = malloc(PATTERN_MAX_LENGTH + 2);
	struct pattern *pattern;
	struct error err = ERROR_INIT;

	(void)state;
	memset(text, 'a', PATTERN_MAX_LENGTH + 1);
	text[PATTERN_MAX_LENGTH + 1] = '\0';
	assert_int_equal(pattern_new(text, &pattern, &err), -EINVAL);
	memset(text, '(', 2000);
	text[2000] = '\0';
	assert_int_equal(pattern_new(text, &pattern, &err), -EINVAL);
	error_release(&err);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_defaults),
		cmocka_unit_test(test_pattern_errors_have_places),
		cmocka_unit_test(test_all_findings_at_once),
		cmocka_unit_test(test_metric_checks),
		cmocka_unit_test(test_load),
		cmocka_unit_test(test_shipped_files),
		cmocka_unit_test(test_command),
		cmocka_unit_test(test_version),
		cmocka_unit_test(test_template),
		cmocka_unit_test(test_pattern_deadline),
		cmocka_unit_test(test_pattern_length),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
