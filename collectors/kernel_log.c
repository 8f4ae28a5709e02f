/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the kernel printed during a trial: its splats, each with place, CPU, task and trace. */
#include "collectors/kernel_log.h"

#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/strbuf.h"
#include "collectors/collector.h"
#include "collectors/log_line.h"
#include "collectors/splat_title.h"

/* Lines of several CPUs may be mixed:
 *	[   55.190692] watchdog: BUG: soft lockup - CPU#0 stuck for 48s! [sh:88]
 *	[   55.190685] watchdog: BUG: soft lockup - CPU#1 stuck for 48s! [sh:90]
 *	[   55.191124] CPU: 1 PID: 90 Comm: sh Not tainted 6.1.0-50-powerpc64le #1
 *	...
 *	[   55.191558] CPU: 0 PID: 88 Comm: sh Not tainted 6.1.0-50-powerpc64le #1
 * Where the kernel names the caller of each line, it tells which splat the line belongs to, else a
 * "CPU:" line does. */

enum {
	MAX_FOREIGN = 4,  /* lines of others in a row that end a splat without an end mark */
	MAX_LINES = 2000, /* of one splat */
	MAX_FRAMES = 256,
	MAX_OPEN = 64,
};

/* A splat in the making. @good: length of its text up to the last line that is surely its own. */
struct draft {
	struct splat s;
	struct splat_title title;
	struct span caller, ip, at, place;
	struct strbuf text;
	size_t good, foreign, lines;
	bool open, has_cpu_line, user_mode, in_trace, trace_done;
	char *key;
};

struct reader {
	struct draft *d;
	size_t n, cap;
	size_t cut; /* index of an open "cut here" line + 1 */
};

static bool starts(struct span s, const char *prefix)
{
	return span_skip(&s, prefix);
}

static bool is_type(const struct draft *d, const char *type)
{
	return strcmp(d->s.type, type) == 0;
}

/* ---- Lines that belong to a splat ---- */

static const char *const details[] = { "CPU:", "Hardware name:", "Call Trace:", "Call trace:",
	"Backtrace:", "Modules linked in:", "Code:", "Workqueue:", "Tainted:", "Kernel Offset",
	"PHYS_OFFSET", "CPU features", "Memory Limit", "Rebooting in", "Stack:", "Process ", "Oops",
	"Internal error", "PGD", "pgd", "P4D", "#PF", "Mem abort info", "Data abort info",
	"user pgtable", "swapper pgtable", "MSR", "CFAR", "NIP", "LR ", "REGS", "GPR",
	"--- interrupt", "Instruction dump", "[<", "Read of size", "Write of size", "Object at",
	"Allocated", "Freed", "PID =", "Memory state", "The buggy address", "which belongs",
	"The physical address", "page:", "page dumped",
	"flags:", "raw:", "head:", "Last potentially related", "stack backtrace", "other info that",
	"but task is", "but there are no", "but this", "and this task", "the existing dependency",
	"which lock already", "which would create", "the dependencies between", "to a ", "... ",
	"-> #", "Chain exists", "Possible", "*** DEADLOCK", "irq event stamp", "hardirqs last",
	"softirqs last", "rcu:", "rcu_", "All QSes", "Sending NMI", "NMI backtrace", "Showing ",
	"INFO: lockdep is turned off", "\"echo 0 >", "no locks held", "no lock held",
	"SMP: stopping", "Dumping ftrace", "PKRU", "Preemption disabled", "in_atomic()",
	"preempt_count", "RCU nest depth", "pool ", "workqueue ", "value changed", "read to ",
	"write to ", "Reported by Kernel", "task:", "note: ", "Disabling lock debugging", "---",
	"Krnl ", "Last Breaking", "KASAN:", "Fatal exception", "EIP", "ESI",
	"pc :", "lr :", "sp :", "epc :", "stack guard", "index ", "shift exponent", "load of ",
	"signed integer", "==", "No more ", "Call Trace" };

