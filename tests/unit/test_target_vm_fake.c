/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Target "vm" with a shell script in the place of QEMU: what is said of guests that do not come up. */
#include "target_tools.h"

#include <elf.h>
#include <jansson.h>
#include <signal.h>

#include "base/clock.h"
#include "runners/target/target.h"
#include "runners/target/vm_args.h"

/* It finds the console's path and the agent's descriptor as QEMU does; @act says what comes then. */
static const char script[] =
	"#!/bin/sh\n"
	"[ \"$1\" = --version ] && { echo 'QEMU emulator version 9.9 (fake)'; exit; }\n"
	"for word; do case $word in\n"
	"	file,id=console,path=*) console=${word#file,id=console,path=} ;;\n"
	"	socket,id=agent,fd=*) fd=${word##*=} ;;\n"
	"esac; done\n"
	"dir=${console%%/console-*}\n"
	"echo $$ > \"$dir/pid\"\n"
	"say() { eval 'echo \"$1\" >&'$fd; }\n"
	"hear() { eval 'read -r '$1' <&'$fd; }\n";

struct fake {
	struct folder *f;
	struct vm_options options;
	struct target_env env;
	struct target *target;
	char *agent, *qemu, *kernel;
};

static const struct target_ops *vm(void)
{
	return target_find("vm", NULL);
}

static void fake_open(struct fake *fake, struct folder *f, const char *act)
{
	Elf64_Ehdr head = { .e_type = ET_EXEC };
	char *text = xasprintf("%s%s\n", script, act);

	memcpy(head.e_ident, ELFMAG, SELFMAG);
	head.e_ident[EI_CLASS] = ELFCLASS64;
	head.e_ident[EI_DATA] = ELFDATA2LSB;
	*fake = (struct fake){ .f = f };
	fake->agent = folder_put(f, "agent", &head, sizeof(head), 0755);
	fake->qemu = folder_put(f, "qemu", text, strlen(text), 0755);
	fake->kernel = folder_put(f, "vmlinuz", "x", 1, 0644);
	fake->options = (struct vm_options){ .kernel = fake->kernel,
		.cpus = 2,
		.threads = 1,
		.sockets = 1,
		.memory = 512 << 20,
		.accel = VM_ACCEL_TCG,
		.boot_timeout = 30,
		.shutdown_timeout = 0.2,
		.qemu = fake->qemu };
	fake->env = (struct target_env){
		.state_dir = f->path, .work_dir = f->path, .agent_path = fake->agent
	};
	assert_fine(vm()->open(&fake->options, &fake->env, &fake->target, &f->err), &f->err);
	free(text);
}

static void fake_close(struct fake *fake)
{
	vm()->close(fake->target);
	free(fake->agent);
	free(fake->qemu);
	free(fake->kernel);
}

static const char *enter_fails(struct fake *fake, int code)
{
	struct target_link link;

	assert_int_equal(vm()->enter(fake->target, "", true, &link, &fake->f->err), code);
	return error_text(&fake->f->err);
}

static pid_t fake_pid(struct fake *fake)
{
	char *path = file_join(fake->f->path, "pid"), *text = NULL;
	pid_t pid = 0;

	if (file_read(path, 100, &text, NULL, NULL) == 0)
		pid = (pid_t)strtol(text, NULL, 10);
	free(text);
	free(path);
	return pid;
}

static void a_guest_that_hangs_is_taken_down(void **state)
{
	struct fake fake;
	const char *why;

	fake_open(&fake, *state, "echo 'Booting SMP configuration' > $console; exec sleep 60");
	fake.options.boot_timeout = 0.5;
	why = enter_fails(&fake, -ETIMEDOUT);
	assert_contains(why, "the guest did not come up within");
	assert_contains(why, "QEMU itself does not answer");
	assert_contains(why, "Booting SMP configuration");
	assert_int_equal(kill(fake_pid(&fake), 0), -1);
	fake_close(&fake);
}

static bool always(void *context)
{
	(void)context;
	return true;
}

static void a_boot_can_be_interrupted(void **state)
{
	struct fake fake;

	fake_open(&fake, *state, "exec sleep 60");
	fake.env.cancelled = always;
	assert_contains(enter_fails(&fake, -EINTR), "the guest's boot was interrupted");
	fake_close(&fake);
}

static void a_panic_at_boot_is_quoted(void **state)
{
	struct fake fake;
	const char *why;

	fake_open(&fake, *state,
		"cat tests/fixtures/system/dmesg/panic-x86-5.10.txt > $console; exit 0");
	why = enter_fails(&fake, -EPIPE);
	assert_contains(why, "the guest's kernel panicked: Kernel panic - not syncing: sysrq");
	assert_contains(why, "Rebooting in 3 seconds");
	fake_close(&fake);
}

static void qemu_s_own_complaint_is_quoted(void **state)
{
	struct fake fake;
	const char *why;

	fake_open(&fake, *state, "echo 'qemu: no such machine' >&2; exit 1");
	why = enter_fails(&fake, -EPIPE);
	assert_contains(why, "QEMU ended with exit status 1");
	assert_contains(why, "qemu: no such machine");
	assert_contains(why, "the console's last lines printed nothing");
	fake_close(&fake);
}

static void a_conversation_begins_with_the_hello(void **state)
{
	struct folder *f = *state;
	struct target_link link, again;
	struct fake fake;
	json_t *facts;
	char line[64];
	pid_t pid;

	fake_open(&fake, f, "say hello; hear x; say \"got $x\"; exec sleep 60");
	assert_fine(vm()->enter(fake.target, "", true, &link, &f->err), &f->err);
	assert_true(link.fresh);
	assert_int_equal(write(link.out, "ping\n", 5), 5);
	for (size_t n = 0; n < 15; n++)
		assert_int_equal(read(link.in, line + n, 1), 1);
	line[15] = '\0';
	assert_string_equal(line, "hello\ngot ping\n");
	assert_fine(vm()->enter(fake.target, "", false, &again, &f->err), &f->err);
	assert_false(again.fresh);
	pid = fake_pid(&fake);
	assert_fine(vm()->enter(fake.target, "idle=poll", false, &again, &f->err), &f->err);
	assert_true(again.fresh);
	assert_int_not_equal(fake_pid(&fake), pid);
	facts = vm()->describe(fake.target);
	assert_string_equal(json_string_value(json_object_get(facts, "kind")), "vm");
	assert_string_equal(json_string_value(json_object_get(facts, "qemu")), "9.9 (fake)");
	assert_string_equal(
		json_string_value(json_object_get(facts, "accel")), "tcg,thread=single");
	json_decref(facts);
	fake_close(&fake);
}

#define with_folder(test) cmocka_unit_test_setup_teardown(test, folder_make, folder_remove)

int main(void)
{
	const struct CMUnitTest tests[] = {
		with_folder(a_guest_that_hangs_is_taken_down),
		with_folder(a_boot_can_be_interrupted),
		with_folder(a_panic_at_boot_is_quoted),
		with_folder(qemu_s_own_complaint_is_quoted),
		with_folder(a_conversation_begins_with_the_hello),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
