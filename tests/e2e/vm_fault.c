/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A benchmark that goes wrong when it is told to, for vm_faults.sh: it runs in the guest.
 *
 * With the arm's knobs in force it says on the console "vm_fault: asks NONCE" and does what the file
 * /host/NONCE (by 9p, from the test) tells: "none", or a fault, of which it says "vm_fault: ready FAULT"
 * first. So the test decides trial by trial. Without an answer, or without the knobs, nothing goes wrong. */
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define ASK_NO_MORE "/host/free"
#define FEATURES "/sys/kernel/debug/sched/features"
#define SYSCTL "/proc/sys/vm/swappiness"
#define ARM_SYSCTL 11
#define PATIENCE_MS 4000

static void say(const char *format, ...)
{
	int fd = open("/dev/console", O_WRONLY | O_NOCTTY);
	va_list ap;

	va_start(ap, format);
	dprintf(fd, "vm_fault: ");
	vdprintf(fd, format, ap);
	dprintf(fd, "\n");
	va_end(ap);
	close(fd);
}

static char *read_text(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY);
	ssize_t n = fd < 0 ? -1 : read(fd, text, size - 1);

	if (fd >= 0)
		close(fd);
	text[n > 0 ? n : 0] = '\0';
	text[strcspn(text, "\n")] = '\0';
	return n > 0 ? text : NULL;
}

/* How many of the arm's two knobs are in force. */
static int knobs_set(void)
{
	char text[4096] = "", *features = read_text(FEATURES, text, sizeof(text));
	int n = features && strstr(features, "NO_TTWU_QUEUE");

	return n + (read_text(SYSCTL, text, sizeof(text)) && atoi(text) == ARM_SYSCTL);
}

/* "123 (harness-agent) S 1 ..." of the nearest ancestor of that name; 0 when there is none. */
static pid_t find_agent(void)
{
	char path[64], text[512];
	pid_t pid = getppid();

	while (pid > 1) {
		char *end;

		snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
		if (!read_text(path, text, sizeof(text)) || !(end = strrchr(text, ')')))
			return 0;
		if (strstr(text, "(harness-agent)"))
			return pid;
		pid = (pid_t)strtol(end + strlen(") S "), NULL, 10);
	}
	return 0;
}

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

/* All of a trial's processes die with its agent: who is to watch that must leave its cgroup. */
static void kill_agent(void)
{
	pid_t agent = find_agent();
	int procs = open("/sys/fs/cgroup/cgroup.procs", O_WRONLY);
	double start;

	if (fork() > 0)
		pause();
	if (!agent || write(procs, "0", 1) != 1) {
		say("cannot kill the agent");
		return;
	}
	setsid();
	start = now_ms();
	kill(agent, SIGKILL);
	while (knobs_set() && now_ms() - start < 4000)
		usleep(1000);
	say("%s after %.2f ms", knobs_set() ? "not restored" : "restored", now_ms() - start);
}

static void ignore_the_limit(void)
{
	signal(SIGTERM, SIG_IGN);
	for (;;)
		pause();
}

static void go_wrong(const char *fault)
{
	int fd;

	if (strcmp(fault, "agent") == 0) {
		kill_agent();
		return;
	}
	if (strcmp(fault, "limit") == 0)
		ignore_the_limit();
	if (strcmp(fault, "panic") == 0) {
		fd = open("/proc/sysrq-trigger", O_WRONLY);
		if (write(fd, "c", 1) != 1)
			say("cannot panic");
	}
	pause(); /* the fault is one that comes from outside */
}

/* Return: what is to go wrong in this trial, NULL for nothing. */
static const char *ask(char *answer, size_t size)
{
	const char *nonce = getenv("HARNESS_NONCE");
	double start = now_ms();
	char path[128];

	if (!nonce || access(ASK_NO_MORE, F_OK) == 0)
		return NULL;
	snprintf(path, sizeof(path), "/host/%s", nonce);
	say("asks %s", nonce);
	while (!read_text(path, answer, size)) {
		if (now_ms() - start > PATIENCE_MS)
			return NULL;
		usleep(2000);
	}
	return strcmp(answer, "none") != 0 ? answer : NULL;
}

int main(void)
{
	const char *fault;
	char answer[64];

	fault = knobs_set() == 2 ? ask(answer, sizeof(answer)) : NULL;
	if (fault) {
		say("ready %s", fault);
		go_wrong(fault);
		return 1;
	}
	puts("value 1");
	return 0;
}
