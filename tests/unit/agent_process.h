/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the tests of harness-agent share: a fake root, and an agent that runs on it. */
#ifndef TESTS_AGENT_PROCESS_H
#define TESTS_AGENT_PROCESS_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "runners/agent_client.h"

/* Generous: these machines are shared, and a test that waits this long has failed anyway. */
enum { CALL_MS = 30000 };

#define FEATURES "sys/kernel/debug/sched/features"
#define KNOB "proc/sys/kernel/knob"
#define CHOICE "sys/kernel/mm/transparent_hugepage/enabled"
#define BOOT_ID "proc/sys/kernel/random/boot_id"

/** struct agent_process - a started agent and its surroundings, all below @dir */
struct agent_process {
	char dir[64];
	char *root, *undo, *work;
	pid_t pid;
	int to, from;
	struct agent_client *client;
};

static inline const char *agent_program(void)
{
	const char *path = getenv("HARNESS_AGENT");

	return path ? path : "build/harness-agent";
}

/* The test's folder is left before it is skipped: cmocka's skip() does not come back. */
static inline void need_agent(void)
{
	if (access(agent_program(), X_OK) == 0)
		return;
	print_message("skipped: '%s' is not built\n", agent_program());
	skip();
}

static inline void put_file(const char *dir, const char *path, const char *text)
{
	char *name = file_join(dir, path), *folder = file_dirname(name);
	FILE *f;

	assert_int_equal(file_make_dirs(folder, 0755, NULL), 0);
	f = fopen(name, "w");
	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
	free(folder);
	free(name);
}

static inline char *get_file(const char *dir, const char *path)
{
	char *name = file_join(dir, path), *text = NULL;

	if (file_read(name, 1 << 20, &text, NULL, NULL) < 0)
		text = xstrdup("(cannot be read)");
	free(name);
	return text;
}

static inline void assert_file(const char *dir, const char *path, const char *expected)
{
	char *text = get_file(dir, path);

	assert_string_equal(text, expected);
	free(text);
}

static inline void fake_root(struct agent_process *a)
{
	put_file(a->root, BOOT_ID, "boot-one\n");
	put_file(a->root, FEATURES, "GENTLE_FAIR_SLEEPERS NO_HRTICK TTWU_QUEUE NONTASK_CAPACITY\n");
	put_file(a->root, KNOB, "10\n");
	put_file(a->root, CHOICE, "always [madvise] never\n");
	put_file(a->root, "etc/passwd",
		"root:x:0:0:root:/root:/bin/sh\n"
		"bob:x:12345:12346:Bob:/home/bob:/bin/sh\n");
	put_file(a->root, "etc/group", "root:x:0:\nlab:x:777:alice,bob\n");
}

static inline void agent_folders(struct agent_process *a)
{
	*a = (struct agent_process){ .dir = "/tmp/harness-test.XXXXXX", .to = -1, .from = -1 };
	assert_non_null(mkdtemp(a->dir));
	assert_int_equal(chmod(a->dir, 0755), 0);
	a->root = file_join(a->dir, "root");
	a->undo = file_join(a->dir, "undo");
	a->work = file_join(a->dir, "work");
	fake_root(a);
}

static inline void agent_exec(
	const struct agent_process *a, const char *root, const char *extra, const char *mode)
{
	const char *argv[] = { agent_program(), "--root", root, "--undo-dir", a->undo, "--work-dir",
		a->work, "--contain", extra ? extra : "auto", mode, NULL };

	execv(argv[0], (char *const *)argv);
	_exit(99);
}

/* @root NULL: the fake one; @contain NULL: auto. */
static inline void agent_start(struct agent_process *a, const char *root, const char *contain)
{
	int in[2], out[2];

	assert_int_equal(pipe2(in, O_CLOEXEC), 0);
	assert_int_equal(pipe2(out, O_CLOEXEC), 0);
	a->pid = fork();
	assert_true(a->pid >= 0);
	if (a->pid == 0) {
		dup2(in[0], 0);
		dup2(out[1], 1);
		agent_exec(a, root ? root : a->root, contain, NULL);
	}
	close(in[0]);
	close(out[1]);
	a->to = in[1];
	a->from = out[0];
	a->client = agent_client_new(a->from, a->to);
}

