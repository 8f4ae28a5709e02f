/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which scheduler features are on: 1 or 0 for each. Around a trial it shows that nobody changed
 * them meanwhile. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "collectors/collector.h"
#include "collectors/scan.h"

/* GENTLE_FAIR_SLEEPERS START_DEBIT NO_NEXT_BUDDY ... NONTASK_CAPACITY TTWU_QUEUE
 * as it is, or behind "sys/kernel/debug/sched/features: "; or, where lockdown keeps that file shut,
 * the head of sched/debug, which everyone may read:
 * Sched Debug Version: v0.11, 6.18.44 #1
 *   .sysctl_sched_features                   : 99674079 */

struct feature {
	struct span name;
	bool on;
};

struct features {
	struct feature *f;
	size_t n, cap;
	const char *decoded_as;
};

/* The order of the bits is the order of the list of that very kernel: captured lists only. */
#define FEATURES_6_1                                                                       \
	"GENTLE_FAIR_SLEEPERS START_DEBIT NEXT_BUDDY LAST_BUDDY CACHE_HOT_BUDDY "          \
	"WAKEUP_PREEMPTION HRTICK HRTICK_DL DOUBLE_TICK NONTASK_CAPACITY TTWU_QUEUE "      \
	"SIS_PROP SIS_UTIL WARN_DOUBLE_CLOCK RT_PUSH_IPI RT_RUNTIME_SHARE LB_MIN "         \
	"ATTACH_AGE_LOAD WA_IDLE WA_WEIGHT WA_BIAS UTIL_EST UTIL_EST_FASTUP LATENCY_WARN " \
	"NI_RANDOM ALT_PERIOD BASE_SLICE"
#define FEATURES_EEVDF(double_tick)                                                         \
	"PLACE_LAG PLACE_DEADLINE_INITIAL PLACE_REL_DEADLINE RUN_TO_PARITY PREEMPT_SHORT "  \
	"NEXT_BUDDY PICK_BUDDY CACHE_HOT_BUDDY DELAY_DEQUEUE DELAY_ZERO WAKEUP_PREEMPTION " \
	"HRTICK HRTICK_DL " double_tick "NONTASK_CAPACITY TTWU_QUEUE SIS_UTIL "             \
	"WARN_DOUBLE_CLOCK RT_PUSH_IPI RT_RUNTIME_SHARE LB_MIN ATTACH_AGE_LOAD WA_IDLE "    \
	"WA_WEIGHT WA_BIAS UTIL_EST LATENCY_WARN NI_RANDOM"

static const struct {
	const char *version, *list;
} lists[] = {
	{ "6.1.176", FEATURES_6_1 },
	{ "6.12.117", FEATURES_EEVDF("DOUBLE_TICK ") },
	{ "6.18.44", FEATURES_EEVDF("") },
};

static const struct {
	const char *text;
	int code;
} refusals[] = {
	{ "Operation not permitted", -EPERM },
	{ "Permission denied", -EACCES },
	{ "No such file or directory", -ENOENT },
	{ "Invalid argument", -EINVAL },
};

static void add_feature(struct features *fs, struct span name, bool on)
{
	array_reserve(fs->f, fs->n, fs->cap);
	fs->f[fs->n++] = (struct feature){ name, on };
}

static bool is_name(struct span word)
{
	for (const char *p = word.p; p < word.end; p++)
		if (!((*p >= 'A' && *p <= 'Z') || (*p >= '0' && *p <= '9') || *p == '_'))
			return false;
	return span_len(word) && *word.p >= 'A' && *word.p <= 'Z';
}

static int parse_names(struct span text, struct features *fs, struct error *err)
{
	struct span word;

	while (span_word(&text, &word)) {
		bool on = !span_skip(&word, "NO_");
		char *bad;

		if (is_name(word)) {
			add_feature(fs, word, on);
			continue;
		}
		bad = span_text(word);
		error_set(
			err, -EINVAL, "'%s' is no feature name; the text is of another kind", bad);
		free(bad);
		return -EINVAL;
	}
	return fs->n ? 0 : error_set(err, -EINVAL, "the text is empty: there are no features");
}

/* "6.18" and the rest of "6.18.44-cloud": releases of one series share their list, mostly. */
static const char *list_of(struct span release, const char **version)
{
	for (size_t i = 0; i < array_size(lists); i++) {
		const char *dot = strrchr(lists[i].version, '.');
		size_t len = (size_t)(dot - lists[i].version) + 1;

		if (span_len(release) >= len && memcmp(release.p, lists[i].version, len) == 0) {
			*version = lists[i].version;
			return lists[i].list;
		}
	}
	return NULL;
}

