/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Target "local": how the agent is started, lost and ended; a shell script plays the agent. */
#include "target_tools.h"

#include <fcntl.h>
#include <signal.h>

#include "base/clock.h"
#include "runners/target/target.h"

static char *read_line(int fd)
{
	struct strbuf sb = STRBUF_INIT;
	char c;

	while (read(fd, &c, 1) == 1 && c != '\n')
		strbuf_add(&sb, &c, 1);
	return strbuf_steal(&sb);
}

static struct target *open_target(
	struct folder *f, struct target_env *env, const char *script, struct error *err)
{
	char *text = xasprintf("#!/bin/sh\n%s\n", script);
	struct target *target = NULL;

	*env = (struct target_env){ .state_dir = f->path, .work_dir = f->path };
	env->agent_path = folder_put(f, "agent", text, strlen(text), 0755);
	assert_fine(target_find("local", err)->open(NULL, env, &target, err), err);
	free(text);
	return target;
}

static void close_target(struct target *target, struct target_env *env)
{
	target_find("local", NULL)->close(target);
	free((char *)env->agent_path);
}

static void an_agent_is_started_once_and_kept(void **state)
{
	const struct target_ops *ops = target_find("local", NULL);
	struct folder *f = *state;
	struct target_link link, again;
	struct target_env env;
	struct target *t;
	char *line;

	t = open_target(f, &env, "echo \"hello $*\"; cat; echo over > \"$4/over\"", &f->err);
	assert_fine(ops->enter(t, "", true, &link, &f->err), &f->err);
	assert_true(link.fresh);
	line = read_line(link.in);
	assert_contains(line, "hello --undo-dir /tmp/target-test-");
	assert_contains(line, "/undo --work-dir /tmp/target-test-");
	free(line);
	assert_int_equal(write(link.out, "echo\n", 5), 5);
	line = read_line(link.in);
	assert_string_equal(line, "echo");
	free(line);
	assert_fine(ops->enter(t, "", true, &again, &f->err), &f->err);
	assert_false(again.fresh);
	assert_int_equal(again.in, link.in);
	close_target(t, &env);
	/* It saw the end of its input and had the time to finish. */
	line = file_join(f->path, "over");
	assert_true(file_exists(line));
	free(line);
}

static void a_command_line_is_refused(void **state)
{
	struct folder *f = *state;
	struct target_link link;
	struct target_env env;
	struct target *t = open_target(f, &env, "cat", &f->err);

	assert_int_equal(
		target_find("local", NULL)->enter(t, "idle=poll", true, &link, &f->err), -ENOTSUP);
	assert_contains(error_text(&f->err), "try target: vm");
	close_target(t, &env);
}

static void a_lost_agent_is_explained_and_replaced(void **state)
{
	const struct target_ops *ops = target_find("local", NULL);
	struct folder *f = *state;
	struct target_link link;
	struct target_env env;
	struct target *t;
	char *why, *line;

	t = open_target(
		f, &env, "echo hello; read x; echo oops >&2; kill -SEGV $$; sleep 10", &f->err);
	for (int i = 0; i < 2; i++) {
		assert_fine(ops->enter(t, "", false, &link, &f->err), &f->err);
		assert_true(link.fresh);
		line = read_line(link.in);
		assert_string_equal(line, "hello");
		free(line);
		assert_int_equal(write(link.out, "x\n", 2), 2);
		line = read_line(link.in);
		assert_string_equal(line, "");
		free(line);
		why = ops->lost(t);
		assert_contains(why, "harness-agent ended with signal 11");
		assert_contains(why, "its last words:\noops");
		free(why);
	}
	close_target(t, &env);
}

static void an_agent_that_does_not_answer_is_ended(void **state)
{
	const struct target_ops *ops = target_find("local", NULL);
	struct folder *f = *state;
	struct target_link link;
	struct target_env env;
	struct target *t = open_target(f, &env, "echo hello; cat > /dev/null", &f->err);
	char *why;

	assert_fine(ops->enter(t, "", false, &link, &f->err), &f->err);
	why = ops->lost(t);
	assert_string_equal(why, "harness-agent did not answer and was ended");
	free(why);
	close_target(t, &env);
}

static void a_missing_agent_is_said(void **state)
{
	struct folder *f = *state;
	struct target_env env = {
		.state_dir = f->path, .work_dir = f->path, .agent_path = "/no/such/agent"
	};
	struct target *t = NULL;

	assert_int_equal(target_find("local", NULL)->open(NULL, &env, &t, &f->err), -ENOENT);
	assert_contains(error_text(&f->err), "cannot run the agent '/no/such/agent'");
}

#define with_folder(test) cmocka_unit_test_setup_teardown(test, folder_make, folder_remove)

int main(void)
{
	const struct CMUnitTest tests[] = {
		with_folder(an_agent_is_started_once_and_kept),
		with_folder(a_command_line_is_refused),
		with_folder(a_lost_agent_is_explained_and_replaced),
		with_folder(an_agent_that_does_not_answer_is_ended),
		with_folder(a_missing_agent_is_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
