/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collectors/splat_title.h"

#include <limits.h>
#include <string.h>

#include "base/alloc.h"

static bool is_symbol_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || c == '.' || c == '$';
}

static const char *skip_hex(const char *p, const char *end)
{
	while (p < end && ((*p >= '0' && *p <= '9') || (*p >= 'a' && *p <= 'f')))
		p++;
	return p;
}

bool splat_symbol(struct span *text, struct span *symbol, struct span *function)
{
	struct span s = *text;
	const char *plus;

	while ((plus = span_find(s, "+0x"))) {
		const char *first = plus, *slash = skip_hex(plus + 3, s.end), *last;

		while (first > text->p && is_symbol_char(first[-1]))
			first--;
		s.p = plus + 3;
		if (first == plus || slash == plus + 3 || s.end - slash < 4 ||
			memcmp(slash, "/0x", 3) != 0)
			continue;
		last = skip_hex(slash + 3, s.end);
		if (last == slash + 3)
			continue;
		if (symbol)
			*symbol = (struct span){ first, last };
		if (function)
			*function = (struct span){ first, plus };
		text->p = last;
		return true;
	}
	return false;
}

long splat_number(struct span text, const char *word)
{
	uint64_t v;

	if (!span_after(&text, word) || !span_digits(&text, &v) || v > INT_MAX)
		return -1;
	return (long)v;
}

/* "kernel/sched/clock.c:114" */
static bool is_place(struct span s)
{
	const char *colon = memrchr(s.p, ':', span_len(s));
	uint64_t line;

	return colon && colon > s.p && memchr(s.p, '.', (size_t)(colon - s.p)) &&
	       span_u64((struct span){ colon + 1, s.end }, &line);
}

/* The next word that names a file and a line, with the column of UBSAN ("x.h:57:13") cut off. */
static struct span find_place(struct span text)
{
	struct span word, none = { text.p, text.p };

	while (span_word(&text, &word)) {
		struct span shorter;

		while (word.end > word.p && strchr("!,;)", word.end[-1]))
			word.end--;
		shorter = word;
		shorter.end = memrchr(word.p, ':', span_len(word));
		if (shorter.end && is_place(shorter))
			return shorter;
		if (is_place(word))
			return word;
	}
	return none;
}

/* Text up to the first ": " or " - ", "!" or digit: what kind of BUG it is. */
static struct span phrase(struct span s)
{
	const char *p = s.p;

	while (p < s.end && *p != ':' && *p != '!' && !(*p >= '0' && *p <= '9'))
		p++;
	s.end = p;
	return span_trim(s);
}

/* "[sh:88]", "task swapper:1 blocked": the name may hold colons, the last one parts the number. */
static void read_task(struct span task, char sep, struct splat_title *t)
{
	const char *at = memrchr(task.p, sep, span_len(task));
	uint64_t pid;

	if (!at || !span_u64((struct span){ at + 1, task.end }, &pid) || pid > INT_MAX)
		return;
	t->comm = (struct span){ task.p, at };
	t->pid = (long)pid;
}

static bool read_plain(struct span rest, struct splat_title *t)
{
	t->kind = phrase(rest);
	t->place = find_place(rest);
	return true;
}

/* BUG: soft lockup - CPU#0 stuck for 48s! [sh:88] */
static bool read_soft_lockup(struct span rest, struct splat_title *t)
{
	const char *close;

	t->cpu = (int)splat_number(rest, "CPU#");
	if (span_after(&rest, "[") && (close = memrchr(rest.p, ']', span_len(rest))))
		read_task((struct span){ rest.p, close }, ':', t);
	return true;
}

/* Watchdog detected hard LOCKUP on cpu 3 */
static bool read_hard_lockup(struct span rest, struct splat_title *t)
{
	t->cpu = (int)splat_number(rest, "on cpu ");
	return true;
}

/* CPU 1 self-detected hard LOCKUP @ x+0x1/0x2, CPU 0 detected hard LOCKUP on other CPUs 1,
 * CPU 1 Hard LOCKUP */
