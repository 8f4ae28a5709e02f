/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counting perf events on the machine under test, by perf_event_open(2) itself.
 *
 * Options (a JSON object, see collectors/perf.c for the rows):
 *   "events": list of names; "{a,b,c}" is a group that is counted together or not at all
 *   "scope": "cpus" (the benchmark's CPUs; every online CPU when it has none), "system" (every
 *	online CPU) or "process" (the benchmark and what it starts)
 *
 * The text is a JSON array with one object for each event, PMU and CPU:
 *   {"event": "cycles", "pmu": "cpu", "cpu": 1 or null, "unit": "", "scale": 1.0,
 *    "value": 123, "enabled": 5000000, "running": 5000000, "group": 0 or null, "error": null}
 * A counter that can't be had has value, enabled and running null and the reason in "error".
 */
#ifndef COLLECTORS_PERF_PROBE_H
#define COLLECTORS_PERF_PROBE_H

#include "collectors/probe.h"

/** perf_probe - the probe; attach() is needed for scope "process" only. */
extern const struct probe_ops perf_probe;

#endif
