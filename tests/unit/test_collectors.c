/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Snapshots compared, odd rows, texts cut off: collectors that read files of the kernel. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/strbuf.h"
#include "collectors_util.h"

static char *fixture(const char *name)
{
	char *path = xasprintf("tests/fixtures/system/%s", name), *text;
	size_t len;

	assert_int_equal(file_read(path, 1 << 20, &text, &len, NULL), 0);
	free(path);
	return text;
}

/* ---- Interrupts ---- */

#define HEADER "           CPU0       CPU1\n"

static void test_last_cpu_column(void **state)
{
	char *text = fixture("interrupts/arm64-8cpu.txt");
	struct parsed p = parse_text("interrupts", text, NULL);

	(void)state;
	assert_value(value_of(&p, "interrupts", LABELS("irq", "IPI0", "cpu", "7")), 25);
	parsed_release(&p);
	free(text);
}

/* The column of CPU3 taken out, as the kernel prints it once that CPU is offline. */
static char *without_column(const char *text, int column, size_t width, size_t first)
{
	struct strbuf sb = STRBUF_INIT;
	size_t from = first + (size_t)column * width;

	while (*text) {
		size_t len = strcspn(text, "\n");

		strbuf_add(&sb, text, len < from ? len : from);
		if (len > from + width)
			strbuf_add(&sb, text + from + width, len - from - width);
		strbuf_putc(&sb, '\n', 1);
		text += len + (text[len] == '\n');
	}
	return strbuf_steal(&sb);
}

static void test_cpu_went_offline(void **state)
{
	char *before = fixture("interrupts/ppc64le-8cpu-xive.txt");
	char *after = without_column(before, 3, 11, 4);
	struct parsed p = parse_text("interrupts", after, NULL);

	(void)state;
	/* The columns behind belong to the CPUs that the header names. */
	assert_int_equal(p.r, 0);
	assert_value(value_of(&p, "interrupts", LABELS("irq", "16", "cpu", "4")), 211);
	assert_true(isnan(value_of(&p, "interrupts", LABELS("irq", "16", "cpu", "3"))));
	parsed_release(&p);
	p = parse_text("interrupts", before, after);
	assert_true(refused(&p, -ESTALE, "gone: 3"));
	parsed_release(&p);
	p = parse_text("interrupts", after, before);
	assert_true(refused(&p, -ESTALE, "new: 3"));
	parsed_release(&p);
	free(after);
	free(before);
}

static void test_columns_in_another_order(void **state)
{
	struct parsed p = parse_text(
		"interrupts", " CPU0 CPU5\nRES: 1 20 text\n", " CPU5 CPU0\nRES: 25 4 text\n");

	(void)state;
	assert_int_equal(p.r, 0);
	assert_value(value_of(&p, "interrupts", LABELS("irq", "RES", "cpu", "0")), 3);
	assert_value(value_of(&p, "interrupts", LABELS("irq", "RES", "cpu", "5")), 5);
	parsed_release(&p);
}

static void test_counter_wraps_at_32_bits(void **state)
{
	struct parsed p = parse_text("interrupts",
		HEADER "LOC: 4294967290 7 Local\nDEV: 900 0 usb\nERR: 4294967295\n",
		HEADER "LOC: 10 9 Local\nDEV: 5 0 usb\nERR: 1\n");

	(void)state;
	assert_value(value_of(&p, "interrupts", LABELS("irq", "LOC", "cpu", "0")), 16);
	assert_value(value_of(&p, "interrupts", LABELS("irq", "LOC", "cpu", "1")), 2);
	assert_value(value_of(&p, "interrupts", LABELS("irq", "ERR", "cpu", NULL)), 2);
	/* From 900 to 5 is no wrap: the device came anew. */
	assert_true(isnan(value_of(&p, "interrupts", LABELS("irq", "DEV"))));
	assert_true(noted(&p, "row DEV (usb): was set back"));
	parsed_release(&p);
}

static void test_rows_come_and_go(void **state)
{
	struct parsed p = parse_text("interrupts",
		HEADER "16: 5 5 old\n17: 1 1 eth0\nLOC: 10 0 for timer\nLOC: 20 0 for others\n",
		HEADER
		"17: 1 3 eth0, usb1\n18: 4 0 new\nLOC: 13 0 for timer\nLOC: 25 0 for others\n");

	(void)state;
	assert_value(value_of(&p, "interrupts", LABELS("irq", "18", "cpu", "0")), 4);
	assert_value(value_of(&p, "interrupts", LABELS("irq", "17", "cpu", "1")), 2);
	assert_value(
		value_of(&p, "interrupts", LABELS("irq", "LOC", "description", "for timer")), 3);
	assert_value(
		value_of(&p, "interrupts", LABELS("irq", "LOC", "description", "for others")), 5);
	assert_true(noted(&p, "row 16 (old): vanished"));
	assert_true(noted(&p, "row 18 (new): appeared"));
	assert_true(noted(&p, "row 17 (eth0, usb1): its description changed"));
	assert_int_equal(p.out.n, 4);
	parsed_release(&p);
}

