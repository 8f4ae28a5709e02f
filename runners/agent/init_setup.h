/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a guest needs before an agent can serve in it. */
#ifndef AGENT_INIT_SETUP_H
#define AGENT_INIT_SETUP_H

#include "base/error.h"
#include "base/sysroot.h"

/** init_say() - one line on the console. */
void init_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/** init_mounts() - the usual file systems. Return: 0, or -errno when one is missing that must be. */
int init_mounts(struct error *err);
/** init_console() - standard streams on the console. */
void init_console(void);
/** init_loopback() - bring up 127.0.0.1, which some benchmarks talk over. */
void init_loopback(void);
/**
 * init_modules() - load what /modules.list names: a line "path" or "path parameters" each, in order
 * A missing list is fine; a module that won't load is told of on the console.
 */
void init_modules(const struct sysroot *machine);
/** init_port() - wait for the virtio-serial port "harness" and open it. Return: fd or -errno. */
int init_port(const struct sysroot *machine, struct error *err);

#endif
