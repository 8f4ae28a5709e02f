/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Kernel splats: each distinct one once, with the arms and trials in which it was printed. */
#include "report/report.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "base/wrap.h"
#include "collectors/kernel_log.h"
#include "report/table.h"

enum { MOST_FRAMES = 16 };

/* struct seen - one distinct splat of the run; @trials: of each arm */
struct seen {
	struct splat splat;
	size_t *trials;
	int64_t first_trial;
};

struct sightings {
	struct seen *seen;
	size_t n, cap, n_arms;
	/* Owns the strings that the sightings borrow. */
	struct kept {
		struct splat *splats;
		size_t n;
	} * kept;
	size_t n_kept, cap_kept;
};

static struct seen *find_seen(struct sightings *s, const struct splat *splat)
{
	for (size_t i = 0; i < s->n; i++)
		if (strcmp(s->seen[i].splat.type, splat->type) == 0 &&
			strcmp(s->seen[i].splat.location, splat->location) == 0)
			return &s->seen[i];
	return NULL;
}

static void note_splat(
	struct sightings *s, const struct splat *splat, const struct store_trial *trial)
{
	struct seen *seen = find_seen(s, splat);

	if (!seen) {
		array_reserve(s->seen, s->n, s->cap);
		seen = &s->seen[s->n++];
		*seen = (struct seen){
			.splat = *splat,
			.trials = xcalloc(s->n_arms, sizeof(size_t)),
			.first_trial = trial->id,
		};
	}
	seen->trials[trial->arm]++;
}

static void read_trial(
	const struct report *report, const struct store_trial *trial, struct sightings *s)
{
	struct kept kept = { 0 };
	char *text;
	size_t len;

	if (store_raw_get(report->store, trial->id, "kernel_log.after", &text, &len, NULL) < 0)
		return;
	if (len && kernel_log_splats(text, len, &kept.splats, &kept.n) == 0 && kept.n) {
		array_reserve(s->kept, s->n_kept, s->cap_kept);
		s->kept[s->n_kept++] = kept;
		for (size_t i = 0; i < kept.n; i++)
			note_splat(s, &kept.splats[i], trial);
	}
	free(text);
}

static void write_seen(const struct report *report, const struct seen *seen, struct strbuf *out)
{
	const struct splat *splat = &seen->splat;

	wrap_words(out, splat->title, 0, 2);
	for (size_t arm = 0; arm < report->n_arms; arm++) {
		char *trials = report_plural(seen->trials[arm], "trial");

		if (seen->trials[arm])
			strbuf_printf(out, "  in %s of %s\n", trials, report->label[arm]);
		free(trials);
	}
	strbuf_printf(out, "  first in trial %lld", (long long)seen->first_trial);
	if (splat->cpu >= 0)
		strbuf_printf(out, ", CPU %d", splat->cpu);
	if (*splat->comm)
		strbuf_printf(out, ", task %.16s", splat->comm);
	if (*splat->taint)
		strbuf_printf(out, ", tainted %.16s", splat->taint);
	strbuf_putc(out, '\n', 1);
	for (size_t i = 0; i < splat->n_frames && i < MOST_FRAMES; i++) {
		strbuf_puts(out, "    ");
		report_cut(out, splat->frames[i], REPORT_WIDTH - 4);
	}
}

static void sightings_init(struct sightings *s, const struct report *report)
{
	*s = (struct sightings){ .n_arms = report->n_arms };
	for (size_t i = 0; i < report->n_trials; i++)
		read_trial(report, &report->trials[i], s);
}

static void sightings_release(struct sightings *s)
{
	for (size_t i = 0; i < s->n; i++)
		free(s->seen[i].trials);
	for (size_t i = 0; i < s->n_kept; i++)
		kernel_log_splats_free(s->kept[i].splats, s->kept[i].n);
	free(s->seen);
	free(s->kept);
}

void report_splats(const struct report *report, struct strbuf *out)
{
	struct sightings s;

	sightings_init(&s, report);
	if (s.n)
		report_heading(out, "kernel splats printed during trials");
	for (size_t i = 0; i < s.n; i++)
		write_seen(report, &s.seen[i], out);
	sightings_release(&s);
}

static json_t *seen_json(const struct seen *seen, size_t n_arms)
{
	const struct splat *splat = &seen->splat;
	json_t *trials = json_array(), *frames = json_array();

	for (size_t arm = 0; arm < n_arms; arm++)
		json_array_append_new(trials, json_integer((json_int_t)seen->trials[arm]));
	for (size_t i = 0; i < splat->n_frames; i++)
		json_array_append_new(
			frames, json_blob(splat->frames[i], strlen(splat->frames[i])));
	return json_pack("{s:s, s:o, s:o, s:o, s:I, s:i, s:o, s:o, s:o, s:o}", "type", splat->type,
		"title", json_blob(splat->title, strlen(splat->title)), "location",
		json_blob(splat->location, strlen(splat->location)), "trials", trials,
		"first_trial", (json_int_t)seen->first_trial, "cpu", splat->cpu, "task",
		json_blob(splat->comm, strlen(splat->comm)), "taint",
		json_blob(splat->taint, strlen(splat->taint)), "frames", frames, "text",
		json_blob(splat->text, strlen(splat->text)));
}

json_t *report_splats_json(const struct report *report)
{
	json_t *list = json_array();
	struct sightings s;

	sightings_init(&s, report);
	for (size_t i = 0; i < s.n; i++)
		json_array_append_new(list, seen_json(&s.seen[i], s.n_arms));
	sightings_release(&s);
	return list;
}
