/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A run as text for a mail, or as JSON: the same facts in both. */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/strbuf.h"
#include "db/store.h"
#include "experiment/counters.h"
#include "experiment/figures.h"

/**
 * struct report - a run, read once; every section prints from it
 * @label: of each arm as the text prints it: one line, and not too long for it
 * @shown: the arms that the tables of counters show, in order: all of a few, of many the baseline and
 *	those that differ most from it
 * @figures: of the deciding metric; has_figures is false when no trial counts
 * @verdict: what the run recorded, or what can be said of its blocks so far; may be NULL
 * @collector_errors, @collector_notes: [{"collector","error" or "note","trials"}]
 */
struct report {
	struct store *store;
	struct store_run run;
	struct store_arm *arms;
	char **label;
	size_t n_arms;
	size_t *shown, n_shown;
	struct store_trial *trials;
	size_t n_trials;
	struct figures figures;
	struct counters counters;
	bool has_figures;
	json_t *verdict;
	json_t *collector_errors, *collector_notes;
};

/** report_load() - read a run (id 0: the newest). Return: 0 or -errno. */
int report_load(struct store *store, int64_t id, struct report *report, struct error *err);
/** report_release() - free it. */
void report_release(struct report *report);

/** report_text() - the whole report, at most 80 columns wide. */
void report_text(const struct report *report, struct strbuf *out);
/** report_json() - the same as JSON; new reference. */
json_t *report_json(const struct report *report);

/* Parts of loading. */
void report_choose_arms(struct report *report);

/** report_verdict() - what the verdict says of an arm; borrowed, NULL when there is none. */
const json_t *report_verdict(const struct report *report, size_t arm);
/** report_is_baseline() - is it the arm that the others are compared with? */
bool report_is_baseline(const struct report *report, size_t arm);
/** report_not_shown() - says how many arms a table left out, if any. */
void report_not_shown(const struct report *report, struct strbuf *out);

/* The sections of report_text(), in its order; each prints nothing when it has nothing to say. */
void report_machine(const struct report *report, struct strbuf *out);
void report_state(const struct report *report, struct strbuf *out);
void report_sentences(const struct report *report, struct strbuf *out);
void report_effects(const struct report *report, struct strbuf *out);
void report_figures(const struct report *report, struct strbuf *out);
void report_factors(const struct report *report, struct strbuf *out);
void report_other_metrics(const struct report *report, struct strbuf *out);
void report_trials(const struct report *report, struct strbuf *out);
void report_moved(const struct report *report, struct strbuf *out);
void report_interrupts(const struct report *report, struct strbuf *out);
void report_residency(const struct report *report, struct strbuf *out);
void report_splats(const struct report *report, struct strbuf *out);
void report_uncounted(const struct report *report, struct strbuf *out);
void report_reproduce(const struct report *report, struct strbuf *out);

/** report_times_are_emulated() - the target says that its times are those of an emulation. */
bool report_times_are_emulated(const struct report *report);
/** report_splats_json() - [{"title", "location", "arms": trials by arm, ...}]; new reference. */
json_t *report_splats_json(const struct report *report);
/** report_other_metrics_json() - [{"metric", "arm", "ratio", "low", "high", ...}]; new reference. */
json_t *report_other_metrics_json(const struct report *report);

#endif
