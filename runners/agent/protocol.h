/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The conversation: docs/agent-protocol.md. */
#ifndef AGENT_PROTOCOL_H
#define AGENT_PROTOCOL_H

#include "agent.h"

/**
 * protocol_serve() - say hello and answer until "bye", the end of the conversation or a signal
 * @undone: what was put back before (an array), told in the hello line; may be NULL
 */
void protocol_serve(struct agent *agent, const json_t *undone);

/** enum trial_word - what a trial in flight should know of the conversation */
enum trial_word {
	WORD_NONE,
	WORD_CANCEL, /* end the trial, then answer */
	WORD_GONE,   /* end the trial; there is nobody to answer */
};

/**
 * protocol_during_trial() - what the host says while a trial is in flight
 * @readable: poll() announced something; else only what has been read already is looked at
 *
 * Every other request is answered with EBUSY at once.
 */
enum trial_word protocol_during_trial(struct agent *agent, bool readable);

/** protocol_take_signal() - note the signal that poll() announced: agent->signal is set. */
void protocol_take_signal(struct agent *agent);

#endif
