/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Knobs that a dead run left turned. */
#ifndef CMD_STALE_H
#define CMD_STALE_H

#include "cmd/command.h"

/**
 * stale_restore() - have harness-agent put back what its undo files name
 * @asked: a person asked for it, who is told on standard output, also that there was nothing to do;
 *	otherwise only what was done is said, on standard error
 * Return: EXIT_NO_REGRESSION, or EXIT_CANNOT when something could not be put back.
 */
int stale_restore(struct cli *cli, bool asked);

#endif
