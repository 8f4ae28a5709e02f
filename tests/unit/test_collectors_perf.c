/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counters: those of our probe, and what perf stat prints. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "collectors_util.h"

#define COUNT(event, cpu, value, enabled, running)                                              \
	"{\"event\":\"" event "\",\"pmu\":\"cpu\",\"cpu\":" cpu ",\"unit\":\"\",\"scale\":1.0," \
	"\"value\":" value ",\"enabled\":" enabled ",\"running\":" running ",\"error\":null}"
#define REFUSED(event, cpu)                                                        \
	"{\"event\":\"" event "\",\"pmu\":\"cpu\",\"cpu\":" cpu ",\"value\":null," \
	"\"enabled\":null,\"running\":null,\"error\":\"not supported\"}"

static void test_perf_values(void **state)
{
	struct parsed p = parse_text("perf", NULL,
		"[" COUNT("cycles", "0", "100", "50", "50") "," COUNT("cycles", "1", "100", "80",
			"20") "," COUNT("idle", "0", "0", "50", "50") "," COUNT("starved", "0", "0",
			"50", "0") "," COUNT("close", "0", "96", "100", "96") "]");

	(void)state;
	assert_int_equal(p.r, 0);
	assert_value(value_of(&p, "cycles", LABELS("cpu", "0", "pmu", "cpu")), 100);
	assert_value(value_of(&p, "cycles", LABELS("cpu", "1", "event", "cycles")), 400);
	assert_value(value_of(&p, "running_share", LABELS("cpu", "1", "event", "cycles")), 25);
	assert_true(isnan(value_of(&p, "running_share", LABELS("cpu", "0", "event", "cycles"))));
	assert_true(noted(&p, "cycles (cpu) on CPU 1 was counted 25.00 % of the time"));
	/* Counted and 0 is a value; never counted is none. */
	assert_value(value_of(&p, "idle", LABELS()), 0);
	assert_true(isnan(value_of(&p, "starved", LABELS())));
	assert_value(value_of(&p, "not_counted", LABELS("event", "starved")), 1);
	assert_value(value_of(&p, "close", LABELS()), 100);
	assert_false(noted(&p, "close"));
	parsed_release(&p);
}

static void test_perf_clocks_are_times(void **state)
{
	struct parsed p = parse_text("perf", NULL,
		"[" COUNT("task-clock", "0", "5", "1", "1") "," COUNT(
			"cycles", "0", "5", "1", "1") "]");

	(void)state;
	assert_string_equal(p.out.v[0].unit, "ns");
	assert_string_equal(p.out.v[1].unit, "count");
	parsed_release(&p);
}

static void test_perf_refused_events(void **state)
{
	struct parsed p = parse_text("perf", NULL,
		"[" REFUSED("cycles", "0") "," REFUSED("cycles", "1") "," COUNT(
			"page-faults", "null", "7", "1", "1") "]");

	(void)state;
	assert_true(isnan(value_of(&p, "cycles", LABELS())));
	assert_value(value_of(&p, "not_supported", LABELS("event", "cycles", "cpu", NULL)), 2);
	assert_int_equal(p.out.n_notes, 1);
	assert_true(noted(&p, "cycles: not supported"));
	assert_value(value_of(&p, "page-faults", LABELS("cpu", NULL)), 7);
	parsed_release(&p);
}

static void test_perf_hybrid(void **state)
{
	struct parsed p = parse_text("perf",
		"[{\"event\":\"cycles\",\"pmu\":\"cpu_core\",\"cpu\":null,\"value\":5,\"enabled\":"
		"1,"
		"\"running\":1},{\"event\":\"cycles\",\"pmu\":\"cpu_atom\",\"cpu\":null,\"value\":"
		"0,"
		"\"enabled\":0,\"running\":0},{\"event\":\"energy-pkg\",\"pmu\":\"power\",\"cpu\":"
		"0,"
		"\"unit\":\"Joules\",\"scale\":0.5,\"value\":3,\"enabled\":1,\"running\":1}]",
		NULL);

	(void)state;
	assert_value(value_of(&p, "cycles", LABELS("pmu", "cpu_core")), 5);
	assert_true(isnan(value_of(&p, "cycles", LABELS("pmu", "cpu_atom"))));
	assert_value(value_of(&p, "energy-pkg", LABELS()), 1.5);
	assert_string_equal(p.out.v[p.out.n - 1].unit, "Joules");
	parsed_release(&p);
}

