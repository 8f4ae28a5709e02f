/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The plug-in lists, as the files' layer wants them. */
#ifndef EXPERIMENT_REGISTRY_H
#define EXPERIMENT_REGISTRY_H

#include "spec/registry.h"

/** plugin_registry_init() - fill a registry from knobs[], targets[] and collectors[]. */
void plugin_registry_init(struct registry *registry);
/** plugin_registry_release() - free its lists. */
void plugin_registry_release(struct registry *registry);

#endif
