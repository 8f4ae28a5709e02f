/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What could not be counted, and the exact commands that a reader needs to see the same. */
#include "report/report.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "report/table.h"

void report_uncounted(const struct report *report, struct strbuf *out)
{
	json_t *entry;
	size_t i;

	if (json_array_size(report->collector_errors) == 0)
		return;
	report_heading(out, "not collected");
	json_array_foreach(report->collector_errors, i, entry) {
		char *line = xasprintf("%s: %s (%lld trials)", json_str(entry, "collector", "?"),
			json_str(entry, "error", "?"), (long long)json_int(entry, "trials", 0));

		report_wrapped(out, 2, line);
		free(line);
	}
}

/* A shell command folded to the width of a mail, with a backslash at the end of a line. */
static void write_folded(const char *command, struct strbuf *out)
{
	size_t column = 0;

	while (*command) {
		size_t len = strcspn(command, " ");

		if (column && column + 1 + len > REPORT_WIDTH - 2) {
			strbuf_puts(out, " \\\n    ");
			column = 4;
		} else if (column) {
			strbuf_putc(out, ' ', 1);
			column++;
		}
		strbuf_add(out, command, len);
		column += len;
		command += len + (command[len] == ' ');
	}
	strbuf_putc(out, '\n', 1);
}

static void add_words(const json_t *argv, struct strbuf *out)
{
	size_t i;
	json_t *word;

	json_array_foreach(argv, i, word) {
		const char *s = json_string_value(word);
		bool plain = *s && !strpbrk(s, " \t\n\"'$`\\*?[]{}()<>|&;#~!");

		strbuf_printf(out, plain ? " %s" : " '%s'", s);
	}
}

static void write_arm(const struct store_arm *arm, struct strbuf *out)
{
	const json_t *plan = arm->plan, *cpus = json_object_get(plan, "cpus");
	const json_t *writes = json_object_get(plan, "writes");
	struct strbuf command = STRBUF_INIT;
	json_t *item;
	size_t i;

	strbuf_printf(out, "# %s\n", arm->label);
	if (*json_str(plan, "cmdline", ""))
		strbuf_printf(out, "# boot with: %s\n", json_str(plan, "cmdline", ""));
	json_array_foreach(writes, i, item)
		strbuf_printf(out, "echo %s > /%s\n", json_str(item, "value", ""),
			json_str(item, "path", ""));
	strbuf_puts(&command, "LC_ALL=C");
	if (json_array_size(cpus))
		strbuf_puts(&command, " taskset -c ");
	json_array_foreach(cpus, i, item)
		strbuf_printf(
			&command, "%s%lld", i ? "," : "", (long long)json_integer_value(item));
	add_words(json_object_get(plan, "argv"), &command);
	write_folded(strbuf_text(&command), out);
	strbuf_release(&command);
}

void report_reproduce(const struct report *report, struct strbuf *out)
{
	bool any = false;

	for (size_t i = 0; i < report->n_arms; i++)
		any |= report->arms[i].plan != NULL;
	if (!any)
		return;
	report_heading(out, "to reproduce");
	for (size_t i = 0; i < report->n_arms; i++)
		if (report->arms[i].plan)
			write_arm(&report->arms[i], out);
	strbuf_printf(out, "# or all of it, in the same order:\nharness run --seed %llu %s\n",
		(unsigned long long)report->run.seed,
		report->run.job_path ? report->run.job_path : "JOB");
}
