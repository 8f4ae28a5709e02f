/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Help on benchmark files: what may be in one, and what is in one of those that are here. */
#include "cmd/help_pages.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "base/wrap.h"
#include "spec/benchmark.h"

static const char intro[] =
	"\n"
	"A benchmark file says how a program is run, and where in its output the figures\n"
	"are:\n"
	"\n"
	"  command: [mybench, '--seconds={seconds}']\n"
	"  params: {seconds: 5}\n"
	"  metrics:\n"
	"  - name: throughput\n"
	"    unit: ops/s\n"
	"    better: higher\n"
	"    pattern: '^Throughput: (\\S+)'\n"
	"\n"
	"In a job, 'benchmark: ./mybench.yaml' names it beside the job file, and\n"
	"'benchmark: mybench' in benchmarks/ of a configuration folder. To try it on\n"
	"output that you have: harness parse --benchmark ./mybench.yaml --stdout OUTPUT\n"
	"\n";

static void command_line(const struct benchmark *bench, struct strbuf *out)
{
	struct strbuf words = STRBUF_INIT;

	for (size_t i = 0; i < bench->command.n; i++)
		strbuf_printf(&words, "%s%s", i ? " " : "", bench->command.s[i]);
	strbuf_puts(out, "\nCommand: ");
	wrap_words(out, strbuf_text(&words), 9, 9);
	strbuf_release(&words);
	if (bench->install) {
		strbuf_puts(out, "To get it: ");
		wrap_words(out, bench->install, 11, 11);
	}
	if (bench->cpus)
		strbuf_printf(out, "CPUs: it needs %ld; a job names them by placement: or cpus:\n",
			bench->cpus);
}

static void parameters(const struct benchmark *bench, struct strbuf *out)
{
	const char *name;
	json_t *value;

	if (!json_object_size(bench->params))
		return;
	strbuf_puts(out, "\nParameters ('params:' of a job) and their defaults:\n\n");
	json_object_foreach(bench->params, name, value) {
		char *text = json_scalar_text(value);

		help_list_item(out, name, 18, json_is_null(value) ? "(unset)" : text);
		free(text);
	}
	strbuf_puts(out, "\nThe comments in the file tell more of them.\n");
}

static void metrics(const struct benchmark *bench, struct strbuf *out)
{
	const struct bench_metric *metric = bench->metrics.item;

	strbuf_puts(out, "\nMetrics ('decide: {metric: NAME}' of a job):\n\n");
	for (size_t i = 0; i < bench->metrics.n; i++) {
		const char *unit = metric[i].unit && *metric[i].unit ? metric[i].unit : "no unit";
		char *text = xasprintf("%s, %s%s%s", unit,
			metric[i].better ? better_name((enum better)metric[i].better)
					 : "never judged",
			metric[i].better ? " is better" : "",
			metric[i].primary ? "; compared when a job names none" : "");

		help_list_item(out, metric[i].name, 22, text);
		free(text);
	}
}

static int one_benchmark(
	const struct cli *cli, const char *name, struct strbuf *out, struct error *err)
{
	struct diags diags = DIAGS_INIT;
	struct benchmark *bench;
	struct strbuf title = STRBUF_INIT;

	if (benchmark_load(name, &cli->config_dirs, &bench, &diags) < 0) {
		int r = error_set(err, -ENOENT, "%s", diags.d[0].text);

		diags_release(&diags);
		return r;
	}
	strbuf_printf(&title, "benchmark %s: %s", bench->name,
		bench->description ? bench->description : "");
	wrap_words(out, strbuf_text(&title), 0, 2);
	strbuf_release(&title);
	strbuf_printf(out, "\nFile: %s\n", bench->path);
	command_line(bench, out);
	parameters(bench, out);
	metrics(bench, out);
	benchmark_free(bench);
	return 0;
}

int help_benchmark(struct cli *cli, const char *name, struct strbuf *out, struct error *err)
{
	char *files;

	if (name)
		return one_benchmark(cli, name, out, err);
	files = help_files(cli, "benchmarks");
	if (*files) {
		strbuf_puts(out, "Benchmarks here: ");
		wrap_words(out, files, 17, 2);
		strbuf_puts(out, "'harness help benchmark NAME' shows one.\n");
	}
	free(files);
	strbuf_puts(out, intro);
	options_help(&benchmark_table, out);
	return 0;
}
