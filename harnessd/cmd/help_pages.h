/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The pages of "harness help" that are not a command's own. */
#ifndef CMD_HELP_PAGES_H
#define CMD_HELP_PAGES_H

#include <stdbool.h>

#include "base/error.h"
#include "base/strbuf.h"
#include "cmd/command.h"
#include "collectors/collector.h"

/* Each appends a page for a terminal of 80 columns. @name: one of the kind, or NULL for all of them.
 * Return: 0, or -ENOENT with a message when there is no such one. */
int help_job(struct cli *cli, const char *name, struct strbuf *out, struct error *err);
int help_benchmark(struct cli *cli, const char *name, struct strbuf *out, struct error *err);
int help_target(struct cli *cli, const char *name, struct strbuf *out, struct error *err);
int help_collect(struct cli *cli, const char *name, struct strbuf *out, struct error *err);
int help_knob(struct cli *cli, const char *name, struct strbuf *out, struct error *err);

/** help_list_item() - "  NAME  text", the text from column @at on; a longer name has its own line. */
void help_list_item(struct strbuf *out, const char *name, size_t at, const char *text);
/**
 * help_files() - names of the files DIR/FOLDER/NAME.yaml of the configuration folders
 *
 * Sorted in each folder, joined by ", ", "" when there are none; owned by the caller.
 */
char *help_files(const struct cli *cli, const char *folder);
/** help_collector_about() - what it reads and what else it is called; owned by the caller. */
char *help_collector_about(const struct collector_ops *ops);
/** help_collector_in_jobs() - false when only "harness parse" knows it. */
bool help_collector_in_jobs(const struct collector_ops *ops);

#endif
