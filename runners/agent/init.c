/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "init.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/reboot.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "init_setup.h"
#include "serve.h"

enum {
	/* The guardian and the keeper of an agent that was killed need a few milliseconds. */
	CLEAR_TRIES = 5000,
	CLEAR_PAUSE_NS = 1000000,
	/* An agent that cannot even begin won't begin the tenth time either. */
	MAX_QUICK_DEATHS = 10,
};

#define QUICK_NS 1000000000ULL

static void __attribute__((noreturn)) power_off(void)
{
	sync();
	reboot(RB_POWER_OFF);
	reboot(RB_HALT_SYSTEM);
	for (;;)
		pause();
}

static void __attribute__((noreturn)) fatal(struct error *err)
{
	init_say("%s; powering off", error_text(err));
	power_off();
}

static void __attribute__((noreturn)) work(int port)
{
	static const struct serve_options options = { .root = "/",
		.undo_dir = "/run/harness/undo",
		.work_dir = "/tmp",
		.contain = "auto",
		.guest = true };
	struct error err = ERROR_INIT;
	int r;

	setsid();
	dup2(port, STDIN_FILENO);
	dup2(port, STDOUT_FILENO);
	close(port);
	r = serve(&options, &err);
	if (r < 0)
		init_say("%s", error_text(&err));
	exit(r < 0 ? 1 : r);
}

/* Reaps whatever ends until the worker does. Return: its wait status. */
static int wait_for(pid_t worker)
{
	int status;

	for (;;) {
		pid_t pid = waitpid(-1, &status, 0);

		if (pid == worker)
			return status;
		if (pid < 0 && errno != EINTR)
			return -1;
	}
}

/* All that the dead worker had is now our child: the guardian at its work, the keeper at its. */
static void wait_until_clear(void)
{
	for (int i = 0; i < CLEAR_TRIES; i++) {
		pid_t pid = waitpid(-1, NULL, WNOHANG);

		if (pid < 0 && errno == ECHILD)
			return;
		if (pid <= 0)
			clock_sleep_ns(CLEAR_PAUSE_NS);
	}
}

static void __attribute__((noreturn)) serve_for_ever(int port)
{
	for (int deaths = 0; deaths < MAX_QUICK_DEATHS;) {
		uint64_t began = clock_monotonic_ns();
		pid_t worker = fork();
		int status;

		if (worker == 0)
			work(port);
		status = worker < 0 ? -1 : wait_for(worker);
		if (status == 0)
			power_off();
		wait_until_clear();
		if (status > 0 && WIFSIGNALED(status))
			init_say("the agent was killed by signal %d (%s); starting another",
				WTERMSIG(status), strsignal(WTERMSIG(status)));
		else
			init_say("the agent ended with status %d; starting another",
				status < 0 ? -1 : WEXITSTATUS(status));
		deaths = clock_monotonic_ns() - began < QUICK_NS ? deaths + 1 : 0;
	}
	init_say("agents die as soon as they are started; powering off");
	power_off();
}

static void set_environment(void)
{
	clearenv();
	setenv("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", 1);
	setenv("HOME", "/", 1);
	setenv("TERM", "linux", 1);
}

void init_main(void)
{
	struct error err = ERROR_INIT;
	struct sysroot machine;
	int port;

	set_environment();
	if (init_mounts(&err) < 0)
		fatal(&err);
	init_console();
	init_loopback();
	if (sethostname("harness-guest", strlen("harness-guest")) < 0)
		init_say("cannot name the guest: %s", strerror(errno));
	if (sysroot_open(&machine, "/", &err) < 0)
		fatal(&err);
	init_modules(&machine);
	port = init_port(&machine, &err);
	if (port < 0)
		fatal(&err);
	serve_for_ever(port);
}
