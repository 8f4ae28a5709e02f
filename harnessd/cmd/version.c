/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/command.h"

#include <stdio.h>

static int run(struct cli *cli, int argc, char **argv)
{
	static const struct option options[] = { CLI_OPTIONS };
	int option, status = -1;

	while ((option = getopt_long(argc, argv, "h", options, NULL)) != -1)
		if (cli_option(cli, &cmd_version, option, optarg, &status) && status >= 0)
			return status;
	if (cli->json)
		cli_print_json(json_pack("{s:s}", "version", HARNESS_VERSION));
	else
		printf("harness %s\n", HARNESS_VERSION);
	return EXIT_NO_REGRESSION;
}

const struct command cmd_version = {
	.name = "version",
	.summary = "print the version",
	.help = "Usage: harness version [--json]\n",
	.run = run,
};
