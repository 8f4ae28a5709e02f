/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "runners/target/vm_args.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "runners/target/command.h"

static const char *const accels[] = { "auto", "kvm", "tcg", NULL };

#define AT(member) offsetof(struct vm_options, member)

static const struct option_row rows[] = {
	{ .name = "kernel",
		.type = OPT_STRING,
		.offset = AT(kernel),
		.help = "The kernel to boot: path of an image, a release, or \"installed\" or "
			"\"fetched\" for the newest of those on this machine or fetched by "
			"'harness "
			"vm fetch-kernel'. Without it the newest of all.",
		.example = "6.1.0-57-amd64" },
	{ .name = "modules",
		.type = OPT_STRING,
		.offset = AT(modules),
		.help = "The kernel's folder of modules (lib/modules/RELEASE), when it is not "
			"where "
			"it usually is.",
		.example = "/home/me/build/lib/modules/6.18.0" },
	{ .name = "cpus",
		.type = OPT_INT,
		.offset = AT(cpus),
		.min = 1,
		.max = 255,
		.dflt = "2",
		.help = "Number of CPUs of the guest, threads counted.",
		.example = "4" },
	{ .name = "threads",
		.type = OPT_INT,
		.offset = AT(threads),
		.min = 1,
		.max = 8,
		.dflt = "1",
		.help = "Threads of each core.",
		.example = "2" },
	{ .name = "sockets",
		.type = OPT_INT,
		.offset = AT(sockets),
		.min = 1,
		.max = 16,
		.dflt = "1",
		.help = "Packages that the CPUs are spread over; each has a last-level cache of "
			"its "
			"own.",
		.example = "2" },
	{ .name = "numa",
		.type = OPT_BOOL,
		.offset = AT(numa),
		.dflt = "false",
		.help = "Make each package a NUMA node with its share of the memory.",
		.example = "true" },
	{ .name = "memory",
		.type = OPT_SIZE,
		.offset = AT(memory),
		.min = 64 << 20,
		.max = 1LL << 42,
		.dflt = "512M",
		.help = "Memory of the guest.",
		.example = "1G" },
	{ .name = "accel",
		.type = OPT_ENUM,
		.offset = AT(accel),
		.choices = accels,
		.dflt = "auto",
		.help = "kvm: the processor's own virtualisation. tcg: emulation, one CPU at a "
			"time; "
			"times are then the cost of emulated instructions. auto: kvm where a trial "
			"boot within 25 s proves it, else tcg.",
		.example = "tcg" },
	{ .name = "cpu",
		.type = OPT_STRING,
		.offset = AT(cpu),
		.help = "QEMU's CPU model. Without it \"host\" for kvm; for tcg QEMU's plain one, "
			"or "
			"Nehalem (with nopti) when cores have threads.",
		.example = "Nehalem" },
	{ .name = "cmdline",
		.type = OPT_STRING,
		.offset = AT(cmdline),
		.help = "Further words for the kernel's command line, for all arms.",
		.example = "mitigations=off" },
	{ .name = "boot_timeout",
		.type = OPT_DURATION,
		.offset = AT(boot_timeout),
		.min = 1,
		.max = 86400,
		.dflt = "120s",
		.help = "How long a boot may take until the agent answers.",
		.example = "5m" },
	{ .name = "shutdown_timeout",
		.type = OPT_DURATION,
		.offset = AT(shutdown_timeout),
		.min = 0,
		.max = 3600,
		.dflt = "10s",
		.help = "How long QEMU may take to end before it is killed.",
		.example = "30s" },
	{ .name = "share",
		.type = OPT_STRING,
		.offset = AT(share),
		.help = "A folder of this machine that the guest sees read-only at /host.",
		.example = "/home/me/benchmarks" },
	{ .name = "snapshot",
		.type = OPT_BOOL,
		.offset = AT(snapshot),
		.dflt = "true",
		.help = "Boot once, save the guest's state when its agent is ready, and let each "
			"fresh guest go on from there. false: boot each time.",
		.example = "false" },
	{ .name = "qemu",
		.type = OPT_STRING,
		.offset = AT(qemu),
		.dflt = "qemu-system-x86_64",
		.help = "The QEMU program.",
		.example = "/opt/qemu/bin/qemu-system-x86_64" },
	{ 0 },
};

const struct option_table vm_table = {
	.name = "vm",
	.help = "A guest under QEMU that is booted for the trials, with any kernel.",
	.rows = rows,
	.size = sizeof(struct vm_options),
	.shorthand = "kernel",
};

