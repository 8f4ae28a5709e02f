/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is opened, what is refused, and who may be there at the same time. */
#include "db/store.h"

#include "store_fixture.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/rng.h"
#include "db/sql_files.h"

static void write_text(const char *path, const void *data, size_t len)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);

	assert_true(fd >= 0);
	assert_int_equal(file_write_all(fd, data, len), 0);
	close(fd);
}

static void read_text(const char *path, char **text, size_t *len)
{
	assert_int_equal(file_read(path, 64 << 20, text, len, NULL), 0);
}

/* The file is refused by both ways of opening, and keeps every byte. */
static void assert_refused(struct fixture *f, int code, const char *part)
{
	struct store *store;
	char *before, *after;
	size_t before_len, after_len;

	read_text(f->path, &before, &before_len);
	assert_code(f, store_open(f->path, &store, &f->err), code, part);
	assert_code(f, store_open_readonly(f->path, &store, &f->err), code, part);
	read_text(f->path, &after, &after_len);
	assert_int_equal(before_len, after_len);
	assert_memory_equal(before, after, before_len);
	free(before);
	free(after);
}

static void test_new_database(void **state)
{
	struct fixture *f = *state;

	assert_sql(f->path, "PRAGMA application_id", "1751216750");
	assert_sql(f->path, "PRAGMA journal_mode", "wal");
	assert_sql(f->path, "PRAGMA integrity_check", "ok");
	make_run(f);
	store_close(f->store);
	assert_ok(f, store_open(f->path, &f->store, &f->err));
	assert_sql(f->path, "SELECT count(*) FROM run", "1");
}

/* Each migration says its own number, so the number and the file's name cannot part. */
static void test_migrations_are_numbered(void **state)
{
	int number = 0;

	(void)state;
	for (size_t i = 0; i < sql_files_n; i++) {
		char *pragma;

		if (i)
			assert_true(strcmp(sql_files[i - 1].name, sql_files[i].name) < 0);
		if (strncmp(sql_files[i].name, "schema/", 7) != 0)
			continue;
		number++;
		assert_int_equal(atoi(sql_files[i].name + 7), number);
		pragma = xasprintf("PRAGMA user_version = %d;", number);
		assert_non_null(strstr(sql_files[i].text, pragma));
		free(pragma);
	}
	assert_true(number >= 1);
}

static void test_readonly_without_database(void **state)
{
	struct fixture *f = *state;
	struct store *store;

	assert_code(f, store_open_readonly(f->path, &store, &f->err), -ENOENT, "no database");
	assert_false(file_exists(f->path));
	write_text(f->path, "", 0);
	assert_code(f, store_open_readonly(f->path, &store, &f->err), -ENOENT, "is empty");
	assert_ok(f, store_open(f->path, &f->store, &f->err)); /* left by a crash while making it */
}

static void test_missing_folder(void **state)
{
	struct fixture *f = *state;
	struct store *store;

	assert_code(f, store_open("/tmp/none/such/harness.db", &store, &f->err), -EACCES, "folder");
	assert_code(f, store_open(f->dir, &store, &f->err), -EINVAL, "no file");
}

static void test_garbage(void **state)
{
	struct fixture *f = *state;
	char noise[8192];

	for (size_t i = 0; i < sizeof(noise); i++)
		noise[i] = (char)((i * 2654435761u) >> 9);
	write_text(f->path, noise, sizeof(noise));
	assert_refused(f, -EINVAL, "not a database");
	write_text(f->path, "hello\n", 6);
	assert_refused(f, -EINVAL, "not a database");
	write_text(f->path, "SQLite format 3", 16);
	assert_refused(f, -EINVAL, "");
}

static void test_foreign(void **state)
{
	struct fixture *f = *state;
	struct stat st;
	char *wal;

	free(sql_text(f->path, "CREATE TABLE t (x)"));
	assert_refused(f, -EINVAL, "another program");
	free(sql_text(f->path, "PRAGMA application_id = 42"));
	assert_refused(f, -EINVAL, "another program");
	free(sql_text(f->path, "PRAGMA application_id = 0"));
	free(sql_text(f->path, "PRAGMA journal_mode = WAL"));
	assert_refused(f, -EINVAL, "another program");
	wal = xasprintf("%s-wal", f->path);
	assert_true(stat(wal, &st) < 0 || st.st_size == 0);
	free(wal);
}

/* A foreign database whose program was killed: its log must stay where it is, unread. */
static void test_foreign_with_log(void **state)
{
	struct fixture *f = *state;
	char *wal = xasprintf("%s-wal", f->path);
	char *before, *after;
	size_t before_len, after_len;
	pid_t child = fork();

	if (child == 0) {
		sqlite3 *db;

		sqlite3_open(f->path, &db);
		sqlite3_exec(
			db, "PRAGMA journal_mode = WAL; CREATE TABLE t (x);", NULL, NULL, NULL);
		_exit(0);
	}
	assert_int_equal(waitpid(child, NULL, 0), child);
	read_text(wal, &before, &before_len);
	assert_true(before_len > 0);
	assert_refused(f, -EINVAL, "another program");
	read_text(wal, &after, &after_len);
	assert_int_equal(before_len, after_len);
	assert_memory_equal(before, after, before_len);
	assert_sql(f->path, "SELECT count(*) FROM t", "0");
	free(before);
	free(after);
	free(wal);
}

