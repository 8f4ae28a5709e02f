/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the tests of the store share: a database in a fresh folder, and rows to put into it. */
#ifndef TESTS_STORE_FIXTURE_H
#define TESTS_STORE_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "db/store.h"

/** struct fixture - folder and database of one test */
struct fixture {
	char dir[64];
	char *path;
	struct store *store;
	struct error err;
};

/** assert_ok() - a call succeeded; its message otherwise. */
#define assert_ok(f, call)                                                            \
	do {                                                                          \
		int ok_ret = (call);                                                  \
		if (ok_ret < 0)                                                       \
			fail_msg("%s: %d: %s", #call, ok_ret, error_text(&(f)->err)); \
	} while (0)

/** assert_code() - a call failed with this code, and the message holds this text. */
#define assert_code(f, call, code, part)                                              \
	do {                                                                          \
		error_release(&(f)->err);                                             \
		assert_int_equal(call, code);                                         \
		if (!strstr(error_text(&(f)->err), part))                             \
			fail_msg("'%s' is not in '%s'", part, error_text(&(f)->err)); \
		error_release(&(f)->err);                                             \
	} while (0)

static inline int fixture_dir(void **state)
{
	struct fixture *f = xcalloc(1, sizeof(*f));

	strcpy(f->dir, "/tmp/harness-store-XXXXXX");
	if (!mkdtemp(f->dir))
		return -1;
	f->path = file_join(f->dir, "harness.db");
	*state = f;
	return 0;
}

static inline int fixture_setup(void **state)
{
	struct fixture *f;

	if (fixture_dir(state) < 0)
		return -1;
	f = *state;
	if (store_open(f->path, &f->store, &f->err) == 0)
		return 0;
	print_message("%s\n", error_text(&f->err));
	return -1;
}

static inline int fixture_teardown(void **state)
{
	struct fixture *f = *state;

	store_close(f->store);
	file_remove_tree(f->dir, NULL);
	error_release(&f->err);
	free(f->path);
	free(f);
	return 0;
}

/** make_run() - a run of two arms; its id. */
static inline int64_t make_run(struct fixture *f)
{
	json_t *job = json_pack("{s:s}", "name", "demo");
	json_t *levels[2] = { json_pack("{s:s}", "f", "a"), json_pack("{s:s}", "f", "b") };
	struct store_run run = { .name = (char *)"demo",
		.job = job,
		.seed = UINT64_MAX - 5,
		.metric = (char *)"switches" };
	struct store_arm arms[2] = {
		{ .index = 0, .label = (char *)"a", .levels = levels[0] },
		{ .index = 1, .label = (char *)"b", .levels = levels[1] },
	};
	int64_t id = 0;

	assert_ok(f, store_run_create(f->store, &run, arms, 2, &id, &f->err));
	json_decref(job);
	json_decref(levels[0]);
	json_decref(levels[1]);
	return id;
}

/** begin_trial() - a trial of arm, block, repeat 0; its id. */
static inline int64_t begin_trial(
	struct fixture *f, int64_t run, int64_t arm, int64_t block, bool warmup)
{
	struct store_trial trial = {
		.arm = arm, .block = block, .position = arm, .warmup = warmup, .nonce = (char *)"n"
	};
	int64_t id = 0;

	assert_ok(f, store_trial_begin(f->store, run, &trial, &id, &f->err));
	return id;
}

/** finish_trial() - the trial is done, with one set of counters (may be NULL). */
static inline void finish_trial(
	struct fixture *f, int64_t trial, const char *collector, const struct values *values)
{
	struct store_counters counters = { .collector = collector, .values = values };
	struct store_outcome outcome = { .state = TRIAL_DONE,
		.elapsed_ns = 2000000000,
		.counters = &counters,
		.n_counters = collector ? 1 : 0 };

	assert_ok(f, store_trial_finish(f->store, trial, &outcome, &f->err));
}

/** sql_text() - first column of the first row of a query on the file, for looking past the store. */
static inline char *sql_text(const char *path, const char *sql)
{
	sqlite3_stmt *stmt = NULL;
	sqlite3 *db = NULL;
	char *text = NULL;

	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	sqlite3_busy_timeout(db, 10000);
	if (sqlite3_prepare_v2(db, sql, -1, &stmt, NULL) != SQLITE_OK)
		fail_msg("%s: %s", sql, sqlite3_errmsg(db));
	if (sqlite3_step(stmt) == SQLITE_ROW)
		text = xstrdup((const char *)sqlite3_column_text(stmt, 0));
	sqlite3_finalize(stmt);
	sqlite3_close(db);
	return text;
}

/** assert_sql() - a query's only value. */
static inline void assert_sql(const char *path, const char *sql, const char *expected)
{
	char *text = sql_text(path, sql);

	if (!text || strcmp(text, expected) != 0)
		fail_msg("%s: '%s', not '%s'", sql, text ? text : "(null)", expected);
	free(text);
}

#endif
