/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Raw texts, compressed. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "db/store_priv.h"

/*
 * Level 3: an interrupts file of 2 kB goes to 29 % in 10 us, one of 32 kB to 6 % in 38 us; level 6 takes
 * up to three times as long for 1 to 2 % less. The stream is kept: deflateInit() alone costs 260 us in
 * fresh memory.
 */
enum { LEVEL = 3 };

struct packed store_pack(struct store *store, const struct store_raw *raw)
{
	struct packed packed = { .data = raw->data, .len = raw->len };
	z_stream *z = &store->deflate;

	if (raw->len == 0 || raw->len > UINT32_MAX)
		return packed;
	if (store->deflating)
		deflateReset(z);
	else if (deflateInit(z, LEVEL) != Z_OK)
		return packed;
	store->deflating = true;
	packed.owned = xmalloc(raw->len);
	z->next_in = (Bytef *)(uintptr_t)raw->data;
	z->avail_in = (uInt)raw->len;
	z->next_out = packed.owned;
	z->avail_out = (uInt)raw->len - 1;
	if (deflate(z, Z_FINISH) != Z_STREAM_END) {
		free(packed.owned); /* no shorter: kept as it is */
		packed.owned = NULL;
		return packed;
	}
	packed.data = packed.owned;
	packed.len = z->total_out;
	return packed;
}

static int unpack(struct query *q, char **data, size_t *len, struct error *err)
{
	int64_t want = column_int(q, 0);
	const void *kept = sqlite3_column_blob(q->stmt, 1);
	size_t n = (size_t)sqlite3_column_bytes(q->stmt, 1);
	uLongf got = (uLongf)want;

	if (n == (size_t)want) {
		*data = xmemdup0(n ? kept : "", n);
		*len = n;
		return 0;
	}
	/* zlib never makes a text shorter than 1/1032 (https://zlib.net/zlib_tech.html). */
	*data = want >= 0 && (size_t)want <= n * 1032 ? xmalloc((size_t)want + 1) : NULL;
	if (!*data || uncompress((Bytef *)*data, &got, kept, n) != Z_OK || got != (uLongf)want) {
		free(*data);
		*data = NULL;
		return error_set(err, -EINVAL,
			"database '%s' is damaged: a raw text cannot be decompressed",
			q->store->path);
	}
	(*data)[got] = '\0';
	*len = got;
	return 0;
}

int store_raw_get(struct store *store, int64_t trial, const char *name, char **data, size_t *len,
	struct error *err)
{
	struct query q = query_start(store, "raw_get");
	int ret;

	query_int(&q, trial);
	query_text(&q, name);
	ret = query_step(&q, err);
	if (ret == 0)
		return error_set(
			err, -ENOENT, "trial %lld has no raw text '%s'", (long long)trial, name);
	if (ret < 0)
		return ret;
	ret = unpack(&q, data, len, err);
	query_end(&q);
	return ret;
}

int store_raw_names(struct store *store, int64_t trial, json_t **names, struct error *err)
{
	struct query q = query_start(store, "raw_names");
	int ret;

	query_int(&q, trial);
	*names = json_array();
	while ((ret = query_step(&q, err)) > 0)
		json_array_append_new(*names, json_string(column_text(&q, 0)));
	if (ret < 0) {
		json_decref(*names);
		*names = NULL;
	}
	return ret;
}
