/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Splats of the kernel's log: what a WARNING, BUG, Oops, lockup, stall or hung task printed. */
#ifndef COLLECTORS_KERNEL_LOG_H
#define COLLECTORS_KERNEL_LOG_H

#include <stddef.h>

/**
 * struct splat - one distinct splat; all strings are "" when the log doesn't tell
 * @type: warning, bug, oops, gpf, panic, soft-lockup, hard-lockup, rcu-stall, hung-task,
 *	workqueue-lockup, kasan, kmsan, kfence, kcsan, ubsan, lockdep
 * @first_line: line of its title in the text, from 1
 * @title: that line without time stamp
 * @cpu: -1 when unknown; @pid: -1 when unknown
 * @location: "kernel/sched/clock.c:114 set_sched_clock_stable", or the function alone; without
 *	offsets, so that the same place in two kernels reads alike
 * @taint: letters, "GWL"; "" is not tainted
 * @frames: the first call trace, innermost first; those found by guess begin with "? "
 * @text: all its lines, time stamps included
 * @occurrences: how often the same type was met at the same place; a lockup of another CPU is
 *	another splat
 */
struct splat {
	const char *type;
	size_t first_line;
	char *title;
	int cpu;
	long pid;
	char *comm;
	char *location;
	char *taint;
	char **frames;
	size_t n_frames;
	char *text;
	size_t occurrences;
};

/**
 * kernel_log_splats() - find them
 * @text: output of dmesg, a console's log, or raw records of the kmsg device
 * @splats: in the order of the log, owned by the caller, see kernel_log_splats_free(); NULL if none
 * Return: 0; any text is a log.
 */
int kernel_log_splats(const char *text, size_t len, struct splat **splats, size_t *n);
/** kernel_log_splats_free() - free the result of kernel_log_splats(). */
void kernel_log_splats_free(struct splat *splats, size_t n);

#endif
