/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "db/query.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "base/strbuf.h"
#include "db/sql_files.h"

/* What the codes mean to a caller, and what helps a person. */
static const struct {
	int rc, code;
	const char *help;
} failures[] = {
	{ SQLITE_BUSY, -EBUSY, "another program has been writing to it for more than 10 s" },
	{ SQLITE_FULL, -ENOSPC, "the disk is full; nothing of this step was kept" },
	{ SQLITE_CORRUPT, -EINVAL,
		"it is damaged; restore a backup, or move it away to start anew" },
	{ SQLITE_NOTADB, -EINVAL,
		"it is not a database; move it away, or name another with --state" },
	{ SQLITE_CANTOPEN, -EACCES, "check that its folder exists and may be entered" },
	{ SQLITE_READONLY, -EROFS, "it cannot be written to" },
	{ SQLITE_CONSTRAINT, -EINVAL, "the row does not fit what is there" },
	{ SQLITE_NOMEM, -ENOMEM, "out of memory" },
};

int store_fail(struct store *store, int rc, struct error *err)
{
	int extended = sqlite3_extended_errcode(store->db);
	const char *why =
		(extended & 0xff) == (rc & 0xff) ? sqlite3_errmsg(store->db) : sqlite3_errstr(rc);

	if (extended == SQLITE_CONSTRAINT_UNIQUE)
		return error_set(err, -EEXIST, "database '%s': %s", store->path, why);
	for (size_t i = 0; i < array_size(failures); i++)
		if (failures[i].rc == (rc & 0xff))
			return error_set(err, failures[i].code, "database '%s': %s; %s",
				store->path, why, failures[i].help);
	return error_set(err, -EIO, "database '%s': %s", store->path, why);
}

static int compare_names(const void *name, const void *file)
{
	return strcmp(name, ((const struct sql_file *)file)->name);
}

static size_t query_index(const char *name)
{
	char *full = xasprintf("queries/%s", name);
	const struct sql_file *file =
		bsearch(full, sql_files, sql_files_n, sizeof(*sql_files), compare_names);

	free(full);
	assert(file);
	return (size_t)(file - sql_files);
}

struct query query_start(struct store *store, const char *name)
{
	size_t at = query_index(name);
	struct query q = { .store = store, .stmt = store->statements[at] };

	if (q.stmt) {
		assert(!sqlite3_stmt_busy(q.stmt));
		return q;
	}
	q.rc = sqlite3_prepare_v3(
		store->db, sql_files[at].text, -1, SQLITE_PREPARE_PERSISTENT, &q.stmt, NULL);
	store->statements[at] = q.stmt;
	return q;
}

static void note(struct query *q, int rc)
{
	if (q->rc == SQLITE_OK)
		q->rc = rc;
}

void query_int(struct query *q, int64_t value)
{
	note(q, sqlite3_bind_int64(q->stmt, ++q->bound, value));
}

void query_real(struct query *q, double value)
{
	note(q, sqlite3_bind_double(q->stmt, ++q->bound, value));
}

void query_text(struct query *q, const char *text)
{
	note(q, sqlite3_bind_text(q->stmt, ++q->bound, text, -1, SQLITE_STATIC));
}

void query_json(struct query *q, const json_t *value)
{
	q->bound++;
	if (value)
		note(q, sqlite3_bind_text(q->stmt, q->bound, json_line(value), -1, free));
}

void query_blob(struct query *q, const void *data, size_t len)
{
	note(q, sqlite3_bind_blob64(q->stmt, ++q->bound, len ? data : "", len, SQLITE_STATIC));
}

void query_end(struct query *q)
{
	sqlite3_reset(q->stmt);
	sqlite3_clear_bindings(q->stmt);
}

