/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a parser saw: named, labelled numbers. Collectors and benchmark extraction both fill one,
 * "harness parse" prints it, the store keeps it. */
#ifndef BASE_VALUES_H
#define BASE_VALUES_H

#include <jansson.h>
#include <stddef.h>

#include "base/error.h"

enum better {
	BETTER_NONE,
	BETTER_HIGHER,
	BETTER_LOWER,
};

enum { VALUE_MAX_LABELS = 6 };

struct label {
	const char *key;
	const char *value;
};

/**
 * struct value - one number
 * @name: metric or counter name; @unit: "" when it has none
 * @labels: keys are the words of the house: cpu, irq, state, event, symbol, ...
 *
 * All strings belong to the struct values that holds it.
 */
struct value {
	const char *name;
	const char *unit;
	enum better better;
	size_t n_labels;
	struct label labels[VALUE_MAX_LABELS];
	double value;
};

struct strpool;

/**
 * struct values - what one parse gave
 * @notes: things a person should know that are no error ("row FIQ has no numbers")
 */
struct values {
	struct value *v;
	size_t n, cap;
	char **notes;
	size_t n_notes, cap_notes;
	struct strpool *pool;
};

#define VALUES_INIT ((struct values){ 0 })

/** values_add() - append a number; strings are copied. Return: it, until the next addition. */
struct value *values_add(struct values *vs, const char *name, const char *unit, double value);
/** values_label() - add a label to a value just added; strings are copied. */
void values_label(struct values *vs, struct value *v, const char *key, const char *text);
/** values_label_int() - values_label() with a number. */
void values_label_int(struct values *vs, struct value *v, const char *key, long number);
/** values_note() - append a note. */
void values_note(struct values *vs, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/** value_label() - a label's text or NULL; borrowed. */
const char *value_label(const struct value *v, const char *key);
/** better_name() - "higher", "lower", "none". */
const char *better_name(enum better better);
/** better_parse() - the reverse. Return: 0 or -EINVAL. */
int better_parse(const char *text, enum better *better);
/** values_to_json() - {"values": [...], "notes": [...], "error": @error or null}; new reference. */
json_t *values_to_json(const struct values *vs, const char *error);
/** values_release() - free all. */
void values_release(struct values *vs);

#endif
