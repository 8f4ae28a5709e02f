/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Between the files of the store. */
#ifndef DB_STORE_PRIV_H
#define DB_STORE_PRIV_H

#include "db/query.h"
#include "db/store.h"

/** run_state_parse(), trial_state_parse() - the reverse of the names. Return: 0 or -EINVAL. */
int run_state_parse(const char *text, enum run_state *state);
int trial_state_parse(const char *text, enum trial_state *state);

/** store_metric_id() - id of a metric with the labels of one value. */
int store_metric_id(struct store *store, const struct value *v, int64_t *id, struct error *err);
/** store_counters_add() - what one collector saw in a trial. */
int store_counters_add(struct store *store, int64_t trial, const struct store_counters *counters,
	struct error *err);

/** struct packed - a raw text as it is kept: @owned is freed with free() */
struct packed {
	const void *data;
	size_t len;
	void *owned;
};
/** store_pack() - compress a raw text where that makes it shorter. */
struct packed store_pack(struct store *store, const struct store_raw *raw);

/** text_json() - a text as JSON; one that is not UTF-8 comes with ? for what is not ASCII. */
json_t *text_json(const char *text);
/** labels_text() - labels as compact JSON; the value of @blank, one of them or NULL, is null. */
char *labels_text(const struct value *v, const struct label *blank);
/** labels_parse() - the reverse; strings are those of @labels, NULL for null. Return: n or -EINVAL. */
int labels_parse(const json_t *labels, struct label label[VALUE_MAX_LABELS]);

#endif
