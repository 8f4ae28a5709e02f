/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/help_pages.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/wrap.h"
#include "runners/knob/knob.h"
#include "runners/target/target.h"
#include "spec/job.h"

enum { LIST_TEXT = 18 };

void help_list_item(struct strbuf *out, const char *name, size_t at, const char *text)
{
	size_t len = strlen(name) + 2;

	strbuf_printf(out, "  %s", name);
	if (len + 2 > at) {
		strbuf_putc(out, '\n', 1);
		len = 0;
	}
	strbuf_putc(out, ' ', at - len);
	wrap_words(out, text, at, at);
}

static int is_yaml(const struct dirent *entry)
{
	size_t len = strlen(entry->d_name);

	return len > 5 && strcmp(entry->d_name + len - 5, ".yaml") == 0;
}

char *help_files(const struct cli *cli, const char *folder)
{
	struct strbuf names = STRBUF_INIT;

	strbuf_puts(&names, "");
	for (size_t i = 0; i < cli->config_dirs.n; i++) {
		char *dir = file_join(cli->config_dirs.s[i], folder);
		struct dirent **entry;
		int n = scandir(dir, &entry, is_yaml, alphasort);

		for (int j = 0; j < n; j++) {
			strbuf_printf(&names, "%s%.*s", names.len ? ", " : "",
				(int)strlen(entry[j]->d_name) - 5, entry[j]->d_name);
			free(entry[j]);
		}
		if (n >= 0)
			free(entry);
		free(dir);
	}
	return strbuf_steal(&names);
}

static const char job_intro[] =
	"A job file says what is run, what is varied, and how sure the answer must be:\n"
	"\n"
	"  name: pair-placement\n"
	"  benchmark: context_switch               # 'harness help benchmark' lists them\n"
	"  factors:                                # every combination is an arm\n"
	"    placement: [same-cpu, cross-core]     # 'harness help knob' lists more\n"
	"  decide: {margin: 1%, max_time: 10m}     # all else may be left out\n"
	"\n"
	"  factor, level  something that is varied, and one setting of it\n"
	"  arm            one combination of levels; the others are compared with the\n"
	"                 arm that is the baseline\n"
	"  trial          one run of the benchmark under one arm\n"
	"  block          trials of every arm, in random order, close together in time;\n"
	"                 arms are compared within blocks, so slow drift does no harm\n"
	"\n"
	"More examples are in configs/jobs/; 'harness check FILE' reports every mistake\n"
	"in a file with its place.\n"
	"\n";

int help_job(struct cli *cli, const char *name, struct strbuf *out, struct error *err)
{
	(void)cli;
	if (name)
		return error_set(err, -ENOENT, "a job has one page only: 'harness help job'");
	strbuf_puts(out, job_intro);
	for (const struct option_table *const *t = job_tables(); *t; t++) {
		options_help(*t, out);
		strbuf_putc(out, '\n', 1);
	}
	strbuf_puts(out, "Factors are knobs: 'harness help knob' lists them.\n");
	return 0;
}

static const char target_intro[] =
	"A target is where trials run. In a job:\n"
	"\n"
	"  target: local                         this machine; the default\n"
	"  target: vm                            a kind, as it is without settings\n"
	"  target: {vm: {cpus: 4, threads: 2}}   a kind with settings\n"
	"  target: NAME                          a file targets/NAME.yaml with 'kind: vm'\n"
	"                                        and the settings, for several jobs\n"
	"\n"
	"Kinds ('harness help target KIND' shows the settings):\n"
	"\n";

static int help_one_target(const char *name, struct strbuf *out, struct error *err)
{
	const struct target_ops *ops = target_find(name, err);

	if (!ops)
		return -ENOENT;
	strbuf_printf(out, "target %s: %s\n\n", ops->name, ops->help);
	if (ops->options)
		options_help(ops->options, out);
	else
		strbuf_puts(out, "It has no settings.\n");
	return 0;
}

int help_target(struct cli *cli, const char *name, struct strbuf *out, struct error *err)
{
	char *files;

	if (name)
		return help_one_target(name, out, err);
	strbuf_puts(out, target_intro);
	for (size_t i = 0; targets[i]; i++)
		help_list_item(out, targets[i]->name, LIST_TEXT, targets[i]->help);
	files = help_files(cli, "targets");
	if (*files) {
		strbuf_puts(out, "\nTarget files here: ");
		wrap_words(out, files, 19, 2);
	}
	free(files);
	return 0;
}

