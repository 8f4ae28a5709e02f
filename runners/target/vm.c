/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Target "vm": a guest under QEMU, booted for the trials.
 *
 * A guest boots once; when its agent has said hello its state is saved, and each fresh guest is a new
 * QEMU that goes on from there. The saved states outlive the run: their key is a digest of all that
 * the guest was made of. */
#include "runners/target/kinds.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/json.h"
#include "base/sysroot.h"
#include "runners/target/accel.h"
#include "runners/target/command.h"
#include "runners/target/guest.h"
#include "runners/target/initramfs.h"
#include "runners/target/kernel_find.h"
#include "runners/target/saved_state.h"
#include "runners/target/vm_args.h"

#define KVM_PROBE_SECONDS 25.0
#define SAVE_SECONDS 60.0
#define RESTORE_SECONDS 60.0
#define MOUNT_SECONDS 30.0
/* What is left of booting shall be over before the state that all guests share is saved. */
#define SETTLE_NS 1000000000
#define SAVED_STATES_LIMIT (2LL << 30)

/**
 * struct target
 * @made_of: digest of QEMU, kernel and initramfs
 * @prepared: the initramfs is written and the accelerator is known
 * @why_tcg: why KVM is not used, NULL when it is or was not asked for
 * @guest: the running guest, NULL for none; @cmdline: the arm's words it was booted with
 * @hello: its agent's first line
 * @count: guests started so far, for the names of their logs
 */
struct target {
	const struct vm_options *o;
	const struct target_env *env;
	struct sysroot root;
	struct guest_kernel kernel;
	char *qemu, *qemu_version;
	char *initramfs;
	struct digest made_of;
	bool prepared, kvm;
	char *why_tcg;
	struct guest *guest;
	char *cmdline, *hello;
	int count;
};

