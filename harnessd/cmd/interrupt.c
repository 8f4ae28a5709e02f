/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/interrupt.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/alloc.h"

static const int signals[] = { SIGINT, SIGTERM, SIGHUP };

/* A signal handler has no context: the one variable of the program that is not passed around. */
static volatile sig_atomic_t stop_fd = -1;

/* Only what is safe in a handler. SA_RESETHAND has given the signal its default action back. */
static void stop(int signal)
{
	static const char text[] = "\nstopping: the trial ends, knobs go back; once more leaves at "
				   "once\n";
	const uint64_t one = 1;
	int before = errno;

	(void)signal;
	if (write(stop_fd, &one, sizeof(one)) < 0 ||
		write(STDERR_FILENO, text, sizeof(text) - 1) < 0)
		errno = before; /* nobody is there to be told */
	errno = before;
}

int interrupt_open(struct error *err)
{
	const struct sigaction action = { .sa_handler = stop,
		.sa_flags = (int)SA_RESETHAND | SA_RESTART };
	int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);

	if (fd < 0)
		return error_sys(err, -errno, "cannot make an event descriptor");
	stop_fd = fd;
	for (size_t i = 0; i < array_size(signals); i++) {
		struct sigaction before;

		/* Below nohup a hangup stays ignored. */
		if (sigaction(signals[i], &action, &before) == 0 && signals[i] == SIGHUP &&
			before.sa_handler == SIG_IGN)
			sigaction(signals[i], &before, NULL);
	}
	return fd;
}

void interrupt_close(int fd)
{
	for (size_t i = 0; i < array_size(signals); i++) {
		struct sigaction now;

		if (sigaction(signals[i], NULL, &now) == 0 && now.sa_handler == stop)
			signal(signals[i], SIG_DFL);
	}
	stop_fd = -1;
	if (fd >= 0)
		close(fd);
}
