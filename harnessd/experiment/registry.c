/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "experiment/registry.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "collectors/collector.h"
#include "runners/knob/knob.h"
#include "runners/target/target.h"

static struct registry_entry *fill_knobs(size_t *n)
{
	struct registry_entry *entries;

	for (*n = 0; knobs[*n]; (*n)++)
		;
	entries = xcalloc(*n, sizeof(*entries));
	for (size_t i = 0; i < *n; i++)
		entries[i] = (struct registry_entry){
			.name = knobs[i]->name,
			.help = knobs[i]->help,
			.check = knobs[i]->check,
			.label = knobs[i]->label,
			.schema = knobs[i]->schema,
		};
	return entries;
}

static struct registry_entry *fill_targets(size_t *n)
{
	struct registry_entry *entries;

	for (*n = 0; targets[*n]; (*n)++)
		;
	entries = xcalloc(*n, sizeof(*entries));
	for (size_t i = 0; i < *n; i++)
		entries[i] = (struct registry_entry){
			.name = targets[i]->name,
			.help = targets[i]->help,
			.options = targets[i]->options,
		};
	return entries;
}

/* Only those that look at a machine: parse-only ones read files for "harness parse". */
static struct registry_entry *fill_collectors(size_t *n)
{
	struct registry_entry *entries;
	size_t all;

	for (all = 0; collectors[all]; all++)
		;
	entries = xcalloc(all, sizeof(*entries));
	*n = 0;
	for (size_t i = 0; i < all; i++) {
		if (!collectors[i]->paths && !collectors[i]->probe)
			continue;
		entries[(*n)++] = (struct registry_entry){
			.name = collectors[i]->name,
			.help = collectors[i]->help,
			.options = collectors[i]->options,
		};
	}
	return entries;
}

void plugin_registry_init(struct registry *registry)
{
	registry->knobs = fill_knobs(&registry->n_knobs);
	registry->targets = fill_targets(&registry->n_targets);
	registry->collectors = fill_collectors(&registry->n_collectors);
}

void plugin_registry_release(struct registry *registry)
{
	free((void *)registry->knobs);
	free((void *)registry->targets);
	free((void *)registry->collectors);
	*registry = (struct registry){ 0 };
}
