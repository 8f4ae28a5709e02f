/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One agent from its first line to its end. */
#ifndef AGENT_SERVE_H
#define AGENT_SERVE_H

#include <stdbool.h>

#include "base/error.h"

/**
 * struct serve_options - how to serve
 * @root: where the protocol's paths start; NULL is the machine
 * @undo_dir, @work_dir: see --help
 * @contain: "auto", "cgroup" or "subreaper"
 * @guest: serve on a guest's port
 */
struct serve_options {
	const char *root;
	const char *undo_dir;
	const char *work_dir;
	const char *contain;
	bool guest;
};

/**
 * serve() - talk on standard input and output
 *
 * First puts back what agents that are gone have left behind; at the end puts back everything.
 * Return: the process's exit status: 0, 1 when a setting could not be put back, 128 + the signal
 * that ended it; or -errno with a message when it could not begin.
 */
int serve(const struct serve_options *options, struct error *err);

/**
 * serve_undo() - put back what agents that are gone have left behind, and say so on standard output
 * Return: the process's exit status, or -errno with a message.
 */
int serve_undo(const struct serve_options *options, struct error *err);

#endif
