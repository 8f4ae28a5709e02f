/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where CPU time went, context switches, forks and interrupts of the whole machine. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/cpulist.h"
#include "collectors/collector.h"
#include "collectors/scan.h"

/* cpu  33 0 687 8307 0 0 38 0 0 0
 * cpu0 1 0 79 597 0 0 14 0 0 0
 * intr 13082 122 9 0 ...
 * ctxt 7798
 * btime 1796066954
 * processes 860
 * procs_running 3
 * procs_blocked 0
 * softirq 9354 2 799 2 0 0 2 3 5226 0 3320 */

/* Old kernels have fewer columns (4 at least). The last two are parts of user and nice. */
enum { N_MODES = 10, N_EXCLUSIVE = 8, ALL_CPUS = -1 };

static const char *const modes[N_MODES] = { "user", "nice", "system", "idle", "iowait", "irq",
	"softirq", "steal", "guest", "guest_nice" };

enum { N_SOFTIRQS = 10 };

static const char *const softirqs[N_SOFTIRQS] = { "HI", "TIMER", "NET_TX", "NET_RX", "BLOCK",
	"IRQ_POLL", "TASKLET", "SCHED", "HRTIMER", "RCU" };

enum counter { INTERRUPTS, SWITCHES, FORKS, SOFTIRQS, RUNNING, BLOCKED, BOOT_TIME, N_COUNTERS };

/* @level: a momentary figure, whose difference means nothing */
static const struct {
	const char *key, *name, *unit;
	bool level;
} counters[N_COUNTERS] = {
	[INTERRUPTS] = { "intr", "interrupts_total", "count", false },
	[SWITCHES] = { "ctxt", "context_switches", "count", false },
	[FORKS] = { "processes", "forks", "count", false },
	[SOFTIRQS] = { "softirq", "softirqs_total", "count", false },
	[RUNNING] = { "procs_running", "procs_running", "count", true },
	[BLOCKED] = { "procs_blocked", "procs_blocked", "count", true },
	[BOOT_TIME] = { "btime", "boot_time", "s", true },
};

struct cpu_time {
	int cpu;
	size_t n;
	uint64_t t[N_MODES];
};

struct stat {
	struct cpu_time *cpu;
	size_t n, cap;
	unsigned int has;
	uint64_t count[N_COUNTERS];
	uint64_t softirq[N_SOFTIRQS];
	size_t n_softirqs;
	size_t n_irqs;
	bool extra_columns;
};

static int bad_line(struct span line, const char *what, struct error *err)
{
	struct span word;
	char *key;

	span_word(&line, &word);
	key = span_text(word);
	error_set(err, -EINVAL, "line '%s': %s", key, what);
	free(key);
	return -EINVAL;
}

static int parse_cpu(struct span line, struct stat *st, struct error *err)
{
	struct span rest = line, word;
	struct cpu_time *c;
	uint64_t cpu, v;

	array_reserve(st->cpu, st->n, st->cap);
	c = &st->cpu[st->n];
	*c = (struct cpu_time){ .cpu = ALL_CPUS };
	span_word(&rest, &word);
	span_skip(&word, "cpu");
	if (span_len(word)) {
		if (!span_u64(word, &cpu) || cpu > CPULIST_MAX_CPU)
			return bad_line(line, "is no CPU", err);
		c->cpu = (int)cpu;
	}
	while (span_word(&rest, &word)) {
		if (!span_u64(word, &v))
			return bad_line(line, "a time is no number", err);
		if (c->n < N_MODES)
			c->t[c->n++] = v;
		else
			st->extra_columns = true;
	}
	if (c->n < 4 || (st->n && c->n != st->cpu[0].n))
		return bad_line(line, "has too few times; the text is cut off", err);
	st->n++;
	return 0;
}

static int parse_counter(struct span line, enum counter which, struct stat *st, struct error *err)
{
	struct span rest = line, word;
	uint64_t v;

	span_word(&rest, &word);
	if (!span_word(&rest, &word) || !span_u64(word, &st->count[which]))
		return bad_line(line, "has no number", err);
	st->has |= 1u << which;
	while (span_word(&rest, &word)) {
		if (!span_u64(word, &v))
			return bad_line(line, "a count is no number", err);
		if (which == INTERRUPTS)
			st->n_irqs++;
		else if (which == SOFTIRQS && st->n_softirqs < N_SOFTIRQS)
			st->softirq[st->n_softirqs++] = v;
	}
	return 0;
}

