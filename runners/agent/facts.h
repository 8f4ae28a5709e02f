/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the agent can say of its machine. Nothing here fails: what a machine does not have is null. */
#ifndef AGENT_FACTS_H
#define AGENT_FACTS_H

#include <jansson.h>

#include "base/sysroot.h"

/** fact_line() - a file's text without white space at its end, or null; new reference. */
json_t *fact_line(const struct sysroot *root, const char *path);
/** fact_int() - a file's number, or null; new reference. */
json_t *fact_int(const struct sysroot *root, const char *path);
/** fact_field() - the value of the first "key : value" line of a text, or null; new reference. */
json_t *fact_field(const char *text, const char *key);

/* Each of these is one member of the result of "facts" (docs/agent-protocol.md); new reference. */
json_t *facts_kernel(const struct sysroot *root);
json_t *facts_sched_features(const struct sysroot *root);
json_t *facts_cpu(const struct sysroot *root);
json_t *facts_topology(const struct sysroot *root);
json_t *facts_mitigations(const struct sysroot *root);
json_t *facts_cpuidle(const struct sysroot *root);
json_t *facts_cpufreq(const struct sysroot *root);
json_t *facts_perf(const struct sysroot *root);
json_t *facts_tracefs(const struct sysroot *root);
json_t *facts_virtualisation(const struct sysroot *root);

#endif
