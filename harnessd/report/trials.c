/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The trials that do not count, and why. */
#include "report/report.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/cpulist.h"
#include "base/wrap.h"
#include "report/table.h"

static bool same_fate(const struct store_trial *a, const struct store_trial *b)
{
	const char *x = a->reason ? a->reason : "", *y = b->reason ? b->reason : "";

	return a->arm == b->arm && a->state == b->state && strcmp(x, y) == 0;
}

static bool told_before(const struct report *report, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (same_fate(&report->trials[k], &report->trials[i]))
			return true;
	return false;
}

/* "B: failed 3 times, in block 1,4-5: exit status 1" */
static void tell_fate(const struct report *report, size_t i, struct strbuf *out)
{
	const struct store_trial *trial = &report->trials[i];
	struct cpulist blocks = CPULIST_INIT;
	size_t n = 0;
	char *in, *line;

	for (size_t k = i; k < report->n_trials; k++) {
		int block = (int)report->trials[k].block + 1;

		if (!same_fate(trial, &report->trials[k]))
			continue;
		n++;
		if (!cpulist_has(&blocks, block))
			cpulist_add(&blocks, block);
	}
	in = cpulist_format(&blocks);
	line = xasprintf("%s: %s %zux, block %s: %.300s", report->label[trial->arm],
		trial_state_name(trial->state), n, in, trial->reason ? trial->reason : "");
	wrap_words(out, line, 0, 2);
	free(line);
	free(in);
	cpulist_release(&blocks);
}

void report_trials(const struct report *report, struct strbuf *out)
{
	size_t bad = 0;

	for (size_t i = 0; i < report->n_trials; i++)
		bad += report->trials[i].state != TRIAL_DONE;
	if (!bad)
		return;
	report_heading(out, "%zu of %zu trials do not count", bad, report->n_trials);
	for (size_t i = 0; i < report->n_trials; i++)
		if (report->trials[i].state != TRIAL_DONE && !told_before(report, i))
			tell_fate(report, i, out);
}
