/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "contain.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"

#define PREFIX "harness-trial."

/* "37 30 0:34 / /sys/fs/cgroup/unified rw,relatime shared:9 - cgroup2 cgroup2 rw,nsdelegate"
 *  id parent dev root mount-point options optional-fields - type source options */
static char *mount_point(char *line)
{
	char *dash = strstr(line, " - cgroup2 "), *save = NULL, *word = line;

	if (!dash)
		return NULL;
	for (int i = 0; i < 5 && word; i++)
		word = strtok_r(i ? NULL : line, " ", &save);
	return word ? xstrdup(word + strspn(word, "/")) : NULL;
}

char *contain_cgroup_mount(const struct sysroot *root)
{
	char *text, *save = NULL, *found = NULL;

	if (sysroot_read(root, "proc/self/mountinfo", &text, NULL, NULL) < 0)
		return NULL;
	for (char *line = strtok_r(text, "\n", &save); line && !found;
		line = strtok_r(NULL, "\n", &save))
		found = mount_point(line);
	free(text);
	return found;
}

/* The line "0::/user.slice/x" of proc/self/cgroup; "" for the root or one outside our namespace. */
static char *own_group(const struct sysroot *machine)
{
	char *text, *line, *path = NULL;

	if (sysroot_read(machine, "proc/self/cgroup", &text, NULL, NULL) < 0)
		return xstrdup("");
	line = strncmp(text, "0::/", 4) == 0 ? text : strstr(text, "\n0::/");
	if (line) {
		path = strchr(line, '/');
		path = xmemdup0(path, strcspn(path, "\n"));
	}
	free(text);
	if (!path || strcmp(path, "/") == 0 || strncmp(path, "/..", 3) == 0) {
		free(path);
		path = xstrdup("");
	}
	return path;
}

static int make_group(struct contain *contain, const char *mount, const char *own)
{
	int root = contain->machine->dirfd, r = 0;
	char *procs;

	contain->path = xasprintf("%s%s/" PREFIX "%s", mount, own, contain->id);
	procs = xasprintf("%s/cgroup.procs", contain->path);
	if (mkdirat(root, contain->path, 0755) < 0) {
		r = -errno;
		goto out;
	}
	if (faccessat(root, procs, W_OK, 0) < 0)
		r = -errno;
	else
		r = sysroot_openat(contain->machine, contain->path, O_RDONLY | O_DIRECTORY);
	if (r < 0) {
		unlinkat(root, contain->path, AT_REMOVEDIR);
	} else {
		contain->dirfd = r;
		flock(r, LOCK_EX | LOCK_NB); /* see is_left() */
	}
out:
	if (r < 0) {
		free(contain->path);
		contain->path = NULL;
	}
	free(procs);
	return r < 0 ? r : 0;
}

/* Below our own group, so that its limits hold for the benchmark as well; else below the root. */
static int open_cgroup(struct contain *contain, struct error *err)
{
	char *mount = contain_cgroup_mount(contain->machine);
	char *own = own_group(contain->machine);
	int r = mount ? make_group(contain, mount, own) : -ENOENT;

	if (mount && r < 0 && *own)
		r = make_group(contain, mount, "");
	if (r < 0)
		error_sys(err, r, "cannot make a cgroup");
	free(own);
	free(mount);
	return r;
}

static void add_pids(const char *text, struct pids *out)
{
	char *end;

	for (const char *p = text; *p; p = end) {
		long pid = strtol(p, &end, 10);

		if (end == p)
			return;
		array_reserve(out->pid, out->n, out->cap);
		out->pid[out->n++] = (pid_t)pid;
	}
}

typedef void for_group(const struct sysroot *machine, const char *path, void *context);

/* Groups that the benchmark made itself come before the group that holds them. */
static void each_group(
	const struct sysroot *machine, const char *path, for_group *call, void *context)
{
	char *pattern = xasprintf("%s/*/cgroup.procs", path), **below;
	int n = sysroot_glob(machine, pattern, &below);

	for (int i = 0; i < n; i++) {
		*strrchr(below[i], '/') = '\0';
		each_group(machine, below[i], call, context);
	}
	sysroot_glob_free(below, n);
	free(pattern);
	call(machine, path, context);
}

