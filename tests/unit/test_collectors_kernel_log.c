/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Splats that the fixtures do not have: other forms, other writers of the log, repetitions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/file.h"
#include "collectors/kernel_log.h"
#include "collectors_util.h"

/* The only splat of a text; released by the next call, or with NULL. */
static const struct splat *only(const char *text)
{
	static struct splat *splats;
	static size_t n;

	kernel_log_splats_free(splats, n);
	splats = NULL;
	n = 0;
	if (!text)
		return NULL;
	kernel_log_splats(text, strlen(text), &splats, &n);
	if (n != 1)
		fail_msg("%zu splats in '%s'", n, text);
	return splats;
}

static void assert_none(const char *text)
{
	struct splat *splats;
	size_t n;

	kernel_log_splats(text, strlen(text), &splats, &n);
	if (n)
		fail_msg("'%s' is no splat, but a %s", text, splats[0].type);
	kernel_log_splats_free(splats, n);
}

/* The new form of WARNING, with what case 4 of the project's cases quotes. */
static void test_new_warning(void **state)
{
	const struct splat *s =
		only("[  101.5] ------------[ cut here ]------------\n"
		     "[  101.5] WARNING: kernel/sched/sched.h:1643 at update_load_avg+0x424/0x48c, "
		     "CPU#6: swapper/6/0\n"
		     "[  101.5] Modules linked in:\n"
		     "[  101.5] CPU: 6 UID: 0 PID: 0 Comm: swapper/6 Tainted: G        W           "
		     "6.16.0 #4\n"
		     "[  101.5] NIP:  c0000000001c1e24 LR: c0000000001c1d30 CTR: 0000000000000000\n"
		     "[  101.5] NIP [c0000000001c1e24] update_load_avg+0x424/0x48c\n"
		     "[  101.5] Call Trace:\n"
		     "[  101.5] [c000000004a5bb00] [c0000000001c1d30] update_load_avg+0x330/0x48c "
		     "(unreliable)\n"
		     "[  101.5] [c000000004a5bb80] [c0000000001c4a18] dequeue_entity+0x58/0x5a0\n"
		     "[  101.5] ---[ end trace 0000000000000000 ]---\n"
		     "[  102.0] unrelated\n");

	(void)state;
	assert_string_equal(s->type, "warning");
	assert_int_equal(s->first_line, 2);
	assert_string_equal(s->location, "kernel/sched/sched.h:1643 update_load_avg");
	assert_int_equal(s->cpu, 6);
	assert_int_equal(s->pid, 0);
	assert_string_equal(s->comm, "swapper/6");
	assert_string_equal(s->taint, "GW");
	assert_int_equal(s->n_frames, 2);
	assert_string_equal(s->frames[1], "dequeue_entity+0x58/0x5a0");
	assert_non_null(strstr(s->text, "cut here"));
	assert_non_null(strstr(s->text, "end trace"));
	assert_null(strstr(s->text, "unrelated"));
	only(NULL);
}

