/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A job file with the benchmark it names: what "run" and "check" read. */
#ifndef CMD_LOAD_H
#define CMD_LOAD_H

#include "cmd/command.h"
#include "spec/benchmark.h"
#include "spec/job.h"

/** struct loaded_job - both, checked against each other */
struct loaded_job {
	struct job *job;
	struct benchmark *bench;
};

/** load_job() - read both and note everything wrong. Return: 0 or -EINVAL. */
int load_job(struct cli *cli, const char *path, struct loaded_job *loaded, struct diags *diags);
/** loaded_job_release() - free both. */
void loaded_job_release(struct loaded_job *loaded);

#endif
