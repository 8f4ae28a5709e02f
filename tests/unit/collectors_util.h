/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the tests of collectors share: parse texts, look values up. */
#ifndef TESTS_COLLECTORS_UTIL_H
#define TESTS_COLLECTORS_UTIL_H

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "collectors/collector.h"

/** struct parsed - what a parse gave; release with parsed_release() */
struct parsed {
	struct values out;
	struct error err;
	int r;
};

static inline struct parsed parse_bytes(const char *name, const char *before, size_t n_before,
	const char *after, size_t n_after, bool all)
{
	struct parsed p = { .out = VALUES_INIT, .err = ERROR_INIT };
	struct collector_text a = { before, n_before }, b = { after, n_after };
	const struct collector_ops *ops = collector_find(name, NULL);

	assert_non_null(ops);
	p.r = ops->parse(before ? &a : NULL, after ? &b : NULL, all, &p.out, &p.err);
	return p;
}

/** parse_text() - of strings; @after NULL for one snapshot. */
static inline struct parsed parse_text(const char *name, const char *before, const char *after)
{
	return parse_bytes(
		name, before, before ? strlen(before) : 0, after, after ? strlen(after) : 0, false);
}

static inline void parsed_release(struct parsed *p)
{
	values_release(&p->out);
	error_release(&p->err);
}

/** value_of() - first value of a name that has the labels; NAN without. Pairs of key and value, ended
 * by NULL; the value NULL asks that the label is absent. */
static inline double value_of(const struct parsed *p, const char *name, const char *const *labels)
{
	for (size_t i = 0; i < p->out.n; i++) {
		const struct value *v = &p->out.v[i];
		bool fits = strcmp(v->name, name) == 0;

		for (const char *const *l = labels; fits && *l; l += 2) {
			const char *text = value_label(v, l[0]);

			fits = text && l[1] ? strcmp(text, l[1]) == 0 : text == l[1];
		}
		if (fits)
			return v->value;
	}
	return NAN;
}

/** assert_value() - cmocka's float comparison takes NAN for equal to anything, and has 24 bits. */
#define assert_value(got, expected) assert_true(fabs((got) - (expected)) <= 1e-9)

#define LABELS(...) ((const char *const[]){ __VA_ARGS__ __VA_OPT__(, ) NULL })

static inline bool noted(const struct parsed *p, const char *part)
{
	for (size_t i = 0; i < p->out.n_notes; i++)
		if (strstr(p->out.notes[i], part))
			return true;
	return false;
}

/** refused() - an error of that code whose message holds a text, and no values. */
static inline bool refused(const struct parsed *p, int code, const char *part)
{
	return p->r == code && p->out.n == 0 && p->err.text && strstr(p->err.text, part);
}

#endif
