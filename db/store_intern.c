/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counters on their way in: names to dictionary ids, numbers to cells. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/cpulist.h"
#include "base/json.h"
#include "db/cells.h"
#include "db/store_priv.h"

json_t *text_json(const char *text)
{
	json_t *value = json_string(text);
	char *ascii;

	if (value)
		return value;
	ascii = xstrdup(text);
	for (char *p = ascii; *p; p++)
		if (*p & 0x80)
			*p = '?';
	value = json_string(ascii);
	free(ascii);
	return value;
}

char *labels_text(const struct value *v, const struct label *blank)
{
	json_t *labels = json_object();
	char *text;

	for (size_t i = 0; i < v->n_labels; i++)
		json_object_set_new(labels, v->labels[i].key,
			&v->labels[i] == blank ? json_null() : text_json(v->labels[i].value));
	text = json_line(labels);
	json_decref(labels);
	return text;
}

int labels_parse(const json_t *labels, struct label label[VALUE_MAX_LABELS])
{
	const char *key;
	json_t *value;
	int n = 0;

	if (!json_is_object(labels) || json_object_size(labels) > VALUE_MAX_LABELS)
		return -EINVAL;
	json_object_foreach((json_t *)(uintptr_t)labels, key, value)
		label[n++] = (struct label){ .key = key, .value = json_string_value(value) };
	return n;
}

int store_metric_id(struct store *store, const struct value *v, int64_t *id, struct error *err)
{
	char *labels = labels_text(v, NULL);
	const char *column[] = { v->name, v->unit, better_name(v->better), labels };
	int ret = store_intern(store, "metric", column, array_size(column), id, err);

	free(labels);
	return ret;
}

/* "17" as printed by a parser; anything else stays a label like others. */
static bool cpu_number(const char *text, int32_t *cpu)
{
	long n = 0;

	if (!*text || (text[0] == '0' && text[1]))
		return false;
	for (; *text; text++) {
		if (!isdigit((unsigned char)*text))
			return false;
		n = n * 10 + (*text - '0');
		if (n > CPULIST_MAX_CPU)
			return false;
	}
	*cpu = (int32_t)n;
	return true;
}

/* The cpu label, NULL when there is none (then *cpu is CELL_NO_CPU). */
static const struct label *cpu_label(const struct value *v, int32_t *cpu)
{
	*cpu = CELL_NO_CPU;
	for (size_t i = 0; i < v->n_labels; i++)
		if (strcmp(v->labels[i].key, "cpu") == 0)
			return cpu_number(v->labels[i].value, cpu) ? &v->labels[i] : NULL;
	return NULL;
}

/*
 * Same key as the value before? Texts of one struct values are equal when their addresses are, and a
 * false no costs only time.
 */
static bool same_key(const struct value *a, const struct value *b, const struct label *blank)
{
	if (a->name != b->name || a->unit != b->unit || a->n_labels != b->n_labels)
		return false;
	for (size_t i = 0; i < a->n_labels; i++)
		if (a->labels[i].key != b->labels[i].key ||
			(&a->labels[i] != blank && a->labels[i].value != b->labels[i].value))
			return false;
	return true;
}

static int key_id(struct store *store, const char *collector, const struct value *v,
	const struct label *blank, int64_t *id, struct error *err)
{
	char *labels = labels_text(v, blank);
	const char *column[] = { collector, v->name, v->unit, labels };
	int ret = store_intern(store, "counter_key", column, array_size(column), id, err);

	free(labels);
	return ret;
}

/* Values that are not 0 as cells; *n of them, at most values->n. */
static int make_cells(struct store *store, const char *collector, const struct values *values,
	struct cell *cells, size_t *n, struct error *err)
{
	const struct value *last = NULL;
	bool last_blank = false;

	*n = 0;
	for (size_t i = 0; i < values->n; i++) {
		const struct value *v = &values->v[i];
		struct cell *cell = &cells[*n];
		const struct label *blank;
		int ret;

		if (v->value == 0)
			continue;
		cell->value = v->value;
		blank = cpu_label(v, &cell->cpu);
		if (last && !!blank == last_blank && same_key(v, last, blank)) {
			cell->key = cell[-1].key;
		} else {
			ret = key_id(store, collector, v, blank, &cell->key, err);
			if (ret < 0)
				return ret;
		}
		last = v;
		last_blank = blank != NULL;
		(*n)++;
	}
	return 0;
}

static int insert_cells(struct store *store, int64_t trial, int64_t collector, const char *cells,
	const struct store_counters *counters, struct error *err)
{
	struct query q = query_start(store, "trial_collector_add");
	json_t *notes = NULL;
	int ret;

	if (counters->values && counters->values->n_notes) {
		notes = json_array();
		for (size_t i = 0; i < counters->values->n_notes; i++)
			json_array_append_new(notes, text_json(counters->values->notes[i]));
	}
	query_int(&q, trial);
	query_int(&q, collector);
	query_text(&q, cells);
	query_text(&q, counters->error);
	query_json(&q, notes);
	ret = query_run(&q, err);
	json_decref(notes);
	return ret < 0 ? ret : 0;
}

int store_counters_add(struct store *store, int64_t trial, const struct store_counters *counters,
	struct error *err)
{
	static const struct values none = { 0 };
	const struct values *values = counters->values ? counters->values : &none;
	struct cell *cells = xcalloc(values->n + 1, sizeof(*cells));
	struct strbuf text = STRBUF_INIT;
	int64_t collector;
	size_t n;
	int ret;

	ret = store_intern(store, "collector", &counters->collector, 1, &collector, err);
	if (ret == 0)
		ret = make_cells(store, counters->collector, values, cells, &n, err);
	if (ret == 0) {
		cells_write(cells, n, &text);
		ret = insert_cells(store, trial, collector, strbuf_text(&text), counters, err);
	}
	strbuf_release(&text);
	free(cells);
	return ret;
}
