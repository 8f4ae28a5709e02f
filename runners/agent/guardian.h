/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The process that puts knobs back when the agent is gone, by whatever death. */
#ifndef AGENT_GUARDIAN_H
#define AGENT_GUARDIAN_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"
#include "base/sysroot.h"

/** struct guardian - the agent's hold on it; @pipe -1 when there is none */
struct guardian {
	pid_t pid;
	int pipe;
};

#define GUARDIAN_INIT ((struct guardian){ .pipe = -1 })

/**
 * guardian_start() - fork one, unless it is there already and alive
 * @undo_fd: the undo file, whose lock the guardian shares, so that the file stays locked until the
 *	guardian has done its work
 */
int guardian_start(struct guardian *guardian, const struct sysroot *root, int undo_fd,
	const char *undo_file, const char *boot_id, struct error *err);
/** guardian_dismiss() - all is well (or has been done): end it without any writing. */
void guardian_dismiss(struct guardian *guardian);

#endif
