/* SPDX-License-Identifier: GPL-2.0-or-later */
/* "make bench": measurements beside those of other tools, in one run and one table. */
#ifndef TESTS_BENCH_BENCH_H
#define TESTS_BENCH_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/strbuf.h"

/**
 * struct bench - one run of it
 * @build: folder of our programs; @dir: a folder of this run alone, on the disk
 * @out: the table, printed at the end
 */
struct bench {
	const char *build;
	char *dir;
	struct strbuf out;
};

/** struct part - one part of the table; @run: 0 or -errno when it could not be measured */
struct part {
	const char *name, *help;
	int (*run)(struct bench *bench, struct error *err);
};

extern const struct part part_trial, part_quiet, part_parse, part_store, part_runs, part_errors;

/** bench_note() - say on standard error what is being measured now. */
void bench_note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/** bench_ms() - milliseconds since @start_ns (clock_monotonic_ns()). */
double bench_ms(uint64_t start_ns);

/** struct series - measured numbers */
struct series {
	double *x;
	size_t n, cap;
};

/** series_add() - append one. */
void series_add(struct series *s, double x);
/** series_median() - their median; NaN when there are none. */
double series_median(const struct series *s);
/** series_release() - free it. */
void series_release(struct series *s);

/**
 * bench_command() - run a program with its output thrown away; found as execvp() would
 * Return: milliseconds from posix_spawn() to the end of waitpid(), or NaN when it failed.
 */
double bench_command(const char *const *argv);
/** bench_shell() - bench_command() of /bin/sh -c. */
double bench_shell(const char *command);

#endif
