/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Knobs that a dead run left turned. */
#ifndef CMD_STALE_H
#define CMD_STALE_H

#include "cmd/command.h"

/**
 * stale_restore() - have harness-agent put back what its undo files name; says so on standard error
 * Return: the agent's exit status, or EXIT_CANNOT.
 */
int stale_restore(struct cli *cli);

#endif
