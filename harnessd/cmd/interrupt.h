/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Ctrl-C: the first asks a run to stop, the second leaves at once. */
#ifndef CMD_INTERRUPT_H
#define CMD_INTERRUPT_H

#include "base/error.h"

/**
 * interrupt_open() - a descriptor that becomes readable at the first INT, TERM or HUP
 *
 * It is never read, so that everybody sees it. The same signal once more ends the program by its
 * default: the agent sees the end of its input, ends the trial and puts the knobs back, QEMU dies with
 * us, and the run can be resumed. A signal also ends a wait (for the machine's lock) with EINTR.
 * Return: the descriptor, to be closed by interrupt_close(); -errno.
 */
int interrupt_open(struct error *err);
/** interrupt_close() - signals do again what they did before. */
void interrupt_close(int fd);

#endif
