/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The smaller parts of the targets: consoles, settings, saved states, helper programs. */
#include "target_tools.h"

#include <fcntl.h>

#include "base/clock.h"
#include "runners/target/accel.h"
#include "runners/target/command.h"
#include "runners/target/console.h"
#include "runners/target/saved_state.h"
#include "runners/target/target.h"
#include "runners/target/vm_args.h"

static void assert_panic(const char *fixture, const char *expected)
{
	char *path = xasprintf("tests/fixtures/system/dmesg/%s", fixture), *text = NULL, *line;
	size_t len = 0;

	assert_int_equal(file_read(path, SIZE_MAX, &text, &len, NULL), 0);
	line = console_panic_line(text, len);
	if (expected)
		assert_string_equal(line, expected);
	else
		assert_null(line);
	free(line);
	free(text);
	free(path);
}

static void a_panic_is_found(void **state)
{
	(void)state;
	assert_panic("panic-x86-5.10.txt", "Kernel panic - not syncing: sysrq triggered crash");
	assert_panic("panic-arm64-6.1.txt", "Kernel panic - not syncing: sysrq triggered crash");
	assert_panic(
		"hung-task-4.8-i386.txt", "Kernel panic - not syncing: hung_task: blocked tasks");
	assert_panic("clean-boot-x86-6.12.txt", NULL);
	assert_panic("soft-lockup-x86-6.12-vm-paused.txt", NULL);
}

static void assert_tail(const char *text, size_t lines, const char *expected)
{
	char *exact = xmemdup0(text, strlen(text)),
	     *tail = console_tail(exact, strlen(text), lines);

	assert_string_equal(tail, expected);
	free(tail);
	free(exact);
}

static void the_tail_of_a_console_is_fit_to_print(void **state)
{
	char long_line[5000], *tail;

	(void)state;
	assert_tail("", 3, "");
	assert_tail("one", 3, "one\n");
	assert_tail("one\r\ntwo\r\n\r\nthree\r\n", 2, "two\nthree\n");
	assert_tail("a\n\n \n\t\nb\n\n", 2, "a\n \n\t\nb\n");
	assert_tail("x\033[1;31mred\033[0m\033cy\x01\x7f\n", 1, "xredy\n");
	assert_tail("cut\033", 1, "cut\n");
	assert_tail("cut\033[12", 1, "cut\n");
	memset(long_line, 'a', sizeof(long_line));
	tail = console_tail(long_line, sizeof(long_line), 5);
	assert_int_equal(strlen(tail), 201);
	free(tail);
}

static struct vm_options plain_options(void)
{
	return (struct vm_options){ .cpus = 2,
		.threads = 1,
		.sockets = 1,
		.memory = 512 << 20,
		.boot_timeout = 120,
		.shutdown_timeout = 10,
		.snapshot = true };
}

static char *joined_args(const struct vm_options *o, bool kvm, const char *cmdline)
{
	struct vm_boot boot = { "/usr/bin/qemu", "/k/vmlinuz", "/w/initramfs.cpio", cmdline, kvm };
	struct string_list args = { 0 };
	struct strbuf sb = STRBUF_INIT;

	vm_args(o, &boot, &args);
	for (size_t i = 0; i < args.n; i++)
		strbuf_printf(&sb, "%s|", args.s[i]);
	words_release(&args);
	return strbuf_steal(&sb);
}

static void settings_make_qemu_s_command_line(void **state)
{
	struct vm_options o = plain_options();
	char *text = joined_args(&o, false, "idle=poll");

	(void)state;
	assert_contains(text, "/usr/bin/qemu|-machine|q35|-nodefaults|-no-user-config|");
	assert_contains(text, "|-no-reboot|-accel|tcg,thread=single|-cpu|qemu64,+rdrand|");
	assert_contains(text, "|-smp|2,sockets=1,cores=2,threads=1|-m|512M|");
	assert_contains(text, "|-append|console=ttyS0 panic=-1 tsc=reliable idle=poll|");
	assert_null(strstr(text, "-fsdev"));
	free(text);

	o.cpus = 8;
	o.threads = 2;
	o.sockets = 2;
	o.numa = true;
	o.memory = 1001L << 20;
	o.share = (char *)"/a,b";
	o.cmdline = (char *)"quiet";
	text = joined_args(&o, false, "");
	assert_contains(text, "|-cpu|Nehalem,+rdrand|-smp|8,sockets=2,cores=2,threads=2|");
	assert_contains(text, "|memory-backend-ram,id=mem0,size=500M|");
	assert_contains(text, "|memory-backend-ram,id=mem1,size=501M|");
	assert_contains(text, "|cpu,node-id=1,socket-id=1|");
	assert_contains(text, "path=/a,,b,security_model=none,readonly=on|");
	assert_contains(text, " nopti quiet|");
	free(text);

	text = joined_args(&o, true, "");
	assert_contains(text, "|-accel|kvm|-cpu|host|");
	assert_null(strstr(text, "tsc=reliable"));
	assert_null(strstr(text, "nopti"));
	free(text);
}

