/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/command.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/nearest.h"
#include "cmd/help_pages.h"
#include "cmd/man_pages.h"
#include "spec/job.h"

static const char intro[] =
	"harness - A/B experiments on the Linux scheduler, with honest statistics\n"
	"\n"
	"A job (a short YAML file) names a benchmark, what to vary (scheduler features,\n"
	"placement, idle states, ...) and what to collect. 'harness run' runs it in\n"
	"randomised blocks until it can say which arm is better or worse, by how much,\n"
	"how sure, and what moved with it.\n"
	"\n"
	"Usage: harness COMMAND [OPTION]... ; 'harness COMMAND --help' tells more\n"
	"\n";

static const char topics[] =
	"\n"
	"Help pages, each for all or for one NAME:\n"
	"  harness help job                 a job file, and the words used here\n"
	"  harness help knob [NAME]         what can be varied\n"
	"  harness help collect [NAME]      what can be looked at\n"
	"  harness help benchmark [NAME]    what can be run, and how to add a program\n"
	"  harness help target [NAME]       where it can run\n"
	"  harness help schema              JSON schema of a job, for editors\n"
	"\n"
	"First steps:\n"
	"  harness doctor                              can this machine do it\n"
	"  harness check configs/jobs/ttwu-queue.yaml  is the job well formed\n"
	"  harness run configs/jobs/ttwu-queue.yaml    run it to its verdict\n"
	"  harness show                                its report again\n";

static void help_commands(struct strbuf *out)
{
	strbuf_puts(out, intro);
	for (size_t i = 0; commands[i]; i++)
		help_list_item(out, commands[i]->name, 11, commands[i]->summary);
	strbuf_puts(out, topics);
}

/* The pages by their names, which are those of the manual pages, too. */
static const struct page {
	const char *name;
	int (*write)(struct cli *cli, const char *name, struct strbuf *out, struct error *err);
} pages[] = {
	{ "job", help_job },
	{ "benchmark", help_benchmark },
	{ "target", help_target },
	{ "collect", help_collect },
	{ "knob", help_knob },
};

static int no_page(const char *topic, struct error *err)
{
	const char *names[array_size(pages) + 1];
	char *suffix;
	int r;

	for (size_t i = 0; i < array_size(pages); i++)
		names[i] = pages[i].name;
	names[array_size(pages)] = "schema";
	suffix = nearest_suffix(topic, names, array_size(names));
	r = error_set(err, -ENOENT, "no help on '%s'%s", topic, suffix);
	free(suffix);
	return r;
}

static int write_page(
	struct cli *cli, const char *topic, const char *name, struct strbuf *out, struct error *err)
{
	const struct command *command = command_find(topic);

	for (size_t i = 0; i < array_size(pages); i++)
		if (strcmp(topic, pages[i].name) == 0)
			return pages[i].write(cli, name, out, err);
	if (strcmp(topic, "schema") == 0)
		cli_print_json(job_schema(&cli->registry));
	else if (command)
		strbuf_puts(out, command->help);
	else
		return no_page(topic, err);
	return 0;
}

static int write_help(struct cli *cli, const char *man, int argc, char **argv, struct strbuf *out,
	struct error *err)
{
	if (man)
		return man_page(man, out, err);
	if (argc == 0)
		help_commands(out);
	else
		return write_page(cli, argv[0], argc > 1 ? argv[1] : NULL, out, err);
	return 0;
}

static const struct option options[] = {
	{ "man", required_argument, NULL, 'm' },
	CLI_OPTIONS,
};

static int run(struct cli *cli, int argc, char **argv)
{
	struct strbuf out = STRBUF_INIT;
	struct error err = ERROR_INIT;
	const char *man = NULL;
	int option, status = -1;

	while ((option = getopt_long(argc, argv, "h", options, NULL)) != -1) {
		if (option == 'm')
			man = optarg;
		else if (cli_option(cli, &cmd_help, option, optarg, &status) && status >= 0)
			return status;
	}
	status = EXIT_NO_REGRESSION;
	if (write_help(cli, man, argc - optind, argv + optind, &out, &err) < 0)
		status = cli_fail(EXIT_USAGE, &err);
	else
		fputs(strbuf_text(&out), stdout);
	strbuf_release(&out);
	return status;
}

const struct command cmd_help = {
	.name = "help",
	.summary = "help on commands, files, knobs and collectors",
	.help = "Usage: harness help [COMMAND]\n"
		"       harness help {job | benchmark | target | collect | knob} [NAME]\n"
		"       harness help schema\n"
		"       harness help --man PAGE\n"
		"\n"
		"Shows a command's help, or a page on a kind of file or plug-in, or on the one\n"
		"of that NAME.\n"
		"\n"
		"  schema      the JSON schema of a job file, for editors\n"
		"  --man PAGE  the source of a manual page: harness, job, benchmark, target,\n"
		"              collect or knob; to read it: harness help --man job | man -l -\n",
	.run = run,
};
