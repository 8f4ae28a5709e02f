/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "cmd/load.h"
#include "spec/target_file.h"
#include "spec/yaml.h"

static const char help[] =
	"Usage: harness check [--json] FILE...\n"
	"\n"
	"Validates job, benchmark and target files without running anything; nothing\n"
	"printed means that all are fine. Every mistake of every file has a line of its\n"
	"own:\n"
	"\n"
	"  file:line:column: what is wrong; what is allowed; did you mean 'this'?\n"
	"\n"
	"A file with the key 'metrics' is taken for a benchmark, one with 'kind' for a\n"
	"target, any other for a job.\n"
	"\n"
	"Exit status: 0 all are fine, 3 something is wrong.\n"
	"\n"
	"See also: harness help job, harness help benchmark\n";

static void check_target(
	struct cli *cli, const struct yaml_file *file, const char *path, struct diags *diags)
{
	const struct yaml_node *kind = yaml_get(yaml_root(file), "kind");
	const struct registry_entry *entry =
		kind->kind != YAML_SCALAR
			? NULL
			: registry_find(cli->registry.targets, cli->registry.n_targets, kind->text);

	(void)path;
	if (!entry)
		yaml_error(kind, diags, "unknown kind of target; 'harness help target' lists them");
	else
		target_file_check(yaml_root(file), entry, diags);
}

static void check_file(struct cli *cli, const char *path, struct diags *diags)
{
	struct loaded_job loaded;
	struct benchmark *bench = NULL;
	struct diags quiet = DIAGS_INIT;
	struct yaml_file *file = yaml_load(path, &quiet);
	const struct yaml_node *root = file ? yaml_root(file) : NULL;

	if (root && root->kind == YAML_MAPPING && yaml_get(root, "metrics")) {
		char *name = strchr(path, '/') ? xstrdup(path) : xasprintf("./%s", path);

		if (benchmark_load(name, &cli->config_dirs, &bench, diags) == 0)
			benchmark_free(bench);
		free(name);
	} else if (root && root->kind == YAML_MAPPING && yaml_get(root, "kind")) {
		check_target(cli, file, path, diags);
	} else if (load_job(cli, path, &loaded, diags) == 0) {
		loaded_job_release(&loaded);
	}
	diags_release(&quiet);
	yaml_file_free(file);
}

static int run(struct cli *cli, int argc, char **argv)
{
	static const struct option options[] = { CLI_OPTIONS };
	struct diags diags = DIAGS_INIT;
	int option, status = -1;

	while ((option = getopt_long(argc, argv, "h", options, NULL)) != -1)
		if (cli_option(cli, &cmd_check, option, optarg, &status) && status >= 0)
			return status;
	if (optind == argc)
		return cli_usage(&cmd_check, "a file is wanted");
	for (int i = optind; i < argc; i++)
		check_file(cli, argv[i], &diags);
	if (cli->json) {
		cli_print_json(diags_json(&diags));
	} else {
		char *text = diags_text(&diags);

		fputs(text, stdout);
		free(text);
	}
	status = diags.n ? EXIT_USAGE : EXIT_NO_REGRESSION;
	diags_release(&diags);
	return status;
}

const struct command cmd_check = {
	.name = "check",
	.summary = "validate job, benchmark and target files",
	.help = help,
	.run = run,
};
