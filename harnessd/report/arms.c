/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How arms are named in the text, and which of many are shown. */
#include "report/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "base/wrap.h"
#include "report/table.h"

/* A label leaves room for a line around it; so many arms are shown all, of more so many. */
enum { LABEL_WIDTH = 48, FEW_ARMS = 12, SHOWN_ARMS = 8 };

/* One that is too long gets its number, by which two of them can be told apart. */
static char *line_label(const char *label, size_t arm)
{
	char *copy = xstrdup(label), *cut;

	for (char *p = copy; *p; p++)
		if ((unsigned char)*p < ' ' || *p == 0x7f)
			*p = ' ';
	if (text_width(copy, strlen(copy)) <= LABEL_WIDTH)
		return copy;
	cut = xasprintf("arm %zu: %.*s~", arm + 1, (int)text_prefix(copy, LABEL_WIDTH - 10), copy);
	free(copy);
	return cut;
}

const json_t *report_verdict(const struct report *report, size_t arm)
{
	return json_array_get(json_object_get(report->verdict, "arms"), arm);
}

bool report_is_baseline(const struct report *report, size_t arm)
{
	return (int64_t)arm == report->run.baseline_arm;
}

/* How far an arm is from the baseline; the baseline itself is always shown. */
static double distance(const struct report *report, size_t arm)
{
	double ratio = json_num(report_verdict(report, arm), "ratio", 1);

	return report_is_baseline(report, arm) ? INFINITY : ratio > 0 ? fabs(log(ratio)) : 0;
}

static bool is_shown(const struct report *report, size_t arm)
{
	size_t farther = 0;

	if (report->n_arms <= FEW_ARMS)
		return true;
	for (size_t i = 0; i < report->n_arms; i++)
		farther += distance(report, i) > distance(report, arm) ||
			   (i < arm && distance(report, i) == distance(report, arm));
	return farther < SHOWN_ARMS;
}

void report_choose_arms(struct report *report)
{
	report->label = xcalloc(report->n_arms, sizeof(*report->label));
	report->shown = xcalloc(report->n_arms, sizeof(*report->shown));
	for (size_t arm = 0; arm < report->n_arms; arm++) {
		report->label[arm] = line_label(report->arms[arm].label, arm);
		if (is_shown(report, arm))
			report->shown[report->n_shown++] = arm;
	}
}

void report_not_shown(const struct report *report, struct strbuf *out)
{
	if (report->n_shown < report->n_arms)
		strbuf_printf(out,
			"(%zu of %zu arms: the baseline and those farthest from it; all "
			"with --json)\n",
			report->n_shown, report->n_arms);
}
