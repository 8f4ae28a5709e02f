/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collectors/log_line.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/strbuf.h"

/* [    6.358786][    T1] BUG: KASAN: ...		dmesg, console; the second bracket on some kernels
 * <4>[    6.358786] BUG: ...				console with levels
 * [Mon Nov 30 20:47:05 2026] BUG: ...			dmesg -T
 * kern  :warn  : [    6.358786] BUG: ...		dmesg -x
 * Nov 30 20:47:05 host kernel: BUG: ...		journal
 * 4,1234,6358786,-,caller=T1;BUG: ...			kmsg; then " KEY=value" lines
 * # lost: ...						kernel_log_probe.c */

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* ---- Time stamps ---- */

/* "[    6.358786]" or "[Mon Nov 30 20:47:05 2026]"; other brackets belong to the message. */
static bool skip_time(struct span *s)
{
	struct span inside = *s, rest;
	const char *close;
	uint64_t v;

	if (!span_skip(&inside, "[") || !(close = memchr(inside.p, ']', span_len(inside))))
		return false;
	inside.end = close;
	rest = inside = span_trim(inside);
	if (span_digits(&rest, &v)) {
		if (!span_skip(&rest, ".") || !span_digits(&rest, &v) || span_len(rest))
			return false;
	} else if (span_len(inside) < 20 || inside.p[3] != ' ' || !is_digit(inside.end[-1]) ||
		   !memchr(inside.p, ':', span_len(inside))) {
		return false;
	}
	s->p = close + 1;
	return true;
}

/* "[    T1]", "[   C12]" */
static bool skip_caller(struct span *s, struct span *caller)
{
	struct span inside = *s, rest;
	const char *close;
	uint64_t v;

	if (!span_skip(&inside, "[") || !(close = memchr(inside.p, ']', span_len(inside))))
		return false;
	inside.end = close;
	rest = inside = span_trim(inside);
	if (!(span_skip(&rest, "T") || span_skip(&rest, "C")) || !span_u64(rest, &v))
		return false;
	*caller = inside;
	s->p = close + 1;
	return true;
}

static void skip_level(struct span *s)
{
	struct span rest = *s;
	uint64_t v;

	if (span_skip(&rest, "<") && span_digits(&rest, &v) && span_skip(&rest, ">"))
		*s = rest;
}

static void skip_facility(struct span *s)
{
	struct span rest = *s;
	const char *open;

	if (!span_skip(&rest, "kern"))
		return;
	open = span_find(rest, ": [");
	if (open && open - s->p < 24)
		s->p = open + 2;
}

static void skip_journal(struct span *s)
{
	struct span rest = *s;
	const char *kernel = span_find(rest, " kernel: ");

	if (!kernel || kernel - s->p > 120 || !memchr(s->p, ':', (size_t)(kernel - s->p)) ||
		*s->p < '0' || *s->p > 'Z')
		return;
	s->p = kernel + strlen(" kernel: ");
}

static struct log_line take_apart(struct span raw, size_t number)
{
	struct log_line line = { .number = number, .raw = raw, .caller = { raw.p, raw.p } };
	struct span s = raw;
	bool stamped;

	skip_facility(&s);
	if (span_len(s) && *s.p != '[' && *s.p != '<' && *s.p != ' ')
		skip_journal(&s);
	skip_level(&s);
	stamped = skip_time(&s);
	if (stamped) {
		struct span bracket = s;

		span_skip(&bracket, " ");
		if (skip_caller(&bracket, &line.caller))
			s = bracket;
		span_skip(&s, " ");
	}
	line.text = s;
	return line;
}

/* ---- kmsg records ---- */

struct record {
	uint64_t microseconds;
	struct span caller, message;
};

static bool read_record(struct span line, struct record *rec)
{
	struct span head = line, field;
	const char *semicolon = memchr(line.p, ';', span_len(line));
	uint64_t v;

	if (!semicolon || !span_len(line) || !is_digit(*line.p))
		return false;
	head.end = semicolon;
	*rec = (struct record){ .caller = { line.p, line.p },
		.message = { semicolon + 1, line.end } };
	for (int i = 0; i < 3; i++)
		if (!span_field(&head, ',', &field) ||
			!span_u64(field, i == 2 ? &rec->microseconds : &v))
			return false;
	if (!span_field(&head, ',', &field))
		return false;
	while (span_field(&head, ',', &field))
		if (span_skip(&field, "caller="))
			rec->caller = field;
	return true;
}

