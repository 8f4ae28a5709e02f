/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "process.h"

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/alloc.h"

static int by_number(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static void close_others(const int *keep, size_t n)
{
	int *sorted = xcalloc(n + 1, sizeof(*sorted));
	unsigned int from = 3;

	for (size_t i = 0; i < n; i++)
		sorted[i] = keep[i];
	qsort(sorted, n, sizeof(*sorted), by_number);
	for (size_t i = 0; i < n; i++) {
		if (sorted[i] < (int)from)
			continue;
		if (sorted[i] > (int)from)
			close_range(from, (unsigned int)sorted[i] - 1, 0);
		from = (unsigned int)sorted[i] + 1;
	}
	close_range(from, UINT_MAX, 0);
	free(sorted);
}

void process_become_helper(const char *name, const int *keep, size_t n)
{
	int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	setsid();
	prctl(PR_SET_NAME, name, 0, 0, 0);
	for (int fd = 0; nowhere >= 0 && fd <= 2; fd++)
		dup2(nowhere, fd);
	close_others(keep, n);
}

void process_spare_from_oom(const struct sysroot *machine)
{
	sysroot_write(machine, "proc/self/oom_score_adj", "-1000", NULL);
}

struct process {
	pid_t pid, parent;
	bool ours;
};

/* "1234 (name with ) in it) S 1 ..." */
static bool parse_stat(const char *text, struct process *p)
{
	const char *close = strrchr(text, ')');

	if (!close || close[1] != ' ' || !close[2] || close[2] == 'Z' || close[2] == 'X')
		return false;
	p->pid = (pid_t)strtol(text, NULL, 10);
	p->parent = (pid_t)strtol(close + 3, NULL, 10);
	p->ours = false;
	return p->pid > 0;
}

static struct process *read_all(const struct sysroot *machine, size_t *n)
{
	struct process *all = NULL;
	size_t cap = 0;
	char **paths, *text;
	int found = sysroot_glob(machine, "proc/[0-9]*/stat", &paths);

	*n = 0;
	for (int i = 0; i < found; i++) {
		if (sysroot_read(machine, paths[i], &text, NULL, NULL) < 0)
			continue; /* it has ended meanwhile */
		array_reserve(all, *n, cap);
		*n += parse_stat(text, &all[*n]);
		free(text);
	}
	sysroot_glob_free(paths, found);
	return all;
}

void process_descendants(const struct sysroot *machine, pid_t parent, struct pids *out)
{
	size_t n;
	struct process *all = read_all(machine, &n);

	for (size_t done = (size_t)-1; done != out->n;) {
		done = out->n;
		for (size_t i = 0; i < n; i++) {
			bool child = all[i].parent == parent;

			for (size_t j = 0; j < out->n && !child; j++)
				child = all[i].parent == out->pid[j];
			if (!child || all[i].ours)
				continue;
			all[i].ours = true;
			array_reserve(out->pid, out->n, out->cap);
			out->pid[out->n++] = all[i].pid;
		}
	}
	free(all);
}

size_t process_count_named(const struct sysroot *root, const char *comm)
{
	char **paths, *text;
	int found = sysroot_glob(root, "proc/[0-9]*/comm", &paths);
	size_t n = 0;

	for (int i = 0; i < found; i++) {
		if (sysroot_read_line(root, paths[i], &text, NULL) < 0)
			continue;
		n += strcmp(text, comm) == 0;
		free(text);
	}
	sysroot_glob_free(paths, found);
	return n;
}
