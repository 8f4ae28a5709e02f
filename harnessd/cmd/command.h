/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The command line: one command, one file, in one table. */
#ifndef CMD_COMMAND_H
#define CMD_COMMAND_H

#include <getopt.h>
#include <stdbool.h>

#include "base/error.h"
#include "db/store.h"
#include "report/report.h"
#include "spec/option.h"
#include "spec/registry.h"

/** Exit statuses, for CI. */
enum exit_status {
	EXIT_NO_REGRESSION = 0,
	EXIT_REGRESSION = 1,
	EXIT_UNDECIDED = 2,
	EXIT_USAGE = 3,
	EXIT_CANNOT = 4,
};

/**
 * struct cli - what every command may use
 * @state_dir: --state, HARNESS_STATE, or the default; @config_dirs: --configs and the defaults
 * @programs_dir: where harness-agent and our own benchmarks are
 * @json: --json was given
 */
struct cli {
	char *state_dir;
	char *programs_dir;
	struct string_list config_dirs;
	struct registry registry;
	bool json;
};

/**
 * struct command - one command
 * @summary: one line for the list; @help: the whole of its --help
 * @run: argv[0] is the command's name. Return: an enum exit_status.
 */
struct command {
	const char *name;
	const char *summary;
	const char *help;
	int (*run)(struct cli *cli, int argc, char **argv);
};

/** commands - every command, ended by one without name. */
extern const struct command *const commands[];
/** command_find() - by name, or NULL. */
const struct command *command_find(const char *name);

/** cli_init() - defaults, before options are read. */
void cli_init(struct cli *cli);
/** cli_release() - free it. */
void cli_release(struct cli *cli);

/** CLI_OPTIONS - the options that every command takes, for its getopt_long() table. */
#define CLI_OPTIONS                                                                             \
	{ "state", required_argument, NULL, 'S' }, { "configs", required_argument, NULL, 'C' }, \
		{ "json", no_argument, NULL, 'J' }, { "help", no_argument, NULL, 'h' },         \
	{                                                                                       \
		NULL, 0, NULL, 0                                                                \
	}

/**
 * cli_option() - handle one of CLI_OPTIONS, or an error of getopt_long()
 * @status: set when the command is to end now
 * Return: true when it was handled.
 */
bool cli_option(
	struct cli *cli, const struct command *command, int option, const char *value, int *status);

/** cli_fail() - print "harness: message" and release it. Return: @status. */
int cli_fail(int status, struct error *err);
/** cli_usage() - print a usage error with a pointer to --help. Return: EXIT_USAGE. */
int cli_usage(const struct command *command, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/** cli_number() - a whole number from 0 to @max, or -1 for anything else. */
long cli_number(const char *text, long max);
/** cli_print_json() - print and release a JSON value, one line for each member. */
void cli_print_json(json_t *value);
/** cli_print_report() - a run's report as text, or as JSON when that was asked for. */
void cli_print_report(const struct cli *cli, const struct report *report);
/** cli_open_store() - the database, made when it does not exist (@write), -ENOENT otherwise. */
int cli_open_store(struct cli *cli, bool write, struct store **store, struct error *err);
/** cli_agent_path() - harness-agent beside this program; owned by the caller. */
char *cli_agent_path(const struct cli *cli);

extern const struct command cmd_run, cmd_check, cmd_parse, cmd_show, cmd_list, cmd_doctor, cmd_undo,
	cmd_vm, cmd_help, cmd_version;

#endif