/* "RAX: 000000006b0dd37d", "x29: ffff80000a", "pc : func", "FS:  0000" */
static bool is_register(struct span s)
{
	const char *colon = memchr(s.p, ':', span_len(s));
	size_t hex = 0;

	if (!colon || colon - s.p > 8)
		return false;
	s.p = colon + 1;
	s = span_trim(s);
	while (hex < span_len(s) && strchr("0123456789abcdef", s.p[hex]) && s.p[hex])
		hex++;
	return hex >= 4;
}

static bool is_detail(struct span s)
{
	struct span rest = s;

	if (!span_len(s) || *s.p == ' ' || *s.p == '\t' || is_register(s) ||
		splat_symbol(&rest, NULL, NULL))
		return true;
	for (size_t i = 0; i < array_size(details); i++)
		if (starts(s, details[i]))
			return true;
	return span_find(s, "ot tainted") || span_find(s, "locks held by") ||
	       span_find(s, "lock held by") || span_find(s, "is trying to acquire") ||
	       span_find(s, "running task");
}

/* ---- Reading them ---- */

/* CPU: 1 UID: 0 PID: 144 Comm: hog Tainted: G             L     6.12.117 #1 */
static void read_cpu_line(struct span s, struct draft *d)
{
	struct span comm = s, taint = s, word;
	const char *end;

	if (d->has_cpu_line)
		return;
	d->has_cpu_line = true;
	if (is_type(d, "hung-task"))
		return; /* the CPU and task of the watchdog, not those of the one that hangs */
	if (d->s.cpu < 0)
		d->s.cpu = (int)splat_number(s, "CPU: ");
	if (d->s.pid < 0)
		d->s.pid = splat_number(s, "PID: ");
	if (span_after(&comm, "Comm: ")) {
		end = span_find(comm, " Not tainted");
		if (!end)
			end = span_find(comm, " Tainted: ");
		if (end)
			comm.end = end;
		if (!d->s.comm)
			d->s.comm = span_text(comm);
	}
	if (span_after(&taint, " Tainted: ")) {
		struct strbuf flags = STRBUF_INIT;

		while (span_word(&taint, &word) && span_len(word) == 1)
			strbuf_add(&flags, word.p, 1);
		d->s.taint = strbuf_steal(&flags);
	}
}

/* Where the processor was: the first such line of the splat counts. */
static void read_ip(struct span s, struct draft *d)
{
	static const char *const names[] = { "RIP: ", "EIP: ", "EIP is at ",
		"IP: ", "pc : ", "PC is at ", "NIP ", "epc : ", "Krnl PSW : ", "IP is at " };

	if (span_len(d->ip) || d->user_mode)
		return;
	for (size_t i = 0; i < array_size(names); i++) {
		struct span rest = s;

		if (!span_skip(&rest, names[i]))
			continue;
		if (!splat_symbol(&rest, NULL, &d->ip))
			d->user_mode = starts(rest, "0033:") || starts(rest, "0073:") ||
				       (starts(s, "NIP [") && span_find(rest, "] 0x"));
		return;
	}
}

/* "#0: c39f57d0 (gcov_lock){+.+.}-{3:3}, at: llvm_gcov_init+0x3d/0xc2" of a lockdep splat, or
 * "net/core/dev.c:4711 suspicious rcu_dereference_check() usage!" */
static void read_lock_place(struct span s, struct draft *d)
{
	struct span word;

	if (!is_type(d, "lockdep"))
		return;
	if (!span_len(d->at) && span_after(&s, "at: "))
		splat_symbol(&s, NULL, &d->at);
	else if (!span_len(d->place) && span_find(s, " suspicious rcu_") && span_word(&s, &word))
		d->place = word;
}

static bool is_trace_heading(struct span s)
{
	return starts(s, "Call Trace:") || starts(s, "Call trace:") || starts(s, "Backtrace:") ||
	       starts(s, "stack backtrace:");
}

