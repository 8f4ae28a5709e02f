/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <linux/sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static void report(const struct spawn *spawn, enum spawn_stage stage, int code)
{
	struct spawn_report r = { .stage = stage, .code = code, .pid = getpid() };

	while (write(spawn->report, &r, sizeof(r)) < 0 && errno == EINTR)
		;
}

static void __attribute__((noreturn))
fail(const struct spawn *spawn, enum spawn_stage stage, int code)
{
	report(spawn, stage, code);
	_exit(127);
}

void spawn_prepare(void)
{
	struct sigaction dfl = { .sa_handler = SIG_DFL };

	for (int sig = 1; sig < NSIG; sig++)
		sigaction(sig, &dfl, NULL);
}

static void unblock_signals(void)
{
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static int set_streams(const struct spawn *spawn)
{
	int nowhere = open("/dev/null", O_RDONLY | O_CLOEXEC);

	if (nowhere < 0 || dup2(nowhere, 0) < 0 || dup2(spawn->out, 1) < 0 ||
		dup2(spawn->err, 2) < 0)
		return -errno;
	close_range(3, UINT_MAX, CLOSE_RANGE_CLOEXEC);
	return 0;
}

static int set_cpus(const struct spawn *spawn)
{
	if (spawn->cpus && spawn->cpus->n)
		return affinity_bind(spawn->cpus);
	if (sched_setaffinity(0, spawn->affinity->size, spawn->affinity->set) < 0)
		return -errno;
	return 0;
}

static int set_user(const struct user *user)
{
	if (!user)
		return 0;
	if (setgroups(user->n_groups, user->groups) < 0 ||
		setresgid(user->gid, user->gid, user->gid) < 0 ||
		setresuid(user->uid, user->uid, user->uid) < 0)
		return -errno;
	return 0;
}

static void wait_for_go(const struct spawn *spawn)
{
	char byte;
	ssize_t n;

	do {
		n = read(spawn->go, &byte, 1);
	} while (n < 0 && errno == EINTR);
	if (n != 1)
		_exit(127); /* the agent is gone or gave up */
}

/* Kernels before 5.7 cannot clone into a group: the child moves itself there. */
static int enter_group(const struct spawn *spawn)
{
	int fd = openat(spawn->group, "cgroup.procs", O_WRONLY | O_CLOEXEC);
	int r = fd < 0 || write(fd, "0", 1) != 1 ? -errno : 0;

	if (fd >= 0)
		close(fd);
	return r;
}

static void __attribute__((noreturn)) become_benchmark(const struct spawn *spawn, bool move)
{
	int r;

	setsid();
	if (move && (r = enter_group(spawn)) < 0)
		fail(spawn, SPAWN_GROUP, -r);
	if ((r = set_streams(spawn)) < 0)
		fail(spawn, SPAWN_STREAMS, -r);
	umask(022);
	unblock_signals();
	if ((r = set_cpus(spawn)) < 0)
		fail(spawn, SPAWN_CPUS, -r);
	if ((r = set_user(spawn->user)) < 0)
		fail(spawn, SPAWN_USER, -r);
	if (chdir(spawn->folder) < 0)
		fail(spawn, SPAWN_FOLDER, errno);
	report(spawn, SPAWN_READY, 0);
	wait_for_go(spawn);
	environ = (char **)spawn->env;
	execvp(spawn->argv[0], spawn->argv);
	fail(spawn, SPAWN_EXEC, errno);
}

/*
 * spawn_vfork() - clone3() for a child on the caller's stack, as vfork() is: the child must not return
 * from the caller, and what returns must not need the stack, which the child has used meanwhile.
 * The kernel keeps every register but those of the result and of the call itself.
 */
#if defined(__SANITIZE_ADDRESS__) || !(defined(__x86_64__) || defined(__aarch64__))
enum { SHARED_MEMORY = 0 }; /* with fork()'s copy of the stack there is nothing to take care of */
#define spawn_vfork(args, size) ((pid_t)syscall(SYS_clone3, args, size))
#else
enum { SHARED_MEMORY = CLONE_VM | CLONE_VFORK };
_Static_assert(SYS_clone3 == 435, "number in the assembly below");
pid_t spawn_vfork(struct clone_args *args, size_t size) __attribute__((returns_twice));
#ifdef __x86_64__
__asm__(".text\n.type spawn_vfork, @function\nspawn_vfork:\n"
	"	pop %rdx\n"
	"	mov $435, %eax\n"
	"	syscall\n"
	"	push %rdx\n"
	"	ret\n"
	".size spawn_vfork, . - spawn_vfork\n");
#else
__asm__(".text\n.type spawn_vfork, %function\nspawn_vfork:\n"
	"	mov x8, #435\n"
	"	svc #0\n"
	"	ret\n"
	".size spawn_vfork, . - spawn_vfork\n");
#endif
#endif

static pid_t clone_child(const struct spawn *spawn)
{
	struct clone_args args = {
		.flags = SHARED_MEMORY | (spawn->group >= 0 ? CLONE_INTO_CGROUP : 0),
		.exit_signal = SIGCHLD,
		.cgroup = spawn->group >= 0 ? (uint64_t)spawn->group : 0,
	};
	pid_t pid = spawn_vfork(&args, sizeof(args));

	if (pid == 0)
		become_benchmark(spawn, false);
	return pid;
}

/* Kernels before 5.7 cannot clone into a group, those before 5.3 have no clone3(). */
static pid_t fork_child(const struct spawn *spawn)
{
	pid_t pid = fork();

	if (pid == 0)
		become_benchmark(spawn, spawn->group >= 0);
	return pid < 0 ? -errno : pid;
}

pid_t spawn_child(const struct spawn *spawn)
{
	char **own = environ;
	pid_t pid = clone_child(spawn);

	environ = own; /* the child has set its own, in the same memory */
	return pid < 0 ? fork_child(spawn) : pid;
}

int spawn_failure(const struct spawn *spawn, const struct spawn_report *report, struct error *err)
{
	int r = -report->code;
	char *cpus;

	switch (report->stage) {
	case SPAWN_FOLDER:
		return error_sys(err, r, "cannot enter the trial's folder '%s'", spawn->folder);
	case SPAWN_CPUS:
		cpus = cpulist_format(spawn->cpus);
		if (r == -ENODEV)
			error_set(err, r,
				"cannot bind to the CPUs %s: not all are online and allowed", cpus);
		else
			error_sys(err, r, "cannot bind to the CPUs '%s'", cpus);
		free(cpus);
		return r;
	case SPAWN_USER:
		return error_sys(err, r, "cannot become the user with the number %u",
			(unsigned int)spawn->user->uid);
	case SPAWN_EXEC:
		return error_sys(err, r, "cannot run '%s'", spawn->argv[0]);
	default:
		return error_sys(err, r, "cannot start '%s'", spawn->argv[0]);
	}
}
