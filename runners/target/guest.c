/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "runners/target/guest.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/json.h"
#include "base/strbuf.h"
#include "runners/target/command.h"
#include "runners/target/console.h"
#include "runners/target/qmp.h"

enum {
	QMP_SECONDS = 20,
	CONSOLE_LINES = 12,
	LOG_LINES = 3,
	MAX_LINE = 1 << 20,
	SLICE_NS = 100000000,
};

#define PATIENCE 0.3

/**
 * struct guest
 * @agent: the host's end of the agent's channel; @agent_far: a copy of QEMU's end, kept until the
 *	hello is put in; @control: the host's end of QMP
 * @status: as from waitpid(), once @ended
 */
struct guest {
	pid_t pid;
	int pidfd, agent, agent_far, control;
	struct qmp *qmp;
	char *console, *log;
	int status;
	bool ended;
	bool (*cancelled)(void *context);
	void *context;
};

/* Commas separate QEMU's options; two of them stand for one. */
static char *quoted(const char *path)
{
	struct strbuf sb = STRBUF_INIT;

	for (const char *p = path; *p; p++)
		strbuf_putc(&sb, *p, *p == ',' ? 2 : 1);
	return strbuf_steal(&sb);
}

static void add_channels(
	struct string_list *args, const struct guest_start *start, int agent_fd, int control_fd)
{
	char *console = quoted(start->console);

	words_add(args, "-chardev");
	words_addf(args, "file,id=console,path=%s", console);
	words_add(args, "-serial");
	words_add(args, "chardev:console");
	words_add(args, "-chardev");
	words_addf(args, "socket,id=control,fd=%d", control_fd);
	words_add(args, "-mon");
	words_add(args, "chardev=control,mode=control");
	words_add(args, "-device");
	words_add(args, "virtio-serial-pci");
	words_add(args, "-chardev");
	words_addf(args, "socket,id=agent,fd=%d", agent_fd);
	words_add(args, "-device");
	words_add(args, "virtserialport,chardev=agent,name=harness");
	if (start->state_fd >= 0) {
		words_add(args, "-incoming");
		words_addf(args, "fd:%d", start->state_fd);
	}
	free(console);
}

/* Between fork and exec: only calls that are safe there. */
static void child(char **argv, int log_fd, const int *keep, size_t n_keep, pid_t driver)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* The driver may have died before the line above. */
	if (getppid() != driver)
		_exit(125);
	dup2(null, STDIN_FILENO);
	dup2(log_fd, STDOUT_FILENO);
	dup2(log_fd, STDERR_FILENO);
	for (size_t i = 0; i < n_keep; i++)
		if (keep[i] >= 0)
			fcntl(keep[i], F_SETFD, 0);
	execv(argv[0], argv);
	_exit(127);
}

static int spawn(struct guest *guest, const struct guest_start *start, int agent_fd, int control_fd,
	struct error *err)
{
	int log_fd = open(start->log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644), r = 0;
	int keep[] = { agent_fd, control_fd, start->state_fd };
	struct string_list args = { 0 };
	pid_t driver = getpid();
	char **argv;

	if (log_fd < 0)
		return error_sys(err, -errno, "cannot create '%s'", start->log);
	for (size_t i = 0; i < start->args->n; i++)
		words_add(&args, start->args->s[i]);
	add_channels(&args, start, agent_fd, control_fd);
	argv = xcalloc(args.n + 1, sizeof(*argv));
	memcpy(argv, args.s, args.n * sizeof(*argv));
	guest->pid = fork();
	if (guest->pid == 0)
		child(argv, log_fd, keep, array_size(keep), driver);
	if (guest->pid < 0)
		r = error_sys(err, -errno, "cannot start '%s'", argv[0]);
	else
		guest->pidfd = pidfd_open(guest->pid, 0);
	free(argv);
	words_release(&args);
	close(log_fd);
	return r;
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void forget(struct guest *guest)
{
	qmp_free(guest->qmp);
	close_fd(&guest->pidfd);
	close_fd(&guest->agent);
	close_fd(&guest->agent_far);
	close_fd(&guest->control);
	free(guest->console);
	free(guest->log);
	free(guest);
}

int guest_new(const struct guest_start *start, struct guest **out, struct error *err)
{
	int agent[2], control[2] = { -1, -1 }, r;
	struct guest *guest = xcalloc(1, sizeof(*guest));

	*guest = (struct guest){ .pidfd = -1, .agent = -1, .agent_far = -1, .control = -1 };
	guest->console = xstrdup(start->console);
	guest->log = xstrdup(start->log);
	guest->cancelled = start->cancelled;
	guest->context = start->context;
	/* A file of an earlier guest must not be taken for this one's. */
	unlink(start->console);
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, agent) < 0) {
		r = error_sys(err, -errno, "cannot make a socket pair");
		goto out;
	}
	guest->agent = agent[0];
	guest->agent_far = agent[1];
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, control) < 0) {
		r = error_sys(err, -errno, "cannot make a socket pair");
		goto out;
	}
	guest->control = control[0];
	guest->qmp = qmp_new(control[0]);
	r = spawn(guest, start, agent[1], control[1], err);
	close(control[1]);
