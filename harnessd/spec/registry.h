/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The plug-ins that a file may name, as the layer of files sees them: it knows no plug-in itself, the
 * layer above hands it the lists (experiment/registry.h). */
#ifndef SPEC_REGISTRY_H
#define SPEC_REGISTRY_H

#include <jansson.h>
#include <stddef.h>

#include "base/error.h"
#include "spec/option.h"

/**
 * struct registry_entry - one plug-in
 * @options: rows of its settings, or NULL when it has none
 * @check: knobs only: is a level well formed?
 * @label: knobs only: a level as a short text; owned by the caller
 * @schema: knobs only: JSON schema of one level as JSON text
 */
struct registry_entry {
	const char *name;
	const char *help;
	const struct option_table *options;
	int (*check)(const json_t *level, struct error *err);
	char *(*label)(const json_t *level);
	const char *schema;
};

/** struct registry - all of them; entries borrowed */
struct registry {
	const struct registry_entry *knobs, *targets, *collectors;
	size_t n_knobs, n_targets, n_collectors;
};

/** registry_find() - an entry by name, or NULL. */
const struct registry_entry *registry_find(
	const struct registry_entry *entries, size_t n, const char *name);

#endif