static void read_pids(const struct sysroot *machine, const char *path, void *context)
{
	char *procs = xasprintf("%s/cgroup.procs", path), *text;

	if (sysroot_read(machine, procs, &text, NULL, NULL) == 0) {
		add_pids(text, context);
		free(text);
	}
	free(procs);
}

/* "populated 0\nfrozen 0\n" in cgroup.events: nobody in the group or in one below it, zombies aside. */
static bool is_empty(const struct contain *contain)
{
	char *events = xasprintf("%s/cgroup.events", contain->path), *text;
	bool empty = false;

	if (sysroot_read(contain->machine, events, &text, NULL, NULL) == 0) {
		empty = strstr(text, "populated 0");
		free(text);
	}
	free(events);
	return empty;
}

static void pids_in_group(const struct contain *contain, struct pids *out)
{
	if (!is_empty(contain))
		each_group(contain->machine, contain->path, read_pids, out);
}

static void remove_group(const struct sysroot *machine, const char *path, void *context)
{
	(void)context;
	unlinkat(machine->dirfd, path, AT_REMOVEDIR);
}

/* cgroup.kill is there since Linux 5.14. Before, a frozen group cannot fork away from the signals. */
static void strike_group(const struct contain *contain)
{
	char *kill_file = xasprintf("%s/cgroup.kill", contain->path);
	char *freeze = xasprintf("%s/cgroup.freeze", contain->path);

	if (sysroot_write(contain->machine, kill_file, "1", NULL) < 0) {
		sysroot_write(contain->machine, freeze, "1", NULL);
		contain_signal(contain, SIGKILL);
		sysroot_write(contain->machine, freeze, "0", NULL);
	}
	free(kill_file);
	free(freeze);
}

/* Only a group with groups of the benchmark's own in it takes more than one call. */
static void close_group(struct contain *contain)
{
	if (unlinkat(contain->machine->dirfd, contain->path, AT_REMOVEDIR) < 0 && errno != ENOENT)
		each_group(contain->machine, contain->path, remove_group, NULL);
}

const struct contain_ops contain_cgroup = {
	.name = "cgroup",
	.open = open_cgroup,
	.pids = pids_in_group,
	.strike = strike_group,
	.close = close_group,
};

/* ".../harness-trial.<pid of its agent>.<n>": is that process still an agent? */
static bool has_agent(const struct sysroot *machine, const char *group)
{
	const char *name = strrchr(group, '/') + 1 + strlen(PREFIX);
	char *path = xasprintf("proc/%ld/comm", strtol(name, NULL, 10)), *comm = NULL;
	bool lives = sysroot_read_line(machine, path, &comm, NULL) == 0 &&
		     strcmp(comm, "harness-agent") == 0;

	free(comm);
	free(path);
	return lives;
}

/* A trial's agent and keeper hold a lock on its group, which also tells of those in containers, whose
 * numbers mean nothing here; the number covers the moment before the lock is taken. */
static bool is_left(const struct sysroot *machine, const char *group)
{
	int fd = sysroot_openat(machine, group, O_RDONLY | O_DIRECTORY);
	bool left = fd >= 0 && !has_agent(machine, group) && flock(fd, LOCK_EX | LOCK_NB) == 0;

	if (fd >= 0)
		close(fd);
	return left;
}

/* Killed processes are still listed until they have been reaped. */
static size_t clear_group(const struct sysroot *machine, const char *group)
{
	struct contain left = {
		.ops = &contain_cgroup, .machine = machine, .path = xstrdup(group), .dirfd = -1
	};
	size_t n = contain_count(&left);

	for (int i = 0; i < 500 && contain_count(&left); i++) {
		strike_group(&left);
		clock_sleep_ns(2000000);
	}
	contain_close(&left);
	return n;
}

static void find_left(const struct sysroot *machine, const char *path, void *context)
{
	const char *name = strrchr(path, '/');

	if (name && strncmp(name + 1, PREFIX, strlen(PREFIX)) == 0 && is_left(machine, path))
		*(size_t *)context += clear_group(machine, path);
}

size_t contain_left_behind(const struct sysroot *machine)
{
	char *mount = contain_cgroup_mount(machine);
	size_t n = 0;

	if (mount)
		each_group(machine, mount, find_left, &n);
	free(mount);
	return n;
}
