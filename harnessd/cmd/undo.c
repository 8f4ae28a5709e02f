/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/command.h"

#include "cmd/stale.h"

static int run(struct cli *cli, int argc, char **argv)
{
	static const struct option options[] = { CLI_OPTIONS };
	int option, status = -1;

	while ((option = getopt_long(argc, argv, "h", options, NULL)) != -1)
		if (cli_option(cli, &cmd_undo, option, optarg, &status) && status >= 0)
			return status;
	if (optind != argc)
		return cli_usage(&cmd_undo, "no argument is wanted");
	return stale_restore(cli, true);
}

const struct command cmd_undo = {
	.name = "undo",
	.summary = "put back knobs that a dead run left turned",
	.help = "Usage: harness undo [--state DIR]\n"
		"\n"
		"Puts kernel files back that a run has changed. A run does so itself, however it\n"
		"ends; only a power loss can leave work for this command. It reads the undo\n"
		"files of the state folder, which hold the old values since before the first\n"
		"change; those of living runs are left alone. After a reboot a file is put back\n"
		"only if it still holds the value that we wrote.\n"
		"\n"
		"Exit status: 0 all is as it was, 4 something could not be put back.\n",
	.run = run,
};
