/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "runners/target/command.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/file.h"

enum {
	MAX_OUTPUT = 1 << 30,
	MAX_ERRORS = 1 << 16,
};

void words_add(struct string_list *list, const char *text)
{
	array_reserve(list->s, list->n, list->cap);
	list->s[list->n++] = xstrdup(text);
}

void words_addf(struct string_list *list, const char *fmt, ...)
{
	va_list ap;

	array_reserve(list->s, list->n, list->cap);
	va_start(ap, fmt);
	list->s[list->n++] = xvasprintf(fmt, ap);
	va_end(ap);
}

bool words_has(const struct string_list *list, const char *text)
{
	for (size_t i = 0; i < list->n; i++)
		if (strcmp(list->s[i], text) == 0)
			return true;
	return false;
}

void words_release(struct string_list *list)
{
	for (size_t i = 0; i < list->n; i++)
		free(list->s[i]);
	free(list->s);
	*list = (struct string_list){ 0 };
}

bool command_wait(pid_t pid, double seconds, int *status)
{
	uint64_t limit = clock_monotonic_ns() + (uint64_t)(seconds * 1e9);

	for (;;) {
		pid_t got = waitpid(pid, status, WNOHANG);

		if (got == pid)
			return true;
		if (got < 0 && errno != EINTR) {
			*status = 0;
			return true;
		}
		if (clock_monotonic_ns() >= limit)
			return false;
		clock_sleep_ns(2000000);
	}
}

char *command_status_text(int status)
{
	if (WIFSIGNALED(status))
		return xasprintf("signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
	return xasprintf("exit status %d", WEXITSTATUS(status));
}

struct running {
	pid_t pid;
	int out, errors;
};

/* The environment with the locale replaced by C; to be freed, the strings are borrowed. */
static char **c_locale_environment(void)
{
	char **env;
	size_t n = 0, kept = 0;

	while (environ[n])
		n++;
	env = xcalloc(n + 2, sizeof(*env));
	for (size_t i = 0; i < n; i++)
		if (strncmp(environ[i], "LC_", 3) != 0 && strncmp(environ[i], "LANG", 4) != 0)
			env[kept++] = environ[i];
	env[kept] = (char *)"LC_ALL=C";
	return env;
}

static void run_child(char **argv, char **env, const char *dir, int out, int errors)
{
	int null = open("/dev/null", O_RDWR);

	setpgid(0, 0);
	dup2(null, STDIN_FILENO);
	dup2(out, STDOUT_FILENO);
	dup2(errors, STDERR_FILENO);
	if (dir && chdir(dir) < 0)
		_exit(126);
	execvpe(argv[0], argv, env);
	_exit(127);
}

static int start(char **argv, const char *dir, struct running *run, struct error *err)
{
	int out[2], errors[2], r = 0;
	char **env;

	if (pipe2(out, O_CLOEXEC) < 0)
		return error_sys(err, -errno, "cannot make a pipe");
	if (pipe2(errors, O_CLOEXEC) < 0) {
		close(out[0]);
		close(out[1]);
		return error_sys(err, -errno, "cannot make a pipe");
	}
	env = c_locale_environment();
	run->pid = fork();
	if (run->pid == 0)
		run_child(argv, env, dir, out[1], errors[1]);
	if (run->pid < 0) {
		r = error_sys(err, -errno, "cannot start '%s'", argv[0]);
		close(out[0]);
		close(errors[0]);
	}
	free(env);
	close(out[1]);
	close(errors[1]);
	run->out = out[0];
	run->errors = errors[0];
	return r;
}

/* Take what is there. Return: false at the stream's end. */
static bool drain(int fd, struct strbuf *sb, size_t limit)
{
	char block[65536];
	ssize_t n = read(fd, block, sizeof(block));

	if (n < 0)
		return errno == EINTR || errno == EAGAIN;
	if (n > 0 && sb && sb->len < limit)
		strbuf_add(sb, block, (size_t)n);
	return n > 0;
}

/* Return: 0 at the end of both streams, -ETIMEDOUT. */
static int collect(struct running *run, double seconds, struct strbuf *out, struct strbuf *errors)
{
	uint64_t limit = clock_monotonic_ns() + (uint64_t)(seconds * 1e9);
	struct pollfd fds[2] = { { .fd = run->out, .events = POLLIN },
		{ .fd = run->errors, .events = POLLIN } };

	while (fds[0].fd >= 0 || fds[1].fd >= 0) {
		uint64_t now = clock_monotonic_ns();

		if (now >= limit)
			return -ETIMEDOUT;
		if (poll(fds, 2, (int)((limit - now) / 1000000) + 1) <= 0)
			continue;
		if (fds[0].revents && !drain(run->out, out, MAX_OUTPUT))
			fds[0].fd = -1;
		if (fds[1].revents && !drain(run->errors, errors, MAX_ERRORS))
			fds[1].fd = -1;
	}
	return 0;
}

static const char *last_line(struct strbuf *sb)
{
	const char *newline;

	while (sb->len && sb->data[sb->len - 1] == '\n')
		sb->data[--sb->len] = '\0';
	newline = strrchr(strbuf_text(sb), '\n');
	return newline ? newline + 1 : strbuf_text(sb);
}

static int judge(const char *name, int status, struct strbuf *errors, struct error *err)
{
	const char *line = last_line(errors);
	char *text;

	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return 0;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 127 && !*line)
		return error_set(err, -ENOENT, "cannot run '%s': it is not installed", name);
	text = command_status_text(status);
	error_set(err, -EIO, "'%s' ended with %s%s%s", name, text, *line ? ": " : "", line);
	free(text);
	return -EIO;
}

int command_run(const struct string_list *list, const char *dir, double seconds, struct strbuf *out,
	struct error *err)
{
	char **argv = xcalloc(list->n + 1, sizeof(*argv));
	struct strbuf errors = STRBUF_INIT;
	struct running run = { 0 };
	int status = 0, r;

	assert(list->n); /* the program */
	memcpy(argv, list->s, list->n * sizeof(*argv));
	r = start(argv, dir, &run, err);
	free(argv);
	if (r < 0)
		return r;
	r = collect(&run, seconds, out, &errors);
	if (r < 0) {
		kill(-run.pid, SIGKILL);
		kill(run.pid, SIGKILL);
		error_set(
			err, r, "'%s' was ended: it took longer than %.0f s", list->s[0], seconds);
	}
	while (waitpid(run.pid, &status, 0) < 0 && errno == EINTR)
		;
	if (r == 0)
		r = judge(list->s[0], status, &errors, err);
	close(run.out);
	close(run.errors);
	strbuf_release(&errors);
	return r;
}

int command_runv(const char *const *argv, double seconds, struct strbuf *out, struct error *err)
{
	struct string_list list = { 0 };
	int r;

	for (; *argv; argv++)
		words_add(&list, *argv);
	r = command_run(&list, NULL, seconds, out, err);
	words_release(&list);
	return r;
}