static int hex_digit(char c)
{
	return is_digit(c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The kernel writes control bytes, backslashes and bytes above 127 as "\x0a". */
static void unescape(struct span s, struct strbuf *out)
{
	while (s.p < s.end) {
		int high = -1, low = -1;

		if (*s.p == '\\' && span_len(s) >= 4 && s.p[1] == 'x') {
			high = hex_digit(s.p[2]);
			low = hex_digit(s.p[3]);
		}
		if (high >= 0 && low >= 0) {
			strbuf_putc(out, (char)(high * 16 + low), 1);
			s.p += 4;
		} else {
			strbuf_putc(out, *s.p++, 1);
		}
	}
}

/* A message of several lines gives each its time stamp, as dmesg does. */
static void write_record(const struct record *rec, struct strbuf *out)
{
	struct strbuf message = STRBUF_INIT;
	struct span rest, line;
	bool any = false;

	unescape(rec->message, &message);
	rest = span_of(strbuf_text(&message), message.len);
	while (span_line(&rest, &line) || !any) {
		any = true;
		strbuf_printf(out, "[%5llu.%06llu]",
			(unsigned long long)(rec->microseconds / 1000000),
			(unsigned long long)(rec->microseconds % 1000000));
		if (span_len(rec->caller)) {
			strbuf_puts(out, "[");
			strbuf_add(out, rec->caller.p, span_len(rec->caller));
			strbuf_puts(out, "]");
		}
		strbuf_puts(out, " ");
		if (message.len)
			strbuf_add(out, line.p, span_len(line));
		strbuf_puts(out, "\n");
	}
	strbuf_release(&message);
}

/* ---- Logs ---- */

static void add_line(struct log *log, struct span raw, size_t number)
{
	array_reserve(log->line, log->n, log->cap);
	log->line[log->n++] = take_apart(raw, number);
}

static bool is_kmsg(const char *text, size_t len)
{
	struct span rest = span_of(text, len), line;
	struct record rec;

	while (span_line(&rest, &line)) {
		if (span_blank(line) || *line.p == '#')
			continue;
		return read_record(line, &rec);
	}
	return false;
}

/* Records become lines of dmesg in a text of our own; the spans can be cut once it is complete, and
 * a record's number of lines is not known before, so each is remembered with its number. */
static void read_kmsg(struct log *log, const char *text, size_t len)
{
	struct span rest = span_of(text, len), line;
	struct strbuf own = STRBUF_INIT;
	size_t number = 0, *numbers = NULL, n = 0, cap = 0, done = 0;

	while (span_line(&rest, &line)) {
		struct record rec;

		number++;
		if (read_record(line, &rec))
			write_record(&rec, &own);
		else if (span_skip(&line, "# lost:"))
			log->lost++;
		for (; done < own.len; done++) {
			if (own.data[done] != '\n')
				continue;
			array_reserve(numbers, n, cap);
			numbers[n++] = number;
		}
	}
	rest = span_of(strbuf_text(&own), own.len);
	for (size_t i = 0; i < n && span_line(&rest, &line); i++)
		add_line(log, line, numbers[i]);
	free(numbers);
	log->own = own.data;
}

void log_read(struct log *log, const char *text, size_t len)
{
	struct span rest = span_of(text, len), line;
	size_t number = 0;

	*log = (struct log){ 0 };
	if (is_kmsg(text, len)) {
		read_kmsg(log, text, len);
		return;
	}
	while (span_line(&rest, &line)) {
		struct span lost = line;

		number++;
		if (span_skip(&lost, "# lost:"))
			log->lost++;
		else
			add_line(log, line, number);
	}
}

void log_release(struct log *log)
{
	free(log->line);
	free(log->own);
	*log = (struct log){ 0 };
}