out:
	if (r == 0)
		*out = guest;
	else
		forget(guest);
	return r;
}

int guest_fd(const struct guest *guest)
{
	return guest->agent;
}

bool guest_alive(struct guest *guest)
{
	if (!guest->ended)
		guest->ended = command_wait(guest->pid, 0, &guest->status);
	return !guest->ended;
}

/* Wait for a byte from the agent or for QEMU's end. Return: 0 when there is something to read. */
static int wait_readable(struct guest *guest, uint64_t limit)
{
	struct pollfd fds[] = { { .fd = guest->agent, .events = POLLIN },
		{ .fd = guest->pidfd, .events = POLLIN } };

	for (;;) {
		uint64_t now = clock_monotonic_ns();
		int n;

		if (now >= limit)
			return -ETIMEDOUT;
		if (guest->cancelled && guest->cancelled(guest->context))
			return -EINTR;
		n = poll(fds, 2,
			(int)((limit - now < SLICE_NS ? limit - now : SLICE_NS) / 1000000) + 1);
		if (n < 0 && errno != EINTR)
			return -errno;
		if (n > 0 && fds[0].revents & POLLIN)
			return 0;
		if (n > 0 && (fds[0].revents || fds[1].revents))
			return -EPIPE;
	}
}

int guest_read_line(struct guest *guest, double seconds, char **line)
{
	uint64_t limit = clock_monotonic_ns() + (uint64_t)(seconds * 1e9);
	struct strbuf sb = STRBUF_INIT;
	int r;

	/* Byte by byte: what comes behind the line is for the channel's next reader. */
	for (;;) {
		char c = 0;

		r = wait_readable(guest, limit);
		if (r == 0 && read(guest->agent, &c, 1) != 1)
			r = -EPIPE;
		if (r == 0 && sb.len > MAX_LINE)
			r = -EPROTO;
		if (r < 0 || c == '\n')
			break;
		strbuf_add(&sb, &c, 1);
	}
	if (r == 0)
		*line = strbuf_steal(&sb);
	strbuf_release(&sb);
	return r;
}

static int send_line(int fd, const char *line)
{
	char *text = xasprintf("%s\n", line);
	size_t len = strlen(text);
	ssize_t n = send(fd, text, len, MSG_NOSIGNAL);
	int r = n < 0 ? -errno : 0;

	free(text);
	return r == 0 && (size_t)n != len ? -EIO : r;
}

int guest_write_line(struct guest *guest, const char *line)
{
	return send_line(guest->agent, line);
}

int guest_hand_over(struct guest *guest, const char *hello, struct error *err)
{
	int r = send_line(guest->agent_far, hello);

	if (r < 0)
		return error_sys(err, r, "cannot write to the guest's channel");
	/* From here on QEMU alone holds that end: the channel ends when QEMU does. */
	close_fd(&guest->agent_far);
	return 0;
}

/* The status word of a query command, "" when it can't be had; owned by the caller. */
static char *query_status(struct guest *guest, const char *command, double seconds)
{
	json_t *reply = NULL;
	char *status;

	qmp_call(guest->qmp, command, NULL, -1, seconds, &reply, NULL);
	status = xstrdup(json_str(reply, "status", ""));
	json_decref(reply);
	return status;
}

static int wait_for_status(struct guest *guest, const char *command, const char *wanted,
	const char *failed, double seconds, struct error *err)
{
	uint64_t limit = clock_monotonic_ns() + (uint64_t)(seconds * 1e9);
	int r = -EAGAIN;

	while (r == -EAGAIN) {
		char *status = query_status(guest, command, QMP_SECONDS);

		if (strcmp(status, wanted) == 0)
			r = 0;
		else if (strcmp(status, failed) == 0 || !guest_alive(guest))
			r = error_set(err, -EIO, "QEMU failed at it");
		else if (clock_monotonic_ns() >= limit)
			r = error_set(err, -ETIMEDOUT, "it took longer than %.0f s", seconds);
		else
			clock_sleep_ns(5000000);
		free(status);
	}
	return r;
}

int guest_save(struct guest *guest, int fd, double seconds, struct error *err)
{
	/* The default is meant for networks, and would make this take seconds. */
	json_t *speed = json_pack("{s:I}", "max-bandwidth", (json_int_t)1 << 40);
	struct qmp *q = guest->qmp;
	int r = qmp_call(q, "migrate-set-parameters", speed, -1, QMP_SECONDS, NULL, err);

	if (r == 0)
		r = qmp_call(q, "getfd", json_pack("{s:s}", "fdname", "state"), fd, QMP_SECONDS,
			NULL, err);
	if (r == 0)
		r = qmp_call(q, "migrate", json_pack("{s:s}", "uri", "fd:state"), -1, QMP_SECONDS,
			NULL, err);
	if (r == 0)
		r = wait_for_status(guest, "query-migrate", "completed", "failed", seconds, err);
	if (r < 0)
		error_prefix(err, "cannot save the guest's state: ");
	return r;
}