static void test_differences_are_sparse_unless_all(void **state)
{
	const char *text = HEADER "RES: 5 6 text\nERR: 0\n";
	struct parsed p = parse_text("interrupts", text, text);

	(void)state;
	assert_int_equal(p.out.n, 0);
	parsed_release(&p);
	p = parse_bytes("interrupts", text, strlen(text), text, strlen(text), true);
	assert_int_equal(p.out.n, 3);
	parsed_release(&p);
	/* Two rows that nothing else tells apart keep their places. */
	p = parse_text("interrupts", HEADER "A: 1 1 x\nA: 1 1 x\n", HEADER "A: 2 1 x\nA: 4 1 x\n");
	assert_value(value_of(&p, "interrupts", LABELS("row", "0")), 1);
	assert_value(value_of(&p, "interrupts", LABELS("row", "1")), 3);
	parsed_release(&p);
}

static void test_row_shapes(void **state)
{
	struct parsed p = parse_text("interrupts",
		HEADER "FIQ:              usb_fiq\n 16: 1 2 3f00b880.mailbox\nMIS: 7\nX:\n", NULL);

	(void)state;
	assert_int_equal(p.r, 0);
	assert_true(noted(&p, "row 0 ('FIQ') has no numbers, only the text usb_fiq"));
	assert_true(noted(&p, "row 3 ('X') has no numbers"));
	assert_value(value_of(&p, "interrupts", LABELS("irq", "16", "cpu", "1")), 2);
	assert_value(value_of(&p, "interrupts", LABELS("irq", "MIS", "cpu", NULL)), 7);
	parsed_release(&p);
	/* One CPU: a column and a counter of the machine look alike but for the name. */
	p = parse_text("interrupts", "  CPU0\n 1: 9 kbd\nEXT: 4\nERR: 2\n", NULL);
	assert_value(value_of(&p, "interrupts", LABELS("irq", "EXT", "cpu", "0")), 4);
	assert_value(value_of(&p, "interrupts", LABELS("irq", "ERR", "cpu", NULL)), 2);
	parsed_release(&p);
}

static void test_interrupts_cut_off(void **state)
{
	static const char *const texts[] = { "", "\n\n", "RES: 1 2 text\n", "CPU0 CPUx\n",
		"CPU0 CPU0\nA: 1 2\n", "CPU0 99999\n", "CPU99999999999999999999\n", "a\0b" };
	struct parsed p;

	(void)state;
	for (size_t i = 0; i < array_size(texts); i++) {
		p = parse_text("interrupts", texts[i], NULL);
		assert_int_equal(p.r, -EINVAL);
		assert_int_equal(p.out.n, 0);
		assert_non_null(p.err.text);
		parsed_release(&p);
	}
	p = parse_text("interrupts", "CPU0 CPU1 CPU2\nRES: 1 2 3 text\nLOC: 5 6\n", NULL);
	assert_true(refused(&p, -EINVAL, "row 1 ('LOC') has 2 whole numbers for 3 CPUs"));
	parsed_release(&p);
	/* No end of line: one number may be the rest of a row, a full row may lack digits. */
	p = parse_text("interrupts", "CPU0 CPU1\nRES: 1 2 text\nLOC: 5", NULL);
	assert_true(refused(&p, -EINVAL, "'LOC'"));
	parsed_release(&p);
	p = parse_text("interrupts", "CPU0 CPU1\nRES: 1 2 text\nLOC: 5 6", NULL);
	assert_true(refused(&p, -EINVAL, "'LOC'"));
	parsed_release(&p);
	p = parse_text("interrupts", "CPU0 CPU1\nRES: 1 2 text\nERR: 5", NULL);
	assert_int_equal(p.r, 0);
	parsed_release(&p);
	p = parse_text("interrupts", "CPU0\nA: 99999999999999999999 x\n", NULL);
	assert_int_equal(p.r, 0); /* no counter has 20 digits: a row of text */
	assert_int_equal(p.out.n, 0);
	parsed_release(&p);
}

/* ---- Softirqs ---- */

