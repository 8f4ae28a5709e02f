/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "keeper.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/strbuf.h"
#include "keeper_pack.h"

/* The descriptors that come with KEEPER_SPAWN, in this order; a container without folder has none. */
enum { FD_LOAD, FD_OUT, FD_ERR, FD_GO, FD_REPORT, FD_GROUP, N_FDS };

enum { END_TRIES = 5000, END_PAUSE_NS = 1000000 };

/* In the keeper's process. @main: the benchmark's first process, 0 for none; @busy: @load is valid */
struct keeping {
	int socket;
	int signals;
	const struct sysroot *machine;
	pid_t main;
	bool busy;
	struct keeper_load load;
};

static void tell(const struct keeping *k, const struct keeper_message *message)
{
	while (send(k->socket, message, sizeof(*message), MSG_NOSIGNAL) < 0 && errno == EINTR)
		;
}

static size_t count(const struct keeping *k)
{
	return k->busy ? contain_count(&k->load.contain) : 0;
}

static void reap(const struct keeping *k)
{
	struct keeper_message m = { .news = KEEPER_EXITED };
	pid_t pid;

	while ((pid = wait4(-1, &m.status, WNOHANG, &m.usage)) > 0) {
		if (pid != k->main)
			continue;
		m.ended_ns = clock_monotonic_ns();
		m.count = count(k);
		tell(k, &m);
	}
}

/* A process that the kernel won't let go of (state D) must not hold the keeper for ever. */
static size_t end_all(const struct keeping *k)
{
	size_t n = count(k);

	for (size_t i = 0, left = n; left && i < END_TRIES; i++) {
		k->load.contain.ops->strike(&k->load.contain);
		reap(k);
		left = count(k);
		if (left)
			clock_sleep_ns(END_PAUSE_NS);
	}
	reap(k);
	return n;
}

static void leave(struct keeping *k)
{
	if (k->busy) {
		contain_close(&k->load.contain);
		file_remove_tree(k->load.spawn.folder, NULL);
		keeper_load_release(&k->load);
	}
	k->busy = false;
	k->main = 0;
}

/* The agent is gone. */
static void __attribute__((noreturn)) quit(struct keeping *k)
{
	end_all(k);
	leave(k);
	_exit(0);
}

static char *read_load(int fd)
{
	struct strbuf sb = STRBUF_INIT;

	if (lseek(fd, 0, SEEK_SET) < 0 || file_read_fd(fd, &sb, SIZE_MAX) < 0)
		abort();
	return strbuf_steal(&sb);
}

static void spawn(struct keeping *k, const int fd[N_FDS])
{
	struct spawn *s = &k->load.spawn;

	keeper_unpack(read_load(fd[FD_LOAD]), k->machine, &k->load);
	k->busy = true;
	s->out = fd[FD_OUT];
	s->err = fd[FD_ERR];
	s->go = fd[FD_GO];
	s->report = fd[FD_REPORT];
	s->group = k->load.contain.dirfd = fd[FD_GROUP];
	k->main = spawn_child(s);
	for (int i = 0; i < FD_GROUP; i++)
		close(fd[i]);
}

/* Orders are one byte; descriptors come with one of them. Return: the order, 0 for the end. */
static char hear_order(const struct keeping *k, int fd[N_FDS])
{
	char order = 0, space[CMSG_SPACE(N_FDS * sizeof(int))];
	struct iovec iov = { .iov_base = &order, .iov_len = 1 };
	struct msghdr message = { .msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = space,
		.msg_controllen = sizeof(space) };
	struct cmsghdr *fds;
	ssize_t n;

	do {
		n = recvmsg(k->socket, &message, MSG_CMSG_CLOEXEC);
	} while (n < 0 && errno == EINTR);
	fds = n > 0 ? CMSG_FIRSTHDR(&message) : NULL;
	for (int i = 0; i < N_FDS; i++)
		fd[i] = -1;
	if (fds)
		memcpy(fd, CMSG_DATA(fds), fds->cmsg_len - CMSG_LEN(0));
	return n > 0 ? order : 0;
}

static void obey(struct keeping *k)
{
	int fd[N_FDS];

	switch (hear_order(k, fd)) {
	case KEEPER_SPAWN:
		spawn(k, fd);
		break;
	case KEEPER_TERM:
		if (k->busy)
			contain_signal(&k->load.contain, SIGTERM);
		if (k->busy) /* a stopped process takes no TERM */
			contain_signal(&k->load.contain, SIGCONT);
		break;
	case KEEPER_STRIKE:
		if (k->busy)
			k->load.contain.ops->strike(&k->load.contain);
		break;
	case KEEPER_COUNT:
		tell(k, &(struct keeper_message){ .news = KEEPER_COUNTED, .count = count(k) });
		break;
	case KEEPER_CLEAR:
		tell(k, &(struct keeper_message){ .news = KEEPER_CLEARED, .count = end_all(k) });
		break;
	case KEEPER_LEAVE:
		leave(k);
		break;
	default:
		quit(k);
	}
}