static void test_forms(void **state)
{
	static const struct {
		const char *text, *type, *location;
		int cpu;
	} cases[] = {
		{ "WARNING: CPU: 3 PID: 99 at kernel/sched/core.c:5 f+0x1/0x2 [mod]", "warning",
			"kernel/sched/core.c:5 f", 3 },
		{ "WARNING: at kernel/lockdep.c:702 look_up_lock_class+0x9c/0xd0()", "warning",
			"kernel/lockdep.c:702 look_up_lock_class", -1 },
		{ "NMI watchdog: BUG: soft lockup - CPU#12 stuck for 22s! [a b:c:7]\n"
		  "RIP: 0010:smp_call_function_many_cond+0x1a/0x30",
			"soft-lockup", "smp_call_function_many_cond", 12 },
		{ "NMI watchdog: Watchdog detected hard LOCKUP on cpu 3", "hard-lockup", "", 3 },
		{ "watchdog: CPU 1 self-detected hard LOCKUP @ queued_spin_lock+0x1/0x2",
			"hard-lockup", "", 1 },
		{ "watchdog: CPU 0 detected hard LOCKUP on other CPUs 5", "hard-lockup", "", 5 },
		{ "rcu: INFO: rcu_preempt self-detected stall on CPU\nrcu: \t1-....: (5 ticks)\n"
		  "CPU: 1 PID: 5 Comm: x Not tainted 6.1\nRIP: 0010:busy+0x1/0x2",
			"rcu-stall", "busy", 1 },
		{ "rcu: INFO: rcu_sched detected expedited stalls on CPUs/tasks: { 3-... }",
			"rcu-stall", "", 3 },
		{ "rcu: INFO: rcu_sched detected stalls on CPUs/tasks:\n"
		  "rcu: \t7-....: (5249 ticks this GP) idle=1",
			"rcu-stall", "", 7 },
		{ "BUG: kernel NULL pointer dereference, address: 0000000000000010\n"
		  "#PF: supervisor read access in kernel mode\nPGD 0 P4D 0\n"
		  "Oops: 0000 [#1] PREEMPT SMP NOPTI\n"
		  "CPU: 2 PID: 77 Comm: cat Not tainted 6.1.0\n"
		  "RIP: 0010:broken+0x4/0x10 [mod]",
			"oops", "broken", 2 },
		{ "Unable to handle kernel paging request at virtual address ffff00\n"
		  "Internal error: Oops: 96000004 [#1] SMP\nCPU: 0 PID: 1 Comm: sh\n"
		  "pc : do_it+0x8/0x20\nlr : caller+0x4/0x8",
			"oops", "do_it", 0 },
		{ "divide error: 0000 [#1] SMP\nRIP: 0010:zero+0x1/0x2", "oops", "zero", -1 },
		{ "general protection fault, probably for non-canonical address 0xdead: 0000 [#1]\n"
		  "KASAN: maybe wild-memory-access\nRIP: 0010:gp+0x1/0x2",
			"gpf", "gp", -1 },
		{ "Oops: general protection fault: 0000 [#1] SMP\nRIP: 0010:gp+0x1/0x2", "gpf",
			"gp", -1 },
		{ "kernel BUG at fs/ext4/inode.c:123!\nOops: invalid opcode: 0000 [#1] SMP\n"
		  "RIP: 0010:ext4_x+0x1/0x2",
			"bug", "fs/ext4/inode.c:123 ext4_x", -1 },
		{ "BUG: sleeping function called from invalid context at kernel/x.c:20\n"
		  "in_atomic(): 1, irqs_disabled(): 0",
			"bug", "kernel/x.c:20", -1 },
		{ "BUG: KCSAN: data-race in tick_do_update / tick_nohz\n\n"
		  "write to 0xffffffff8 of 8 bytes by task 144 on cpu 1:",
			"kcsan", "tick_do_update / tick_nohz", 1 },
		{ "BUG: KFENCE: use-after-free read in test_fn+0x1/0x2", "kfence", "test_fn", -1 },
		{ "UBSAN: shift-out-of-bounds in ./include/linux/log2.h:57:13\nshift exponent 64",
			"ubsan", "./include/linux/log2.h:57", -1 },
		{ "[ INFO: possible circular locking dependency detected ]\n"
		  "4.4.0 #1 Not tainted\n (&a){+.+.}, at: [<ffffffff811>] lock_it+0x1/0x2",
			"lockdep", "lock_it", -1 },
		{ "WARNING: suspicious RCU usage\n6.1 #1 Not tainted\n"
		  "net/core/dev.c:4711 suspicious rcu_dereference_check() usage!",
			"lockdep", "net/core/dev.c:4711", -1 },
		{ "INFO: task kworker/u8:1:52 blocked for more than 120 seconds.", "hung-task", "",
			-1 },
		{ "BUG: workqueue lockup - pool cpus=1 node=0 flags=0x0 nice=0 stuck for 30s!",
			"workqueue-lockup", "", -1 },
	};

	(void)state;
	for (size_t i = 0; i < array_size(cases); i++) {
		const struct splat *s = only(cases[i].text);

		assert_string_equal(s->type, cases[i].type);
		assert_string_equal(s->location, cases[i].location);
		assert_int_equal(s->cpu, cases[i].cpu);
	}
	assert_string_equal(only(cases[2].text)->comm, "a b:c");
	assert_int_equal(only(cases[2].text)->pid, 7);
	assert_string_equal(only(cases[21].text)->comm, "kworker/u8:1");
	only(NULL);
}

