/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside the store: the connection, its prepared statements, one query at a time.
 *
 *	struct query q = query_start(store, "run_facts");
 *	query_int(&q, run);
 *	query_json(&q, facts);
 *	ret = query_run(&q, err);
 *
 * Values are bound in the order ?1, ?2, …; errors on the way are kept and told by the last call. */
#ifndef DB_QUERY_H
#define DB_QUERY_H

#include <jansson.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <zlib.h>

#include "base/error.h"
#include "db/idmap.h"

/**
 * struct store - see db/store.h
 * @statements: prepared ones, in the order of sql_files[]; NULL until first used
 * @ids: dictionary rows known to be in the database: text of the key to id
 * @deflate: kept, since setting one up costs more than compressing a small text; valid when @deflating
 */
struct store {
	sqlite3 *db;
	char *path;
	sqlite3_stmt **statements;
	struct idmap ids;
	z_stream deflate;
	bool deflating;
};

/** struct query - a statement in use */
struct query {
	struct store *store;
	sqlite3_stmt *stmt;
	int bound;
	int rc; /* first SQLite error, SQLITE_OK while there is none */
};

/** store_fail() - message and -errno for a SQLite result code. */
int store_fail(struct store *store, int rc, struct error *err);

/** query_start() - the statement of db/queries/@name.sql, ready for values. */
struct query query_start(struct store *store, const char *name);
/** query_int() - bind the next value. */
void query_int(struct query *q, int64_t value);
/** query_real() - bind the next value. */
void query_real(struct query *q, double value);
/** query_text() - bind the next value, borrowed until the query ends; NULL is NULL. */
void query_text(struct query *q, const char *text);
/** query_json() - bind the next value as compact JSON; NULL is NULL. */
void query_json(struct query *q, const json_t *value);
/** query_blob() - bind the next value, borrowed until the query ends. */
void query_blob(struct query *q, const void *data, size_t len);

/** query_step() - next row. Return: 1 with a row, 0 at the end, -errno; ended unless 1. */
int query_step(struct query *q, struct error *err);
/** query_end() - let go of the statement before its last row. */
void query_end(struct query *q);
/** query_run() - carry out a query that has no rows. Return: rows changed, or -errno. */
int query_run(struct query *q, struct error *err);
/** query_script() - carry out a text of several statements. */
int query_script(struct store *store, const char *sql, struct error *err);

/** column_text() - text of a column, "" for NULL; borrowed until the next step. */
const char *column_text(struct query *q, int column);
/** column_dup() - text of a column owned by the caller; NULL for NULL. */
char *column_dup(struct query *q, int column);
/** column_int() - integer column. */
int64_t column_int(struct query *q, int column);
/** column_json() - JSON column, *value NULL for NULL; new reference. Return: 0 or -EINVAL. */
int column_json(struct query *q, int column, json_t **value, struct error *err);

/** store_begin() - start a transaction that writes; waits for another writer. */
int store_begin(struct store *store, struct error *err);
/** store_end() - commit when @ret is not negative, else roll back. Return: @ret, or why not. */
int store_end(struct store *store, int ret, struct error *err);

/**
 * store_intern() - id of a dictionary row, added when it is new
 * @dictionary: names the queries: @dictionary_find and @dictionary_add
 * @column: n texts
 */
int store_intern(struct store *store, const char *dictionary, const char *const *column, size_t n,
	int64_t *id, struct error *err);

#endif
