/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One machine, one measurement. */
#include "db/machine_lock.h"

#include "store_fixture.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"

static int take(struct fixture *f, const char *name, const char *what, struct machine_lock *lock)
{
	return machine_lock_take(f->dir, name, what, false, NULL, NULL, lock, &f->err);
}

static void test_second_is_told_of_the_first(void **state)
{
	struct machine_lock lock = MACHINE_LOCK_INIT, second = MACHINE_LOCK_INIT;
	struct fixture *f = *state;
	char *who = xasprintf("in use by run of ttwu.yaml, process %d", (int)getpid());

	assert_ok(f, take(f, "local", "run of ttwu.yaml", &lock));
	assert_code(f, take(f, "local", "other", &second), -EBUSY, who);
	assert_int_equal(second.fd, -1);
	machine_lock_release(&lock);
	machine_lock_release(&lock); /* twice is fine */
	assert_ok(f, take(f, "local", "other", &second));
	machine_lock_release(&second);
	free(who);
}

static void test_names(void **state)
{
	struct machine_lock lock[3] = { MACHINE_LOCK_INIT, MACHINE_LOCK_INIT, MACHINE_LOCK_INIT };
	struct fixture *f = *state;
	char *path;

	assert_ok(f, take(f, "ssh:root@host/../x", "a\nb", &lock[0]));
	path = xasprintf("%s/locks/ssh_root_host_.._x.lock", f->dir);
	assert_string_equal(lock[0].path, path);
	assert_true(file_exists(path));
	assert_ok(f, take(f, "vm", "b", &lock[1]));
	assert_code(f, take(f, "ssh:root@host/../x", "c", &lock[2]), -EBUSY, "a b, process");
	for (size_t i = 0; i < array_size(lock); i++)
		machine_lock_release(&lock[i]);
	free(path);
}

/* Takes the lock, says so, holds it for a while or until it is killed. Does not return. */
static void hold(struct fixture *f, int fd, uint64_t ns)
{
	struct machine_lock lock;

	if (take(f, "local", "the first", &lock) < 0)
		_exit(1);
	if (write(fd, "x", 1) != 1)
		_exit(1);
	clock_sleep_ns(ns);
	machine_lock_release(&lock);
	_exit(0);
}

static pid_t start_holder(struct fixture *f, uint64_t ns)
{
	int fd[2];
	pid_t child;
	char c;

	assert_int_equal(pipe(fd), 0);
	child = fork();
	if (child == 0)
		hold(f, fd[1], ns);
	close(fd[1]);
	assert_int_equal(read(fd[0], &c, 1), 1);
	close(fd[0]);
	return child;
}

static void note_holder(void *context, const char *holder)
{
	struct strbuf *told = context;

	strbuf_printf(told, "%s;", holder);
}

static void wait_for_holder(struct fixture *f, pid_t child)
{
	struct machine_lock lock = MACHINE_LOCK_INIT;
	struct strbuf told = STRBUF_INIT;
	char *expected = xasprintf("the first, process %d;", (int)child);

	assert_ok(f, machine_lock_take(
			     f->dir, "local", "second", true, note_holder, &told, &lock, &f->err));
	assert_string_equal(strbuf_text(&told), expected); /* once, however long it takes */
	machine_lock_release(&lock);
	strbuf_release(&told);
	free(expected);
	assert_int_equal(waitpid(child, NULL, 0), child);
}

static void test_wait(void **state)
{
	struct fixture *f = *state;

	wait_for_holder(f, start_holder(f, 300000000));
}

static void kill_it(int signal_number)
{
	(void)signal_number;
}

/* The kernel takes the lock from a dead program, and a signal ends the wait for a living one. */
static void test_death_and_interruption(void **state)
{
	struct machine_lock lock = MACHINE_LOCK_INIT;
	struct fixture *f = *state;
	struct sigaction action = { .sa_handler = kill_it, .sa_flags = SA_RESTART };
	pid_t child = start_holder(f, 60ull * 1000000000), killer;

	sigaction(SIGUSR1, &action, NULL);
	killer = fork();
	if (killer == 0) {
		for (int i = 0; i < 100; i++) {
			clock_sleep_ns(20000000);
			kill(getppid(), SIGUSR1);
		}
		_exit(0);
	}
	assert_code(f,
		machine_lock_take(f->dir, "local", "second", true, NULL, NULL, &lock, &f->err),
		-EINTR, "in use by the first");
	kill(killer, SIGKILL);
	waitpid(killer, NULL, 0);
	kill(child, SIGKILL);
	assert_int_equal(waitpid(child, NULL, 0), child);
	assert_ok(f, take(f, "local", "second", &lock));
	machine_lock_release(&lock);
}

/* A program that the holder starts does not keep the machine after the holder's death. */
static void test_not_inherited(void **state)
{
	struct machine_lock lock = MACHINE_LOCK_INIT;
	struct fixture *f = *state;
	int fd[2];
	pid_t child, orphan = 0;

	assert_int_equal(pipe(fd), 0);
	child = fork();
	if (child == 0) {
		assert_int_equal(take(f, "local", "parent", &lock), 0);
		orphan = fork();
		if (orphan == 0) {
			execlp("sleep", "sleep", "60", NULL);
			_exit(1);
		}
		clock_sleep_ns(200000000);
		_exit(write(fd[1], &orphan, sizeof(orphan)) != sizeof(orphan));
	}
	assert_int_equal(read(fd[0], &orphan, sizeof(orphan)), (int)sizeof(orphan));
	assert_int_equal(waitpid(child, NULL, 0), child);
	assert_ok(f, take(f, "local", "next", &lock));
	machine_lock_release(&lock);
	kill(orphan, SIGKILL);
	close(fd[0]);
	close(fd[1]);
}

static void test_no_folder(void **state)
{
	struct machine_lock lock = MACHINE_LOCK_INIT;
	struct fixture *f = *state;
	char *file = file_join(f->dir, "file");

	assert_int_equal(file_replace(file, "", 0, 0644, NULL), 0);
	assert_true(machine_lock_take(file, "x", "y", false, NULL, NULL, &lock, &f->err) < 0);
	assert_non_null(f->err.text);
	free(file);
}

#define in_dir(test) cmocka_unit_test_setup_teardown(test, fixture_dir, fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		in_dir(test_second_is_told_of_the_first),
		in_dir(test_names),
		in_dir(test_wait),
		in_dir(test_death_and_interruption),
		in_dir(test_not_inherited),
		in_dir(test_no_folder),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
