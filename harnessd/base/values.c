/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/values.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/strpool.h"

static const char *const better_names[] = {
	[BETTER_NONE] = "none",
	[BETTER_HIGHER] = "higher",
	[BETTER_LOWER] = "lower",
};

struct value *values_add(struct values *vs, const char *name, const char *unit, double value)
{
	struct value *v;

	if (!vs->pool)
		vs->pool = strpool_new();
	array_reserve(vs->v, vs->n, vs->cap);
	v = &vs->v[vs->n++];
	*v = (struct value){
		.name = strpool_add(vs->pool, name),
		.unit = strpool_add(vs->pool, unit ? unit : ""),
		.value = value,
	};
	return v;
}

void values_label(struct values *vs, struct value *v, const char *key, const char *text)
{
	assert(v->n_labels < VALUE_MAX_LABELS);
	v->labels[v->n_labels++] = (struct label){
		.key = strpool_add(vs->pool, key),
		.value = strpool_add(vs->pool, text),
	};
}

void values_label_int(struct values *vs, struct value *v, const char *key, long number)
{
	char text[24];

	snprintf(text, sizeof(text), "%ld", number);
	values_label(vs, v, key, text);
}

void values_note(struct values *vs, const char *fmt, ...)
{
	va_list ap;

	array_reserve(vs->notes, vs->n_notes, vs->cap_notes);
	va_start(ap, fmt);
	vs->notes[vs->n_notes++] = xvasprintf(fmt, ap);
	va_end(ap);
}

const char *value_label(const struct value *v, const char *key)
{
	for (size_t i = 0; i < v->n_labels; i++)
		if (strcmp(v->labels[i].key, key) == 0)
			return v->labels[i].value;
	return NULL;
}

const char *better_name(enum better better)
{
	return better_names[better];
}

int better_parse(const char *text, enum better *better)
{
	for (size_t i = 0; i < array_size(better_names); i++) {
		if (strcmp(text, better_names[i]) == 0) {
			*better = (enum better)i;
			return 0;
		}
	}
	return -EINVAL;
}

/* Whole numbers are printed as such: 197212, not 197212.0. */
static json_t *number_to_json(double value)
{
	if (value == (double)(long long)value && value > -9e15 && value < 9e15)
		return json_integer((json_int_t)value);
	return json_real(value);
}

static json_t *value_to_json(const struct value *v)
{
	json_t *labels = json_object();

	for (size_t i = 0; i < v->n_labels; i++)
		json_object_set_new(labels, v->labels[i].key, json_string(v->labels[i].value));
	return json_pack("{s:s, s:s, s:s, s:o, s:o}", "name", v->name, "unit", v->unit, "better",
		better_name(v->better), "labels", labels, "value", number_to_json(v->value));
}

json_t *values_to_json(const struct values *vs, const char *error)
{
	json_t *list = json_array(), *notes = json_array();

	for (size_t i = 0; i < vs->n; i++)
		json_array_append_new(list, value_to_json(&vs->v[i]));
	for (size_t i = 0; i < vs->n_notes; i++)
		json_array_append_new(notes, json_string(vs->notes[i]));
	return json_pack("{s:o, s:o, s:o}", "values", list, "notes", notes, "error",
		error ? json_string(error) : json_null());
}

void values_release(struct values *vs)
{
	for (size_t i = 0; i < vs->n_notes; i++)
		free(vs->notes[i]);
	free(vs->notes);
	free(vs->v);
	strpool_free(vs->pool);
	*vs = VALUES_INIT;
}
