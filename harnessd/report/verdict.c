/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The verdict in words: where the run stands, and a sentence for each arm. */
#include "report/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "base/wrap.h"
#include "report/table.h"

/* A run whose program was killed is still "running" on record: nobody was there to say otherwise. */
static void say_state(const struct report *report, struct strbuf *line)
{
	char *blocks = report_plural(report->figures.n_blocks, "block");

	strbuf_printf(line, "%s after %s", run_state_name(report->run.state), blocks);
	if (report->run.error)
		strbuf_printf(line, ": %s", report->run.error);
	else
		strbuf_printf(line,
			"; what follows is so far, not the verdict; should its program be gone, "
			"'harness run --resume %lld' goes on",
			(long long)report->run.id);
	free(blocks);
}

void report_state(const struct report *report, struct strbuf *out)
{
	struct strbuf line = STRBUF_INIT;

	if (report->run.state == RUN_FINISHED)
		return;
	say_state(report, &line);
	strbuf_putc(out, '\n', 1);
	wrap_words(out, strbuf_text(&line), 0, 2);
	strbuf_release(&line);
}

/* A difference can be certain and still too small to matter by the job's own margin. */
static bool within_margin(const struct report *report, const json_t *arm)
{
	double margin = json_num(report->verdict, "margin", 0);

	return margin > 0 && json_num(arm, "low", 0) >= 1 / (1 + margin) &&
	       json_num(arm, "high", INFINITY) <= 1 + margin;
}

static void say_which(
	const struct report *report, const json_t *arm, const char *baseline, struct strbuf *line)
{
	const char *verdict = json_str(arm, "verdict", "undecided");
	double margin = json_num(report->verdict, "margin", 0) * 100;

	if (strcmp(verdict, "equivalent") == 0)
		strbuf_printf(line, "EQUIVALENT to %s within %.3g %%", baseline, margin);
	else if (strcmp(verdict, "undecided") == 0)
		strbuf_printf(line, "UNDECIDED against %s", baseline);
	else
		strbuf_printf(line, "%s than %s%s", verdict[0] == 'b' ? "BETTER" : "WORSE",
			baseline, within_margin(report, arm) ? ", though within the margin" : "");
}

/* "switches_per_second +4.2 % [+3.1 %, +5.2 %], 99.6 % interval, 14 blocks" */
static void say_effect(const struct report *report, const json_t *arm, struct strbuf *line)
{
	size_t n = (size_t)json_int(arm, "blocks", 0);
	size_t without = (size_t)json_int(arm, "blocks_without_ratio", 0);
	double smallest = json_num(arm, "smallest_effect_seen", NAN) * 100;
	double confidence = json_num(arm, "interval_confidence", NAN) * 100;
	char *blocks = report_plural(n, "block"), *missing = report_plural(without, "block");
	char *change = report_percent(json_num(arm, "ratio", NAN));
	char *interval = report_interval(json_num(arm, "low", 0), json_num(arm, "high", INFINITY));

	if (!n)
		strbuf_printf(line, "no block has a figure above 0 of both");
	else if (!*interval)
		strbuf_printf(line, "%s %s, %s: too few for a %.4g %% interval", report->run.metric,
			change, blocks, confidence);
	else
		strbuf_printf(line, "%s %s %s, %.4g %% interval, %s", report->run.metric, change,
			interval, confidence, blocks);
	if (without && n)
		strbuf_printf(
			line, " (%s left out: incomplete, or a figure of 0 or less)", missing);
	if (isfinite(smallest))
		strbuf_printf(line, "; an effect of %.3g %% would have been seen", smallest);
	free(blocks);
	free(missing);
	free(change);
	free(interval);
}

static void say_arm(const struct report *report, size_t arm, struct strbuf *out)
{
	const json_t *verdict = report_verdict(report, arm);
	struct strbuf line = STRBUF_INIT;

	strbuf_printf(&line, "%s is ", report->label[arm]);
	say_which(report, verdict, report->label[report->run.baseline_arm], &line);
	strbuf_puts(&line, ": ");
	say_effect(report, verdict, &line);
	wrap_words(out, strbuf_text(&line), 0, 2);
	strbuf_release(&line);
}

static size_t count_verdicts(const struct report *report, const char *verdict)
{
	size_t n = 0;

	for (size_t arm = 0; arm < report->n_arms; arm++)
		n += strcmp(json_str(report_verdict(report, arm), "verdict", ""), verdict) == 0;
	return n;
}

static void say_many(const struct report *report, struct strbuf *out)
{
	char *line = xasprintf("Against %s %zu arms are BETTER, %zu WORSE, %zu EQUIVALENT, %zu "
			       "UNDECIDED. Those farthest from it:",
		report->label[report->run.baseline_arm], count_verdicts(report, "better"),
		count_verdicts(report, "worse"), count_verdicts(report, "equivalent"),
		count_verdicts(report, "undecided"));

	wrap_words(out, line, 0, 2);
	free(line);
}

void report_sentences(const struct report *report, struct strbuf *out)
{
	if (!report->verdict || report->n_arms < 2)
		return;
	strbuf_putc(out, '\n', 1);
	if (report->n_shown < report->n_arms)
		say_many(report, out);
	for (size_t i = 0; i < report->n_shown; i++)
		if (!report_is_baseline(report, report->shown[i]))
			say_arm(report, report->shown[i], out);
}
