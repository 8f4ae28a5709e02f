/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/command.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

static const char help[] =
	"Usage: harness show [RUN] [--json]\n"
	"       harness show --raw TRIAL:NAME\n"
	"\n"
	"Prints the report of a run (the newest if none is named; 'harness list' numbers\n"
	"them), fit to paste into a mail: machine, effects with their intervals, the\n"
	"counters that moved, interrupts and idle residency by CPU, kernel splats, and\n"
	"the commands to reproduce.\n"
	"\n"
	"  --raw TRIAL:NAME  one raw text of a trial as it was collected: stdout, stderr,\n"
	"                    interrupts.before, interrupts.after, kernel_log.after, ...\n"
	"  --json            everything as JSON (trial numbers are there)\n"
	"\n"
	"Exit status: 0, or 4 when there is no such run.\n";

static const struct option options[] = {
	{ "raw", required_argument, NULL, 'r' },
	CLI_OPTIONS,
};

static int show_raw(struct store *store, const char *what)
{
	struct error err = ERROR_INIT;
	char *colon, *data;
	long long trial = strtoll(what, &colon, 10);
	size_t len;

	if (colon == what || *colon != ':')
		return cli_usage(&cmd_show, "--raw takes TRIAL:NAME");
	if (store_raw_get(store, trial, colon + 1, &data, &len, &err) < 0)
		return cli_fail(EXIT_CANNOT, &err);
	fwrite(data, 1, len, stdout);
	free(data);
	return EXIT_NO_REGRESSION;
}

static int show_run(struct cli *cli, struct store *store, int64_t id)
{
	struct error err = ERROR_INIT;
	struct report report;

	if (report_load(store, id, &report, &err) < 0)
		return cli_fail(EXIT_CANNOT, &err);
	cli_print_report(cli, &report);
	report_release(&report);
	return EXIT_NO_REGRESSION;
}

static int run(struct cli *cli, int argc, char **argv)
{
	struct error err = ERROR_INIT;
	struct store *store;
	const char *raw = NULL;
	long id = 0;
	int option, status = -1;

	while ((option = getopt_long(argc, argv, "h", options, NULL)) != -1) {
		if (option == 'r')
			raw = optarg;
		else if (cli_option(cli, &cmd_show, option, optarg, &status) && status >= 0)
			return status;
	}
	if (optind < argc) {
		id = cli_number(argv[optind], LONG_MAX);
		if (optind + 1 != argc || id < 1)
			return cli_usage(&cmd_show, "one run's number is wanted");
	}
	if (cli_open_store(cli, false, &store, &err) < 0)
		return cli_fail(EXIT_CANNOT, &err);
	status = raw ? show_raw(store, raw) : show_run(cli, store, id);
	store_close(store);
	return status;
}

const struct command cmd_show = {
	.name = "show",
	.summary = "print the report of a run",
	.help = help,
	.run = run,
};
