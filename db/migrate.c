/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "db/migrate.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "db/sql_files.h"

/* The first bytes of a database file (https://www.sqlite.org/fileformat.html, 1.3). */
enum { HEADER_SIZE = 100, HEADER_PAGE_SIZE = 16, HEADER_PAGES = 28, HEADER_APPLICATION_ID = 68 };
static const char magic[16] = "SQLite format 3";

static uint32_t be32(const unsigned char *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static bool has_log(const struct store *store)
{
	char *wal = xasprintf("%s-wal", store->path);
	struct stat st;
	bool has = stat(wal, &st) == 0 && st.st_size > 0;

	free(wal);
	return has;
}

/* SQLite passes over a last page that is cut; only a log can make it whole again. */
static bool is_cut(const struct store *store, const unsigned char *header, sqlite3_int64 size)
{
	uint32_t page = (uint32_t)header[HEADER_PAGE_SIZE] << 8 | header[HEADER_PAGE_SIZE + 1];

	return page >= 512 && size % page != 0 && !has_log(store);
}

static int check_header(const struct store *store, const unsigned char *header, sqlite3_int64 size,
	struct error *err)
{
	uint32_t id = be32(header + HEADER_APPLICATION_ID);

	if (memcmp(header, magic, sizeof(magic)) != 0)
		return error_set(err, -EINVAL,
			"'%s' is not a database; move it away, or name another folder with --state",
			store->path);
	if (id == STORE_APPLICATION_ID && is_cut(store, header, size))
		return error_set(err, -EINVAL,
			"database '%s' is damaged: its end is missing; restore a backup, or move "
			"it "
			"away to start anew",
			store->path);
	if (id == STORE_APPLICATION_ID)
		return 0;
	/* A database of ours whose first transaction is only in the log so far. */
	if (id == 0 && (be32(header + HEADER_PAGES) <= 1 || has_log(store)))
		return 0;
	return error_set(err, -EINVAL,
		"'%s' is a database of another program; name another folder with --state",
		store->path);
}

/* Through SQLite's own descriptor: closing another one would drop the locks of this process. */
int migrate_check_file(struct store *store, struct error *err)
{
	unsigned char header[HEADER_SIZE] = { 0 };
	sqlite3_file *file = NULL;
	sqlite3_int64 size = 0;
	int rc;

	sqlite3_file_control(store->db, "main", SQLITE_FCNTL_FILE_POINTER, &file);
	if (!file || !file->pMethods)
		return store_fail(store, SQLITE_CANTOPEN, err);
	rc = file->pMethods->xFileSize(file, &size);
	if (rc == SQLITE_OK && size > 0)
		rc = file->pMethods->xRead(file, header, sizeof(header), 0);
	if (rc != SQLITE_OK && rc != SQLITE_IOERR_SHORT_READ)
		return store_fail(store, rc, err);
	return size > 0 ? check_header(store, header, size, err) : 0;
}

int migrate_newest(void)
{
	int newest = 0;

	for (size_t i = 0; i < sql_files_n; i++)
		if (strncmp(sql_files[i].name, "schema/", 7) == 0)
			newest = atoi(sql_files[i].name + 7);
	return newest;
}

int migrate_check_schema(struct store *store, int *version, struct error *err)
{
	struct query q = query_start(store, "identity");
	int ret = query_step(&q, err);
	int64_t id, tables;

	if (ret <= 0)
		return ret;
	id = column_int(&q, 0);
	*version = (int)column_int(&q, 1);
	tables = column_int(&q, 2);
	query_end(&q);
	if (id == 0 && *version == 0 && tables == 0)
		return 0;
	if (id != STORE_APPLICATION_ID)
		return error_set(err, -EINVAL,
			"'%s' is a database of another program; name another folder with --state",
			store->path);
	if (*version < 1 || tables == 0)
		return error_set(err, -EINVAL,
			"database '%s' is damaged: it has no schema; restore a backup",
			store->path);
	if (*version > migrate_newest())
		return error_set(err, -EPROTO,
			"database '%s' has schema %d, made by a newer program; this one knows up "
			"to "
			"%d: use the newer program",
			store->path, *version, migrate_newest());
	return 0;
}

/* Another program may have come first: what is missing is asked again under the lock. */
static int migrate_one(struct store *store, const struct sql_file *file, struct error *err)
{
	int number = atoi(file->name + 7), version = 0, ret;

	ret = store_begin(store, err);
	if (ret < 0)
		return ret;
	ret = migrate_check_schema(store, &version, err);
	if (ret == 0 && version < number) {
		ret = query_script(store, file->text, err);
		if (ret < 0)
			error_prefix(err, "cannot bring the database to schema %d: ", number);
	}
	return store_end(store, ret, err);
}

int migrate_run(struct store *store, struct error *err)
{
	int version = 0, ret = migrate_check_schema(store, &version, err);

	for (size_t i = 0; ret == 0 && i < sql_files_n; i++)
		if (strncmp(sql_files[i].name, "schema/", 7) == 0 &&
			atoi(sql_files[i].name + 7) > version)
			ret = migrate_one(store, &sql_files[i], err);
	return ret;
}
