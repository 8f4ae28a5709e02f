/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/stale.h"

#include <dirent.h>
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"

static bool holds_files(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *entry;
	bool any = false;

	while (dir && !any && (entry = readdir(dir)))
		any = entry->d_name[0] != '.';
	if (dir)
		closedir(dir);
	return any;
}

static int wait_for(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return EXIT_CANNOT;
	return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? EXIT_NO_REGRESSION : EXIT_CANNOT;
}

int stale_restore(struct cli *cli, bool asked)
{
	char *agent = cli_agent_path(cli), *dir = file_join(cli->state_dir, "undo");
	char *argv[] = { agent, "undo", "--undo-dir", dir, NULL };
	int failed, r = EXIT_NO_REGRESSION;
	posix_spawn_file_actions_t actions;
	pid_t pid;

	if (asked || holds_files(dir)) {
		posix_spawn_file_actions_init(&actions);
		if (!asked)
			posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
		failed = posix_spawn(&pid, agent, &actions, NULL, argv, environ);
		posix_spawn_file_actions_destroy(&actions);
		if (failed) {
			fprintf(stderr, "harness: cannot run '%s': %s\n", agent, strerror(failed));
			r = EXIT_CANNOT;
		} else {
			r = wait_for(pid);
		}
	}
	free(agent);
	free(dir);
	return r;
}
