/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What could not be counted, and the exact commands that a reader needs to see the same. */
#include "report/report.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "base/wrap.h"
#include "report/table.h"

/* Notes with figures in them differ from trial to trial. */
enum { MOST_NOTES = 12 };

static void list_uncounted(json_t *list, const char *member, struct strbuf *out)
{
	size_t n = json_array_size(list);

	for (size_t i = 0; i < n && i < MOST_NOTES; i++) {
		const json_t *entry = json_array_get(list, i);
		char *trials = report_plural((size_t)json_int(entry, "trials", 0), "trial");
		char *line = xasprintf("%s: %s (in %s)", json_str(entry, "collector", "?"),
			json_str(entry, member, "?"), trials);

		wrap_words(out, line, 0, 2);
		free(line);
		free(trials);
	}
	if (n > MOST_NOTES)
		strbuf_printf(out, "(%zu more with --json)\n", n - MOST_NOTES);
}

void report_uncounted(const struct report *report, struct strbuf *out)
{
	if (!json_array_size(report->collector_errors) && !json_array_size(report->collector_notes))
		return;
	report_heading(out, "not collected, or with a note");
	list_uncounted(report->collector_errors, "error", out);
	list_uncounted(report->collector_notes, "note", out);
}

/* A word as a shell reads it back. */
static char *quoted(const char *word)
{
	struct strbuf sb = STRBUF_INIT;

	if (*word && !word[strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
					"0123456789%+,-./:=@_")])
		return xstrdup(word);
	strbuf_puts(&sb, "'");
	for (; *word; word++)
		strbuf_puts(&sb, *word == '\'' ? "'\\''" : (const char[]){ *word, '\0' });
	strbuf_puts(&sb, "'");
	return strbuf_steal(&sb);
}

/**
 * struct command - a shell command, folded between words to the width of a mail
 * @column: where its last line ends
 */
struct command {
	struct strbuf *out;
	size_t column;
};

static void add_word(struct command *command, const char *word)
{
	size_t width = text_width(word, strlen(word));

	if (command->column && command->column + 1 + width > REPORT_WIDTH - 2) {
		strbuf_puts(command->out, " \\\n    ");
		command->column = 4;
	} else if (command->column) {
		strbuf_putc(command->out, ' ', 1);
		command->column++;
	}
	strbuf_puts(command->out, word);
	command->column += width;
}

static void add_environment(const json_t *env, struct command *command)
{
	const char *name;
	json_t *value;

	add_word(command, "LC_ALL=C");
	json_object_foreach((json_t *)env, name, value) {
		char *text = quoted(json_string_value(value)), *word;

		word = xasprintf("%s=%s", name, text);
		add_word(command, word);
		free(word);
		free(text);
	}
}

static void add_pinning(const json_t *cpus, struct command *command)
{
	struct strbuf list = STRBUF_INIT;
	json_t *cpu;
	size_t i;

	json_array_foreach(cpus, i, cpu) {
		strbuf_printf(&list, "%s%lld", i ? "," : "", (long long)json_integer_value(cpu));
	}
	if (i) {
		add_word(command, "taskset");
		add_word(command, "-c");
		add_word(command, strbuf_text(&list));
	}
	strbuf_release(&list);
}

static void write_trial(const json_t *plan, struct strbuf *out)
{
	struct command command = { .out = out };
	json_t *word;
	size_t i;

	add_environment(json_object_get(plan, "env"), &command);
	/* Runs on record from before the plan told were pinned by the benchmark or not at all. */
	if (json_flag(plan, "pin", false))
		add_pinning(json_object_get(plan, "cpus"), &command);
	json_array_foreach(json_object_get(plan, "argv"), i, word) {
		char *text = quoted(json_string_value(word));

		add_word(&command, text);
		free(text);
	}
	strbuf_putc(out, '\n', 1);
}

static void write_arm(const struct report *report, size_t arm, struct strbuf *out)
{
	const json_t *plan = report->arms[arm].plan;
	json_t *write;
	size_t i;

	strbuf_printf(out, "# %s\n", report->label[arm]);
	if (*json_str(plan, "cmdline", ""))
		strbuf_printf(out, "# boot with: %s\n", json_str(plan, "cmdline", ""));
	json_array_foreach(json_object_get(plan, "writes"), i, write) {
		char *value = quoted(json_str(write, "value", ""));

		strbuf_printf(out, "echo %s > /%s\n", value, json_str(write, "path", ""));
		free(value);
	}
	write_trial(plan, out);
}

void report_reproduce(const struct report *report, struct strbuf *out)
{
	struct command command = { .out = out };
	char *seed, *path;
	bool any = false;

	for (size_t i = 0; i < report->n_shown; i++)
		any |= report->arms[report->shown[i]].plan != NULL;
	if (!any)
		return;
	report_heading(out, "to reproduce");
	for (size_t i = 0; i < report->n_shown; i++)
		if (report->arms[report->shown[i]].plan)
			write_arm(report, report->shown[i], out);
	report_not_shown(report, out);
	strbuf_puts(out, "# or all of it, in the same order:\n");
	seed = xasprintf("%llu", (unsigned long long)report->run.seed);
	path = quoted(report->run.job_path && *report->run.job_path ? report->run.job_path : "JOB");
	add_word(&command, "harness run --seed");
	add_word(&command, seed);
	add_word(&command, path);
	strbuf_putc(out, '\n', 1);
	free(seed);
	free(path);
}
