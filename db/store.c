/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "db/store.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "db/migrate.h"
#include "db/query.h"
#include "db/sql_files.h"

enum { BUSY_TIMEOUT_MS = 10000, BUSY_RETRY_MS = 20 };

static int check_path(const char *path, bool must_exist, struct error *err)
{
	struct stat st;

	if (stat(path, &st) < 0) {
		if (errno == ENOENT && !must_exist)
			return 0;
		if (errno == ENOENT)
			return error_set(err, -ENOENT,
				"there is no database '%s' yet; the first run makes it", path);
		return error_sys(err, -errno, "cannot open database '%s'", path);
	}
	if (!S_ISREG(st.st_mode))
		return error_set(err, -EINVAL, "'%s' is no file, so it is no database", path);
	return 0;
}

/*
 * WAL mode is a change of the file the first time, and needs all other connections gone for a moment:
 * SQLite may give up at once there to avoid a deadlock, so the wait is ours too.
 */
static int enter_wal(struct store *store, struct error *err)
{
	const uint64_t end = clock_monotonic_ns() + BUSY_TIMEOUT_MS * 1000000ull;

	for (;;) {
		struct query q = query_start(store, "journal_mode");
		int ret = query_step(&q, err);

		if (ret > 0) {
			bool wal = strcmp(column_text(&q, 0), "wal") == 0;

			query_end(&q);
			return wal ? 0
				   : error_set(err, -ENOTSUP,
					     "the file system of '%s' cannot share memory between "
					     "programs; name a local folder with --state",
					     store->path);
		}
		if (ret != -EBUSY || clock_monotonic_ns() >= end)
			return ret < 0 ? ret : -EIO;
		clock_sleep_ns(BUSY_RETRY_MS * 1000000ull);
	}
}

static struct store *store_new(const char *path)
{
	struct store *store = xcalloc(1, sizeof(*store));

	store->path = xstrdup(path);
	store->statements = xcalloc(sql_files_n, sizeof(sqlite3_stmt *));
	return store;
}

/* Nothing is changed before the file has proved to be ours: not even a foreign log is written back. */
static int open_checked(struct store *store, int flags, int *version, struct error *err)
{
	int rc = sqlite3_open_v2(store->path, &store->db, flags | SQLITE_OPEN_NOMUTEX, NULL), ret;

	if (rc != SQLITE_OK)
		return store_fail(store, rc, err);
	sqlite3_extended_result_codes(store->db, 1);
	sqlite3_busy_timeout(store->db, BUSY_TIMEOUT_MS);
	sqlite3_db_config(store->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
	ret = migrate_check_file(store, err);
	return ret < 0 ? ret : migrate_check_schema(store, version, err);
}

static int connection_settings(struct store *store, struct error *err)
{
	for (size_t i = 0; i < sql_files_n; i++)
		if (strcmp(sql_files[i].name, "queries/connection") == 0)
			return query_script(store, sql_files[i].text, err);
	abort();
}

static int open_for_writing(struct store *store, struct error *err)
{
	int version, persist = 1, ret;

	ret = open_checked(store, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, &version, err);
	if (ret < 0)
		return ret;
	if (sqlite3_db_readonly(store->db, "main"))
		return error_set(err, -EACCES, "cannot write to database '%s': permission denied",
			store->path);
	sqlite3_db_config(store->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0, NULL);
	/* Keep the (emptied) log: readers without write access to the folder could not make one. */
	sqlite3_file_control(store->db, "main", SQLITE_FCNTL_PERSIST_WAL, &persist);
	ret = enter_wal(store, err);
	if (ret == 0)
		ret = connection_settings(store, err);
	return ret < 0 ? ret : migrate_run(store, err);
}

static int open_for_reading(struct store *store, struct error *err)
{
	int version = 0, ret = open_checked(store, SQLITE_OPEN_READONLY, &version, err);

	if (ret < 0)
		return ret;
	if (version == 0)
		return error_set(err, -ENOENT, "database '%s' is empty; the first run fills it",
			store->path);
	if (version < migrate_newest())
		return error_set(err, -EPROTO,
			"database '%s' has schema %d of an older program; the next run brings it "
			"to %d",
			store->path, version, migrate_newest());
	return connection_settings(store, err);
}

static int open_store(const char *path, bool readonly, struct store **out, struct error *err)
{
	struct store *store;
	int ret = check_path(path, readonly, err);

	if (ret < 0)
		return ret;
	store = store_new(path);
	ret = readonly ? open_for_reading(store, err) : open_for_writing(store, err);
	if (ret < 0)
		store_close(store);
	else
		*out = store;
	return ret < 0 ? ret : 0;
}

int store_open(const char *path, struct store **store, struct error *err)
{
	return open_store(path, false, store, err);
}

int store_open_readonly(const char *path, struct store **store, struct error *err)
{
	return open_store(path, true, store, err);
}

void store_close(struct store *store)
{
	if (!store)
		return;
	for (size_t i = 0; i < sql_files_n; i++)
		sqlite3_finalize(store->statements[i]);
	sqlite3_close(store->db);
	if (store->deflating)
		deflateEnd(&store->deflate);
	idmap_release(&store->ids);
	free(store->statements);
	free(store->path);
	free(store);
}