static void test_harmless_lines(void **state)
{
	static const char *const lines[] = {
		"traps: prog[123] general protection fault ip:4005 sp:7ff error:0 in prog[400000]",
		"WARNING: Unprivileged eBPF is enabled with eIBRS on",
		"INFO: lockdep is turned off.",
		"INFO: NMI handler (perf_event_nmi_handler) took too long to run: 1.5 msecs",
		"tsc: Fast TSC calibration failed",
		"[Firmware Bug]: TSC_DEADLINE disabled due to Errata",
		"RAS: Correctable Errors collector initialized.",
		"report a bug",
		"watchdog: CPU 1 became unstuck TB:5",
		"NMI watchdog: Enabled. Permanently consumes one hw-PMU counter.",
		"CPU 1 is now offline",
		"rcu: INFO: something else",
	};

	(void)state;
	for (size_t i = 0; i < array_size(lines); i++)
		assert_none(lines[i]);
	assert_none("");
}

/* However the log was written down, the splat is the same. */
static void test_writers_of_logs(void **state)
{
	static const char *const texts[] = {
		"BUG: scheduling while atomic: sh/5/0x2\n",
		"[  179.867914] BUG: scheduling while atomic: sh/5/0x2\n",
		"[  179.867914][    T5] BUG: scheduling while atomic: sh/5/0x2\r\n",
		"<3>[  179.867914] BUG: scheduling while atomic: sh/5/0x2\n",
		"[Mon Nov 30 20:47:05 2026] BUG: scheduling while atomic: sh/5/0x2\n",
		"kern  :err   : [  179.867914] BUG: scheduling while atomic: sh/5/0x2\n",
		"Nov 30 20:47:05 host kernel: BUG: scheduling while atomic: sh/5/0x2\n",
		"3,1234,179867914,-;BUG: scheduling while atomic: sh/5/0x2\n",
		"3,1234,179867914,-,caller=T5;BUG: scheduling while atomic: sh/5/0x2\n "
		"SUBSYSTEM=x\n",
	};

	(void)state;
	for (size_t i = 0; i < array_size(texts); i++) {
		const struct splat *s = only(texts[i]);

		assert_string_equal(s->title, "BUG: scheduling while atomic: sh/5/0x2");
		assert_int_equal(s->first_line, 1);
	}
	assert_string_equal(
		only(texts[7])->text, "[  179.867914] BUG: scheduling while atomic: sh/5/0x2\n");
	only(NULL);
}

static void test_kmsg_records(void **state)
{
	const struct splat *s =
		only("6,10,5000000,-;usb 1-1: new device\n"
		     " SUBSYSTEM=usb\n DEVICE=c189:1\n"
		     "# lost: the ring of the kernel's log was overwritten\n"
		     "4,12,6000001,-;rcu: INFO: rcu_sched self-detected stall on CPU\n"
		     "4,13,6000002,-;rcu: \\x095-....: (1 ticks)\n"
		     "4,14,6000003,-;CPU: 5 PID: 9 Comm: x\\x5cy Not tainted 6.1\n");
	struct parsed p;

	(void)state;
	assert_int_equal(s->first_line, 5);
	assert_int_equal(s->cpu, 5);
	assert_string_equal(s->comm, "x\\y");
	assert_non_null(strstr(s->text, "[    6.000002] rcu: \t5-"));
	only(NULL);
	p = parse_text("kernel_log", NULL, "# lost: a\n4,12,6000001,-;BUG: x\n");
	assert_int_equal(p.out.n, 1);
	assert_true(noted(&p, "overflowed"));
	parsed_release(&p);
}

#define WARN(time, cpu)                                                       \
	"[" time "] WARNING: CPU: " cpu " PID: 1 at kernel/a.c:1 f+0x1/0x2\n" \
	"[" time "] CPU: " cpu " PID: 1 Comm: x Not tainted 6.1\n"            \
	"[" time "] ---[ end trace 0 ]---\n"

static void test_repetitions(void **state)
{
	struct splat *splats;
	size_t n;
	const char *text = WARN("1.0", "0") WARN("2.0",
		"1") "[3.0] WARNING: CPU: 0 PID: 1 at kernel/a.c:2 f+0x1/0x2\n" WARN("4.0", "0");

	(void)state;
	kernel_log_splats(text, strlen(text), &splats, &n);
	assert_int_equal(n, 2);
	assert_int_equal(splats[0].occurrences, 3);
	assert_int_equal(splats[0].first_line, 1);
	assert_int_equal(splats[1].occurrences, 1);
	assert_int_equal(splats[1].first_line, 7);
	kernel_log_splats_free(splats, n);
}

