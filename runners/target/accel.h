/* SPDX-License-Identifier: GPL-2.0-or-later */
/* May a guest use KVM? Only a real boot proves it: the device file says nothing. */
#ifndef RUNNERS_TARGET_ACCEL_H
#define RUNNERS_TARGET_ACCEL_H

#include <stdbool.h>

#include "base/error.h"

/**
 * struct accel_probe - a question, and what answers it
 * @state_dir: answers are kept here until the host boots again, so that each is sought once
 * @device: "/dev/kvm"
 * @boot_id: of the host
 * @key: what else the answer depends on: QEMU's version, the kernel
 * @try_boot: boot a guest with KVM within its own limit and take it down. Return: 0 when it came up.
 */
struct accel_probe {
	const char *state_dir;
	const char *device;
	const char *boot_id;
	const char *key;
	int (*try_boot)(void *context, struct error *err);
	void *context;
};

/**
 * accel_kvm_works() - may KVM be used?
 * @why_not: why it may not, one line, owned by the caller; untouched when it may
 */
bool accel_kvm_works(const struct accel_probe *probe, char **why_not);

#endif
