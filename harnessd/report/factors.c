/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What each factor does while the others stand still: a matrix of arms, read along its rows. */
#include "report/report.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "report/ratio.h"
#include "report/table.h"
#include "runners/knob/knob.h"

enum { MOST_ARMS = 64 };

static char *level_label(const char *factor, const json_t *level)
{
	const struct knob_ops *knob = knob_find(factor, NULL);

	return knob ? knob->label(level) : json_line(level);
}

static const json_t *level_of(const struct report *report, size_t arm, const char *factor)
{
	return json_object_get(report->arms[arm].levels, factor);
}

/* Are these two arms alike but for the factor? */
static bool alike(const struct report *report, size_t a, size_t b, const char *factor)
{
	const char *name;
	json_t *level;

	json_object_foreach(report->arms[a].levels, name, level) {
		if (strcmp(name, factor) != 0 && !json_equal(level, level_of(report, b, name)))
			return false;
	}
	return true;
}

/* The levels of the other factors, in one line. */
static char *others_label(const struct report *report, size_t arm, const char *factor)
{
	struct strbuf sb = STRBUF_INIT;
	const char *name;
	json_t *level;

	json_object_foreach(report->arms[arm].levels, name, level) {
		char *label = strcmp(name, factor) == 0 ? NULL : level_label(name, level);

		if (label)
			strbuf_printf(&sb, "%s%s", sb.len ? " " : "", label);
		free(label);
	}
	return strbuf_steal(&sb);
}

/* One arm in which the factor stands at its reference level, and those that differ in it alone. */
static void compare_levels(
	const struct report *report, size_t reference, const char *factor, struct table *table)
{
	char *others = others_label(report, reference, factor);

	table_span(table, "%s", others);
	free(others);
	for (size_t arm = 0; arm < report->n_arms; arm++) {
		struct ratio ratio = ratio_of(&report->figures, arm, reference);
		char *label;

		if (arm == reference || !alike(report, reference, arm, factor))
			continue;
		label = level_label(factor, level_of(report, arm, factor));
		table_cell(table, "  %s", label);
		ratio_cells(&ratio, table);
		free(label);
	}
}

static void write_factor(const struct report *report, const char *factor, struct strbuf *out)
{
	const json_t *level = level_of(report, (size_t)report->run.baseline_arm, factor);
	char *label = level_label(factor, level);
	struct table table;

	report_heading(out, "%s: effect against %s, the rest alike (no verdict)", factor, label);
	table_init(&table, "lrl");
	table_heads(&table, (const char *const[]){ factor, "effect", "99 % interval" });
	for (size_t arm = 0; arm < report->n_arms; arm++)
		if (json_equal(level_of(report, arm, factor), level))
			compare_levels(report, arm, factor, &table);
	table_write(&table, REPORT_WIDTH, out);
	free(label);
}

/* Only of a full factorial of two factors or more; of one factor the effects say it already. */
void report_factors(const struct report *report, struct strbuf *out)
{
	json_t *factors = json_object_get(report->run.job, "factors"), *levels;
	const char *factor;
	size_t varied = 0;

	json_object_foreach(factors, factor, levels) {
		varied += json_array_size(levels) > 1;
	}
	if (varied < 2 || report->n_arms > MOST_ARMS || !report->has_figures)
		return;
	json_object_foreach(factors, factor, levels) {
		if (json_array_size(levels) > 1)
			write_factor(report, factor, out);
	}
}