static void test_perf_refuses_other_texts(void **state)
{
	static const char *const texts[] = { "", "{}", "[1]", "[{}]", "[{\"event\":\"x\"}]", "nul",
		"[{\"event\":\"x\",\"value\":-1,\"enabled\":1,\"running\":1}]",
		"[{\"event\":\"x\",\"value\":1e300,\"enabled\":1,\"running\":1}]",
		"[{\"event\":\"x\",\"scale\":1e300,\"value\":1,\"enabled\":1,\"running\":1}]",
		"[{\"event\":\"x\",\"cpu\":\"0\",\"value\":1,\"enabled\":1,\"running\":1}]" };

	(void)state;
	for (size_t i = 0; i < array_size(texts); i++) {
		struct parsed p = parse_text("perf", NULL, texts[i]);

		assert_int_equal(p.r, -EINVAL);
		assert_int_equal(p.out.n, 0);
		parsed_release(&p);
	}
}

static void test_perf_stat_locales(void **state)
{
	/* German, French (U+202F), French in Latin-1, English, Indian, Swiss. */
	static const char *const lines[] = {
		"  1.111.218      cycles\n  1.642,81 msec task-clock\n",
		"  1\xe2\x80\xaf"
		"111\xe2\x80\xaf"
		"218      cycles\n  1\xe2\x80\xaf"
		"642,81 msec task-clock\n",
		"  1\xa0"
		"111\xa0"
		"218      cycles\n  1\xa0"
		"642,81 msec task-clock\n",
		"  1,111,218      cycles\n  1,642.81 msec task-clock\n",
		"  11,11,218      cycles\n  1,642.81 msec task-clock\n",
		"  1'111'218      cycles\n  1'642.81 msec task-clock\n",
		"  1111218      cycles\n  1642.81 msec task-clock\n"
	};

	(void)state;
	for (size_t i = 0; i < array_size(lines); i++) {
		struct parsed p = parse_text("perf_stat", lines[i], NULL);

		assert_int_equal(p.r, 0);
		assert_value(value_of(&p, "cycles", LABELS()), 1111218);
		assert_value(value_of(&p, "task-clock", LABELS()), 1642.81);
		parsed_release(&p);
	}
}

static void test_perf_stat_text(void **state)
{
	struct parsed p = parse_text("perf_stat",
		"#           time             counts unit events\n"
		"     1.000847637              3,116      context-switches     #    1,5 K/sec  ( "
		"+-  4.43% )  (16.68%)\n"
		"CPU1             42      cs [software]\n"
		"S0-D0            8    7      cycles\n"
		"sleep: Terminated by somebody\n"
		"       1,444252251 seconds time elapsed\n"
		"             1.272 +- 0.181 seconds user\n",
		NULL);

	(void)state;
	assert_value(value_of(&p, "context-switches", LABELS("interval", "1.000847637")), 3116);
	assert_value(value_of(&p, "running_share", LABELS("event", "context-switches")), 16.68);
	assert_value(value_of(&p, "spread", LABELS("event", "context-switches")), 4.43);
	assert_value(value_of(&p, "cs [software]", LABELS("cpu", "1")), 42);
	assert_value(value_of(&p, "cycles", LABELS("place", "S0-D0")), 7);
	assert_value(value_of(&p, "elapsed", LABELS()), 1.444252251);
	assert_value(value_of(&p, "user", LABELS()), 1.272);
	assert_true(noted(&p, "1 lines are no counters, the first is line 5"));
	parsed_release(&p);
}

