/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "agent.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>

#include "base/file.h"
#include "base/json.h"

#define OPTIONS "trans=virtio,version=9p2000.L,msize=262144,cache=none"

int op_mount(struct agent *agent, const json_t *request, json_t **result, struct error *err)
{
	const char *tag = json_str(request, "tag", NULL), *at = json_str(request, "at", NULL);
	unsigned long flags = json_flag(request, "readonly", false) ? MS_RDONLY : 0;
	char *path;
	int r;

	if (!tag || !at)
		return error_set(err, -EINVAL, "mount needs \"tag\" and \"at\", strings");
	if (!agent->guest)
		return error_set(err, -EPERM, "mount is for guests; this agent is not one's init");
	path = file_join("/", at + strspn(at, "/"));
	r = file_make_dirs(path, 0755, err);
	if (r == 0 && mount(tag, path, "9p", flags, OPTIONS) < 0)
		r = error_sys(err, -errno, "cannot mount the export '%s' at '%s'", tag, path);
	free(path);
	if (r == 0)
		*result = json_object();
	return r;
}