static void read_frame(struct span s, struct draft *d)
{
	struct span before = span_trim(s), symbol, rest = before, word;
	bool guess;
	char *name;

	if (is_trace_heading(before)) {
		d->in_trace = !d->s.n_frames;
		return;
	}
	if (!d->in_trace)
		return;
	if (!splat_symbol(&rest, &symbol, NULL)) {
		/* <TASK>, <IRQ>, "CPU:" and "Hardware name:" may stand between heading and frames. */
		if (d->s.n_frames && !starts(before, "<"))
			d->in_trace = false;
		return;
	}
	if (d->s.n_frames >= MAX_FRAMES)
		return;
	before.end = symbol.p;
	before = span_trim(before);
	guess = span_ends(before, "?");
	name = span_text(symbol);
	d->s.frames = xrealloc_array(d->s.frames, d->s.n_frames + 1, sizeof(*d->s.frames));
	if (span_word(&rest, &word) && starts(word, "["))
		d->s.frames[d->s.n_frames++] = xasprintf(
			"%s%s %.*s", guess ? "? " : "", name, (int)span_len(word), word.p);
	else
		d->s.frames[d->s.n_frames++] = xasprintf("%s%s", guess ? "? " : "", name);
	free(name);
}

/* KCSAN: "write to 0xffff888 of 8 bytes by task 144 on cpu 1:"
 * stalls: "rcu: 	1-....: (5249 ticks this GP) idle=..." */
static void read_other_cpu(struct span s, struct draft *d)
{
	uint64_t cpu;

	if (d->s.cpu >= 0)
		return;
	if (is_type(d, "kcsan"))
		d->s.cpu = (int)splat_number(s, " on cpu ");
	if (!is_type(d, "rcu-stall"))
		return;
	span_skip(&s, "rcu:");
	s = span_trim(s);
	if (span_digits(&s, &cpu) && cpu < INT_MAX && span_skip(&s, "-") && span_find(s, ": ("))
		d->s.cpu = (int)cpu;
}

static void close_draft(struct draft *d)
{
	if (d->good < d->text.len) {
		d->text.len = d->good;
		d->text.data[d->good] = '\0';
	}
	d->open = false;
}

static void append(struct draft *d, const struct log_line *line, bool own)
{
	strbuf_add(&d->text, line->raw.p, span_len(line->raw));
	strbuf_putc(&d->text, '\n', 1);
	d->foreign = own ? 0 : d->foreign + 1;
	if (own)
		d->good = d->text.len;
	if (++d->lines >= MAX_LINES || d->foreign > MAX_FOREIGN)
		close_draft(d);
}

static void feed(struct draft *d, const struct log_line *line)
{
	struct span s = line->text;

	if (starts(s, "==========") && d->lines > 3) {
		close_draft(d);
		return;
	}
	if (starts(s, "CPU: "))
		read_cpu_line(s, d);
	read_ip(span_trim(s), d);
	read_lock_place(s, d);
	read_other_cpu(s, d);
	read_frame(s, d);
	append(d, line, is_detail(s));
	if (starts(s, "---[ end "))
		close_draft(d);
}

/* ---- Which splat a line belongs to ---- */

static struct draft *newest_of(struct reader *r, struct span caller)
{
	for (size_t i = r->n, seen = 0; i-- > 0 && seen < MAX_OPEN; seen++)
		if (r->d[i].open && span_same(r->d[i].caller, caller))
			return &r->d[i];
	return NULL;
}

/* The open splat of a CPU that has not had its "CPU:" line yet. */
static struct draft *waiting_for(struct reader *r, int cpu)
{
	for (size_t i = r->n, seen = 0; i-- > 0 && seen < MAX_OPEN; seen++)
		if (r->d[i].open && !r->d[i].has_cpu_line && r->d[i].s.cpu == cpu)
			return &r->d[i];
	return NULL;
}

/* Without callers the splat written to last is current; it is kept at the end of the list of open
 * ones by its index, and a "CPU:" line chooses anew. */
