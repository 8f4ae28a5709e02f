/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/progress.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/wrap.h"
#include "report/table.h"
#include "stat/compare.h"

#define CLEAR_LINE "\r\033[K"

/* With more arms than this a block has one line for all of them. */
enum { FEW_ARMS = 4, DEFAULT_COLUMNS = 80 };

static void line(struct progress *p, const char *text)
{
	fprintf(stderr, "%s%s\n", p->terminal ? CLEAR_LINE : "", text);
}

static void show_note(void *context, const char *text)
{
	line(context, text);
}

static size_t columns(void)
{
	struct winsize size;

	return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col ? size.ws_col
									   : DEFAULT_COLUMNS;
}

/* The line that changes: one that wrapped could not be taken back. */
static void show_line(const char *text)
{
	fprintf(stderr, CLEAR_LINE "%.*s", (int)text_prefix(text, columns() - 1), text);
	fflush(stderr);
}

static char *where(const struct progress *p, size_t block, const struct job *job)
{
	char *decided =
		p->n_arms > 2 ? xasprintf(", %zu of %zu arms decided", p->n_decided, p->n_arms - 1)
			      : xstrdup("");
	char *text = xasprintf("block %zu of at most %ld%s%s%s", block, job->decide.max_blocks,
		p->left ? ", " : "", p->left ? p->left : "", decided);

	free(decided);
	return text;
}

static void show_trial(void *context, const struct run_step *step)
{
	struct progress *p = context;
	char *place, *text;

	if (!p->terminal || p->quiet)
		return;
	place = where(p, step->block + 1, step->job);
	text = xasprintf("%s; arm %zu of %zu, %s: %s", place, step->position + 1, step->design->n,
		step->warmup ? "warm-up" : "trial", step->design->arms[step->arm].label);
	show_line(text);
	free(text);
	free(place);
}

static void show_done(void *context, const struct run_step *step, double figure, const char *reason)
{
	struct progress *p = context;
	char *text;

	(void)figure;
	if (!reason)
		return;
	text = xasprintf("block %zu, %s, attempt %d does not count: %s", step->block + 1,
		step->design->arms[step->arm].label, step->attempt + 1, reason);
	line(p, text);
	free(text);
}

static void tell_arm(struct progress *p, const struct look *look, size_t arm)
{
	const struct comparison *c = &look->decision->arm[arm];
	char *change = report_percent(c->n ? c->estimate : NAN);
	char *interval = report_interval(c->low, c->high);
	char *text = xasprintf("block %zu: %s: %s %s%s%s %s", look->figures->n_blocks,
		look->design->arms[arm].label, look->figures->metric, change, *interval ? " " : "",
		interval, verdict_name(c->verdict));

	line(p, text);
	free(text);
	free(change);
	free(interval);
}

/* New verdicts are told once; where nobody sees the changing line, few arms each time. */
static void tell_arms(struct progress *p, const struct look *look)
{
	const struct decision *d = look->decision;
	bool each = !p->terminal && d->n_arms <= FEW_ARMS;

	p->n_decided = 0;
	for (size_t arm = 0; arm < d->n_arms; arm++) {
		enum verdict verdict = d->arm[arm].verdict;

		if (arm == d->baseline)
			continue;
		if (each || verdict != p->verdict[arm])
			tell_arm(p, look, arm);
		p->verdict[arm] = verdict;
		p->n_decided += verdict != VERDICT_UNDECIDED;
	}
}

static void show_look(void *context, const struct look *look)
{
	struct progress *p = context;
	char *left = clock_duration_text(look->seconds_left), *place;

	if (!p->verdict) {
		p->n_arms = look->decision->n_arms;
		p->verdict = xcalloc(p->n_arms, sizeof(*p->verdict));
	}
	free(p->left);
	p->left = look->decision->stopped ? NULL : xasprintf("at most %s left", left);
	free(left);
	if (p->quiet)
		return;
	tell_arms(p, look);
	if (p->terminal)
		return;
	place = where(p, look->figures->n_blocks, look->job);
	line(p, place);
	free(place);
}

void progress_init(struct progress *progress, bool quiet)
{
	*progress = (struct progress){
		.ops = {
			.note = show_note,
			.trial = show_trial,
			.done = show_done,
			.look = show_look,
			.context = progress,
		},
		.terminal = isatty(STDERR_FILENO),
		.quiet = quiet,
	};
}

void progress_end(struct progress *progress)
{
	if (progress->terminal)
		fputs(CLEAR_LINE, stderr);
	free(progress->verdict);
	free(progress->left);
	*progress = (struct progress){ .terminal = false };
}
