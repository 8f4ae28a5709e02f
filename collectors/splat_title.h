/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside the kernel_log collector: which lines begin a splat, and what they tell. */
#ifndef COLLECTORS_SPLAT_TITLE_H
#define COLLECTORS_SPLAT_TITLE_H

#include <stdbool.h>

#include "collectors/scan.h"

/** struct splat_title - a first line; spans point into it and are empty when it doesn't tell */
struct splat_title {
	const char *type;
	struct span place;    /* "kernel/sched/clock.c:114" */
	struct span function; /* "set_sched_clock_stable", no offset */
	struct span kind;     /* "slab-out-of-bounds", "scheduling while atomic" */
	struct span comm;
	int cpu;
	long pid;
	bool continues; /* belongs to a splat that is open: "Oops: 0000 [#1]" */
};

/** splat_title_read() - true when the message begins a splat; @text: without time stamp. */
bool splat_title_read(struct span text, struct splat_title *title);

/**
 * splat_symbol() - cut off everything up to and with the next "function+0x1/0x2"
 * @symbol: all of it; @function: the name alone (either may be NULL)
 * Return: false when there is none.
 */
bool splat_symbol(struct span *text, struct span *symbol, struct span *function);

/** splat_number() - the whole number behind a word: splat_number(s, "CPU: "). Return: or -1. */
long splat_number(struct span text, const char *word);

#endif
