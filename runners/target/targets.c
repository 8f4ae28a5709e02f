/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "runners/target/target.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/nearest.h"
#include "base/strbuf.h"
#include "runners/target/kinds.h"

const struct target_ops *const targets[] = { &target_local, &target_vm, NULL };

const struct target_ops *target_find(const char *name, struct error *err)
{
	const char *names[array_size(targets)] = { NULL };
	struct strbuf known = STRBUF_INIT;
	char *near;

	for (size_t i = 0; targets[i]; i++) {
		if (strcmp(targets[i]->name, name) == 0) {
			strbuf_release(&known);
			return targets[i];
		}
		names[i] = targets[i]->name;
		strbuf_printf(&known, "%s%s", i ? ", " : "", names[i]);
	}
	near = nearest_suffix(name, names, array_size(names));
	error_set(err, -ENOENT, "no target '%s'%s; there are: %s", name, near, strbuf_text(&known));
	free(near);
	strbuf_release(&known);
	return NULL;
}
