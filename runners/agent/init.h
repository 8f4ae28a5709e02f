/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The agent as a guest's first process. */
#ifndef AGENT_INIT_H
#define AGENT_INIT_H

/**
 * init_main() - mount, load modules, serve on the port "harness", power off
 *
 * An agent that is killed is followed by a new one once its guardian has put everything back.
 * Never returns.
 */
void init_main(void) __attribute__((noreturn));

#endif
