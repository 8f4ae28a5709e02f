/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/command.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "experiment/registry.h"

#ifndef HARNESS_DATADIR
#define HARNESS_DATADIR "/usr/local/share/harness"
#endif

static void add_dir(struct string_list *list, char *dir)
{
	array_reserve(list->s, list->n, list->cap);
	list->s[list->n++] = dir;
}

void cli_init(struct cli *cli)
{
	const char *given = getenv("HARNESS_CONFIGS");

	*cli = (struct cli){ .state_dir = file_state_dir(), .programs_dir = file_self_dir() };
	if (given && *given)
		add_dir(&cli->config_dirs, xstrdup(given));
	/* In the source tree the programs are in build/, beside configs/. */
	add_dir(&cli->config_dirs, xasprintf("%s/../configs", cli->programs_dir));
	add_dir(&cli->config_dirs, xstrdup(HARNESS_DATADIR));
	plugin_registry_init(&cli->registry);
}

void cli_release(struct cli *cli)
{
	free(cli->state_dir);
	free(cli->programs_dir);
	for (size_t i = 0; i < cli->config_dirs.n; i++)
		free(cli->config_dirs.s[i]);
	free(cli->config_dirs.s);
	plugin_registry_release(&cli->registry);
}

static void put_first(struct string_list *list, char *dir)
{
	add_dir(list, NULL);
	memmove(&list->s[1], &list->s[0], (list->n - 1) * sizeof(*list->s));
	list->s[0] = dir;
}

bool cli_option(
	struct cli *cli, const struct command *command, int option, const char *value, int *status)
{
	switch (option) {
	case 'S':
		free(cli->state_dir);
		cli->state_dir = xstrdup(value);
		return true;
	case 'C':
		put_first(&cli->config_dirs, xstrdup(value));
		return true;
	case 'J':
		cli->json = true;
		return true;
	case 'h':
		fputs(command->help, stdout);
		*status = EXIT_NO_REGRESSION;
		return true;
	case '?':
	case ':':
		fprintf(stderr, "harness: try 'harness %s --help'\n", command->name);
		*status = EXIT_USAGE;
		return true;
	default:
		return false;
	}
}

int cli_fail(int status, struct error *err)
{
	fprintf(stderr, "harness: %s\n", error_text(err));
	error_release(err);
	return status;
}

int cli_usage(const struct command *command, const char *fmt, ...)
{
	va_list ap;

	fputs("harness: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fprintf(stderr, "; try 'harness %s --help'\n", command->name);
	return EXIT_USAGE;
}

long cli_number(const char *text, long max)
{
	char *end;
	long n;

	errno = 0;
	n = strtol(text, &end, 10);
	return !errno && *text >= '0' && *text <= '9' && !*end && n <= max ? n : -1;
}

void cli_print_json(json_t *value)
{
	char *text = json_dumps(value, JSON_INDENT(1) | JSON_REAL_PRECISION(15));

	puts(text ? text : "null");
	free(text);
	json_decref(value);
}

void cli_print_report(const struct cli *cli, const struct report *report)
{
	struct strbuf text = STRBUF_INIT;

	if (cli->json) {
		cli_print_json(report_json(report));
		return;
	}
	report_text(report, &text);
	fputs(strbuf_text(&text), stdout);
	strbuf_release(&text);
}

int cli_open_store(struct cli *cli, bool write, struct store **store, struct error *err)
{
	char *path = file_join(cli->state_dir, "harness.db");
	int r = write ? file_make_dirs(cli->state_dir, 0755, err) : 0;

	if (r == 0)
		r = write ? store_open(path, store, err) : store_open_readonly(path, store, err);
	free(path);
	return r;
}

char *cli_agent_path(const struct cli *cli)
{
	const char *given = getenv("HARNESS_AGENT");

	return given && *given ? xstrdup(given) : file_join(cli->programs_dir, "harness-agent");
}