/* Each line tells its CPU, so that both traces are read in spite of the mixture. */
static void test_mixed_callers(void **state)
{
	const char *text = "[1.0][    C0] WARNING: CPU: 0 PID: 1 at kernel/a.c:1 f+0x1/0x2\n"
			   "[1.0][    C1] WARNING: CPU: 1 PID: 2 at kernel/b.c:1 g+0x1/0x2\n"
			   "[1.0][    C0] Call Trace:\n[1.0][    C1] Call Trace:\n"
			   "[1.0][    C1]  gg+0x1/0x2\n[1.0][    C0]  ff+0x1/0x2\n"
			   "[1.0][    T9] other+0x1/0x2\n";
	struct splat *splats;
	size_t n;

	(void)state;
	kernel_log_splats(text, strlen(text), &splats, &n);
	assert_int_equal(n, 2);
	assert_int_equal(splats[0].n_frames, 1);
	assert_string_equal(splats[0].frames[0], "ff+0x1/0x2");
	assert_int_equal(splats[1].n_frames, 1);
	assert_string_equal(splats[1].frames[0], "gg+0x1/0x2");
	assert_null(strstr(splats[0].text, "other"));
	kernel_log_splats_free(splats, n);
}

static void test_interleaved_fixture(void **state)
{
	struct splat *splats;
	char *text;
	size_t n, len;

	(void)state;
	assert_int_equal(
		file_read("tests/fixtures/system/dmesg/soft-lockup-ppc64le-interleaved.txt",
			1 << 20, &text, &len, NULL),
		0);
	kernel_log_splats(text, len, &splats, &n);
	assert_int_equal(n, 2);
	assert_string_equal(splats[0].comm, "sh");
	assert_int_equal(splats[0].pid, 88);
	assert_int_equal(splats[1].pid, 90);
	assert_non_null(strstr(splats[0].text, "CPU: 0 PID: 88"));
	assert_null(strstr(splats[0].text, "CPU: 1 PID: 90"));
	assert_non_null(strstr(splats[1].text, "CPU: 1 PID: 90"));
	kernel_log_splats_free(splats, n);
	free(text);
}

static void test_old_splats_do_not_count(void **state)
{
	struct parsed p = parse_text("kernel_log", WARN("1.0", "0") "[1.5] a\n",
		WARN("1.0", "0") "[1.5] a\n[2.0] BUG: x: y\n");

	(void)state;
	assert_int_equal(p.out.n, 1);
	assert_value(value_of(&p, "splat", LABELS("type", "bug", "first_line", "5")), 1);
	parsed_release(&p);
	/* The ring dropped its oldest lines meanwhile. */
	p = parse_text("kernel_log", WARN("1.0", "0") "[1.5] a\n[1.6] b\n[1.7] c\n[1.8] d\n",
		"[1.5] a\n[1.6] b\n[1.7] c\n[1.8] d\n[2.0] BUG: x: y\n");
	assert_value(value_of(&p, "splat", LABELS("type", "bug", "first_line", "5")), 1);
	assert_int_equal(p.out.n, 1);
	parsed_release(&p);
}

static void test_voids(void **state)
{
	const struct collector_ops *ops = collector_find("kernel_log", NULL);
	struct parsed p = parse_text("dmesg", WARN("1.0", "0"), NULL);
	char *why;

	(void)state;
	assert_null(ops->voids(&p.out));
	parsed_release(&p);
	p = parse_text(
		"dmesg", "watchdog: BUG: soft lockup - CPU#0 stuck for 48s! [sh:88]\n", NULL);
	why = ops->voids(&p.out);
	assert_non_null(strstr(why, "paused or starved"));
	free(why);
	parsed_release(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_new_warning),
		cmocka_unit_test(test_forms),
		cmocka_unit_test(test_harmless_lines),
		cmocka_unit_test(test_writers_of_logs),
		cmocka_unit_test(test_kmsg_records),
		cmocka_unit_test(test_repetitions),
		cmocka_unit_test(test_mixed_callers),
		cmocka_unit_test(test_interleaved_fixture),
		cmocka_unit_test(test_old_splats_do_not_count),
		cmocka_unit_test(test_voids),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
