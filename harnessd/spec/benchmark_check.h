/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the rows of a benchmark file cannot say alone: patterns, names, and what refers to what. */
#ifndef SPEC_BENCHMARK_CHECK_H
#define SPEC_BENCHMARK_CHECK_H

#include "spec/benchmark.h"
#include "spec/yaml.h"

/**
 * benchmark_check() - note all that is wrong with a benchmark whose rows have been read
 * @root: the mapping it was read from, for the places
 * A lone metric is made primary.
 */
void benchmark_check(struct benchmark *bench, const struct yaml_node *root, struct diags *diags);

#endif
