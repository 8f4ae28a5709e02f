/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bench.h"

#include <fcntl.h>
#include <math.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "stat/summary.h"

void bench_note(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
}

double bench_ms(uint64_t start_ns)
{
	return (double)(clock_monotonic_ns() - start_ns) / 1e6;
}

void series_add(struct series *s, double x)
{
	array_reserve(s->x, s->n, s->cap);
	s->x[s->n++] = x;
}

double series_median(const struct series *s)
{
	return s->n ? summary_median(s->x, s->n) : NAN;
}

void series_release(struct series *s)
{
	free(s->x);
	*s = (struct series){ 0 };
}

double bench_command(const char *const *argv)
{
	posix_spawn_file_actions_t actions;
	uint64_t start;
	int status = -1;
	pid_t pid;
	double ms;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDWR, 0);
	posix_spawn_file_actions_adddup2(&actions, 0, 1);
	posix_spawn_file_actions_adddup2(&actions, 0, 2);
	start = clock_monotonic_ns();
	if (posix_spawnp(&pid, argv[0], &actions, NULL, (char *const *)argv, environ) == 0)
		waitpid(pid, &status, 0);
	ms = bench_ms(start);
	posix_spawn_file_actions_destroy(&actions);
	return status == 0 ? ms : NAN;
}

double bench_shell(const char *command)
{
	const char *argv[] = { "/bin/sh", "-c", command, NULL };

	return bench_command(argv);
}