int query_step(struct query *q, struct error *err)
{
	int ret;

	if (q->rc == SQLITE_OK)
		q->rc = sqlite3_step(q->stmt);
	if (q->rc == SQLITE_ROW) {
		q->rc = SQLITE_OK;
		return 1;
	}
	/* The message is that of the last call on the connection: fetched before the reset. */
	ret = q->rc == SQLITE_DONE ? 0 : store_fail(q->store, q->rc, err);
	if (q->stmt)
		query_end(q);
	return ret;
}

int query_run(struct query *q, struct error *err)
{
	int ret;

	do
		ret = query_step(q, err);
	while (ret > 0);
	return ret < 0 ? ret : sqlite3_changes(q->store->db);
}

int query_script(struct store *store, const char *sql, struct error *err)
{
	int rc = sqlite3_exec(store->db, sql, NULL, NULL, NULL);

	return rc == SQLITE_OK ? 0 : store_fail(store, rc, err);
}

const char *column_text(struct query *q, int column)
{
	const char *text = (const char *)sqlite3_column_text(q->stmt, column);

	return text ? text : "";
}

char *column_dup(struct query *q, int column)
{
	return xstrdup((const char *)sqlite3_column_text(q->stmt, column));
}

int64_t column_int(struct query *q, int column)
{
	return sqlite3_column_int64(q->stmt, column);
}

int column_json(struct query *q, int column, json_t **value, struct error *err)
{
	const char *text = (const char *)sqlite3_column_text(q->stmt, column);
	int ret;

	*value = NULL;
	if (!text)
		return 0;
	ret = json_parse(text, (size_t)sqlite3_column_bytes(q->stmt, column), value, err);
	if (ret < 0)
		error_prefix(err, "database '%s' is damaged: column %s: ", q->store->path,
			sqlite3_column_name(q->stmt, column));
	return ret;
}

int store_begin(struct store *store, struct error *err)
{
	struct query q = query_start(store, "begin");
	int ret = query_run(&q, err);

	return ret < 0 ? ret : 0;
}

int store_end(struct store *store, int ret, struct error *err)
{
	struct query q;
	int done;

	if (ret >= 0) {
		q = query_start(store, "commit");
		done = query_run(&q, err);
		if (done >= 0)
			return ret;
		ret = done;
	}
	/* Rows that the transaction added to the dictionaries are gone with it. */
	idmap_release(&store->ids);
	if (!sqlite3_get_autocommit(store->db)) {
		q = query_start(store, "rollback");
		query_run(&q, NULL);
	}
	return ret;
}

static int intern_in_database(struct store *store, const char *dictionary,
	const char *const *column, size_t n, int64_t *id, struct error *err)
{
	char *find = xasprintf("%s_find", dictionary), *add = xasprintf("%s_add", dictionary);
	struct query q = query_start(store, find);
	int ret;

	for (size_t i = 0; i < n; i++)
		query_text(&q, column[i]);
	ret = query_step(&q, err);
	if (ret > 0) {
		*id = column_int(&q, 0);
		query_end(&q);
	} else if (ret == 0) {
		q = query_start(store, add);
		for (size_t i = 0; i < n; i++)
			query_text(&q, column[i]);
		ret = query_run(&q, err);
		*id = sqlite3_last_insert_rowid(store->db);
	}
	free(find);
	free(add);
	return ret < 0 ? ret : 0;
}

int store_intern(struct store *store, const char *dictionary, const char *const *column, size_t n,
	int64_t *id, struct error *err)
{
	struct strbuf key = STRBUF_INIT;
	int ret = 0;

	strbuf_puts(&key, dictionary);
	for (size_t i = 0; i < n; i++) {
		strbuf_putc(&key, '\x1f', 1);
		strbuf_puts(&key, column[i]);
	}
	*id = idmap_get(&store->ids, strbuf_text(&key));
	if (!*id) {
		ret = intern_in_database(store, dictionary, column, n, id, err);
		if (ret == 0)
			idmap_put(&store->ids, strbuf_text(&key), *id);
	}
	strbuf_release(&key);
	return ret;
}