static void test_softirqs_difference(void **state)
{
	char *text = fixture("softirqs/x86-120cpu-offline.txt");
	struct parsed p = parse_text("softirqs", text, text);

	(void)state;
	assert_int_equal(p.r, 0);
	assert_int_equal(p.out.n, 0);
	parsed_release(&p);
	p = parse_text("softirqs", HEADER "RCU: 4294967295 5\n", HEADER "RCU: 0 6\n");
	assert_value(value_of(&p, "softirqs", LABELS("softirq", "RCU", "cpu", "0")), 1);
	assert_value(value_of(&p, "softirqs", LABELS("softirq", "RCU", "cpu", "1")), 1);
	parsed_release(&p);
	p = parse_text("softirqs", HEADER "RCU: 1 5\n", "CPU0\nRCU: 2\n");
	assert_true(refused(&p, -ESTALE, "gone: 1"));
	parsed_release(&p);
	free(text);
}

/* ---- CPU time ---- */

#define STAT_1                                                                   \
	"cpu  100 0 50 1000 10 0 5 35 20 0\ncpu0 100 0 50 1000 10 0 5 35 20 0\n" \
	"intr 500 1 2\nctxt 1000\nbtime 7\nprocesses 10\nprocs_running 2\n"      \
	"softirq 60 1 59\n"
#define STAT_2                                                                 \
	"cpu  140 0 60 1030 8 0 5 55 50 0\ncpu0 140 0 60 1030 8 0 5 55 50 0\n" \
	"intr 700 1 2\nctxt 1500\nbtime 7\nprocesses 13\nprocs_running 4\n"    \
	"softirq 90 1 89\n"

static void test_cpustat_difference(void **state)
{
	struct parsed p = parse_text("cpustat", STAT_1, STAT_2);

	(void)state;
	assert_int_equal(p.r, 0);
	/* 40 user + 10 system + 30 idle + 20 steal = 100; guest is part of user. */
	assert_value(value_of(&p, "cpu_share", LABELS("mode", "user", "cpu", NULL)), 40);
	assert_value(value_of(&p, "cpu_share", LABELS("mode", "steal", "cpu", "0")), 20);
	assert_value(value_of(&p, "cpu_share", LABELS("mode", "guest", "cpu", "0")), 30);
	assert_value(value_of(&p, "cpu_time", LABELS("mode", "idle", "cpu", "0")), 30);
	assert_true(isnan(value_of(&p, "cpu_share", LABELS("mode", "iowait"))));
	assert_true(noted(&p, "iowait time of CPU 0 went back by 2 jiffies, taken as 0"));
	assert_value(value_of(&p, "context_switches", LABELS()), 500);
	assert_value(value_of(&p, "interrupts_total", LABELS()), 200);
	assert_value(value_of(&p, "forks", LABELS()), 3);
	assert_value(value_of(&p, "softirqs", LABELS("softirq", "TIMER")), 30);
	assert_true(isnan(value_of(&p, "procs_running", LABELS())));
	parsed_release(&p);
}

static void test_cpustat_sum_of_wrapped_counters(void **state)
{
	struct parsed p = parse_text("cpustat", "cpu 1 0 0 0\nintr 8589934500\nctxt 9\n",
		"cpu 1 0 0 0\nintr 4294967304\nctxt 5\n");

	(void)state;
	assert_value(value_of(&p, "interrupts_total", LABELS()), 100);
	assert_true(noted(&p, "context_switches was set back"));
	assert_true(isnan(value_of(&p, "cpu_share", LABELS()))); /* no time passed: no shares */
	parsed_release(&p);
}

static void test_cpustat_refuses(void **state)
{
	struct parsed p = parse_text("cpustat", "cpu 1 0 0 0\ncpu0 1 0 0 0\ncpu3 0 0 0 0\n",
		"cpu 1 0 0 0\ncpu0 1 0 0 0\n");

	(void)state;
	assert_true(refused(&p, -ESTALE, "CPU 3 went offline"));
	parsed_release(&p);
	p = parse_text("cpustat", "", NULL);
	assert_int_equal(p.r, -EINVAL);
	parsed_release(&p);
	p = parse_text("cpustat", "cpu 1 2 3\n", NULL);
	assert_true(refused(&p, -EINVAL, "too few"));
	parsed_release(&p);
	p = parse_text("cpustat", "cpu 1 2 3 4 5\ncpu0 1 2 3 4\n", NULL);
	assert_true(refused(&p, -EINVAL, "cut off"));
	parsed_release(&p);
	p = parse_text("cpustat", "cpu 1 2 x 4\n", NULL);
	assert_true(refused(&p, -EINVAL, "no number"));
	parsed_release(&p);
}

/* ---- Idle states ---- */