static void test_future(void **state)
{
	struct fixture *f = *state;

	store_close(f->store);
	f->store = NULL;
	free(sql_text(f->path, "PRAGMA user_version = 9999"));
	assert_refused(f, -EPROTO, "newer program");
}

static void test_without_schema(void **state)
{
	struct fixture *f = *state;

	free(sql_text(f->path, "PRAGMA application_id = 1751216750"));
	assert_refused(f, -EINVAL, "damaged");
}

static void fill(struct fixture *f)
{
	int64_t run = make_run(f);
	struct values values = VALUES_INIT;

	for (int i = 0; i < 3000; i++)
		values_label_int(&values, values_add(&values, "LOC", "", i + 1), "cpu", i);
	for (int block = 0; block < 20; block++)
		finish_trial(f, begin_trial(f, run, 0, block, false), "interrupts", &values);
	values_release(&values);
	store_close(f->store);
	f->store = NULL;
}

static void test_truncated(void **state)
{
	struct fixture *f = *state;
	off_t sizes[] = { 99, 512, 4096, 4097, 40960, -4096, -1 };
	struct stat st;
	char *whole;
	size_t len;

	fill(f);
	assert_int_equal(stat(f->path, &st), 0);
	read_text(f->path, &whole, &len);
	for (size_t i = 0; i < array_size(sizes); i++) {
		write_text(f->path, whole, len);
		assert_int_equal(
			truncate(f->path, sizes[i] < 0 ? st.st_size + sizes[i] : sizes[i]), 0);
		assert_refused(f, -EINVAL, "");
	}
	free(whole);
}

/* Damage within a table shows when it is read: an error, no crash, and no made-up rows. */
static void test_damaged_page(void **state)
{
	struct fixture *f = *state;
	struct store_trial *trials = NULL;
	struct store_run run;
	size_t n, len;
	char *whole;
	int ret;

	fill(f);
	read_text(f->path, &whole, &len);
	memset(whole + 8192, 0x55, len - 8192);
	write_text(f->path, whole, len);
	free(whole);
	ret = store_open_readonly(f->path, &f->store, &f->err);
	if (ret == 0)
		ret = store_trials(f->store, 1, &trials, &n, &f->err);
	if (ret == 0) {
		store_trials_free(trials, n);
		ret = store_run_get(f->store, 1, &run, &f->err);
	}
	assert_int_equal(ret, -EINVAL);
	assert_non_null(strstr(error_text(&f->err), "damaged"));
}

static int count_calls(void *context, const struct store_counter *counter)
{
	(void)counter;
	++*(int *)context;
	return 0;
}

/* A reader sees one moment while the writer goes on, and neither waits for the other. */
static void test_reader_beside_writer(void **state)
{
	struct fixture *f = *state;
	struct values values = VALUES_INIT;
	struct store_trial *trials;
	int64_t run = make_run(f);
	struct store *reader;
	int calls = 0;
	size_t n;

	values_add(&values, "ERR", "", 1);
	finish_trial(f, begin_trial(f, run, 0, 0, false), "interrupts", &values);
	assert_ok(f, store_open_readonly(f->path, &reader, &f->err));
	assert_ok(f, store_read_begin(reader, &f->err));
	assert_ok(f, store_trials(reader, run, &trials, &n, &f->err));
	store_trials_free(trials, n);
	assert_int_equal(n, 1);
	finish_trial(f, begin_trial(f, run, 0, 1, false), "interrupts", &values);
	assert_ok(f, store_trials(reader, run, &trials, &n, &f->err));
	store_trials_free(trials, n);
	assert_int_equal(n, 1);
	assert_ok(f, store_counters(reader, run, NULL, count_calls, &calls, &f->err));
	assert_int_equal(calls, 1);
	store_read_end(reader);
	assert_ok(f, store_trials(reader, run, &trials, &n, &f->err));
	store_trials_free(trials, n);
	assert_int_equal(n, 2);
	assert_code(
		f, store_run_end(reader, run, RUN_FAILED, NULL, NULL, &f->err), -EROFS, "written");
	store_close(reader);
	values_release(&values);
}

