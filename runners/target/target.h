/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The plug-in kind "target": where trials run. A target starts harness-agent on the machine under test
 * and hands over the two ends of its conversation. */
#ifndef RUNNERS_TARGET_TARGET_H
#define RUNNERS_TARGET_TARGET_H

#include <jansson.h>
#include <stdbool.h>

#include "base/error.h"

struct target;
struct option_table;

/**
 * struct target_env - what a target may use of the host; borrowed for the target's life
 * @state_dir: where kernels, snapshots and undo files are kept
 * @work_dir: a folder of this run alone, for sockets and console logs
 * @agent_path: the harness-agent program
 * @programs: array of {"name", "path"}: programs a trial will run, which a guest must bring along
 * @progress: tells a person what takes long ("booting the guest: 4 s"); may be NULL
 * @cancelled: asked now and then while something takes long (a boot): true ends it with -EINTR; may be
 *	NULL
 * @reboot: a target that can boot gives a fresh machine by a real boot, never from a saved state
 */
struct target_env {
	const char *state_dir;
	const char *work_dir;
	const char *agent_path;
	const json_t *programs;
	void (*progress)(void *context, const char *text);
	bool (*cancelled)(void *context);
	void *context;
	bool reboot;
};

/**
 * struct target_link - a conversation with an agent
 * @in: read replies here; @out: write requests here; may be the same descriptor; the target's own
 * @fresh: this is a new conversation, which begins with the agent's hello: knobs are at their
 *	defaults, facts may differ. false: it is the one handed out before, still going.
 */
struct target_link {
	int in, out;
	bool fresh;
};

/**
 * struct target_ops - one kind of target
 * @name, @help: as in a job's "target:"
 * @options: rows of the target's own settings, or NULL
 * @options_size: size of the struct that @options fill
 * @shares_host: trials run on the CPUs of this host, so the harness itself must keep off them
 * @open: make a target; nothing is started yet. @options is such a struct, borrowed for the
 *	target's life.
 * @enter: have an agent ready. @cmdline: words for the kernel's command line, "" for the plain one;
 *	@fresh: a clean machine is wanted (a new block), where the target can give one.
 *	Called again after a failed trial it must give a working agent if it can.
 *	Return: 0, or -errno with a message that holds the console's last lines where there are any.
 * @lost: the conversation broke or timed out: take what is left down and say what happened (exit
 *	status, the console's last lines, a panic's first line); owned by the caller.
 * @describe: {"kind", ... facts for the report: accelerator, kernel, cpus}; new reference
 * @close: end everything it started, within its shutdown limit; NULL target is fine.
 */
struct target_ops {
	const char *name;
	const char *help;
	const struct option_table *options;
	size_t options_size;
	bool shares_host;
	int (*open)(const void *options, const struct target_env *env, struct target **out,
		struct error *err);
	int (*enter)(struct target *target, const char *cmdline, bool fresh,
		struct target_link *link, struct error *err);
	char *(*lost)(struct target *target);
	json_t *(*describe)(struct target *target);
	void (*close)(struct target *target);
};

/** targets - every kind of target, NULL-terminated; the one place where they are listed. */
extern const struct target_ops *const targets[];

/** target_find() - by name. Return: the kind, or NULL with a message that names the nearest. */
const struct target_ops *target_find(const char *name, struct error *err);

#endif
