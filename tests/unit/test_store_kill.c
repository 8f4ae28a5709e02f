/* SPDX-License-Identifier: GPL-2.0-or-later */
/* kill -9 at any moment: what was reported finished is there, once, and the database is whole. */
#include "db/store.h"

#include "store_fixture.h"

#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/rng.h"

enum { KILLS = 30, CPUS = 64 };

static void make_values(struct values *values)
{
	for (int cpu = 0; cpu < CPUS; cpu++)
		values_label_int(values, values_add(values, "LOC", "", 1), "cpu", cpu);
}

/* Trials for ever; each one's id goes into the pipe after it is finished. Does not return. */
static void write_trials(const char *path, int64_t run, int round, int pipe_fd)
{
	struct fixture f = { .path = (char *)path };
	struct values values = VALUES_INIT;
	char text[20000];
	struct store_counters counters = { .collector = "interrupts", .values = &values };
	struct store_raw raw = { "stdout", text, sizeof(text) };

	make_values(&values);
	memset(text, 'x', sizeof(text));
	if (store_open(path, &f.store, &f.err) < 0 || store_run_resume(f.store, run, &f.err) < 0)
		_exit(2);
	for (int n = 0;; n++) {
		int64_t id = begin_trial(&f, run, n % 2, round * 10000 + n, false);
		struct store_outcome outcome = { .state = TRIAL_DONE,
			.elapsed_ns = 1,
			.samples = &values,
			.counters = &counters,
			.n_counters = 1,
			.raw = &raw,
			.n_raw = 1 };

		for (int cpu = 0; cpu < CPUS; cpu++)
			values.v[cpu].value = (double)id;
		memcpy(text, &id, sizeof(id));
		if (store_trial_finish(f.store, id, &outcome, &f.err) < 0 ||
			write(pipe_fd, &id, sizeof(id)) != sizeof(id))
			_exit(1);
	}
}

static int check_counter(void *context, const struct store_counter *counter)
{
	size_t *calls = context;

	assert_true(counter->value->value == (double)counter->trial);
	++*calls;
	return 0;
}

/* All of a done trial is there, and it is what was written. */
static void check_trial(struct fixture *f, int64_t id)
{
	struct values samples = VALUES_INIT;
	char *data;
	size_t len;

	assert_ok(f, store_samples(f->store, id, &samples, &f->err));
	assert_int_equal(samples.n, CPUS);
	assert_true(samples.v[CPUS - 1].value == (double)id);
	values_release(&samples);
	assert_ok(f, store_raw_get(f->store, id, "stdout", &data, &len, &f->err));
	assert_int_equal(len, 20000);
	assert_memory_equal(data, &id, sizeof(id));
	free(data);
}

/* Every trial reported is done; of those not reported, at most the last one is. */
static size_t check_round(
	struct fixture *f, int64_t run, int round, const int64_t *reported, size_t n)
{
	struct store_trial *trials;
	size_t n_trials, done = 0, of_round = 0, at = 0;

	assert_ok(f, store_trials(f->store, run, &trials, &n_trials, &f->err));
	for (size_t i = 0; i < n_trials; i++) {
		done += trials[i].state == TRIAL_DONE;
		if (trials[i].block / 10000 != round)
			continue;
		of_round++;
		if (at < n && trials[i].id == reported[at]) {
			assert_int_equal(trials[i].state, TRIAL_DONE);
			check_trial(f, trials[i].id);
			at++;
		} else {
			assert_int_equal(i, n_trials - 1);
			assert_true(
				trials[i].state == TRIAL_DONE || trials[i].state == TRIAL_STARTED);
		}
	}
	assert_int_equal(at, n);
	assert_true(of_round <= n + 1);
	store_trials_free(trials, n_trials);
	return done;
}

static size_t read_reports(int fd, int64_t **reported)
{
	size_t n = 0, cap = 0;

	for (;;) {
		array_reserve(*reported, n, cap);
		if (read(fd, &(*reported)[n], sizeof(**reported)) != sizeof(**reported))
			return n;
		n++;
	}
}

static void kill_once(struct fixture *f, int64_t run, int round, uint64_t after_ns, size_t *total)
{
	int64_t *reported = NULL;
	size_t n, calls = 0, done;
	int fd[2], status;
	pid_t child;

	assert_int_equal(pipe(fd), 0);
	child = fork();
	if (child == 0) {
		close(fd[0]);
		write_trials(f->path, run, round, fd[1]);
	}
	close(fd[1]);
	if (round % 2) /* in the midst of trials, however slow the disk is; else anywhere */
		poll(&(struct pollfd){ .fd = fd[0], .events = POLLIN }, 1, 10000);
	clock_sleep_ns(after_ns);
	kill(child, SIGKILL);
	n = read_reports(fd[0], &reported);
	close(fd[0]);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status));

	assert_ok(f, store_open(f->path, &f->store, &f->err));
	assert_sql(f->path, "PRAGMA integrity_check", "ok");
	assert_sql(f->path, "SELECT count(*) FROM pragma_foreign_key_check", "0");
	done = check_round(f, run, round, reported, n);
	assert_ok(f, store_counters(f->store, run, NULL, check_counter, &calls, &f->err));
	assert_int_equal(calls, done * CPUS);
	store_close(f->store);
	f->store = NULL;
	free(reported);
	*total += n;
}

static void test_kill(void **state)
{
	struct fixture *f = *state;
	int64_t run = make_run(f);
	size_t total = 0;
	struct rng rng;

	store_close(f->store);
	f->store = NULL;
	rng_seed(&rng, rng_entropy());
	for (int round = 0; round < KILLS; round++)
		kill_once(f, run, round, 1000000 + rng_below(&rng, 60000000), &total);
	print_message("%zu trials finished before %d kills\n", total, KILLS);
	assert_true(total > 0);
	assert_ok(f, store_open(f->path, &f->store, &f->err));
	assert_true(store_run_resume(f->store, run, &f->err) <= 1);
	assert_sql(f->path, "SELECT count(*) FROM trial WHERE state = 'started'", "0");
}

/* Killed while the database is being made: the next program makes it. */
static void test_kill_while_making(void **state)
{
	struct fixture *f = *state;

	for (int i = 0; i < 20; i++) {
		int status;
		pid_t child = fork();

		if (child == 0) {
			store_open(f->path, &f->store, &f->err);
			_exit(0);
		}
		clock_sleep_ns((uint64_t)i * 300000);
		kill(child, SIGKILL);
		assert_int_equal(waitpid(child, &status, 0), child);
		assert_ok(f, store_open(f->path, &f->store, &f->err));
		make_run(f);
		assert_sql(f->path, "PRAGMA integrity_check", "ok");
		store_close(f->store);
		f->store = NULL;
		assert_ok(f, file_remove_tree(f->path, &f->err));
		for (int j = 0; j < 2; j++) {
			char *log = xasprintf("%s-%s", f->path, j ? "wal" : "shm");

			assert_ok(f, file_remove_tree(log, &f->err));
			free(log);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_kill, fixture_setup, fixture_teardown),
		cmocka_unit_test_setup_teardown(
			test_kill_while_making, fixture_dir, fixture_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
