/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Without cgroups: the keeper is the benchmark's parent and the subreaper of all that descends from
 * it, so whatever daemonises becomes the keeper's child. Surer than process groups and sessions,
 * which benchmarks leave. */
#include "contain.h"

#include <signal.h>
#include <unistd.h>

static int open_subreaper(struct contain *contain, struct error *err)
{
	(void)contain;
	(void)err;
	return 0;
}

static void pids_below_keeper(const struct contain *contain, struct pids *out)
{
	process_descendants(contain->machine, getpid(), out);
}

/* A process with SIGKILL pending forks no more, so repeating this ends fork bombs, too. */
static void strike_all(const struct contain *contain)
{
	contain_signal(contain, SIGKILL);
}

static void close_subreaper(struct contain *contain)
{
	(void)contain;
}

const struct contain_ops contain_subreaper = {
	.name = "subreaper",
	.open = open_subreaper,
	.pids = pids_below_keeper,
	.strike = strike_all,
	.close = close_subreaper,
};