static int decode(struct span release, uint64_t bits, struct features *fs, struct error *err)
{
	const char *list = list_of(release, &fs->decoded_as);
	struct span rest, word;
	int bit = 0;

	if (!list) {
		char *name = span_text(release);

		error_set(err, -EINVAL,
			"the features are given as the number %llu only, and the list of kernel "
			"'%s' "
			"is not known here",
			(unsigned long long)bits, name);
		free(name);
		return -EINVAL;
	}
	rest = span_str(list);
	while (span_word(&rest, &word))
		add_feature(fs, word, bits >> bit++ & 1);
	if (bits >> bit)
		return error_set(err, -EINVAL,
			"the number %llu has more bits than kernel %s has features",
			(unsigned long long)bits, fs->decoded_as);
	return 0;
}

static int parse_debug(struct span text, struct features *fs, struct error *err)
{
	struct span release = text, number = text, word = { text.p, text.p };
	uint64_t bits;

	if (span_after(&release, "Sched Debug Version: ") && span_after(&release, ", "))
		span_word(&release, &word);
	span_after(&number, "sysctl_sched_features");
	span_after(&number, ":");
	number = span_trim(number);
	if (!span_digits(&number, &bits))
		return error_set(err, -EINVAL, "sysctl_sched_features has no number");
	return decode(word, bits, fs, err);
}

static int parse_features(const struct collector_text *t, struct features *fs, struct error *err)
{
	struct span text = span_of(t->text, t->len), path = text;

	*fs = (struct features){ 0 };
	for (size_t i = 0; i < array_size(refusals); i++)
		if (span_find(text, refusals[i].text))
			return error_set(err, refusals[i].code,
				"the features could not be read: %s%s", refusals[i].text,
				refusals[i].code == -EPERM
					? "; the kernel is locked down, try target: vm"
					: "");
	if (span_find(text, "sysctl_sched_features"))
		return parse_debug(text, fs, err);
	if (span_find(text, "sched") && span_after(&path, "features: "))
		text = path;
	return parse_names(text, fs, err);
}

static const struct feature *find_feature(const struct features *fs, struct span name)
{
	for (size_t i = 0; i < fs->n; i++)
		if (span_same(fs->f[i].name, name))
			return &fs->f[i];
	return NULL;
}

static void emit(const struct feature *f, double value, struct values *out)
{
	char *name = span_text(f->name);

	values_label(out, values_add(out, "sched_feature", "", value), "feature", name);
	free(name);
}

static int check_names(const struct features *old, const struct features *new, struct error *err)
{
	bool same = old->n == new->n;

	for (size_t i = 0; same && i < new->n; i++)
		same = find_feature(old, new->f[i].name);
	return same ? 0 : error_set(err, -ESTALE, "the two texts are of different kernels");
}

/* Differences: 1 for a feature that was switched on meanwhile, -1 for one switched off. */
static int emit_differences(const struct collector_text *before, const struct features *new,
	bool all, struct values *out, struct error *err)
{
	struct features old;
	int r = parse_features(before, &old, err);

	if (!r)
		r = check_names(&old, new, err);
	for (size_t i = 0; !r && i < new->n; i++) {
		int d = new->f[i].on - find_feature(&old, new->f[i].name)->on;

		if (d || all)
			emit(&new->f[i], d, out);
	}
	free(old.f);
	return r;
}

static int parse(const struct collector_text *before, const struct collector_text *after, bool all,
	struct values *out, struct error *err)
{
	struct features new;
	int r = parse_features(collector_text_last(before, after), &new, err);

	if (!r && before && after) {
		r = emit_differences(before, &new, all, out, err);
	} else if (!r) {
		for (size_t i = 0; i < new.n; i++)
			emit(&new.f[i], new.f[i].on, out);
		if (new.decoded_as)
			values_note(out, "decoded from a number by the list of kernel %s",
				new.decoded_as);
	}
	free(new.f);
	return r;
}

static char *voids(const struct values *values)
{
	for (size_t i = 0; i < values->n; i++)
		if (values->v[i].value != 0)
			return xasprintf("the scheduler feature %s was changed during the trial",
				value_label(&values->v[i], "feature"));
	return NULL;
}

static const char *const aliases[] = { "sched_features_error", NULL };
static const char *const paths[] = { "sys/kernel/debug/{sched/features,sched_features}", NULL };

const struct collector_ops sched_features_collector = {
	.name = "sched_features",
	.aliases = aliases,
	.help = "scheduler features; a trial during which somebody changed one is void",
	.paths = paths,
	.parse = parse,
	.voids = voids,
};