#define IDLE(cpu, state, file, value) \
	"sys/devices/system/cpu/cpu" cpu "/cpuidle/state" state "/" file ": " value "\n"

static void test_cpuidle_difference(void **state)
{
	struct parsed p = parse_text("cpuidle",
		IDLE("0", "1", "name", "Shared Cede") IDLE("0", "1", "usage", "5")
			IDLE("0", "1", "time", "100") IDLE("0", "1", "disable", "0"),
		IDLE("0", "1", "name", "Shared Cede") IDLE("0", "1", "usage", "9")
			IDLE("0", "1", "time", "90") IDLE("0", "1", "disable", "1"));

	(void)state;
	assert_int_equal(p.r, 0);
	assert_value(
		value_of(&p, "usage", LABELS("cpu", "0", "state", "Shared Cede", "index", "1")), 4);
	assert_value(value_of(&p, "disabled", LABELS("cpu", "0")), 1);
	assert_true(noted(&p, "was disabled between the snapshots"));
	assert_true(noted(&p, "a counter was set back"));
	assert_true(isnan(value_of(&p, "time", LABELS())));
	parsed_release(&p);
}

static void test_cpuidle_refuses(void **state)
{
	struct parsed p =
		parse_text("cpuidle", IDLE("0", "0", "usage", "1") IDLE("3", "0", "usage", "1"),
			IDLE("0", "0", "usage", "2"));

	(void)state;
	assert_true(refused(&p, -ESTALE, "CPU 3"));
	parsed_release(&p);
	p = parse_text("cpuidle", "", NULL);
	assert_true(refused(&p, -EINVAL, "no cpuidle driver"));
	parsed_release(&p);
	p = parse_text("cpuidle", IDLE("0", "0", "usage", "many"), NULL);
	assert_true(refused(&p, -EINVAL, "line 1"));
	parsed_release(&p);
	p = parse_text("cpuidle", "sys/devices/system/cpu/cpuidle/current_driver: none\n", NULL);
	assert_int_equal(p.r, 0);
	assert_true(noted(&p, "no CPU has idle states"));
	parsed_release(&p);
	p = parse_text("cpuidle", "CPU4: stop0 (disabled), Usage = 3 times, Time = 17 us\n", NULL);
	assert_value(value_of(&p, "disabled", LABELS("cpu", "4", "state", "stop0")), 1);
	parsed_release(&p);
}

/* ---- The rest ---- */

static void test_vmstat(void **state)
{
	struct parsed p = parse_text("vmstat", "pgfault 10\nnr_free_pages 50\nsame 1\n",
		"new 1\npgfault 15\nnr_free_pages 40\nsame 1\n");

	(void)state;
	assert_value(value_of(&p, "pgfault", LABELS()), 5);
	assert_value(value_of(&p, "nr_free_pages", LABELS()), -10);
	assert_int_equal(p.out.n, 2);
	parsed_release(&p);
	p = parse_text("vmstat", "pgfault 10\npgmaj", NULL);
	assert_true(refused(&p, -EINVAL, "line 2"));
	parsed_release(&p);
}

static void test_sched_features(void **state)
{
	const char *path = "sys/kernel/debug/sched/features: NONTASK_CAPACITY NO_TTWU_QUEUE\n";
	struct parsed p = parse_text("sched_features", path, NULL);
	char *why;

	(void)state;
	assert_int_equal(p.out.n, 2);
	assert_value(value_of(&p, "sched_feature", LABELS("feature", "NONTASK_CAPACITY")), 1);
	assert_value(value_of(&p, "sched_feature", LABELS("feature", "TTWU_QUEUE")), 0);
	parsed_release(&p);
	p = parse_text("sched_features", "A NO_B\n", "A B\n");
	assert_value(value_of(&p, "sched_feature", LABELS("feature", "B")), 1);
	why = collector_find("sched_features", NULL)->voids(&p.out);
	assert_string_equal(why, "the scheduler feature B was changed during the trial");
	free(why);
	parsed_release(&p);
	p = parse_text("sched_features", "", NULL);
	assert_int_equal(p.r, -EINVAL);
	parsed_release(&p);
	p = parse_text("sched_features", "cat: features: Permission denied\n", NULL);
	assert_true(refused(&p, -EACCES, "Permission denied"));
	parsed_release(&p);
	p = parse_text("sched_features", "Hello World\n", NULL);
	assert_true(refused(&p, -EINVAL, "'Hello' is no feature name"));
	parsed_release(&p);
}

