/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "agent.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/alloc.h"

int agent_init(struct agent *agent, const char *root, struct error *err)
{
	int r = sysroot_open(&agent->root, root, err);

	if (r < 0)
		return r;
	agent->keeper = KEEPER_INIT;
	r = sysroot_open(&agent->machine, "/", err);
	if (r < 0) {
		sysroot_close(&agent->root);
		return r;
	}
	if (sysroot_read_line(
		    &agent->root, "proc/sys/kernel/random/boot_id", &agent->boot_id, NULL) < 0)
		agent->boot_id = xstrdup("unknown");
	undo_init(&agent->undo, &agent->root, agent->undo_dir, agent->boot_id);
	return 0;
}

size_t agent_release(struct agent *agent)
{
	json_t *ignored = json_array();
	size_t failed = undo_all(&agent->undo, ignored, ignored);

	collects_forget(&agent->kept);
	keeper_dismiss(&agent->keeper);
	undo_close(&agent->undo);
	json_decref(ignored);
	channel_release(&agent->channel);
	if (agent->signals >= 0)
		close(agent->signals);
	free(agent->boot_id);
	sysroot_close(&agent->root);
	sysroot_close(&agent->machine);
	return failed;
}