static struct draft *owner(struct reader *r, const struct log_line *line, size_t *current)
{
	struct draft *d;

	if (span_len(line->caller))
		return newest_of(r, line->caller);
	if (starts(line->text, "CPU: ")) {
		d = waiting_for(r, (int)splat_number(line->text, "CPU: "));
		if (d)
			*current = (size_t)(d - r->d);
	}
	return *current < r->n && r->d[*current].open ? &r->d[*current] : NULL;
}

static void begin(struct reader *r, const struct log *log, size_t i, const struct splat_title *t)
{
	const struct log_line *line = &log->line[i];
	struct draft *d;

	array_reserve(r->d, r->n, r->cap);
	d = &r->d[r->n++];
	*d = (struct draft){
		.s = { .type = t->type,
			.first_line = line->number,
			.cpu = t->cpu,
			.pid = t->pid,
			.title = span_text(line->text),
			.occurrences = 1 },
		.title = *t,
		.caller = line->caller,
		.open = true,
	};
	if (span_len(t->comm))
		d->s.comm = span_text(t->comm);
	/* "cut here" and what stands between it and the title. */
	for (size_t k = r->cut ? r->cut - 1 : i; k < i; k++)
		append(d, &log->line[k], true);
	r->cut = 0;
	append(d, line, true);
}

/* An Oops follows the "BUG:" line that says why; only alone it is a splat of its own. */
static bool goes_on(const struct draft *d, const struct splat_title *t)
{
	return d && t->continues && (is_type(d, "oops") || is_type(d, "bug") || is_type(d, "gpf"));
}

static void read_lines(struct reader *r, const struct log *log)
{
	size_t current = 0;

	for (size_t i = 0; i < log->n; i++) {
		const struct log_line *line = &log->line[i];
		struct draft *d = owner(r, line, &current);
		struct splat_title title;

		if (starts(line->text, "------------[ cut here ]")) {
			r->cut = i + 1;
		} else if (splat_title_read(line->text, &title) && !goes_on(d, &title)) {
			begin(r, log, i, &title);
			current = r->n - 1;
		} else if (r->cut && i - r->cut > MAX_FOREIGN) {
			r->cut = 0;
		} else if (!r->cut && d) {
			feed(d, line);
		}
	}
	for (size_t i = 0; i < r->n; i++)
		if (r->d[i].open)
			close_draft(&r->d[i]);
}

/* ---- Where it happened ---- */

/* Functions that print traces, wait or report: the one that called them is meant. */
static bool is_machinery(const char *frame)
{
	static const char *const names[] = { "dump_stack", "dump_backtrace", "show_stack",
		"__dump_stack", "panic", "__warn", "warn_slowpath", "report_bug", "handle_bug",
		"exc_", "asm_exc_", "schedule", "__schedule", "io_schedule", "kasan_", "__kasan",
		"print_", "check_memory_region", "__might", "___might", "sched_show_task",
		"__wait_for_common", "wait_for_completion", "watchdog", "dump_cpu_task",
		"rcu_check_callbacks", "rcu_sched_clock_irq", "check_cpu_stall", "__rcu_pending" };

	for (size_t i = 0; i < array_size(names); i++)
		if (strncmp(frame, names[i], strlen(names[i])) == 0)
			return true;
	return false;
}

static char *frame_function(const struct draft *d)
{
	for (size_t i = 0; i < d->s.n_frames; i++) {
		const char *frame = d->s.frames[i], *plus = strstr(frame, "+0x");

		if (*frame != '?' && plus && !is_machinery(frame))
			return xmemdup0(frame, (size_t)(plus - frame));
	}
	return xstrdup("");
}

static char *place_and_function(struct span place, struct span function)
{
	char *file = span_text(place), *name = span_text(function), *both;

	both = xasprintf("%s%s%s", file, *file && *name ? " " : "", name);
	free(file);
	free(name);
	return both;
}

