/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/command.h"

#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/json.h"
#include "collectors/collector.h"
#include "runners/bench/bench.h"

static const char help[] =
	"Usage: harness parse COLLECTOR BEFORE [AFTER]\n"
	"       harness parse --benchmark NAME [--stdout F] [--stderr F] [--file NAME=F]\n"
	"                     [--exit N] [--signal N] [--signalled]\n"
	"\n"
	"Runs one parser on files and prints what it saw as JSON:\n"
	"  {\"values\": [{\"name\", \"unit\", \"better\", \"labels\": {...}, \"value\"}],\n"
	"   \"notes\": [...], \"error\": null}\n"
	"\n"
	"With one file a collector shows that snapshot, with two the differences. With\n"
	"--benchmark it is how to try a new pattern of a benchmark file on saved output.\n"
	"\n"
	"  --benchmark NAME  a benchmark by name, or a path to its file\n"
	"  --stdout F        what it printed; - is standard input\n"
	"  --stderr F        what it printed to standard error\n"
	"  --file NAME=F     a file that it wrote; may be given several times\n"
	"  --exit N          its exit status (0)\n"
	"  --signal N        the signal that killed it (0: none)\n"
	"  --signalled       we sent it a signal: then nothing counts\n"
	"\n"
	"Exit status: 0 values were found, 4 none (the error says why), 3 bad usage.\n"
	"\n"
	"Examples:\n"
	"  harness parse interrupts before after\n"
	"  harness parse --benchmark hackbench --stdout saved-output\n"
	"\n"
	"Collectors: 'harness help collect' lists them.\n";

struct arguments {
	const char *benchmark, *out, *err;
	json_t *files;
	int exit, signal;
	bool signalled;
};

static const struct option options[] = {
	{ "benchmark", required_argument, NULL, 'b' },
	{ "stdout", required_argument, NULL, 'o' },
	{ "stderr", required_argument, NULL, 'e' },
	{ "file", required_argument, NULL, 'f' },
	{ "exit", required_argument, NULL, 'x' },
	{ "signal", required_argument, NULL, 'g' },
	{ "signalled", no_argument, NULL, 'G' },
	CLI_OPTIONS,
};

static int read_input(const char *path, char **text, size_t *len, struct error *err)
{
	struct strbuf sb = STRBUF_INIT;
	int r;

	if (strcmp(path, "-") != 0)
		return file_read(path, SIZE_MAX, text, len, err);
	r = file_read_fd(0, &sb, SIZE_MAX);
	*len = sb.len;
	*text = strbuf_steal(&sb);
	return r < 0 ? error_sys(err, r, "cannot read standard input") : 0;
}

static int add_file(struct arguments *args, const char *value, struct error *err)
{
	const char *equals = strchr(value, '=');
	char *text, *name;
	size_t len;
	int r;

	if (!equals)
		return error_set(err, -EINVAL, "--file takes NAME=F");
	r = read_input(equals + 1, &text, &len, err);
	if (r < 0)
		return r;
	name = xmemdup0(value, (size_t)(equals - value));
	if (!args->files)
		args->files = json_object();
	json_object_set_new(args->files, name, json_blob(text, len));
	free(name);
	free(text);
	return 0;
}

static int read_number(const char *value, int *number, struct error *err)
{
	*number = (int)cli_number(value, INT_MAX);
	return *number < 0 ? error_set(err, -EINVAL, "'%s' is no number", value) : 0;
}

static int take_option(struct arguments *args, int option, const char *value, struct error *err)
{
	switch (option) {
	case 'b':
		args->benchmark = value;
		return 0;
	case 'o':
		args->out = value;
		return 0;
	case 'e':
		args->err = value;
		return 0;
	case 'f':
		return add_file(args, value, err);
	case 'x':
		return read_number(value, &args->exit, err);
	case 'g':
		return read_number(value, &args->signal, err);
	default:
		args->signalled = true;
		return 0;
	}
}