int vm_options_check(const struct vm_options *o, struct error *err)
{
	if (o->cpus % (o->threads * o->sockets) != 0)
		return error_set(err, -EINVAL,
			"cpus: %ld can't be spread over %ld sockets of cores with %ld threads; use "
			"a "
			"multiple of %ld",
			o->cpus, o->sockets, o->threads, o->threads * o->sockets);
	return 0;
}

static void add(struct string_list *args, const char *option, const char *value)
{
	words_add(args, option);
	if (value)
		words_add(args, value);
}

static void add_numa(const struct vm_options *o, struct string_list *args)
{
	long mb = o->memory / (1 << 20), each = mb / o->sockets;

	for (long i = 0; i < o->sockets; i++) {
		/* The last node takes what the division leaves. */
		long size = i < o->sockets - 1 ? each : mb - each * (o->sockets - 1);

		words_add(args, "-object");
		words_addf(args, "memory-backend-ram,id=mem%ld,size=%ldM", i, size);
		words_add(args, "-numa");
		words_addf(args, "node,nodeid=%ld,memdev=mem%ld", i, i);
	}
	for (long i = 0; i < o->sockets; i++) {
		words_add(args, "-numa");
		words_addf(args, "cpu,node-id=%ld,socket-id=%ld", i, i);
	}
}

static void add_share(const char *share, struct string_list *args)
{
	struct strbuf path = STRBUF_INIT;

	for (const char *p = share; *p; p++)
		strbuf_putc(&path, *p, *p == ',' ? 2 : 1);
	words_add(args, "-fsdev");
	words_addf(
		args, "local,id=share,path=%s,security_model=none,readonly=on", strbuf_text(&path));
	add(args, "-device", "virtio-9p-pci,fsdev=share,mount_tag=host");
	strbuf_release(&path);
}

/* TCG, and no model asked for. */
static bool plain_cpu(const struct vm_options *o, const struct vm_boot *boot)
{
	return !boot->kvm && !o->cpu;
}

/* rdrand: without it a guest has no random numbers for its first seconds, and whoever wants some
 * waits for them. QEMU's plain model has no threads, and under TCG no AMD model has; an Intel model
 * has, but there the kernel guards itself against Meltdown, which costs an emulated guest a multiple
 * of what it costs a processor: nopti. */
static const char *cpu_model(const struct vm_options *o, const struct vm_boot *boot)
{
	if (!plain_cpu(o, boot))
		return o->cpu ? o->cpu : "host";
	return o->threads > 1 ? "Nehalem,+rdrand" : "qemu64,+rdrand";
}

/* panic=-1 with -no-reboot: QEMU ends at once when the kernel panics. tsc=reliable: without it the
 * guest measures the emulated TSC, finds it wanting, and reads a slow clock instead. */
static void add_cmdline(
	const struct vm_options *o, const struct vm_boot *boot, struct string_list *args)
{
	struct strbuf words = STRBUF_INIT;

	strbuf_puts(&words, "console=ttyS0 panic=-1");
	if (!boot->kvm)
		strbuf_puts(&words, " tsc=reliable");
	if (plain_cpu(o, boot) && o->threads > 1)
		strbuf_puts(&words, " nopti");
	if (o->cmdline && *o->cmdline)
		strbuf_printf(&words, " %s", o->cmdline);
	if (*boot->cmdline)
		strbuf_printf(&words, " %s", boot->cmdline);
	add(args, "-append", strbuf_text(&words));
	strbuf_release(&words);
}

void vm_args(const struct vm_options *o, const struct vm_boot *boot, struct string_list *args)
{
	static const char *const fixed[] = { "-machine", "q35", "-nodefaults", "-no-user-config",
		"-display", "none", "-no-reboot" };

	words_add(args, boot->qemu);
	for (size_t i = 0; i < sizeof(fixed) / sizeof(fixed[0]); i++)
		words_add(args, fixed[i]);
	add(args, "-accel", boot->kvm ? "kvm" : "tcg,thread=single");
	add(args, "-cpu", cpu_model(o, boot));
	words_add(args, "-smp");
	words_addf(args, "%ld,sockets=%ld,cores=%ld,threads=%ld", o->cpus, o->sockets,
		o->cpus / (o->sockets * o->threads), o->threads);
	words_add(args, "-m");
	words_addf(args, "%ldM", o->memory / (1 << 20));
	if (o->numa)
		add_numa(o, args);
	if (o->share)
		add_share(o->share, args);
	add(args, "-kernel", boot->kernel);
	add(args, "-initrd", boot->initramfs);
	add_cmdline(o, boot, args);
}
