/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "keeper.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/file.h"

/* In the keeper's process. */
struct keeping {
	int socket;
	int signals;
	pid_t main;
	struct contain *contain;
	const char *folder;
};

enum { END_TRIES = 5000, END_PAUSE_NS = 1000000 };

static void tell(const struct keeping *k, const struct keeper_message *message)
{
	while (send(k->socket, message, sizeof(*message), MSG_NOSIGNAL) < 0 && errno == EINTR)
		;
}

static void reap(const struct keeping *k)
{
	struct keeper_message m = { .news = KEEPER_EXITED };

	while ((m.pid = wait4(-1, &m.status, WNOHANG, &m.usage)) > 0) {
		m.ended_ns = clock_monotonic_ns();
		if (m.pid == k->main)
			tell(k, &m);
	}
}

/* A process that the kernel won't let go of (state D) must not hold the keeper for ever. */
static size_t end_all(const struct keeping *k)
{
	size_t n = contain_count(k->contain);

	for (int i = 0; i < END_TRIES && contain_count(k->contain); i++) {
		k->contain->ops->strike(k->contain);
		reap(k);
		if (contain_count(k->contain))
			clock_sleep_ns(END_PAUSE_NS);
	}
	reap(k);
	return n;
}

static void __attribute__((noreturn)) quit(const struct keeping *k, bool agent_is_gone)
{
	end_all(k);
	contain_close(k->contain);
	if (agent_is_gone)
		file_remove_tree(k->folder, NULL);
	_exit(0);
}

static void obey(const struct keeping *k)
{
	char order = 0;
	ssize_t n = recv(k->socket, &order, 1, 0);

	if (n < 0 && errno == EINTR)
		return;
	if (n <= 0)
		quit(k, true);
	switch (order) {
	case KEEPER_TERM:
		contain_signal(k->contain, SIGTERM);
		contain_signal(k->contain, SIGCONT); /* a stopped process takes no TERM */
		break;
	case KEEPER_STRIKE:
		k->contain->ops->strike(k->contain);
		break;
	case KEEPER_COUNT:
		tell(k, &(struct keeper_message){
				.news = KEEPER_COUNTED, .count = contain_count(k->contain) });
		break;
	case KEEPER_KILL:
		tell(k, &(struct keeper_message){ .news = KEEPER_KILLED, .count = end_all(k) });
		break;
	default:
		quit(k, false);
	}
}

static void __attribute__((noreturn)) keep(const struct keeping *k)
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

static void __attribute__((noreturn))
run_keeper(int socket, const struct spawn *spawn, struct contain *contain)
{
	struct keeping k = { .socket = socket, .contain = contain, .folder = spawn->folder };
	sigset_t children;

	process_become_helper("harness-keeper",
		(int[]){ socket, spawn->out, spawn->err, spawn->go, spawn->report, contain->dirfd,
			contain->machine->dirfd },
		7);
	sigemptyset(&children);
	sigaddset(&children, SIGCHLD);
	k.signals = signalfd(-1, &children, SFD_CLOEXEC);
	prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	k.main = spawn_child(spawn);
	tell(&k, &(struct keeper_message){ .news = KEEPER_STARTED, .pid = k.main });
	close(spawn->out);
	close(spawn->err);
	close(spawn->go);
	close(spawn->report);
	process_spare_from_oom(contain->machine);
	keep(&k);
}

int keeper_start(struct keeper *keeper, const struct spawn *spawn, struct contain *contain,
	struct error *err)
{
	int ends[2], r;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return error_sys(err, -errno, "cannot make a socket to the keeper");
	keeper->pid = fork();
	if (keeper->pid == 0)
		run_keeper(ends[1], spawn, contain);
	r = keeper->pid < 0 ? -errno : 0;
	close(ends[1]);
	if (r < 0) {
		close(ends[0]);
		return error_sys(err, r, "cannot start the keeper");
	}
	keeper->socket = ends[0];
	return 0;
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

void keeper_finish(struct keeper *keeper)
{
	if (keeper->socket < 0)
		return;
	keeper_tell(keeper, KEEPER_QUIT);
	close(keeper->socket);
	waitpid(keeper->pid, NULL, 0);
	*keeper = KEEPER_INIT;
}
