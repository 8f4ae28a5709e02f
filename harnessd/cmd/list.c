/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/command.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/json.h"
#include "report/table.h"

static const char help[] = "Usage: harness list [--limit N] [--json]\n"
			   "\n"
			   "Lists the runs on record, newest first.\n"
			   "\n"
			   "  --limit N   at most so many (20)\n";

enum { DEFAULT_LIMIT = 20 };

static const struct option options[] = {
	{ "limit", required_argument, NULL, 'l' },
	CLI_OPTIONS,
};

static const char *conclusion_of(const struct store_run *run)
{
	return json_str(run->verdict, "conclusion", run->state == RUN_FINISHED ? "?" : "-");
}

static void print_table(const struct store_run *runs, size_t n)
{
	static const char *const heads[] = { "job", "run", "started", "state", "verdict" };
	struct strbuf out = STRBUF_INIT;
	struct table table;

	table_init(&table, "lrlll");
	for (size_t i = 0; i < array_size(heads); i++)
		table_cell(&table, "%s", heads[i]);
	for (size_t i = 0; i < n; i++) {
		char *when = clock_iso8601(runs[i].started_ns);

		table_cell(&table, "%s", runs[i].name);
		table_cell(&table, "%lld", (long long)runs[i].id);
		table_cell(&table, "%s", when);
		table_cell(&table, "%s", run_state_name(runs[i].state));
		table_cell(&table, "%s", conclusion_of(&runs[i]));
		free(when);
	}
	table_write(&table, REPORT_WIDTH, &out);
	fputs(strbuf_text(&out), stdout);
	strbuf_release(&out);
}

static json_t *list_json(const struct store_run *runs, size_t n)
{
	json_t *list = json_array();

	for (size_t i = 0; i < n; i++) {
		char *when = clock_iso8601(runs[i].started_ns);

		json_array_append_new(
			list, json_pack("{s:I, s:s, s:s, s:s, s:O?, s:s?}", "id",
				      (json_int_t)runs[i].id, "name", runs[i].name, "started", when,
				      "state", run_state_name(runs[i].state), "verdict",
				      runs[i].verdict, "error", runs[i].error));
		free(when);
	}
	return list;
}

static int print_runs(struct cli *cli, size_t limit)
{
	struct error err = ERROR_INIT;
	struct store_run *runs = NULL;
	struct store *store = NULL;
	size_t n = 0;
	int r = cli_open_store(cli, false, &store, &err);

	if (r == 0)
		r = store_runs(store, limit, &runs, &n, &err);
	else if (r == -ENOENT)
		r = 0; /* no database is an empty list */
	if (r < 0) {
		store_close(store);
		return cli_fail(EXIT_CANNOT, &err);
	}
	if (cli->json)
		cli_print_json(list_json(runs, n));
	else
		print_table(runs, n);
	for (size_t i = 0; i < n; i++)
		store_run_release(&runs[i]);
	free(runs);
	store_close(store);
	error_release(&err);
	return EXIT_NO_REGRESSION;
}

static int run(struct cli *cli, int argc, char **argv)
{
	long limit = DEFAULT_LIMIT;
	int option, status = -1;

	while ((option = getopt_long(argc, argv, "h", options, NULL)) != -1) {
		if (option == 'l')
			limit = cli_number(optarg, 1000000);
		else if (cli_option(cli, &cmd_list, option, optarg, &status) && status >= 0)
			return status;
	}
	if (limit < 1 || optind != argc)
		return cli_usage(&cmd_list, "--limit takes a number from 1 to 1000000");
	return print_runs(cli, (size_t)limit);
}

const struct command cmd_list = {
	.name = "list",
	.summary = "list the runs on record",
	.help = help,
	.run = run,
};