static void say(struct target *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void say(struct target *t, const char *fmt, ...)
{
	char *text;
	va_list ap;

	if (!t->env->progress)
		return;
	va_start(ap, fmt);
	text = xvasprintf(fmt, ap);
	va_end(ap);
	t->env->progress(t->env->context, text);
	free(text);
}

/* "QEMU emulator version 7.2.22 (Debian 1:7.2+dfsg-7+deb12u18+b3)" */
static int find_qemu(struct target *t, struct error *err)
{
	struct strbuf out = STRBUF_INIT;
	const char *line;
	int r;

	t->qemu = file_find_program(t->o->qemu);
	if (!t->qemu)
		return error_set(err, -ENOENT,
			"there is no program '%s'; install QEMU (Debian: qemu-system-x86)",
			t->o->qemu);
	r = command_runl(30, &out, err, t->qemu, "--version");
	line = strbuf_text(&out);
	if (strncmp(line, "QEMU emulator version ", 22) == 0)
		line += 22;
	if (r == 0)
		t->qemu_version = xmemdup0(line, strcspn(line, "\n"));
	strbuf_release(&out);
	return r;
}

static void vm_close(struct target *t)
{
	if (!t)
		return;
	guest_free(t->guest, t->o->shutdown_timeout);
	if (t->initramfs)
		unlink(t->initramfs);
	kernel_release(&t->kernel);
	sysroot_close(&t->root);
	free(t->qemu);
	free(t->qemu_version);
	free(t->initramfs);
	free(t->why_tcg);
	free(t->cmdline);
	free(t->hello);
	free(t);
}

static int vm_open(
	const void *options, const struct target_env *env, struct target **out, struct error *err)
{
	struct target *t = xcalloc(1, sizeof(*t));
	int r;

	t->o = options;
	t->env = env;
	t->root = SYSROOT_INIT;
	r = vm_options_check(t->o, err);
	if (r == 0)
		r = sysroot_open(&t->root, "/", err);
	if (r == 0)
		r = find_qemu(t, err);
	if (r == 0)
		r = kernel_find(
			&t->root, env->state_dir, t->o->kernel, t->o->modules, &t->kernel, err);
	if (r == 0 && t->o->share && access(t->o->share, R_OK | X_OK) < 0)
		r = error_sys(err, -errno, "cannot share the folder '%s'", t->o->share);
	if (r < 0) {
		vm_close(t);
		return r;
	}
	*out = t;
	return 0;
}

/* The kernel unpacks the archive into memory while the archive is still there. */
static int check_size(const struct target *t, size_t size, struct error *err)
{
	if (size / (1 << 20) < (size_t)t->o->memory / (1 << 20) / 3)
		return 0;
	return error_set(err, -ENOMEM,
		"the agent, the programs and the modules take %zu MiB, too much for a guest with "
		"%ld MiB of memory; try memory: %zuM",
		size >> 20, t->o->memory >> 20, ((size >> 20) * 4 / 128 + 1) * 128);
}

static int write_initramfs(struct target *t, struct error *err)
{
	struct initramfs_content content = { t->env->agent_path, t->env->programs,
		t->kernel.modules, t->o->share != NULL };
	struct cpio cpio;
	int r = initramfs_build(&content, &cpio, err);

	if (r < 0)
		return r;
	t->initramfs = file_join(t->env->work_dir, "initramfs.cpio");
	r = check_size(t, cpio.out.len, err);
	if (r == 0)
		r = file_replace(t->initramfs, cpio.out.data, cpio.out.len, 0600, err);
	digest_init(&t->made_of);
	digest_add(&t->made_of, cpio.out.data, cpio.out.len);
	digest_add_text(&t->made_of, t->qemu_version);
	if (r == 0)
		r = digest_add_file(&t->made_of, t->kernel.path, err);
	cpio_release(&cpio);
	return r;
}

static void start_args(const struct target *t, const struct vm_options *o, const char *cmdline,
	struct string_list *args)
{
	struct vm_boot boot = { t->qemu, t->kernel.path, t->initramfs, cmdline, t->kvm };

	vm_args(o, &boot, args);
}

/* Start QEMU, for a boot or (with a descriptor) to go on from a saved state. */
static int start_guest(struct target *t, const char *cmdline, int state_fd, struct error *err)
{
	struct string_list args = { 0 };
	char *console = xasprintf("%s/console-%d.log", t->env->work_dir, t->count);
	char *log = xasprintf("%s/qemu-%d.log", t->env->work_dir, t->count);
	struct guest_start start = { &args, console, log, state_fd, t->env->cancelled,
		t->env->context };
	int r;

	t->count++;
	start_args(t, t->o, cmdline, &args);
	r = guest_new(&start, &t->guest, err);
	free(t->cmdline);
	t->cmdline = xstrdup(cmdline);
	free(log);
	free(console);
	words_release(&args);
	return r;
}

/* End the guest in a hurry; its last words go behind the message. */
static void drop_guest(struct target *t, struct error *err)
{
	char *story;

	if (!t->guest)
		return;
	story = guest_kill(t->guest);
	if (err && err->text) {
		char *text = xstrdup(err->text);

		error_set(err, 0, "%s: %s", text, story);
		free(text);
	}
	free(story);
	guest_free(t->guest, 0);
	t->guest = NULL;
}

static int boot(struct target *t, const char *cmdline, double seconds, struct error *err)
{
	uint64_t start = clock_monotonic_ns();
	int r = start_guest(t, cmdline, -1, err);

	if (r < 0)
		return r;
	free(t->hello);
	t->hello = NULL;
	r = guest_read_line(t->guest, seconds, &t->hello);
	if (r == 0)
		say(t, "booted %s in %.1f s",
			*t->kernel.release ? t->kernel.release : t->kernel.path,
			(double)(clock_monotonic_ns() - start) / 1e9);
	else if (r == -ETIMEDOUT)
		error_set(err, r, "the guest did not come up within %.0f s", seconds);
	else if (r == -EINTR)
		error_set(err, r, "the guest's boot was interrupted");
	else
		error_set(err, r, "the guest did not come up");
	if (r < 0)
		drop_guest(t, err);
	return r;
}

static int try_kvm(void *context, struct error *err)
{
	struct target *t = context;
	double limit =
		t->o->boot_timeout < KVM_PROBE_SECONDS ? t->o->boot_timeout : KVM_PROBE_SECONDS;
	int r;

	say(t, "does KVM work here? a trial boot, %.0f s at most", limit);
	t->kvm = true;
	r = boot(t, "", limit, err);
	t->kvm = false;
	guest_free(t->guest, t->o->shutdown_timeout);
	t->guest = NULL;
	return r;
}

static int choose_accel(struct target *t, struct error *err)
{
	char *boot_id = NULL, *key = NULL;
	struct digest d = t->made_of;
	int r = 0;

	if (t->o->accel != VM_ACCEL_AUTO) {
		t->kvm = t->o->accel == VM_ACCEL_KVM;
		return 0;
	}
	r = sysroot_read_line(&t->root, "proc/sys/kernel/random/boot_id", &boot_id, err);
	if (r < 0)
		return r;
	digest_init(&d);
	digest_add_text(&d, t->qemu_version);
	digest_add_text(&d, t->o->cpu);
	r = digest_add_file(&d, t->kernel.path, err);
	key = digest_hex(&d);
	if (r == 0) {
		struct accel_probe probe = { t->env->state_dir, "/dev/kvm", boot_id, key, try_kvm,
			t };

		t->kvm = accel_kvm_works(&probe, &t->why_tcg);
		if (!t->kvm)
			say(t, "guests are emulated (TCG): %s", t->why_tcg);
	}
	free(key);
	free(boot_id);
	return r;
}

static int prepare(struct target *t, struct error *err)
{
	int r = 0;

	if (t->prepared)
		return 0;
	if (!t->initramfs)
		r = write_initramfs(t, err);
	if (r == 0)
		r = choose_accel(t, err);
	t->prepared = r == 0;
	return r;
}

/* Key of the state saved after a boot with these words. */
static char *state_key(struct target *t, const char *cmdline)
{
	struct string_list args = { 0 };
	struct digest d = t->made_of;
	struct vm_options o = *t->o;
	char *boot_id = NULL, *key;

	/* The share is mounted in each guest that was started: a state knows there is one, not which. */
	if (o.share)
		o.share = (char *)"";
	start_args(t, &o, cmdline, &args);
	for (size_t i = 0; i < args.n; i++)
		/* The content of these two is in the digest; where they lie does not matter. */
		if (strcmp(args.s[i], t->initramfs) != 0 && strcmp(args.s[i], t->kernel.path) != 0)
			digest_add_text(&d, args.s[i]);
	/* With KVM the state depends on the host's processor as well. */
	if (t->kvm &&
		sysroot_read_line(&t->root, "proc/sys/kernel/random/boot_id", &boot_id, NULL) == 0)
		digest_add_text(&d, boot_id);
	key = digest_hex(&d);
	free(boot_id);
	words_release(&args);
	return key;
}

/* Boot, save the state, end that guest. */
static int make_state(struct target *t, const char *cmdline, const char *key, struct error *err)
{
	struct state_draft draft;
	int r = saved_state_begin(t->env->state_dir, &draft, err);

	if (r < 0)
		return r;
	say(t, "booting the guest, once");
	r = boot(t, cmdline, t->o->boot_timeout, err);
	if (r == 0) {
		clock_sleep_ns(SETTLE_NS);
		r = guest_save(t->guest, draft.fd, SAVE_SECONDS, err);
		if (r == 0)
			r = saved_state_commit(&draft, key, t->hello, SAVED_STATES_LIMIT, err);
	}
	guest_free(t->guest, t->o->shutdown_timeout);
	t->guest = NULL;
	saved_state_abort(&draft);
	return r;
}

static int go_on_from(struct target *t, const char *cmdline, int fd, struct error *err)
{
	int r = start_guest(t, cmdline, fd, err);

	if (r == 0)
		r = guest_wait_running(t->guest, RESTORE_SECONDS, err);
	if (r < 0)
		drop_guest(t, err);
	return r;
}

static int open_state(struct target *t, const char *key)
{
	free(t->hello);
	t->hello = NULL;
	return saved_state_open(t->env->state_dir, key, &t->hello);
}

static int restore_once(struct target *t, const char *cmdline, const char *key, struct error *err)
{
	int fd = open_state(t, key), r;

	if (fd < 0) {
		r = make_state(t, cmdline, key, err);
		if (r < 0)
			return r;
		fd = open_state(t, key);
	}
	if (fd < 0)
		return error_sys(err, fd, "cannot open the guest's saved state");
	r = go_on_from(t, cmdline, fd, err);
	close(fd);
	return r;
}

/* A guest from the saved state, which is made first when there is none. One that can't be used any
 * more (a damaged disk, another QEMU under the same name) is made anew, once. */
static int restore(struct target *t, const char *cmdline, struct error *err)
{
	char *key = state_key(t, cmdline), *hello = NULL;
	int fd = saved_state_open(t->env->state_dir, key, &hello);
	bool had_one = fd >= 0;
	int r = -EAGAIN;

	if (had_one) {
		struct error why = ERROR_INIT;

		close(fd);
		r = restore_once(t, cmdline, key, &why);
		if (r == -EINTR) {
			error_set(err, r, "%s", error_text(&why));
		} else if (r < 0) {
			say(t, "%s; making the saved state anew", error_text(&why));
			saved_state_discard(t->env->state_dir, key);
		}
		error_release(&why);
	}
	if (r < 0 && r != -EINTR)
		r = restore_once(t, cmdline, key, err);
	free(hello);
	free(key);
	return r;
}

/* A mounted 9p keeps a state from being saved: so it is mounted in each guest that was started. */
static int mount_share(struct target *t, struct error *err)
{
	char *reply = NULL;
	json_t *value = NULL;
	int r = guest_write_line(t->guest,
		"{\"id\":0,\"op\":\"mount\",\"tag\":\"host\",\"at\":\"/host\",\"readonly\":true}");

	if (r == 0)
		r = guest_read_line(t->guest, MOUNT_SECONDS, &reply);
	if (r == 0)
		r = json_parse(reply, strlen(reply), &value, NULL);
	if (r == 0 && !json_flag(value, "ok", false))
		r = error_set(err, -EIO, "the guest cannot mount '%s': %s", t->o->share,
			json_str(json_object_get(value, "error"), "text", "no reason given"));
	else if (r < 0)
		error_sys(err, r, "the guest cannot mount '%s'", t->o->share);
	json_decref(value);
	free(reply);
	return r;
}

static int new_guest(struct target *t, const char *cmdline, struct error *err)
{
	bool save = t->o->snapshot && !t->env->reboot;
	int r = prepare(t, err);

	if (r == 0)
		r = save ? restore(t, cmdline, err) : boot(t, cmdline, t->o->boot_timeout, err);
	if (r < 0)
		return r;
	if (t->kvm)
		r = guest_pin(t->guest, err);
	if (r == 0 && t->o->share)
		r = mount_share(t, err);
	if (r == 0)
		r = guest_hand_over(t->guest, t->hello, err);
	if (r < 0)
		drop_guest(t, err);
	return r;
}

static int vm_enter(struct target *t, const char *cmdline, bool fresh, struct target_link *link,
	struct error *err)
{
	bool reuse =
		t->guest && !fresh && strcmp(t->cmdline, cmdline) == 0 && guest_alive(t->guest);
	int r = 0;

	if (!reuse) {
		/* What is in that guest is of no use to anyone: no need to ask it to end. */
		guest_free(t->guest, 0);
		t->guest = NULL;
		r = new_guest(t, cmdline, err);
	}
	if (r == 0) {
		link->in = link->out = guest_fd(t->guest);
		link->fresh = !reuse;
	}
	return r;
}

static char *vm_lost(struct target *t)
{
	char *story;

	if (!t->guest)
		return xstrdup("there is no guest");
	story = guest_kill(t->guest);
	guest_free(t->guest, 0);
	t->guest = NULL;
	return story;
}

static const char *accel_text(const struct target *t)
{
	if (!t->prepared && t->o->accel == VM_ACCEL_AUTO)
		return "auto";
	return t->kvm || t->o->accel == VM_ACCEL_KVM ? "kvm" : "tcg,thread=single";
}

static json_t *vm_describe(struct target *t)
{
	const char *accel = accel_text(t);
	json_t *facts = json_pack("{s:s, s:s, s:s, s:s, s:s, s:I, s:I, s:I, s:I, s:b}", "kind",
		"vm", "accel", accel, "qemu", t->qemu_version, "kernel", t->kernel.path, "release",
		t->kernel.release, "cpus", (json_int_t)t->o->cpus, "threads",
		(json_int_t)t->o->threads, "sockets", (json_int_t)t->o->sockets, "memory",
		(json_int_t)t->o->memory, "snapshot", t->o->snapshot && !t->env->reboot);

	if (strncmp(accel, "tcg", 3) == 0)
		json_object_set_new(facts, "timing",
			json_string("times are the cost of emulated instructions, one CPU at a "
				    "time, without caches"));
	if (t->why_tcg)
		json_object_set_new(facts, "why_tcg", json_string(t->why_tcg));
	return facts;
}

const struct target_ops target_vm = {
	.name = "vm",
	.help = "a guest under QEMU with any kernel, without risk for this machine",
	.options = &vm_table,
	.options_size = sizeof(struct vm_options),
	.open = vm_open,
	.enter = vm_enter,
	.lost = vm_lost,
	.describe = vm_describe,
	.close = vm_close,
};
