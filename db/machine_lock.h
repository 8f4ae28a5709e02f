/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One machine, one measurement: a lock that a program holds while it measures on a target, and that
 * the kernel takes away when it dies. */
#ifndef DB_MACHINE_LOCK_H
#define DB_MACHINE_LOCK_H

#include <stdbool.h>

#include "base/error.h"

/** struct machine_lock - a lock held; fd -1 when not */
struct machine_lock {
	int fd;
	char *path;
};

#define MACHINE_LOCK_INIT ((struct machine_lock){ .fd = -1 })

/**
 * machine_lock_take() - take the lock of one machine
 * @state_dir: the lock is STATE/locks/NAME.lock; folders are made
 * @name: the target's name; characters that a file name cannot hold become _
 * @what: what it is wanted for ("run of job ttwu.yaml"), shown to those who wait
 * @wait: wait until it is free instead of failing with -EBUSY
 * @waiting: told who holds it ("run of job x, process 123"), at first and when that changes; may be
 *	NULL
 *
 * The file stays when the lock is given back: removing it would let two programs hold two files.
 * Return: 0, -EBUSY with the holder's name, -EINTR when a signal was handled while waiting, -errno.
 */
int machine_lock_take(const char *state_dir, const char *name, const char *what, bool wait,
	void (*waiting)(void *context, const char *holder), void *context, struct machine_lock *out,
	struct error *err);
/** machine_lock_release() - give it back; one that is not held is fine. */
void machine_lock_release(struct machine_lock *lock);

#endif