static int print_values(struct values *values, int r, struct error *err)
{
	cli_print_json(values_to_json(values, r < 0 ? error_text(err) : NULL));
	values_release(values);
	error_release(err);
	return r < 0 ? EXIT_CANNOT : EXIT_NO_REGRESSION;
}

static int parse_texts(const struct collector_ops *ops, const struct collector_text *text, int n)
{
	struct error err = ERROR_INIT;
	struct values values = VALUES_INIT;
	int r;

	if (ops->probe && n == 1)
		r = ops->parse(NULL, &text[0], true, &values, &err);
	else
		r = ops->parse(&text[0], n == 2 ? &text[1] : NULL, true, &values, &err);
	if (r < 0)
		values_release(&values);
	return print_values(&values, r, &err);
}

static int parse_collector(char **argv, int argc)
{
	struct error err = ERROR_INIT;
	const struct collector_ops *ops = collector_find(argv[0], &err);
	struct collector_text text[2] = { 0 };
	char *data[2] = { 0 };
	int r = 0;

	if (!ops)
		return cli_fail(EXIT_USAGE, &err);
	for (int i = 1; i < argc && r == 0; i++) {
		r = read_input(argv[i], &data[i - 1], &text[i - 1].len, &err);
		text[i - 1].text = data[i - 1];
	}
	r = r < 0 ? cli_fail(EXIT_USAGE, &err) : parse_texts(ops, text, argc - 1);
	free(data[0]);
	free(data[1]);
	return r;
}

static int load_benchmark(struct cli *cli, const char *name, struct benchmark **bench)
{
	struct diags diags = DIAGS_INIT;
	int r = benchmark_load(name, &cli->config_dirs, bench, &diags);

	if (r < 0) {
		char *text = diags_text(&diags);

		fputs(text, stderr);
		free(text);
	}
	diags_release(&diags);
	return r;
}

static int parse_benchmark(struct cli *cli, const struct arguments *args)
{
	struct bench_output output = {
		.exit_status = args->signal ? -1 : args->exit,
		.signal = args->signal,
		.signalled = args->signalled,
		.files = args->files,
	};
	struct benchmark *bench = NULL;
	struct values values = VALUES_INIT;
	struct error err = ERROR_INIT;
	char *out = NULL, *errout = NULL;
	int r = 0;

	if (load_benchmark(cli, args->benchmark, &bench) < 0)
		return EXIT_USAGE;
	if (args->out)
		r = read_input(args->out, &out, &output.out_len, &err);
	if (r == 0 && args->err)
		r = read_input(args->err, &errout, &output.err_len, &err);
	if (r < 0) {
		r = cli_fail(EXIT_USAGE, &err);
	} else {
		output.out = out ? out : "";
		output.err = errout ? errout : "";
		r = bench_extract(bench, &output, &values, &err);
		r = print_values(&values, r, &err);
	}
	free(out);
	free(errout);
	benchmark_free(bench);
	return r;
}

static int act(struct cli *cli, const struct arguments *args, char **argv, int argc)
{
	if (args->benchmark && argc == 0)
		return parse_benchmark(cli, args);
	if (!args->benchmark && (argc == 2 || argc == 3))
		return parse_collector(argv, argc);
	return cli_usage(
		&cmd_parse, "a collector with one or two files, or --benchmark NAME, is wanted");
}

static int run(struct cli *cli, int argc, char **argv)
{
	struct arguments args = { 0 };
	struct error err = ERROR_INIT;
	int option, status = -1;

	while (status < 0 && (option = getopt_long(argc, argv, "h", options, NULL)) != -1)
		if (!cli_option(cli, &cmd_parse, option, optarg, &status) &&
			take_option(&args, option, optarg, &err) < 0)
			status = cli_fail(EXIT_USAGE, &err);
	if (status < 0)
		status = act(cli, &args, argv + optind, argc - optind);
	json_decref(args.files);
	return status;
}

const struct command cmd_parse = {
	.name = "parse",
	.summary = "run one parser on files and print what it saw",
	.help = help,
	.run = run,
};