static char *locate(const struct draft *d)
{
	const struct splat_title *t = &d->title;

	if (is_type(d, "panic"))
		return span_text(t->kind);
	if (span_len(t->place))
		return place_and_function(t->place, span_len(t->function) ? t->function : d->ip);
	if (span_len(d->place))
		return span_text(d->place);
	if (span_len(t->function))
		return span_text(t->function);
	if (span_len(d->at))
		return span_text(d->at);
	if (span_len(d->ip))
		return span_text(d->ip);
	if (d->user_mode)
		return xstrdup("user space");
	return is_type(d, "rcu-stall") ? xstrdup("") : frame_function(d);
}

/* The title with its numbers made alike. */
static char *general_title(const char *title)
{
	struct strbuf sb = STRBUF_INIT;

	for (const char *p = title; *p; p++) {
		bool digit = *p >= '0' && *p <= '9';

		if (!digit || !sb.len || sb.data[sb.len - 1] != '0')
			strbuf_putc(&sb, digit ? '0' : *p, 1);
	}
	return sb.data ? strbuf_steal(&sb) : xstrdup("");
}

/* Equal keys are the same splat. Lockups and stalls are told apart by CPU: each is one more CPU that
 * hangs, while the place is where the watchdog happened to find it. */
static void make_key(struct draft *d)
{
	char *kind = span_text(d->title.kind), *title = general_title(d->s.title);

	d->s.location = locate(d);
	if (is_type(d, "soft-lockup") || is_type(d, "hard-lockup"))
		d->key = xasprintf("%s|%d|%s", d->s.type, d->s.cpu, d->s.comm ? d->s.comm : "");
	else if (is_type(d, "rcu-stall"))
		d->key = xasprintf("%s|%d|%s", d->s.type, d->s.cpu, kind);
	else if (*d->s.location)
		d->key = xasprintf("%s|%s|%s", d->s.type, kind, d->s.location);
	else
		d->key = xasprintf("%s|%s", d->s.type, title);
	free(title);
	free(kind);
}

static void splat_release(struct splat *s)
{
	for (size_t i = 0; i < s->n_frames; i++)
		free(s->frames[i]);
	free(s->frames);
	free(s->title);
	free(s->comm);
	free(s->location);
	free(s->taint);
	free(s->text);
}

void kernel_log_splats_free(struct splat *splats, size_t n)
{
	for (size_t i = 0; i < n; i++)
		splat_release(&splats[i]);
	free(splats);
}

static struct draft *first_like(struct reader *r, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (r->d[k].s.occurrences && strcmp(r->d[k].key, r->d[i].key) == 0)
			return &r->d[k];
	return NULL;
}

/* Complete the drafts and keep the first of each kind. */
static void finish(struct reader *r, struct splat **splats, size_t *n)
{
	*splats = r->n ? xcalloc(r->n, sizeof(**splats)) : NULL;
	*n = 0;
	for (size_t i = 0; i < r->n; i++) {
		struct draft *d = &r->d[i], *first;

		make_key(d);
		first = first_like(r, i);
		if (first) {
			first->s.occurrences++;
			d->s.occurrences = 0;
		}
	}
	for (size_t i = 0; i < r->n; i++) {
		struct draft *d = &r->d[i];

		if (!d->s.comm)
			d->s.comm = xstrdup("");
		if (!d->s.taint)
			d->s.taint = xstrdup("");
		d->s.text = strbuf_steal(&d->text);
		if (d->s.occurrences)
			(*splats)[(*n)++] = d->s;
		else
			splat_release(&d->s);
		free(d->key);
	}
	free(r->d);
}

static size_t read_log(const char *text, size_t len, struct splat **splats, size_t *n)
{
	struct reader r = { 0 };
	struct log log;
	size_t lost;

	log_read(&log, text, len);
	read_lines(&r, &log);
	finish(&r, splats, n);
	lost = log.lost;
	log_release(&log);
	return lost;
}

int kernel_log_splats(const char *text, size_t len, struct splat **splats, size_t *n)
{
	read_log(text, len, splats, n);
	return 0;
}

