/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collectors/probe.h"

#include <string.h>

#include "collectors/kernel_log_probe.h"
#include "collectors/perf_probe.h"

const struct probe_ops *const probes[] = { &perf_probe, &kernel_log_probe, NULL };

const struct probe_ops *probe_find(const char *name)
{
	for (const struct probe_ops *const *probe = probes; *probe; probe++)
		if (strcmp((*probe)->name, name) == 0)
			return *probe;
	return NULL;
}