/* The number that a locked-down 6.18.44 shows, and what it means (decoded by hand). */
static void test_sched_features_as_number(void **state)
{
	struct parsed p = parse_text("sched_features",
		"Sched Debug Version: v0.11, 6.18.44-vm #1\n"
		"  .sysctl_sched_features                   : 99674079\n",
		NULL);

	(void)state;
	assert_int_equal(p.out.n, 27);
	assert_value(value_of(&p, "sched_feature", LABELS("feature", "TTWU_QUEUE")), 1);
	assert_value(value_of(&p, "sched_feature", LABELS("feature", "NEXT_BUDDY")), 0);
	assert_value(value_of(&p, "sched_feature", LABELS("feature", "NI_RANDOM")), 1);
	assert_value(value_of(&p, "sched_feature", LABELS("feature", "RT_PUSH_IPI")), 0);
	assert_true(noted(&p, "6.18.44"));
	parsed_release(&p);
	p = parse_text("sched_features",
		"Sched Debug Version: v0.11, 7.9.1 #1\n"
		"  .sysctl_sched_features : 5\n",
		NULL);
	assert_true(refused(&p, -EINVAL, "'7.9.1'"));
	parsed_release(&p);
}

static void test_irqtime(void **state)
{
	struct parsed p = parse_text("irqtime",
		"HARDIRQ    TOTAL_usecs\nVCHIQ doorbell 5\neth0 7\n\nHARDIRQ TOTAL_usecs\neth0 3\n",
		NULL);

	(void)state;
	assert_value(value_of(&p, "irq_time", LABELS("irq", "VCHIQ doorbell")), 5);
	assert_value(value_of(&p, "irq_time", LABELS("irq", "eth0")), 10);
	assert_value(value_of(&p, "irq_time_total", LABELS()), 15);
	assert_true(noted(&p, "2 tables"));
	parsed_release(&p);
	p = parse_text("hardirqs", "HARDIRQ TOTAL_usecs MAX_usecs\nIPI-2 90 8\nbad 5\n", NULL);
	assert_value(value_of(&p, "irq_time", LABELS("irq", "IPI-2")), 90);
	assert_value(value_of(&p, "irq_time_total", LABELS()), 90);
	parsed_release(&p);
	p = parse_text("irqtime", "nothing here\n", NULL);
	assert_int_equal(p.r, -EINVAL);
	parsed_release(&p);
	p = parse_text("irqtime", "HARDIRQ TOTAL_usecs\na 1\n", "HARDIRQ TOTAL_usecs\na 1\n");
	assert_true(refused(&p, -EINVAL, "one text"));
	parsed_release(&p);
}

static void test_labels_are_printable(void **state)
{
	struct parsed p = parse_text("interrupts", "CPU0\n 1: 5 na\x01me \xff\xc3\xa4\n", NULL);
	json_t *json = values_to_json(&p.out, NULL);

	(void)state;
	assert_value(value_of(&p, "interrupts", LABELS("description", "na me ?\xc3\xa4")), 5);
	assert_int_equal(json_array_size(json_object_get(json, "values")), 1);
	json_decref(json);
	parsed_release(&p);
}

static void test_unknown_collector(void **state)
{
	struct error err = ERROR_INIT;

	(void)state;
	assert_null(collector_find("interupts", &err));
	assert_non_null(strstr(error_text(&err), "did you mean 'interrupts'"));
	error_release(&err);
	for (const struct collector_ops *const *ops = collectors; *ops; ops++) {
		assert_ptr_equal(collector_find((*ops)->name, NULL), *ops);
		assert_non_null((*ops)->help);
		assert_non_null((*ops)->parse);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_last_cpu_column),
		cmocka_unit_test(test_cpu_went_offline),
		cmocka_unit_test(test_columns_in_another_order),
		cmocka_unit_test(test_counter_wraps_at_32_bits),
		cmocka_unit_test(test_rows_come_and_go),
		cmocka_unit_test(test_differences_are_sparse_unless_all),
		cmocka_unit_test(test_row_shapes),
		cmocka_unit_test(test_interrupts_cut_off),
		cmocka_unit_test(test_softirqs_difference),
		cmocka_unit_test(test_cpustat_difference),
		cmocka_unit_test(test_cpustat_sum_of_wrapped_counters),
		cmocka_unit_test(test_cpustat_refuses),
		cmocka_unit_test(test_cpuidle_difference),
		cmocka_unit_test(test_cpuidle_refuses),
		cmocka_unit_test(test_vmstat),
		cmocka_unit_test(test_sched_features),
		cmocka_unit_test(test_sched_features_as_number),
		cmocka_unit_test(test_irqtime),
		cmocka_unit_test(test_labels_are_printable),
		cmocka_unit_test(test_unknown_collector),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