static bool read_cpu_lockup(struct span rest, struct splat_title *t)
{
	uint64_t cpu;

	if (!span_find(rest, "ard LOCKUP") || !span_digits(&rest, &cpu) || cpu > INT_MAX)
		return false;
	t->cpu = (int)cpu;
	if (span_find(rest, "on other CPUs "))
		t->cpu = (int)splat_number(rest, "on other CPUs ");
	return true;
}

/* slab-out-of-bounds in inotify_read+0x271/0x350 at addr ...; data-race in a / b */
static bool read_sanitizer(struct span rest, struct splat_title *t)
{
	struct span in = rest;

	t->kind = rest;
	if (!span_after(&in, " in "))
		return true;
	t->kind.end = in.p - 4;
	t->place = find_place(in);
	if (span_len(t->place))
		return true;
	if (!splat_symbol(&in, NULL, &t->function))
		t->function = span_trim(in);
	return true;
}

/* WARNING: CPU: 1 PID: 0 at kernel/sched/clock.c:114 set_sched_clock_stable+0x66/0x70
 * WARNING: at kernel/sched/clock.c:114 set_sched_clock_stable+0x66/0x70() */
static bool read_warning_at(struct span rest, struct splat_title *t)
{
	struct span start = rest;

	if (!span_skip(&start, "CPU: ") && !span_skip(&start, "at "))
		return false;
	t->cpu = (int)splat_number(rest, "CPU: ");
	t->pid = splat_number(rest, "PID: ");
	if (!span_after(&rest, "at "))
		return false;
	t->place = find_place(rest);
	splat_symbol(&rest, NULL, &t->function);
	return true;
}

/* WARNING: kernel/sched/sched.h:1643 at update_load_avg+0x424/0x48c, CPU#6: swapper/6/0
 * (6.19 and later; with a condition in brackets before the place in some configurations) */
static bool read_warning_new(struct span rest, struct splat_title *t)
{
	struct span task = rest;
	const char *at = span_find(rest, " at ");

	if (!at)
		return false;
	t->place = find_place((struct span){ rest.p, at });
	if (!span_len(t->place))
		return false;
	splat_symbol(&rest, NULL, &t->function);
	t->cpu = (int)splat_number(task, "CPU#");
	if (span_after(&task, "CPU#") && span_after(&task, ": "))
		read_task(span_trim(task), '/', t);
	return true;
}

/* INFO: task swapper:1 blocked for more than 120 seconds. */
static bool read_hung_task(struct span rest, struct splat_title *t)
{
	const char *blocked = span_find(rest, " blocked ");

	if (!blocked || !span_find(rest, "for more than "))
		return false;
	read_task((struct span){ rest.p, blocked }, ':', t);
	return true;
}

/* INFO: rcu_sched detected stalls on CPUs/tasks:
 * INFO: rcu_preempt self-detected stall on CPU { 1}
 * INFO: rcu_sched detected expedited stalls on CPUs/tasks: { 3-... } 21 jiffies */
static bool read_stall(struct span rest, struct splat_title *t)
{
	if (!span_find(rest, "rcu") || !span_find(rest, "detected ") || !span_find(rest, "stall"))
		return false;
	t->cpu = (int)splat_number(rest, "{ ");
	span_word(&rest, &t->kind);
	return true;
}

/* Kernel panic - not syncing: sysrq triggered crash */
static bool read_panic(struct span rest, struct splat_title *t)
{
	span_skip(&rest, ": ");
	t->kind = span_trim(rest);
	return true;
}

/* divide error: 0000 [#1] SMP */
static bool read_die(struct span rest, struct splat_title *t)
{
	struct span count = rest;
	uint64_t n;

	t->continues = true;
	if (!span_len(rest) || *rest.p == ' ' || *rest.p == '\t')
		return false;
	return span_after(&count, "[#") && span_digits(&count, &n) && span_skip(&count, "]");
}

/* The first rule that fits. "BUG:" may begin any complaint, but "WARNING:" and "INFO:" also begin
 * lines that are none, so that theirs are listed. */