bool help_collector_in_jobs(const struct collector_ops *ops)
{
	return ops->paths || ops->probe;
}

/* A blank where a long pattern may be broken: "/sys/kernel/debug/ {sched/features,sched_features}" */
static void add_path(struct strbuf *out, const char *path)
{
	const char *brace = strstr(path, "/{");
	int len = brace ? (int)(brace + 1 - path) : (int)strlen(path);

	strbuf_printf(out, "/%.*s%s%s", len, path, brace ? " " : "", path + len);
}

char *help_collector_about(const struct collector_ops *ops)
{
	struct strbuf text = STRBUF_INIT;

	if (ops->paths) {
		strbuf_puts(&text, "Before and after each trial it reads ");
		for (size_t i = 0; ops->paths[i]; i++) {
			strbuf_puts(&text, i ? " and " : "");
			add_path(&text, ops->paths[i]);
		}
		strbuf_putc(&text, '.', 1);
	} else if (ops->probe) {
		strbuf_puts(&text, "A probe in harness-agent collects it during each trial.");
	} else {
		strbuf_puts(&text, "Only 'harness parse' knows it: it reads what another tool "
				   "printed, and no job can collect it.");
	}
	for (size_t i = 0; ops->aliases && ops->aliases[i]; i++)
		strbuf_printf(&text, "%s%s",
			i ? ", " : " Other names for 'harness parse': ", ops->aliases[i]);
	if (ops->aliases)
		strbuf_putc(&text, '.', 1);
	return strbuf_steal(&text);
}

static int help_one_collector(const char *name, struct strbuf *out, struct error *err)
{
	const struct collector_ops *ops = collector_find(name, err);
	struct strbuf title = STRBUF_INIT;
	char *about;

	if (!ops)
		return -ENOENT;
	strbuf_printf(&title, "collector %s: %s", ops->name, ops->help);
	wrap_words(out, strbuf_text(&title), 0, 2);
	strbuf_release(&title);
	strbuf_putc(out, '\n', 1);
	about = help_collector_about(ops);
	wrap_paragraph(out, about, 0);
	free(about);
	if (ops->options) {
		strbuf_putc(out, '\n', 1);
		options_help(ops->options, out);
	}
	return 0;
}

static void list_collectors(bool in_jobs, struct strbuf *out)
{
	for (size_t i = 0; collectors[i]; i++)
		if (help_collector_in_jobs(collectors[i]) == in_jobs)
			help_list_item(out, collectors[i]->name, LIST_TEXT, collectors[i]->help);
}

static const char collect_intro[] =
	"A collector looks at the machine before and after, or during, each trial. In a\n"
	"job:\n"
	"\n"
	"  collect: [interrupts, cpuidle, perf: {events: [cycles, instructions]}]\n"
	"\n"
	"'harness help collect NAME' shows what one reads, and its settings. Without\n"
	"'collect:' a job takes those that 'harness help job' gives as the default.\n"
	"\n";

int help_collect(struct cli *cli, const char *name, struct strbuf *out, struct error *err)
{
	(void)cli;
	if (name)
		return help_one_collector(name, out, err);
	strbuf_puts(out, collect_intro);
	list_collectors(true, out);
	strbuf_puts(out, "\nFor 'harness parse' only, which reads what other tools printed:\n\n");
	list_collectors(false, out);
	return 0;
}

static const char knob_intro[] =
	"A knob is something that a job can set: kernel state, or what a trial is given.\n"
	"Below 'factors:' it takes a list of levels to compare, below 'fixed:' one level\n"
	"for all arms:\n"
	"\n"
	"  factors: {sched_features: [TTWU_QUEUE, NO_TTWU_QUEUE]}\n"
	"  fixed: {cpus: [0, 1]}\n"
	"\n"
	"What is written to the kernel is read back, and put back after the trial.\n"
	"'harness help knob NAME' tells what the levels of one are.\n"
	"\n";

int help_knob(struct cli *cli, const char *name, struct strbuf *out, struct error *err)
{
	const struct knob_ops *ops;

	(void)cli;
	if (!name) {
		strbuf_puts(out, knob_intro);
		for (size_t i = 0; knobs[i]; i++)
			help_list_item(out, knobs[i]->name, LIST_TEXT, knobs[i]->help);
		return 0;
	}
	ops = knob_find(name, err);
	if (!ops)
		return -ENOENT;
	strbuf_printf(out, "knob %s: %s\n\n%s", ops->name, ops->help, ops->long_help);
	return 0;
}