static int parse_line(struct span line, struct stat *st, struct error *err)
{
	struct span rest = line, key;

	if (!span_word(&rest, &key))
		return 0;
	if (span_len(key) >= 3 && memcmp(key.p, "cpu", 3) == 0)
		return parse_cpu(line, st, err);
	for (int c = 0; c < N_COUNTERS; c++)
		if (span_eq(key, counters[c].key))
			return parse_counter(line, c, st, err);
	return 0; /* "page", "swap" and the like of other kernels */
}

static int parse_stat(const struct collector_text *t, struct stat *st, struct error *err)
{
	struct span text = span_of(t->text, t->len), line;
	int r = 0;

	*st = (struct stat){ 0 };
	while (!r && span_line(&text, &line))
		r = parse_line(line, st, err);
	if (r)
		return r;
	if (!st->n || st->cpu[0].cpu != ALL_CPUS)
		return error_set(err, -EINVAL, "there is no 'cpu' line with the machine's times");
	return 0;
}

static void stat_release(struct stat *st)
{
	free(st->cpu);
}

static void label_cpu(struct values *out, struct value *v, int cpu)
{
	if (cpu != ALL_CPUS)
		values_label_int(out, v, "cpu", cpu);
}

static void emit_counts(const struct stat *st, bool difference, bool zeros, struct values *out)
{
	for (int c = 0; c < N_COUNTERS; c++)
		if (st->has & 1u << c && !(difference && counters[c].level) &&
			(zeros || st->count[c]))
			values_add(out, counters[c].name, counters[c].unit, (double)st->count[c]);
	for (size_t i = 0; i < st->n_softirqs; i++)
		if (zeros || st->softirq[i])
			values_label(out,
				values_add(out, "softirqs", "count", (double)st->softirq[i]),
				"softirq", softirqs[i]);
}

static void emit_times(const struct stat *st, bool zeros, struct values *out)
{
	for (size_t i = 0; i < st->n; i++) {
		const struct cpu_time *c = &st->cpu[i];

		for (size_t m = 0; m < c->n; m++) {
			struct value *v;

			if (!zeros && !c->t[m])
				continue;
			v = values_add(out, "cpu_time", "jiffies", (double)c->t[m]);
			values_label(out, v, "mode", modes[m]);
			label_cpu(out, v, c->cpu);
		}
	}
}

/* A mode's share of a CPU's time: its jiffies by those of user, nice, system, idle, iowait, irq,
 * softirq and steal together. guest and guest_nice are shares too, but contained in user and nice,
 * so the shares of the first eight add up to 100. */
static void emit_shares(const struct stat *st, bool zeros, struct values *out)
{
	for (size_t i = 0; i < st->n; i++) {
		const struct cpu_time *c = &st->cpu[i];
		double total = 0;

		for (size_t m = 0; m < c->n && m < N_EXCLUSIVE; m++)
			total += (double)c->t[m];
		for (size_t m = 0; total > 0 && m < c->n; m++) {
			struct value *v;

			if (!zeros && !c->t[m])
				continue;
			v = values_add(out, "cpu_share", "%", 100 * (double)c->t[m] / total);
			values_label(out, v, "mode", modes[m]);
			label_cpu(out, v, c->cpu);
		}
	}
}

static const struct cpu_time *find_cpu(const struct stat *st, int cpu)
{
	for (size_t i = 0; i < st->n; i++)
		if (st->cpu[i].cpu == cpu)
			return &st->cpu[i];
	return NULL;
}