static void settings_that_do_not_go_together_are_refused(void **state)
{
	struct vm_options o = plain_options();
	struct folder *f = *state;

	assert_fine(vm_options_check(&o, &f->err), &f->err);
	o.cpus = 3;
	o.threads = 2;
	assert_int_equal(vm_options_check(&o, &f->err), -EINVAL);
	assert_contains(error_text(&f->err), "use a multiple of 2");
}

static void every_setting_has_its_words(void **state)
{
	struct vm_options o;

	(void)state;
	options_init(&vm_table, &o);
	assert_int_equal(o.cpus, 2);
	assert_int_equal(o.memory, 512 << 20);
	assert_int_equal(o.accel, VM_ACCEL_AUTO);
	assert_true(o.snapshot && o.boot_timeout > 119 && o.boot_timeout < 121);
	assert_string_equal(o.qemu, "qemu-system-x86_64");
	options_release(&vm_table, &o);
	for (const struct option_row *row = vm_table.rows; row->name; row++) {
		assert_non_null(row->help);
		assert_non_null(row->example);
	}
}

static char *digest_of(const char *a, const char *b)
{
	struct digest d;

	digest_init(&d);
	digest_add_text(&d, a);
	digest_add_text(&d, b);
	return digest_hex(&d);
}

static void digests_tell_inputs_apart(void **state)
{
	static const char *const inputs[][2] = { { "ab", "c" }, { "a", "bc" }, { NULL, "abc" },
		{ "", "abc" }, { "ab", "d" } };
	char *hex[array_size(inputs)];

	(void)state;
	for (size_t i = 0; i < array_size(inputs); i++) {
		hex[i] = digest_of(inputs[i][0], inputs[i][1]);
		assert_int_equal(strlen(hex[i]), 32);
		for (size_t j = 0; j < i; j++)
			assert_string_not_equal(hex[i], hex[j]);
	}
	for (size_t i = 0; i < array_size(inputs); i++)
		free(hex[i]);
}

static void save(struct folder *f, const char *key, const char *text, long long limit)
{
	struct state_draft draft;

	assert_fine(saved_state_begin(f->path, &draft, &f->err), &f->err);
	assert_int_equal(file_write_all(draft.fd, text, strlen(text)), 0);
	assert_fine(saved_state_commit(&draft, key, "hello", limit, &f->err), &f->err);
	saved_state_abort(&draft);
	clock_sleep_ns(20000000); /* a state's age is the time stamp of its folder */
}

static bool saved(struct folder *f, const char *key)
{
	char *hello = NULL;
	int fd = saved_state_open(f->path, key, &hello);

	if (fd < 0)
		return false;
	assert_string_equal(hello, "hello");
	free(hello);
	close(fd);
	return true;
}

static void a_state_is_kept_whole_or_not_at_all(void **state)
{
	struct folder *f = *state;
	struct state_draft draft;
	char *path;

	assert_false(saved(f, "k"));
	assert_fine(saved_state_begin(f->path, &draft, &f->err), &f->err);
	assert_int_equal(file_write_all(draft.fd, "half", 4), 0);
	saved_state_abort(&draft);
	assert_false(saved(f, "k"));
	save(f, "k", "state", 1000);
	assert_true(saved(f, "k"));
	save(f, "k", "another", 1000);
	assert_true(saved(f, "k"));
	path = xasprintf("%s/snapshots/k/state", f->path);
	assert_int_equal(truncate(path, 2), 0);
	assert_false(saved(f, "k"));
	free(path);
	saved_state_discard(f->path, "k");
	saved_state_discard(f->path, "k");
}

