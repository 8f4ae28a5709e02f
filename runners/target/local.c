/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Target "local": this machine; the agent is a child of ours. */
#include "runners/target/kinds.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/strbuf.h"
#include "runners/target/command.h"
#include "runners/target/console.h"

/* At the end of its input the agent ends the trial (TERM, grace, KILL) and puts the knobs back. */
#define END_SECONDS 15.0
#define TERM_SECONDS 2.0
/* A conversation breaks a moment before the agent can be reaped. */
#define REAP_SECONDS 0.2

enum { LOG_LINES = 6 };

/**
 * struct target
 * @pid: the agent, 0 for none; @fd: our end of its standard input and output
 * @log: what it writes to standard error
 * @status: as from waitpid(), once it ended
 */
struct target {
	const struct target_env *env;
	pid_t pid;
	int fd, status;
	char *log;
};

static int local_open(
	const void *options, const struct target_env *env, struct target **out, struct error *err)
{
	struct target *t;

	(void)options;
	if (access(env->agent_path, X_OK) < 0)
		return error_sys(err, -errno, "cannot run the agent '%s'", env->agent_path);
	t = xcalloc(1, sizeof(*t));
	t->env = env;
	t->fd = -1;
	t->log = file_join(env->work_dir, "agent.log");
	*out = t;
	return 0;
}

/* Between fork and exec: only calls that are safe there. No death signal: when the harness dies, the
 * agent sees the end of its input and has a trial to end and knobs to put back. */
static void child(char *const *argv, int fd, int log_fd)
{
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	/* Ctrl-C at the terminal is the harness's to handle. */
	setpgid(0, 0);
	dup2(fd, STDIN_FILENO);
	dup2(fd, STDOUT_FILENO);
	dup2(log_fd, STDERR_FILENO);
	execv(argv[0], argv);
	_exit(127);
}

static int spawn(struct target *t, int far, struct error *err)
{
	char *undo_dir = file_join(t->env->state_dir, "undo");
	char *const argv[] = { (char *)t->env->agent_path, "--undo-dir", undo_dir, "--work-dir",
		(char *)t->env->work_dir, NULL };
	int log_fd = open(t->log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644), r = 0;

	if (log_fd < 0) {
		r = error_sys(err, -errno, "cannot create '%s'", t->log);
	} else if (file_make_dirs(undo_dir, 0755, err) < 0) {
		r = -EIO;
	} else {
		t->pid = fork();
		if (t->pid == 0)
			child(argv, far, log_fd);
		if (t->pid < 0)
			r = error_sys(err, -errno, "cannot start '%s'", argv[0]);
	}
	if (r < 0)
		t->pid = 0;
	if (log_fd >= 0)
		close(log_fd);
	free(undo_dir);
	return r;
}

static int start(struct target *t, struct error *err)
{
	int pair[2], r;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
		return error_sys(err, -errno, "cannot make a socket pair");
	r = spawn(t, pair[1], err);
	close(pair[1]);
	if (r < 0)
		close(pair[0]);
	else
		t->fd = pair[0];
	return r;
}

/* Return: true while the agent runs. */
static bool alive(struct target *t)
{
	if (t->pid && command_wait(t->pid, 0, &t->status))
		t->pid = 0;
	return t->pid != 0;
}

/* Take the agent down, gently first. Return: true when it had to be killed. */
static bool end(struct target *t)
{
	bool killed = false;

	/* Closing with something unread would reset the connection; this is the end of the input. */
	if (t->fd >= 0)
		shutdown(t->fd, SHUT_RDWR);
	if (t->pid && !command_wait(t->pid, END_SECONDS, &t->status)) {
		kill(t->pid, SIGTERM);
		killed = !command_wait(t->pid, TERM_SECONDS, &t->status);
	}
	if (killed) {
		/* Its guardian puts the knobs back. */
		kill(t->pid, SIGKILL);
		while (waitpid(t->pid, &t->status, 0) < 0 && errno == EINTR)
			;
	}
	if (t->fd >= 0)
		close(t->fd);
	t->fd = -1;
	t->pid = 0;
	return killed;
}

static int local_enter(struct target *t, const char *cmdline, bool fresh, struct target_link *link,
	struct error *err)
{
	bool running;
	int r = 0;

	/* This machine is never restarted, whatever is wanted. */
	(void)fresh;
	if (*cmdline)
		return error_set(err, -ENOTSUP,
			"the kernel's command line can only be changed by a target that boots; try "
			"target: vm");
	running = alive(t);
	if (!running) {
		end(t);
		r = start(t, err);
	}
	if (r == 0)
		*link = (struct target_link){ t->fd, t->fd, !running };
	return r;
}

static char *local_lost(struct target *t)
{
	struct strbuf out = STRBUF_INIT;
	bool ended = !t->pid || command_wait(t->pid, REAP_SECONDS, &t->status);
	char *text, *tail, *status;
	size_t len = 0;

	if (ended)
		t->pid = 0;
	else if (end(t))
		strbuf_puts(&out, "harness-agent did not answer and had to be killed");
	else
		strbuf_puts(&out, "harness-agent did not answer and was ended");
	if (ended) {
		status = command_status_text(t->status);
		strbuf_printf(&out, "harness-agent ended with %s", status);
		free(status);
		end(t);
	}
	text = console_read(t->log, &len);
	tail = console_tail(text, len, LOG_LINES);
	if (*tail)
		strbuf_printf(&out, "; its last words:\n%.*s", (int)strlen(tail) - 1, tail);
	free(tail);
	free(text);
	return strbuf_steal(&out);
}

static json_t *local_describe(struct target *t)
{
	(void)t;
	return json_pack("{s:s}", "kind", "local");
}

static void local_close(struct target *t)
{
	if (!t)
		return;
	end(t);
	free(t->log);
	free(t);
}

const struct target_ops target_local = {
	.name = "local",
	.shares_host = true,
	.help = "this machine",
	.open = local_open,
	.enter = local_enter,
	.lost = local_lost,
	.describe = local_describe,
	.close = local_close,
};
