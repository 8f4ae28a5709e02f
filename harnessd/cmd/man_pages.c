/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/man_pages.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/embed.h"
#include "base/nearest.h"
#include "cmd/command.h"
#include "cmd/help_pages.h"
#include "collectors/collector.h"
#include "runners/knob/knob.h"
#include "runners/target/target.h"
#include "spec/benchmark.h"
#include "spec/job.h"
#include "spec/option_man.h"
#include "spec/roff.h"

EMBED(man_harness, "docs/man/harness.1.in");
EMBED(man_job, "docs/man/harness-job.5.in");
EMBED(man_benchmark, "docs/man/harness-benchmark.5.in");
EMBED(man_target, "docs/man/harness-target.5.in");
EMBED(man_collect, "docs/man/harness-collect.5.in");
EMBED(man_knob, "docs/man/harness-knob.7.in");

static void heading(const char *name, struct strbuf *out)
{
	strbuf_puts(out, ".SS ");
	roff_words(out, name);
}

/* One line of help, which has neither a capital nor a full stop, as a sentence. */
static void sentence(const char *text, struct strbuf *out)
{
	char *copy = xasprintf("%s.", text);

	if (*copy >= 'a' && *copy <= 'z')
		*copy = (char)(*copy - 'a' + 'A');
	roff_words(out, copy);
	free(copy);
}

static void man_commands(struct strbuf *out)
{
	for (size_t i = 0; commands[i]; i++) {
		heading(commands[i]->name, out);
		roff_prose(out, commands[i]->help);
	}
}

static void man_job_rows(struct strbuf *out)
{
	for (const struct option_table *const *t = job_tables(); *t; t++)
		options_man(*t, out);
}

static void man_benchmark_rows(struct strbuf *out)
{
	options_man(&benchmark_table, out);
}

static void man_targets(struct strbuf *out)
{
	for (size_t i = 0; targets[i]; i++) {
		heading(targets[i]->name, out);
		sentence(targets[i]->help, out);
		if (targets[i]->options)
			options_man(targets[i]->options, out);
		else
			roff_words(out, "It has no settings.");
	}
}

static void man_collectors(struct strbuf *out)
{
	for (size_t i = 0; collectors[i]; i++) {
		char *about = help_collector_about(collectors[i]);

		heading(collectors[i]->name, out);
		sentence(collectors[i]->help, out);
		roff_words(out, about);
		if (collectors[i]->options) {
			strbuf_puts(out, ".PP\n");
			options_man(collectors[i]->options, out);
		}
		free(about);
	}
}

static void man_knobs(struct strbuf *out)
{
	for (size_t i = 0; knobs[i]; i++) {
		heading(knobs[i]->name, out);
		sentence(knobs[i]->help, out);
		roff_prose(out, knobs[i]->long_help);
	}
}

/* struct page - @text: the hand-written part; @generated takes the place of @GENERATED@ in it */
static const struct page {
	const char *name;
	const char *text;
	void (*generated)(struct strbuf *out);
} pages[] = {
	{ "harness", man_harness, man_commands },
	{ "job", man_job, man_job_rows },
	{ "benchmark", man_benchmark, man_benchmark_rows },
	{ "target", man_target, man_targets },
	{ "collect", man_collect, man_collectors },
	{ "knob", man_knob, man_knobs },
};

static void fill(const struct page *page, struct strbuf *out)
{
	static const char generated[] = "@GENERATED@\n", version[] = "@VERSION@";
	const char *text = page->text, *at;

	while ((at = strchr(text, '@'))) {
		strbuf_add(out, text, (size_t)(at - text));
		if (strncmp(at, generated, sizeof(generated) - 1) == 0) {
			page->generated(out);
			text = at + sizeof(generated) - 1;
		} else if (strncmp(at, version, sizeof(version) - 1) == 0) {
			strbuf_puts(out, HARNESS_VERSION);
			text = at + sizeof(version) - 1;
		} else {
			strbuf_putc(out, '@', 1);
			text = at + 1;
		}
	}
	strbuf_puts(out, text);
}

int man_page(const char *name, struct strbuf *out, struct error *err)
{
	const char *names[array_size(pages)];
	char *suffix;
	int r;

	for (size_t i = 0; i < array_size(pages); i++) {
		names[i] = pages[i].name;
		if (strcmp(name, pages[i].name) == 0) {
			fill(&pages[i], out);
			return 0;
		}
	}
	suffix = nearest_suffix(name, names, array_size(names));
	r = error_set(err, -ENOENT, "no manual page '%s'%s", name, suffix);
	free(suffix);
	return r;
}
