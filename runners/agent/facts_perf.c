/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "facts.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/alloc.h"

/* Can this event be opened on our own process? Return: 0 or -errno. */
static int try_event(unsigned int type, unsigned long long config)
{
	struct perf_event_attr attr = { .type = type,
		.size = sizeof(attr),
		.config = config,
		.disabled = 1,
		.exclude_kernel = type == PERF_TYPE_HARDWARE };
	long fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		return -errno;
	close((int)fd);
	return 0;
}

static const char *why_no_hardware(int r)
{
	switch (r) {
	case -ENOENT:
	case -ENODEV:
	case -EOPNOTSUPP:
		return "not supported: this machine (or its hypervisor) offers no hardware "
		       "counters";
	case -EACCES:
	case -EPERM:
		return "not permitted; lower kernel.perf_event_paranoid or run as root";
	case -ENOSYS:
		return "this kernel has no perf events";
	default:
		return strerror(-r);
	}
}

/* Any tracepoint will do; this one is in every kernel that has them. */
static json_t *tracepoints_work(const struct sysroot *root)
{
	json_t *tracefs = facts_tracefs(root), *id = NULL;
	bool work = false;

	if (json_is_string(tracefs)) {
		char *path =
			xasprintf("%s/events/sched/sched_switch/id", json_string_value(tracefs));

		id = fact_int(root, path);
		free(path);
	}
	if (json_is_integer(id))
		work = try_event(PERF_TYPE_TRACEPOINT,
			       (unsigned long long)json_integer_value(id)) == 0;
	json_decref(id);
	json_decref(tracefs);
	return json_boolean(work);
}

json_t *facts_perf(const struct sysroot *root)
{
	int r = try_event(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES);

	return json_pack("{s:o, s:b, s:o, s:o}", "paranoid",
		fact_int(root, "proc/sys/kernel/perf_event_paranoid"), "hardware", r == 0, "why",
		r == 0 ? json_null() : json_string(why_no_hardware(r)), "tracepoints",
		tracepoints_work(root));
}
