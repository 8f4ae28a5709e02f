/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/stale.h"

#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"

int stale_restore(struct cli *cli)
{
	char *agent = cli_agent_path(cli), *dir = file_join(cli->state_dir, "undo");
	char *argv[] = { agent, "undo", "--undo-dir", dir, NULL };
	int status = 0, r = EXIT_NO_REGRESSION;
	pid_t pid;

	if (file_exists(dir)) {
		int failed = posix_spawn(&pid, agent, NULL, NULL, argv, environ);

		if (failed || waitpid(pid, &status, 0) < 0) {
			fprintf(stderr, "harness: cannot run '%s': %s\n", agent, strerror(failed));
			r = EXIT_CANNOT;
		} else {
			r = WIFEXITED(status) && WEXITSTATUS(status) == 0 ? EXIT_NO_REGRESSION
									  : EXIT_CANNOT;
		}
	}
	free(agent);
	free(dir);
	return r;
}