/* idle and iowait of the kernel may go back a little: that is no time spent, and no error. */
static void subtract_times(const struct cpu_time *from, struct cpu_time *to, struct values *out)
{
	for (size_t m = 0; m < to->n && m < from->n; m++) {
		if (to->t[m] >= from->t[m]) {
			to->t[m] -= from->t[m];
			continue;
		}
		if (to->cpu == ALL_CPUS)
			values_note(out,
				"%s time of all CPUs went back by %llu jiffies, taken as 0",
				modes[m], (unsigned long long)(from->t[m] - to->t[m]));
		else
			values_note(out, "%s time of CPU %d went back by %llu jiffies, taken as 0",
				modes[m], to->cpu, (unsigned long long)(from->t[m] - to->t[m]));
		to->t[m] = 0;
	}
}

/* Sums of 32-bit counters go back by 2^32 when one of them wraps. Return: false if it isn't that. */
static bool subtract_count(uint64_t from, uint64_t *to)
{
	uint64_t d = *to - from;

	if (*to < from) {
		d += UINT64_C(1) << 32;
		if (d >= UINT64_C(1) << 31)
			return false;
	}
	*to = d;
	return true;
}

static void subtract_counts(const struct stat *from, struct stat *to, struct values *out)
{
	for (int c = 0; c < N_COUNTERS; c++) {
		if (counters[c].level || !(to->has & 1u << c))
			continue;
		if (from->has & 1u << c && subtract_count(from->count[c], &to->count[c]))
			continue;
		values_note(out, "%s was set back or is new, left out", counters[c].name);
		to->has &= ~(1u << c);
	}
	for (size_t i = 0; i < to->n_softirqs; i++) {
		if (i < from->n_softirqs && subtract_count(from->softirq[i], &to->softirq[i]))
			continue;
		values_note(out, "softirq %s was set back or is new, left out", softirqs[i]);
		to->softirq[i] = 0;
	}
}

static int subtract(const struct stat *from, struct stat *to, struct values *out, struct error *err)
{
	if (from->has & to->has & 1u << BOOT_TIME) {
		uint64_t a = from->count[BOOT_TIME], b = to->count[BOOT_TIME];

		/* The figure moves by a second or so when the clock is adjusted. */
		if ((a > b ? a - b : b - a) > 10)
			values_note(out, "the boot time changed: the clock was set, or the machine "
					 "booted between the snapshots");
	}
	for (size_t i = 0; i < from->n; i++)
		if (!find_cpu(to, from->cpu[i].cpu))
			return error_set(err, -ESTALE,
				"CPU %d went offline between the two snapshots", from->cpu[i].cpu);
	for (size_t i = 0; i < to->n; i++) {
		const struct cpu_time *was = find_cpu(from, to->cpu[i].cpu);

		if (!was)
			return error_set(err, -ESTALE,
				"CPU %d came online between the two snapshots", to->cpu[i].cpu);
		subtract_times(was, &to->cpu[i], out);
	}
	subtract_counts(from, to, out);
	return 0;
}

static int emit_differences(const struct collector_text *before, struct stat *new, bool all,
	struct values *out, struct error *err)
{
	struct stat old = { 0 };
	int r = parse_stat(before, &old, err);

	if (!r)
		r = subtract(&old, new, out, err);
	if (!r) {
		emit_times(new, all, out);
		emit_shares(new, all, out);
		emit_counts(new, true, all, out);
	}
	stat_release(&old);
	return r;
}

static int parse(const struct collector_text *before, const struct collector_text *after, bool all,
	struct values *out, struct error *err)
{
	struct stat new = { 0 };
	int r = parse_stat(collector_text_last(before, after), &new, err);

	if (!r && before && after) {
		r = emit_differences(before, &new, all, out, err);
	} else if (!r) {
		emit_times(&new, true, out);
		emit_counts(&new, false, true, out);
		if (new.has & 1u << INTERRUPTS)
			values_note(out, "%zu interrupt numbers follow the total", new.n_irqs);
	}
	if (!r && new.extra_columns)
		values_note(out, "the CPU lines have more columns than are known");
	stat_release(&new);
	return r;
}

static const char *const aliases[] = { "stat", "proc_stat", NULL };
static const char *const paths[] = { "proc/stat", NULL };

const struct collector_ops cpustat_collector = {
	.name = "cpustat",
	.aliases = aliases,
	.help = "CPU time by mode with steal, context switches, interrupts and forks",
	.paths = paths,
	.parse = parse,
};
