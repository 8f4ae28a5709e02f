/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sysroot.h"
#include "runners/target/fetch_kernel.h"
#include "runners/target/kernel_find.h"

static const char help[] =
	"Usage: harness vm fetch-kernel [--package NAME] [--state DIR] [--json]\n"
	"\n"
	"Downloads the distribution's kernel package with apt and unpacks it below the\n"
	"state folder, without installing it, for guests of target vm. Where a kernel\n"
	"with its modules is installed (or was fetched before) none is needed.\n"
	"\n"
	"  --package NAME    another package than the distribution's default kernel\n"
	"  --if-missing      only when no kernel for guests is there yet\n"
	"\n"
	"Exit status: 0, or 4 when it could not be had.\n";

static const struct option options[] = {
	{ "package", required_argument, NULL, 'p' },
	{ "if-missing", no_argument, NULL, 'm' },
	CLI_OPTIONS,
};

static void show(void *context, const char *text)
{
	(void)context;
	fprintf(stderr, "%s\n", text);
}

static int fetch(struct cli *cli, const char *package)
{
	const struct fetch_progress progress = { .say = show };
	struct error err = ERROR_INIT;
	char *kernel = NULL;

	if (vm_fetch_kernel(cli->state_dir, package, &progress, &kernel, &err) < 0)
		return cli_fail(EXIT_CANNOT, &err);
	if (cli->json)
		cli_print_json(json_pack("{s:s}", "kernel", kernel));
	else
		puts(kernel);
	free(kernel);
	return EXIT_NO_REGRESSION;
}

static bool have_kernel(const struct cli *cli)
{
	struct guest_kernel kernel = { 0 };
	struct sysroot host = SYSROOT_INIT;
	bool have = sysroot_open(&host, NULL, NULL) == 0 &&
		    kernel_find(&host, cli->state_dir, NULL, NULL, &kernel, NULL) == 0;

	kernel_release(&kernel);
	sysroot_close(&host);
	return have;
}

static int run(struct cli *cli, int argc, char **argv)
{
	const char *package = NULL;
	bool if_missing = false;
	int option, status = -1;

	while ((option = getopt_long(argc, argv, "h", options, NULL)) != -1) {
		if (option == 'p')
			package = optarg;
		else if (option == 'm')
			if_missing = true;
		else if (cli_option(cli, &cmd_vm, option, optarg, &status) && status >= 0)
			return status;
	}
	if (optind + 1 != argc || strcmp(argv[optind], "fetch-kernel") != 0)
		return cli_usage(&cmd_vm, "'fetch-kernel' is what it can do");
	if (if_missing && have_kernel(cli))
		return EXIT_NO_REGRESSION;
	return fetch(cli, package);
}

const struct command cmd_vm = {
	.name = "vm",
	.summary = "kernels for guests",
	.help = help,
	.run = run,
};