/* ---- The collector ---- */

static void emit(const struct splat *s, struct values *out)
{
	struct value *v = values_add(out, "splat", "count", (double)s->occurrences);

	values_label(out, v, "type", s->type);
	if (*s->location)
		values_label(out, v, "location", s->location);
	if (s->cpu >= 0)
		values_label_int(out, v, "cpu", s->cpu);
	if (*s->comm) {
		char *task = s->pid >= 0 ? xasprintf("%s:%ld", s->comm, s->pid) : xstrdup(s->comm);

		values_label(out, v, "task", task);
		free(task);
	}
	values_label_int(out, v, "first_line", (long)s->first_line);
	values_label(out, v, "title", s->title);
}

/* Where the part of a log begins that an earlier copy lacks: behind the earlier one's last lines.
 * The ring may have dropped lines at the front meanwhile. */
static size_t new_part(
	const struct collector_text *before, const struct collector_text *after, struct values *out)
{
	struct span old = span_of(before->text, before->len),
		    new = span_of(after->text, after->len);
	const char *tail = old.end, *at;
	int lines = 0;

	if (!before->len)
		return 0;
	if (span_len(new) >= before->len && memcmp(new.p, old.p, before->len) == 0)
		return before->len;
	while (tail > old.p && lines < 4)
		if (*--tail == '\n')
			lines++;
	if (tail > old.p)
		tail++;
	at = memmem(new.p, span_len(new), tail, (size_t)(old.end - tail));
	if (at)
		return (size_t)(at - new.p) + (size_t)(old.end - tail);
	values_note(out, "nothing of the first log is left in the second: all of it counts as new");
	return 0;
}

static size_t count_lines(const char *text, size_t len)
{
	size_t n = 0;

	for (size_t i = 0; i < len; i++)
		n += text[i] == '\n';
	return n;
}

static int parse(const struct collector_text *before, const struct collector_text *after, bool all,
	struct values *out, struct error *err)
{
	const struct collector_text *text = collector_text_last(before, after);
	size_t skip = before && after ? new_part(before, after, out) : 0, n, lost, lines;
	struct splat *splats;

	(void)all;
	(void)err;
	lost = read_log(text->text + skip, text->len - skip, &splats, &n);
	lines = count_lines(text->text, skip);
	for (size_t i = 0; i < n; i++) {
		splats[i].first_line += lines;
		emit(&splats[i], out);
	}
	if (lost)
		values_note(out, "the kernel's log overflowed: splats may be missing");
	kernel_log_splats_free(splats, n);
	return 0;
}

/* A machine that stood still, or is about to be of no use, measures nothing. */
static char *voids(const struct values *values)
{
	static const struct {
		const char *type, *why;
	} fatal[] = {
		{ "soft-lockup", "the machine was paused or starved, or the kernel hung" },
		{ "hard-lockup", "the machine was paused or starved, or the kernel hung" },
		{ "rcu-stall", "the machine was paused or starved, or the kernel hung" },
		{ "workqueue-lockup", "the machine was paused or starved, or the kernel hung" },
		{ "oops", "the kernel is damaged" },
		{ "gpf", "the kernel is damaged" },
		{ "panic", "the kernel stopped" },
	};

	for (size_t i = 0; i < values->n; i++) {
		const char *type = value_label(&values->v[i], "type");

		for (size_t k = 0; type && k < array_size(fatal); k++)
			if (strcmp(type, fatal[k].type) == 0)
				return xasprintf("%s during the trial (%s): %s", type,
					value_label(&values->v[i], "title"), fatal[k].why);
	}
	return NULL;
}

static const char *const aliases[] = { "dmesg", "kmsg", NULL };

const struct collector_ops kernel_log_collector = {
	.name = "kernel_log",
	.aliases = aliases,
	.help = "what the kernel printed: WARNING, BUG, Oops, lockups, stalls, hung tasks",
	.probe = "kernel_log",
	.parse = parse,
	.voids = voids,
};