static void states_used_least_recently_make_room(void **state)
{
	struct folder *f = *state;

	save(f, "a", "0123456789", 25);
	save(f, "b", "0123456789", 25);
	assert_true(saved(f, "a"));
	clock_sleep_ns(20000000);
	save(f, "c", "0123456789", 25);
	assert_true(saved(f, "a"));
	assert_false(saved(f, "b"));
	save(f, "big", "0123456789012345678901234567890", 25);
	assert_true(saved(f, "big"));
	assert_false(saved(f, "a") || saved(f, "c"));
}

struct boots {
	int count, result;
};

static int boot_again(void *context, struct error *err)
{
	struct boots *boots = context;

	boots->count++;
	return boots->result < 0 ? error_set(err, boots->result, "it hung\nconsole\n") : 0;
}

static bool ask(struct folder *f, struct boots *boots, const char *boot_id, const char *key,
	const char *device, char **why)
{
	struct accel_probe probe = { f->path, device, boot_id, key, boot_again, boots };

	free(*why);
	*why = NULL;
	return accel_kvm_works(&probe, why);
}

static void kvm_is_proved_by_a_boot_once(void **state)
{
	struct boots bad = { .result = -ETIMEDOUT }, good = { 0 };
	struct folder *f = *state;
	char *why = NULL;

	assert_false(ask(f, &good, "b1", "k1", "/no/such/device", &why));
	assert_contains(why, "cannot open '/no/such/device'");
	assert_int_equal(good.count, 0);
	assert_false(ask(f, &bad, "b1", "k1", "/dev/null", &why));
	assert_string_equal(why, "a trial boot with KVM failed: it hung");
	assert_false(ask(f, &bad, "b1", "k1", "/dev/null", &why));
	assert_int_equal(bad.count, 1);
	assert_true(ask(f, &good, "b1", "k2", "/dev/null", &why));
	assert_true(ask(f, &good, "b1", "k2", "/dev/null", &why));
	assert_int_equal(good.count, 1);
	assert_false(ask(f, &bad, "b1", "k1", "/dev/null", &why));
	assert_int_equal(bad.count, 1);
	assert_true(ask(f, &good, "b2", "k1", "/dev/null", &why));
	assert_int_equal(good.count, 2);
	assert_null(why);
}

static void helper_programs_are_run(void **state)
{
	struct strbuf out = STRBUF_INIT;
	struct folder *f = *state;

	setenv("LANG", "de_DE.UTF-8", 1);
	assert_fine(command_runl(10, &out, &f->err, "sh", "-c", "echo $LC_ALL$LANG; cat"), &f->err);
	assert_string_equal(strbuf_text(&out), "C\n");
	assert_int_equal(command_runl(10, NULL, &f->err, "no-such-program"), -ENOENT);
	assert_string_equal(
		error_text(&f->err), "cannot run 'no-such-program': it is not installed");
	assert_int_equal(
		command_runl(10, NULL, &f->err, "sh", "-c", "echo a >&2; echo b >&2; exit 3"),
		-EIO);
	assert_string_equal(error_text(&f->err), "'sh' ended with exit status 3: b");
	assert_int_equal(command_runl(10, NULL, &f->err, "sh", "-c", "kill -9 $$"), -EIO);
	assert_string_equal(error_text(&f->err), "'sh' ended with signal 9 (Killed)");
	assert_int_equal(command_runl(0.2, NULL, &f->err, "sleep", "60"), -ETIMEDOUT);
	strbuf_release(&out);
}

static void targets_are_found_by_name(void **state)
{
	struct folder *f = *state;

	assert_string_equal(target_find("local", &f->err)->name, "local");
	assert_string_equal(target_find("vm", &f->err)->name, "vm");
	assert_null(target_find("locla", &f->err));
	assert_contains(error_text(&f->err), "did you mean 'local'");
	assert_contains(error_text(&f->err), "there are: local, vm");
}

#define with_folder(test) cmocka_unit_test_setup_teardown(test, folder_make, folder_remove)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_panic_is_found),
		cmocka_unit_test(the_tail_of_a_console_is_fit_to_print),
		cmocka_unit_test(settings_make_qemu_s_command_line),
		with_folder(settings_that_do_not_go_together_are_refused),
		cmocka_unit_test(every_setting_has_its_words),
		cmocka_unit_test(digests_tell_inputs_apart),
		with_folder(a_state_is_kept_whole_or_not_at_all),
		with_folder(states_used_least_recently_make_room),
		with_folder(kvm_is_proved_by_a_boot_once),
		with_folder(helper_programs_are_run),
		with_folder(targets_are_found_by_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