/* The same on a socket, as the target local has it. Its reset, when it is closed with something unread, is
 * what a pipe does not have. */
static inline void agent_start_on_socket(struct agent_process *a)
{
	int pair[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
	a->pid = fork();
	assert_true(a->pid >= 0);
	if (a->pid == 0) {
		dup2(pair[1], 0);
		dup2(pair[1], 1);
		agent_exec(a, a->root, NULL, NULL);
	}
	close(pair[1]);
	a->to = pair[0];
	a->from = fcntl(pair[0], F_DUPFD_CLOEXEC, 0);
	a->client = agent_client_new(a->from, a->to);
}

static inline int agent_wait(struct agent_process *a)
{
	int status = -1;

	if (a->pid > 0)
		waitpid(a->pid, &status, 0);
	a->pid = 0;
	return status;
}

static inline void agent_hang_up(struct agent_process *a)
{
	agent_client_free(a->client);
	a->client = NULL;
	if (a->to >= 0)
		close(a->to);
	if (a->from >= 0)
		close(a->from);
	a->to = a->from = -1;
}

static inline int agent_end(struct agent_process *a)
{
	agent_hang_up(a);
	return agent_wait(a);
}

static inline void agent_clean(struct agent_process *a)
{
	agent_end(a);
	file_remove_tree(a->dir, NULL);
	free(a->root);
	free(a->undo);
	free(a->work);
}

/* cmocka set-up and tear-down for tests on a fake root */
static inline int start_fake(void **state)
{
	struct agent_process *a = xcalloc(1, sizeof(*a));

	*state = a;
	agent_folders(a);
	if (access(agent_program(), X_OK) == 0)
		agent_start(a, NULL, NULL);
	return 0;
}

static inline int end_fake(void **state)
{
	agent_clean(*state);
	free(*state);
	return 0;
}

/* The result; the test fails when there is none. */
static inline json_t *call(struct agent_process *a, const char *op, json_t *args)
{
	struct error err = ERROR_INIT;
	json_t *result = NULL;
	int r;

	need_agent();
	r = agent_call(a->client, op, args, CALL_MS, &result, &err);
	if (r < 0)
		print_message("%s: %s\n", op, error_text(&err));
	error_release(&err);
	assert_int_equal(r, 0);
	return result;
}

/* The call must fail with @code and a message that holds @text. */
static inline void call_fails(
	struct agent_process *a, const char *op, json_t *args, int code, const char *text)
{
	struct error err = ERROR_INIT;
	json_t *result = NULL;
	int r;

	need_agent();
	r = agent_call(a->client, op, args, CALL_MS, &result, &err);
	if (r != code || !strstr(error_text(&err), text))
		print_message("%s gave %d: %s\n", op, r, error_text(&err));
	assert_int_equal(r, code);
	assert_non_null(strstr(error_text(&err), text));
	error_release(&err);
}

/* One write for "set". */
static inline json_t *write_of(const char *path, const char *value, const char *kind)
{
	return json_pack("{s:s, s:s, s:s}", "path", path, "value", value, "kind", kind);
}

static inline bool blob_is(const json_t *blob, const char *expected)
{
	char *text = NULL;
	size_t len;
	bool same = json_blob_read(blob, &text, &len) == 0 && strcmp(text, expected) == 0;

	free(text);
	return same;
}

/* A nonce that no other test on this machine uses at the same time: processes are counted by it. */
static inline const char *agent_nonce(const struct agent_process *a)
{
	return strrchr(a->dir, '/') + 1;
}

/* How many living processes were started by the trial with this nonce. */
static inline int count_trial_processes(const char *nonce)
{
	char *needle = xasprintf("HARNESS_NONCE=%s", nonce);
	int n = 0;
	FILE *list = popen("ls -d /proc/[0-9]* 2>/dev/null", "r");
	char dir[64];

	while (list && fgets(dir, sizeof(dir), list)) {
		char *path, *env = NULL;
		size_t len = 0;

		dir[strcspn(dir, "\n")] = '\0';
		path = file_join(dir, "environ");
		if (file_read(path, 1 << 20, &env, &len, NULL) == 0)
			n += memmem(env, len, needle, strlen(needle)) != NULL;
		free(env);
		free(path);
	}
	if (list)
		pclose(list);
	free(needle);
	return n;
}

#endif
