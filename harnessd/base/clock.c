/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/clock.h"

#include <errno.h>
#include <time.h>

#include "base/alloc.h"

#define NS_PER_S 1000000000ULL

static uint64_t now_ns(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return (uint64_t)ts.tv_sec * NS_PER_S + (uint64_t)ts.tv_nsec;
}

uint64_t clock_monotonic_ns(void)
{
	return now_ns(CLOCK_MONOTONIC);
}

uint64_t clock_realtime_ns(void)
{
	return now_ns(CLOCK_REALTIME);
}

char *clock_iso8601(uint64_t realtime_ns)
{
	time_t t = (time_t)(realtime_ns / NS_PER_S);
	struct tm tm;
	char text[32];

	gmtime_r(&t, &tm);
	strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &tm);
	return xstrdup(text);
}

void clock_sleep_ns(uint64_t ns)
{
	struct timespec ts = { .tv_sec = (time_t)(ns / NS_PER_S),
		.tv_nsec = (long)(ns % NS_PER_S) };

	while (clock_nanosleep(CLOCK_MONOTONIC, 0, &ts, &ts) == EINTR)
		;
}

char *clock_duration_text(double seconds)
{
	long s = (long)(seconds + 0.5);

	if (seconds < 1)
		return xasprintf("%.0f ms", seconds * 1000);
	if (s < 60)
		return xasprintf("%ld s", s);
	if (s < 3600)
		return s % 60 ? xasprintf("%ld min %ld s", s / 60, s % 60)
			      : xasprintf("%ld min", s / 60);
	return xasprintf("%ld h %ld min", s / 3600, s % 3600 / 60);
}