/* A guest that runs is not yet one that answers: ask for something that changes nothing. */
static int wait_for_answer(struct guest *guest, double seconds, struct error *err)
{
	char *reply = NULL;
	int r = guest_write_line(guest, "{\"id\":0,\"op\":\"read\",\"path\":\"proc/uptime\"}");

	if (r == 0)
		r = guest_read_line(guest, seconds, &reply);
	free(reply);
	return r < 0 ? error_set(err, r, "its agent does not answer") : 0;
}

int guest_wait_running(struct guest *guest, double seconds, struct error *err)
{
	int r = wait_for_status(guest, "query-status", "running", "internal-error", seconds, err);

	if (r == 0)
		r = wait_for_answer(guest, seconds, err);
	if (r < 0)
		error_prefix(err, "cannot go on from the guest's saved state: ");
	return r;
}

/* The n-th CPU that we may run on, or -1. */
static int allowed_cpu(size_t n)
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set) < 0)
		return -1;
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &set) && n-- == 0)
			return cpu;
	return -1;
}

int guest_pin(struct guest *guest, struct error *err)
{
	json_t *cpus = NULL, *cpu;
	size_t i;
	int r = qmp_call(guest->qmp, "query-cpus-fast", NULL, -1, QMP_SECONDS, &cpus, err);

	if (r < 0)
		return r;
	if (json_array_size(cpus) == 0 || allowed_cpu(json_array_size(cpus) - 1) < 0) {
		json_decref(cpus);
		return 0;
	}
	json_array_foreach(cpus, i, cpu) {
		pid_t thread = (pid_t)json_int(cpu, "thread-id", 0);
		cpu_set_t set;

		CPU_ZERO(&set);
		CPU_SET(allowed_cpu(i), &set);
		if (r == 0 && sched_setaffinity(thread, sizeof(set), &set) < 0)
			r = error_sys(err, -errno, "cannot bind a virtual CPU to a CPU");
	}
	json_decref(cpus);
	return r;
}

/* End it, by force if it must be, and reap it. */
static void end(struct guest *guest)
{
	if (!guest_alive(guest))
		return;
	kill(guest->pid, SIGKILL);
	while (waitpid(guest->pid, &guest->status, 0) < 0 && errno == EINTR)
		;
	guest->ended = true;
}

static void say_end(struct guest *guest, const char *panic, struct strbuf *out)
{
	char *status = NULL;

	if (panic) {
		strbuf_printf(out, "the guest's kernel panicked: %s", panic);
	} else if (guest_alive(guest)) {
		status = query_status(guest, "query-status", 1);
		if (*status)
			strbuf_printf(out, "QEMU says of the guest: %s", status);
		else
			strbuf_puts(out, "QEMU itself does not answer");
	} else if (WIFEXITED(guest->status) && WEXITSTATUS(guest->status) == 0) {
		strbuf_puts(out, "the guest switched itself off");
	} else {
		status = command_status_text(guest->status);
		strbuf_printf(out, "QEMU ended with %s", status);
	}
	free(status);
}

static void say_tail(
	struct strbuf *out, const char *title, const char *path, size_t lines, bool always)
{
	size_t len = 0;
	char *text = console_read(path, &len), *tail = console_tail(text, len, lines);

	if (*tail)
		strbuf_printf(out, "\n%s (%s):\n%s", title, path, tail);
	else if (always)
		strbuf_printf(out, "; %s printed nothing", title);
	while (out->len && out->data[out->len - 1] == '\n')
		out->data[--out->len] = '\0';
	free(tail);
	free(text);
}

char *guest_kill(struct guest *guest)
{
	struct strbuf out = STRBUF_INIT;
	char *text, *panic;
	size_t len = 0;

	/* A guest that panicked ends by itself at once: a little patience tells it from one that hangs. */
	if (!guest->ended)
		guest->ended = command_wait(guest->pid, PATIENCE, &guest->status);
	text = console_read(guest->console, &len);
	panic = console_panic_line(text, len);
	say_end(guest, panic, &out);
	end(guest);
	say_tail(&out, "QEMU's last words", guest->log, LOG_LINES, false);
	say_tail(&out, "the console's last lines", guest->console, CONSOLE_LINES, true);
	free(panic);
	free(text);
	return strbuf_steal(&out);
}

void guest_free(struct guest *guest, double seconds)
{
	if (!guest)
		return;
	if (guest_alive(guest) && qmp_call(guest->qmp, "quit", NULL, -1, seconds, NULL, NULL) == 0)
		guest->ended = command_wait(guest->pid, seconds, &guest->status);
	end(guest);
	forget(guest);
}
