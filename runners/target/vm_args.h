/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Settings of the target "vm", and the QEMU command line that they make. */
#ifndef RUNNERS_TARGET_VM_ARGS_H
#define RUNNERS_TARGET_VM_ARGS_H

#include <stdbool.h>

#include "base/error.h"
#include "spec/option.h"

/** enum vm_accel - as in the rows' choices */
enum vm_accel { VM_ACCEL_AUTO, VM_ACCEL_KVM, VM_ACCEL_TCG };

/** struct vm_options - what the rows fill; their help says what each means */
struct vm_options {
	char *kernel, *modules;
	long cpus, threads, sockets;
	bool numa;
	long memory;
	int accel;
	char *cpu;
	char *cmdline;
	double boot_timeout, shutdown_timeout;
	char *share;
	bool snapshot;
	char *qemu;
};

/** vm_table - the rows. */
extern const struct option_table vm_table;

/**
 * struct vm_boot - what is known only when a guest is to be started
 * @cmdline: words of the arm for the kernel's command line
 */
struct vm_boot {
	const char *qemu;
	const char *kernel;
	const char *initramfs;
	const char *cmdline;
	bool kvm;
};

/** vm_options_check() - settings that do not go together. Return: 0 or -EINVAL. */
int vm_options_check(const struct vm_options *options, struct error *err);
/** vm_args() - QEMU's arguments, the program first, without channels and console. */
void vm_args(
	const struct vm_options *options, const struct vm_boot *boot, struct string_list *args);

#endif