static void test_perf_stat_csv(void **state)
{
	struct parsed p = parse_text("perf_stat",
		"# started on Mon\n\n7185;;context-switches;114593246;100.00;62.700;K/sec\n"
		"<not counted>;;cycles;0;0.00;;\n1.5;Joules;power/energy-pkg/;5;50.00\n"
		";;;;;0.25;stalled cycles per insn\n",
		NULL);

	(void)state;
	assert_value(value_of(&p, "context-switches", LABELS()), 7185);
	assert_value(value_of(&p, "power/energy-pkg/", LABELS()), 1.5);
	assert_true(isnan(value_of(&p, "cycles", LABELS())));
	assert_true(noted(&p, "cycles: not counted"));
	parsed_release(&p);
	p = parse_text("perf_stat",
		"S0,8,1234,,cycles,5,100.00,,\nCPU3,11,,cs [software],9,100.00,,\n"
		"22381,,faults,/grp,1001,100.00,,\n26,,migrations,24.15%,222534306,100.00,0.118,K/"
		"sec\n",
		NULL);
	assert_value(value_of(&p, "cycles", LABELS("place", "S0")), 1234);
	assert_value(value_of(&p, "cs [software]", LABELS("cpu", "3")), 11);
	assert_value(value_of(&p, "faults", LABELS("cgroup", "/grp")), 22381);
	assert_value(value_of(&p, "spread", LABELS("event", "migrations")), 24.15);
	parsed_release(&p);
}

/* What a program wrote between perf's lines is told apart, what a locale did to them is refused. */
static void test_perf_stat_csv_surprises(void **state)
{
	struct parsed p = parse_text("perf_stat",
		"1,,context-switches,fake,100.00,,\n9812,,context-switches,86621668,100.00,113.274,"
		"K/sec\n",
		NULL);

	(void)state;
	assert_int_equal(p.out.n, 1);
	assert_value(value_of(&p, "context-switches", LABELS()), 9812);
	parsed_release(&p);
	p = parse_text("perf_stat",
		"150026,,context-switches,1871387680,100,00,80,K/sec\n"
		"1871,39,msec,task-clock,1871387680,100,00,1,CPUs utilized\n",
		NULL);
	assert_true(refused(&p, -EINVAL, "decimal commas"));
	parsed_release(&p);
	p = parse_text("perf_stat", "12,,cycles,5,100.00,1.0,GHz,more\n", NULL);
	assert_true(refused(&p, -EINVAL, "another number of fields"));
	parsed_release(&p);
}

static void test_perf_stat_json(void **state)
{
	struct parsed p = parse_text("perf_stat",
		"{\"interval\" : 0.501698925, \"counter-value\" : \"567.000000\", \"unit\" : \"\", "
		"\"event\" : \"cs\", \"event-runtime\" : 1, \"pcnt-running\" : 50.00, "
		"\"metric-value\" : \"0.0\", \"metric-unit\" : \"(null)\"}\n"
		"{\"cpu\" : \"2\", \"counter-value\" : \"<not supported>\", \"unit\" : \"\", "
		"\"event\" : \"cycles\", \"pcnt-running\" : 100.00}\n",
		NULL);

	(void)state;
	assert_value(value_of(&p, "cs", LABELS("interval", "0.501698925")), 567);
	assert_value(value_of(&p, "running_share", LABELS("event", "cs")), 50);
	assert_true(noted(&p, "cycles: not supported"));
	parsed_release(&p);
	p = parse_text("perf_stat",
		"{\"counter-value\" : \"106306,000000\", \"event\" : \"cs\", \"pcnt-running\" : "
		"100,00}\n",
		NULL);
	assert_true(refused(&p, -EINVAL, "LC_ALL=C"));
	parsed_release(&p);
}

static void test_perf_stat_nothing(void **state)
{
	struct parsed p = parse_text("perf_stat", "Error:\nAccess is limited.\n", NULL);

	(void)state;
	assert_true(refused(&p, -EINVAL, "Access is limited"));
	parsed_release(&p);
	p = parse_text("perf_stat", "", NULL);
	assert_int_equal(p.r, -EINVAL);
	parsed_release(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_perf_values),
		cmocka_unit_test(test_perf_clocks_are_times),
		cmocka_unit_test(test_perf_refused_events),
		cmocka_unit_test(test_perf_hybrid),
		cmocka_unit_test(test_perf_refuses_other_texts),
		cmocka_unit_test(test_perf_stat_locales),
		cmocka_unit_test(test_perf_stat_text),
		cmocka_unit_test(test_perf_stat_csv),
		cmocka_unit_test(test_perf_stat_csv_surprises),
		cmocka_unit_test(test_perf_stat_json),
		cmocka_unit_test(test_perf_stat_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
