/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/progress.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "report/table.h"
#include "stat/compare.h"

#define CLEAR_LINE "\r\033[K"

static void line(struct progress *p, const char *text)
{
	fprintf(stderr, "%s%s\n", p->terminal ? CLEAR_LINE : "", text);
}

static void show_note(void *context, const char *text)
{
	line(context, text);
}

static void show_trial(void *context, const struct run_step *step)
{
	struct progress *p = context;

	if (!p->terminal || p->quiet)
		return;
	fprintf(stderr, CLEAR_LINE "block %zu of at most %ld, arm %zu of %zu: %.40s%s%s%s",
		step->block + 1, step->job->decide.max_blocks, step->position + 1, step->design->n,
		step->design->arms[step->arm].label, step->warmup ? " (warm-up)" : "",
		p->left ? ", at most " : "", p->left ? p->left : "");
	fflush(stderr);
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

static void show_look(void *context, const struct design *design, const struct decision *decision,
	const struct figures *figures, double seconds_left)
{
	struct progress *p = context;

	free(p->left);
	p->left = clock_duration_text(seconds_left);
	if (p->quiet)
		return;
	for (size_t arm = 0; arm < decision->n_arms; arm++) {
		const struct comparison *c = &decision->arm[arm];
		char *change = report_percent(c->estimate), *low = report_percent(c->low);
		char *high = report_percent(c->high), *text;

		if (arm != decision->baseline) {
			text = xasprintf("block %zu: %s: %s %s [%s, %s] %s%s%s", figures->n_blocks,
				design->arms[arm].label, figures->metric, change, low, high,
				verdict_name(c->verdict), decision->stopped ? "" : ", at most ",
				decision->stopped ? "" : p->left);
			line(p, text);
			free(text);
		}
		free(change);
		free(low);
		free(high);
	}
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
	free(progress->left);
	progress->left = NULL;
}