static void __attribute__((noreturn)) keep(struct keeping *k)
{
	for (;;) {
		struct signalfd_siginfo info;
		struct pollfd fds[] = {
			{ .fd = k->socket, .events = POLLIN },
			{ .fd = k->signals, .events = POLLIN },
		};

		if (poll(fds, array_size(fds), -1) < 0)
			continue;
		if (fds[1].revents && read(k->signals, &info, sizeof(info)) > 0)
			reap(k);
		if (fds[0].revents)
			obey(k);
	}
}

static void __attribute__((noreturn)) run_keeper(int socket, const struct sysroot *machine)
{
	struct keeping k = { .socket = socket, .machine = machine };
	sigset_t children;

	process_become_helper("harness-keeper", (int[]){ socket, machine->dirfd }, 2);
	spawn_prepare();
	sigemptyset(&children);
	sigaddset(&children, SIGCHLD);
	k.signals = signalfd(-1, &children, SFD_CLOEXEC);
	prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	process_spare_from_oom(machine);
	keep(&k);
}

int keeper_ready(struct keeper *keeper, const struct sysroot *machine, struct error *err)
{
	int ends[2], r;

	if (keeper->socket >= 0 && waitpid(keeper->pid, NULL, WNOHANG) == 0)
		return 0;
	if (keeper->socket >= 0)
		close(keeper->socket);
	*keeper = KEEPER_INIT;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return error_sys(err, -errno, "cannot make a socket to the keeper");
	keeper->pid = fork();
	if (keeper->pid == 0)
		run_keeper(ends[1], machine);
	r = keeper->pid < 0 ? -errno : 0;
	close(ends[1]);
	if (r < 0) {
		close(ends[0]);
		return error_sys(err, r, "cannot start the keeper");
	}
	keeper->socket = ends[0];
	return 0;
}

static int send_order(struct keeper *keeper, const int *fd, size_t n)
{
	char order = KEEPER_SPAWN, space[CMSG_SPACE(N_FDS * sizeof(int))] = { 0 };
	struct iovec iov = { .iov_base = &order, .iov_len = 1 };
	struct msghdr message = { .msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = space,
		.msg_controllen = CMSG_SPACE(n * sizeof(*fd)) };
	struct cmsghdr *fds = CMSG_FIRSTHDR(&message);

	fds->cmsg_level = SOL_SOCKET;
	fds->cmsg_type = SCM_RIGHTS;
	fds->cmsg_len = CMSG_LEN(n * sizeof(*fd));
	memcpy(CMSG_DATA(fds), fd, n * sizeof(*fd));
	return sendmsg(keeper->socket, &message, MSG_NOSIGNAL) < 0 ? -errno : 0;
}

int keeper_spawn(struct keeper *keeper, const struct spawn *spawn, const struct contain *contain,
	struct error *err)
{
	int fd[N_FDS] = { memfd_create("trial", MFD_CLOEXEC), spawn->out, spawn->err, spawn->go,
		spawn->report, spawn->group };
	struct strbuf load = STRBUF_INIT;
	int r;

	if (fd[FD_LOAD] < 0)
		return error_sys(err, -errno, "cannot make a file in memory");
	keeper_pack(spawn, contain, &load);
	r = file_write_all(fd[FD_LOAD], load.data, load.len);
	if (r == 0)
		r = send_order(keeper, fd, fd[FD_GROUP] >= 0 ? N_FDS : FD_GROUP);
	close(fd[FD_LOAD]);
	strbuf_release(&load);
	return r < 0 ? error_sys(err, r, "cannot hand the trial to its keeper") : 0;
}

int keeper_tell(struct keeper *keeper, enum keeper_order order)
{
	char byte = (char)order;

	return send(keeper->socket, &byte, 1, MSG_NOSIGNAL) < 0 ? -errno : 0;
}

int keeper_hear(struct keeper *keeper, struct keeper_message *message)
{
	ssize_t n;

	do {
		n = recv(keeper->socket, message, sizeof(*message), 0);
	} while (n < 0 && errno == EINTR);
	return n == sizeof(*message) ? 0 : -EPIPE;
}

int keeper_ask(
	struct keeper *keeper, enum keeper_order order, enum keeper_news answer, size_t *count)
{
	struct keeper_message m = { 0 };

	*count = 0;
	if (keeper_tell(keeper, order) < 0)
		return -EPIPE;
	do {
		if (keeper_hear(keeper, &m) < 0)
			return -EPIPE;
	} while (m.news != answer);
	*count = m.count;
	return 0;
}

void keeper_dismiss(struct keeper *keeper)
{
	if (keeper->socket < 0)
		return;
	close(keeper->socket);
	waitpid(keeper->pid, NULL, 0);
	*keeper = KEEPER_INIT;
}
