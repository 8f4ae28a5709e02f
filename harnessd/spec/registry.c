/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "spec/registry.h"

#include <string.h>

const struct registry_entry *registry_find(
	const struct registry_entry *entries, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(entries[i].name, name))
			return &entries[i];
	return NULL;
}
