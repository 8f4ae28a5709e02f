/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside the perf_stat collector: what its three forms of output have in common. */
#ifndef COLLECTORS_PERF_STAT_H
#define COLLECTORS_PERF_STAT_H

#include <stdbool.h>
#include <stddef.h>

#include "collectors/scan.h"

enum perf_stat_state { PERF_STAT_COUNTED, PERF_STAT_NOT_COUNTED, PERF_STAT_NOT_SUPPORTED };

/**
 * struct perf_stat_row - one counter; spans are borrowed
 * @time: start of the line with -I, empty without
 * @place: "CPU0", "S0-D0-C1", empty for a sum
 * @running: share of the time in percent, -1 when it isn't printed
 * @spread: of repeated runs in percent, -1 when it isn't printed
 */
struct perf_stat_row {
	size_t line;
	struct span event, unit, time, place, cgroup;
	enum perf_stat_state state;
	double value, running, spread;
};

/** struct perf_stat_seconds - "0.361449066 seconds time elapsed", "user", "sys"; -1 for none */
struct perf_stat_seconds {
	double elapsed, user, sys;
};

/** perf_stat_value() - "1234", "0.66", "<not counted>", "<not supported>" into value and state. */
bool perf_stat_value(struct span text, struct perf_stat_row *row);

/**
 * perf_stat_text_line() - read one line of the form for people
 * Return: true when it is a counter, and *row is filled.
 */
bool perf_stat_text_line(struct span line, struct perf_stat_row *row);
/** perf_stat_text_seconds() - true when it is one of the lines about seconds. */
bool perf_stat_text_seconds(struct span line, struct perf_stat_seconds *seconds);

#endif
