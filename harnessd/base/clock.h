/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Time. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdint.h>

/** clock_monotonic_ns() - nanoseconds on CLOCK_MONOTONIC. */
uint64_t clock_monotonic_ns(void);
/** clock_realtime_ns() - nanoseconds since 1970-01-01 UTC. */
uint64_t clock_realtime_ns(void);
/** clock_iso8601() - "2026-11-30T20:47:05Z" for a realtime in ns; owned by the caller. */
char *clock_iso8601(uint64_t realtime_ns);
/** clock_sleep_ns() - sleep through signals. */
void clock_sleep_ns(uint64_t ns);
/** clock_duration_text() - "850 ms", "12 s", "3 min 20 s", "2 h 5 min"; owned by the caller. */
char *clock_duration_text(double seconds);

#endif
