/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The benchmark's version, learnt once a run on the machine under test. */
#ifndef EXPERIMENT_VERSION_H
#define EXPERIMENT_VERSION_H

#include "base/error.h"
#include "experiment/session.h"
#include "spec/benchmark.h"

/**
 * version_note() - run the benchmark file's version command and keep what it says in the facts
 *
 * facts["benchmark"] = {"version": text or null}. A tool that doesn't tell is no error.
 * Return: 0, or -errno when the agent is gone.
 */
int version_note(struct session *session, const struct benchmark *bench, const char *programs_dir,
	struct error *err);

#endif
