/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The benchmark's process, from fork to exec. */
#ifndef AGENT_SPAWN_H
#define AGENT_SPAWN_H

#include <jansson.h>
#include <sys/types.h>

#include "base/cpulist.h"
#include "base/error.h"
#include "placement.h"
#include "user.h"

/**
 * struct spawn - what to start, and how; all borrowed
 * @folder: its working directory
 * @out, @err: its streams
 * @cpus: bind it to these (none: as @affinity says)
 * @affinity: the agent's own mask before it moved away, which the benchmark is to start with
 * @user: whom it runs as; NULL: as the agent
 * @group: its cgroup's folder, or -1
 * @go: it waits for one byte from here before exec; the end of the pipe means: don't
 * @report: it tells here, in struct spawn_report, that it is ready, or what failed. Closed by exec.
 */
struct spawn {
	char *const *argv;
	char *const *env;
	const char *folder;
	int out, err;
	const struct cpulist *cpus;
	const struct affinity *affinity;
	const struct user *user;
	int group;
	int go, report;
};

/** enum spawn_stage - how far it got */
enum spawn_stage {
	SPAWN_READY,
	SPAWN_FORK,
	SPAWN_GROUP,
	SPAWN_STREAMS,
	SPAWN_FOLDER,
	SPAWN_CPUS,
	SPAWN_USER,
	SPAWN_EXEC,
};

/** struct spawn_report - between two processes of one binary; @pid: of the benchmark's process */
struct spawn_report {
	enum spawn_stage stage;
	int code;
	pid_t pid;
};

/** spawn_prepare() - once, in the process that will call spawn_child(): no signal is ignored. */
void spawn_prepare(void);

/**
 * spawn_child() - make it; it gets ready, tells @report, and waits for @go
 *
 * The caller has all signals blocked.
 * It borrows the memory of the caller, who therefore sleeps until the child has called exec or has
 * ended: a copy of the memory is what fork() spends its time on. Return: its pid or -errno.
 */
pid_t spawn_child(const struct spawn *spawn);

/** spawn_failure() - turn a report into an error. Return: the negative errno. */
int spawn_failure(const struct spawn *spawn, const struct spawn_report *report, struct error *err);

/**
 * spawn_environment() - the benchmark's variables
 * @add: object of strings, put on top; NULL for none
 *
 * The agent's own, without those of the locale; LC_ALL=C, HOME, PWD, TMPDIR and HARNESS_NONCE set.
 * Return: NULL-terminated, to be freed with spawn_environment_free().
 */
char **spawn_environment(
	const struct user *user, const char *folder, const char *nonce, const json_t *add);
/** spawn_environment_free() - free it. */
void spawn_environment_free(char **env);

#endif