/* A user who may read the file but not write to the folder can look at it after the run. */
static void test_reader_without_rights(void **state)
{
	struct fixture *f = *state;
	int status;
	pid_t child;

	if (geteuid() != 0) {
		print_message("skipped: only root can become another user\n");
		skip();
	}
	fill(f);
	assert_int_equal(chmod(f->dir, 0755), 0);
	child = fork();
	if (child == 0) {
		struct store_run run;
		struct error err = ERROR_INIT;
		struct store *store;
		int ret;

		if (setgid(65534) || setuid(65534))
			_exit(3);
		ret = store_open_readonly(f->path, &store, &err);
		if (ret == 0)
			ret = store_run_get(store, 1, &run, &err);
		if (ret < 0)
			print_message("%s\n", error_text(&err));
		else if (store_open(f->path, &store, &err) != -EACCES)
			ret = -1;
		_exit(ret < 0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

static void write_many(const char *path, int arm)
{
	struct fixture f = { .path = (char *)path };

	if (store_open(path, &f.store, &f.err) < 0)
		_exit(2);
	for (int block = 0; block < 40; block++) {
		struct store_trial trial = { .arm = arm, .block = block };
		struct store_outcome outcome = { .state = TRIAL_DONE };
		int64_t id;

		if (store_trial_begin(f.store, 1, &trial, &id, &f.err) < 0 ||
			store_trial_finish(f.store, id, &outcome, &f.err) < 0)
			_exit(1);
	}
	store_close(f.store);
	_exit(0);
}

static void test_two_writers(void **state)
{
	struct fixture *f = *state;
	pid_t child[2];

	make_run(f);
	store_close(f->store);
	f->store = NULL;
	for (int i = 0; i < 2; i++) {
		child[i] = fork();
		if (child[i] == 0)
			write_many(f->path, i);
	}
	for (int i = 0; i < 2; i++) {
		int status;

		assert_int_equal(waitpid(child[i], &status, 0), child[i]);
		assert_int_equal(status, 0);
	}
	assert_sql(f->path, "SELECT count(*) FROM trial WHERE state = 'done'", "80");
	assert_sql(f->path, "PRAGMA integrity_check", "ok");
}

/* Several programs make the database at the same moment: one migrates, the others find it done. */
static void test_opened_by_many_at_once(void **state)
{
	struct fixture *f = *state;
	pid_t child[8];

	for (size_t i = 0; i < array_size(child); i++) {
		child[i] = fork();
		if (child[i] == 0) {
			int ret = store_open(f->path, &f->store, &f->err);

			if (ret < 0)
				print_message("%s\n", error_text(&f->err));
			store_close(f->store);
			_exit(ret < 0);
		}
	}
	for (size_t i = 0; i < array_size(child); i++) {
		int status;

		assert_int_equal(waitpid(child[i], &status, 0), child[i]);
		assert_int_equal(status, 0);
	}
	assert_sql(f->path, "SELECT count(*) FROM run", "0");
}

/* A full disk, as a limit on the size of files: an error that says so, and the next try may succeed. */
static void test_no_room(void **state)
{
	struct fixture *f = *state;
	struct rlimit limit, tight = { .rlim_cur = 300000 };
	char *noise = xmalloc(1 << 20);
	struct store_raw raw = { "stdout", noise, 1 << 20 };
	struct store_outcome outcome = { .state = TRIAL_DONE, .raw = &raw, .n_raw = 1 };
	int64_t trial = begin_trial(f, make_run(f), 0, 0, false);
	struct rng rng;
	int ret;

	rng_seed(&rng, 1);
	for (size_t i = 0; i < 1 << 20; i++)
		noise[i] = (char)rng_below(&rng, 256);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
	tight.rlim_max = limit.rlim_max;
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &tight), 0);
	ret = store_trial_finish(f->store, trial, &outcome, &f->err);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	signal(SIGXFSZ, SIG_DFL);
	if (ret != -ENOSPC && ret != -EIO)
		fail_msg("%d: %s", ret, error_text(&f->err));
	assert_non_null(strstr(error_text(&f->err), f->path));
	assert_sql(f->path, "SELECT state FROM trial", "started");
	assert_sql(f->path, "PRAGMA integrity_check", "ok");
	assert_ok(f, store_trial_finish(f->store, trial, &outcome, &f->err));
	assert_sql(f->path, "SELECT state || (SELECT count(*) FROM raw) FROM trial", "done1");
	free(noise);
}

#define in_dir(test) cmocka_unit_test_setup_teardown(test, fixture_dir, fixture_teardown)
#define with_store(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		with_store(test_new_database),
		cmocka_unit_test(test_migrations_are_numbered),
		in_dir(test_readonly_without_database),
		in_dir(test_missing_folder),
		in_dir(test_garbage),
		in_dir(test_foreign),
		in_dir(test_foreign_with_log),
		with_store(test_future),
		in_dir(test_without_schema),
		with_store(test_truncated),
		with_store(test_damaged_page),
		with_store(test_reader_beside_writer),
		with_store(test_reader_without_rights),
		with_store(test_no_room),
		with_store(test_two_writers),
		in_dir(test_opened_by_many_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
