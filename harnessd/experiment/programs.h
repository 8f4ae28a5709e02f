/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which programs a benchmark needs, and where they are on this host. */
#ifndef EXPERIMENT_PROGRAMS_H
#define EXPERIMENT_PROGRAMS_H

#include <jansson.h>

#include "spec/benchmark.h"

/**
 * programs_needed() - what a target that brings its own user space must take along
 * @own_dir: where our own benchmarks are; searched before PATH
 * Return: new array of {"name", "path"}; a program that isn't found here is left out.
 */
json_t *programs_needed(const struct benchmark *bench, const char *own_dir);

/** programs_resolve() - replace argv[0] by its path, when it is one of our own benchmarks. */
void programs_resolve(json_t *argv, const char *own_dir);

#endif
