/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/command.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/nearest.h"
#include "collectors/collector.h"
#include "report/table.h"
#include "runners/knob/knob.h"
#include "runners/target/target.h"
#include "spec/benchmark.h"
#include "spec/job.h"

static const char intro[] =
	"harness - A/B experiments on the Linux scheduler, with honest statistics\n"
	"\n"
	"A job (a short YAML file) names a benchmark, what to vary (scheduler features, placement,\n"
	"idle states, ...) and what to collect. 'harness run' runs it in randomised blocks until it\n"
	"can say which arm is better or worse, by how much, how sure, and what moved with it.\n"
	"\n"
	"Usage: harness COMMAND [OPTION]... ; 'harness COMMAND --help' tells more\n"
	"\n";

static const char topics[] =
	"\n"
	"Help pages: harness help job | benchmark | target [NAME] | collect [NAME] | knob [NAME]\n"
	"            harness help schema    (JSON schema of a job, for editors)\n"
	"\n"
	"First steps:\n"
	"  harness doctor                              can this machine do it, and what helps\n"
	"  harness check configs/jobs/ttwu-queue.yaml  is the job well formed\n"
	"  harness run configs/jobs/ttwu-queue.yaml    run it to its verdict\n"
	"  harness show                                its report again\n";

static void write_list(struct table *table, struct strbuf *out)
{
	table_write(table, 100, out);
}

static void help_commands(struct strbuf *out)
{
	struct table table;

	strbuf_puts(out, intro);
	table_init(&table, "ll");
	for (size_t i = 0; commands[i]; i++) {
		table_cell(&table, "  %s", commands[i]->name);
		table_cell(&table, "%s", commands[i]->summary);
	}
	write_list(&table, out);
	strbuf_puts(out, topics);
}

static void help_job(struct strbuf *out)
{
	strbuf_puts(out, "A job file. Examples are in configs/jobs/.\n\n");
	for (const struct option_table *const *t = job_tables(); *t; t++) {
		options_help(*t, out);
		strbuf_putc(out, '\n', 1);
	}
	strbuf_puts(out, "Factors are knobs: 'harness help knob' lists them.\n");
}

static bool help_target(const char *name, struct strbuf *out)
{
	struct table table;

	if (name) {
		const struct target_ops *ops = target_find(name, NULL);

		if (!ops)
			return false;
		strbuf_printf(out, "target %s: %s\n\n", ops->name, ops->help);
		if (ops->options)
			options_help(ops->options, out);
		return true;
	}
	table_init(&table, "ll");
	for (size_t i = 0; targets[i]; i++) {
		table_cell(&table, "  %s", targets[i]->name);
		table_cell(&table, "%s", targets[i]->help);
	}
	write_list(&table, out);
	return true;
}

static bool help_collect(const char *name, struct strbuf *out)
{
	struct table table;

	if (name) {
		const struct collector_ops *ops = collector_find(name, NULL);

		if (!ops)
			return false;
		strbuf_printf(out, "collector %s: %s\n\n", ops->name, ops->help);
		if (ops->options)
			options_help(ops->options, out);
		return true;
	}
	table_init(&table, "ll");
	for (size_t i = 0; collectors[i]; i++) {
		table_cell(&table, "  %s", collectors[i]->name);
		table_cell(&table, "%s%s", collectors[i]->help,
			collectors[i]->paths || collectors[i]->probe ? ""
								     : " (harness parse only)");
	}
	write_list(&table, out);
	return true;
}

static bool help_knob(const char *name, struct strbuf *out)
{
	struct table table;

	if (name) {
		const struct knob_ops *ops = knob_find(name, NULL);

		if (!ops)
			return false;
		strbuf_printf(out, "knob %s: %s\n\n%s", ops->name, ops->help, ops->long_help);
		return true;
	}
	table_init(&table, "ll");
	for (size_t i = 0; knobs[i]; i++) {
		table_cell(&table, "  %s", knobs[i]->name);
		table_cell(&table, "%s", knobs[i]->help);
	}
	write_list(&table, out);
	return true;
}

/* Return: false when there is no such page. */
static bool write_page(struct cli *cli, const char *topic, const char *name, struct strbuf *out)
{
	const struct command *command = command_find(topic);

	if (strcmp(topic, "job") == 0)
		help_job(out);
	else if (strcmp(topic, "benchmark") == 0)
		options_help(&benchmark_table, out);
	else if (strcmp(topic, "target") == 0)
		return help_target(name, out);
	else if (strcmp(topic, "collect") == 0)
		return help_collect(name, out);
	else if (strcmp(topic, "knob") == 0)
		return help_knob(name, out);
	else if (strcmp(topic, "schema") == 0)
		cli_print_json(job_schema(&cli->registry));
	else if (command)
		strbuf_puts(out, command->help);
	else
		return false;
	return true;
}

static int no_page(const char *topic, const char *name)
{
	static const char *const pages[] = { "job", "benchmark", "target", "collect", "knob",
		"schema" };
	char *suffix = name ? xstrdup("") : nearest_suffix(topic, pages, array_size(pages));

	fprintf(stderr, "harness: no help on '%s%s%s'%s\n", topic, name ? " " : "", name ? name : "",
		suffix);
	free(suffix);
	return EXIT_USAGE;
}

static int run(struct cli *cli, int argc, char **argv)
{
	static const struct option options[] = { CLI_OPTIONS };
	const char *topic, *name;
	struct strbuf out = STRBUF_INIT;
	int option, status = -1;

	while ((option = getopt_long(argc, argv, "h", options, NULL)) != -1)
		if (cli_option(cli, &cmd_help, option, optarg, &status) && status >= 0)
			return status;
	topic = optind < argc ? argv[optind] : NULL;
	name = optind + 1 < argc ? argv[optind + 1] : NULL;
	status = EXIT_NO_REGRESSION;
	if (!topic)
		help_commands(&out);
	else if (!write_page(cli, topic, name, &out))
		status = no_page(topic, name);
	fputs(strbuf_text(&out), stdout);
	strbuf_release(&out);
	return status;
}

const struct command cmd_help = {
	.name = "help",
	.summary = "help on commands, files, knobs and collectors",
	.help = "Usage: harness help [COMMAND | job | benchmark | target [NAME] | collect [NAME] |\n"
		"                     knob [NAME] | schema]\n",
	.run = run,
};
