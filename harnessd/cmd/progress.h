/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a run shows while it goes on: one changing line on a terminal, plain lines otherwise. */
#ifndef CMD_PROGRESS_H
#define CMD_PROGRESS_H

#include <stdbool.h>

#include "experiment/run.h"

/**
 * struct progress - state of the display; make it with progress_init()
 * @verdict: of each arm, as far as it was told; @n_arms of them, once there was a look
 * @left: "at most 3 min", NULL while nothing is known
 */
struct progress {
	struct run_progress ops;
	bool terminal, quiet;
	enum verdict *verdict;
	size_t n_arms, n_decided;
	char *left;
};

/** progress_init() - @quiet: show only what a person must know. Writes to standard error. */
void progress_init(struct progress *progress, bool quiet);
/** progress_end() - leave the terminal's line clean. */
void progress_end(struct progress *progress);

#endif
