/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/command.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/nearest.h"

const struct command *const commands[] = {
	&cmd_run,
	&cmd_check,
	&cmd_parse,
	&cmd_show,
	&cmd_list,
	&cmd_doctor,
	&cmd_undo,
	&cmd_vm,
	&cmd_help,
	&cmd_version,
	NULL,
};

const struct command *command_find(const char *name)
{
	for (size_t i = 0; commands[i]; i++)
		if (strcmp(commands[i]->name, name) == 0)
			return commands[i];
	return NULL;
}

static int unknown_command(const char *name)
{
	const char *names[array_size(commands)];
	size_t n = 0;
	char *suffix;

	while (commands[n]) {
		names[n] = commands[n]->name;
		n++;
	}
	suffix = nearest_suffix(name, names, n);
	fprintf(stderr, "harness: unknown command '%s'%s; 'harness help' lists them all\n", name,
		suffix);
	free(suffix);
	return EXIT_USAGE;
}

/* "harness --help" and "harness -h" are what people try first. */
static const char *command_name(int argc, char **argv)
{
	if (argc < 2 || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
		return "help";
	return strcmp(argv[1], "--version") == 0 ? "version" : argv[1];
}

int main(int argc, char **argv)
{
	const char *name = command_name(argc, argv);
	const struct command *command = command_find(name);
	struct cli cli;
	char *title;
	int status;

	alloc_keep();
	signal(SIGPIPE, SIG_IGN); /* a dead agent is an error of a write, not our death */
	if (!command)
		return unknown_command(name);
	cli_init(&cli);
	if (argc < 2 || argv[1][0] == '-') {
		char *alone[] = { (char *)name, NULL };

		status = command->run(&cli, 1, alone);
		if (argc < 2)
			status = EXIT_USAGE;
	} else {
		/* As getopt() names us in its messages. */
		title = xasprintf("harness %s", name);
		argv[1] = title;
		status = command->run(&cli, argc - 1, argv + 1);
		free(title);
	}
	cli_release(&cli);
	if ((fflush(stdout) != 0 || ferror(stdout)) && status == EXIT_NO_REGRESSION) {
		if (errno != EPIPE) /* "harness help job | head" is no mishap */
			perror("harness: cannot write the output");
		status = EXIT_CANNOT;
	}
	return status;
}