static const struct rule {
	const char *prefix, *type;
	bool (*read)(struct span rest, struct splat_title *t);
} rules[] = {
	{ "BUG: soft lockup", "soft-lockup", read_soft_lockup },
	{ "Watchdog detected hard LOCKUP", "hard-lockup", read_hard_lockup },
	{ "Watchdog CPU:", "hard-lockup", read_cpu_lockup },
	{ "CPU ", "hard-lockup", read_cpu_lockup },
	{ "BUG: workqueue lockup", "workqueue-lockup", read_plain },
	{ "BUG: KASAN: ", "kasan", read_sanitizer },
	{ "BUG: KMSAN: ", "kmsan", read_sanitizer },
	{ "BUG: KFENCE: ", "kfence", read_sanitizer },
	{ "BUG: KCSAN: ", "kcsan", read_sanitizer },
	{ "UBSAN: ", "ubsan", read_sanitizer },
	{ "BUG: unable to handle ", "oops", read_plain },
	{ "BUG: Unable to handle ", "oops", read_plain },
	{ "BUG: kernel NULL pointer ", "oops", read_plain },
	{ "BUG: Kernel NULL pointer ", "oops", read_plain },
	{ "BUG: bad unlock balance", "lockdep", read_plain },
	{ "BUG: held lock freed", "lockdep", read_plain },
	{ "BUG: MAX_LOCK", "lockdep", read_plain },
	{ "BUG: ", "bug", read_plain },
	{ "kernel BUG at ", "bug", read_plain },
	{ "WARNING: ", "warning", read_warning_at },
	{ "WARNING: possible ", "lockdep", read_plain },
	{ "WARNING: inconsistent lock state", "lockdep", read_plain },
	{ "WARNING: suspicious RCU usage", "lockdep", read_plain },
	{ "WARNING: bad unlock balance", "lockdep", read_plain },
	{ "WARNING: held lock freed", "lockdep", read_plain },
	{ "WARNING: lock held when returning", "lockdep", read_plain },
	{ "WARNING: Nested lock was not taken", "lockdep", read_plain },
	{ "WARNING: bad contention detected", "lockdep", read_plain },
	{ "WARNING: HARDIRQ-", "lockdep", read_plain },
	{ "WARNING: SOFTIRQ-", "lockdep", read_plain },
	{ "WARNING: ", "warning", read_warning_new },
	{ "INFO: possible ", "lockdep", read_plain },
	{ "INFO: inconsistent lock state", "lockdep", read_plain },
	{ "INFO: suspicious RCU usage", "lockdep", read_plain },
	{ "INFO: HARDIRQ-", "lockdep", read_plain },
	{ "INFO: SOFTIRQ-", "lockdep", read_plain },
	{ "INFO: trying to register non-static key", "lockdep", read_plain },
	{ "INFO: task ", "hung-task", read_hung_task },
	{ "INFO: ", "rcu-stall", read_stall },
	{ "general protection fault", "gpf", read_plain },
	{ "Oops: general protection fault", "gpf", read_plain },
	{ "Unable to handle kernel ", "oops", read_plain },
	{ "Kernel panic - not syncing", "panic", read_panic },
	{ "PANIC: double fault", "oops", read_plain },
	{ "", "oops", read_die },
};

/* Who says it: "watchdog: BUG: soft lockup", "[ INFO: possible circular ... ]". */
static struct span without_speaker(struct span s)
{
	static const char *const speakers[] = { "NMI watchdog: ", "watchdog: ", "rcu: ", "[ " };

	for (size_t i = 0; i < array_size(speakers); i++)
		if (span_skip(&s, speakers[i]))
			break;
	return s;
}

bool splat_title_read(struct span text, struct splat_title *title)
{
	struct span message = without_speaker(text), empty = { text.p, text.p };

	for (size_t i = 0; i < array_size(rules); i++) {
		struct span rest = message;

		if (!span_skip(&rest, rules[i].prefix))
			continue;
		*title = (struct splat_title){ rules[i].type, empty, empty, empty, empty, -1, -1,
			false };
		if (rules[i].read(rest, title))
			return true;
	}
	return false;
}
