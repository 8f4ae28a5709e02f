/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The names that may stand at a place of a job, for messages about one that may not. */
#ifndef SPEC_JOB_NAMES_H
#define SPEC_JOB_NAMES_H

#include <stddef.h>

#include "spec/diag.h"
#include "spec/option.h"
#include "spec/registry.h"
#include "spec/yaml.h"

/** struct names - in the order they were added */
struct names {
	struct string_list list;
};

#define NAMES_INIT ((struct names){ 0 })

/** names_add() - add len bytes. */
void names_add(struct names *names, const char *name, size_t len);
/** names_add_entries() - add those of plug-ins. */
void names_add_entries(struct names *names, const struct registry_entry *entries, size_t n);
/** names_unknown() - note "@what 'x'@where; allowed: a, b; did you mean 'a'?" at a node. */
void names_unknown(const struct names *names, const struct yaml_node *node, struct diags *diags,
	const char *what, const char *where);
/** names_missing() - note "@what; allowed: a, b" at a node. */
void names_missing(const struct names *names, const struct yaml_node *node, struct diags *diags,
	const char *what);
/** names_release() - free it and make it reusable. */
void names_release(struct names *names);

#endif
