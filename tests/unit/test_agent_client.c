/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The host's end, against agents that misbehave: each is a script that reads nothing and says this. */
#include "agent_process.h"

#include <sys/socket.h>

#define HELLO                                                                                  \
	"{\"hello\":\"harness-agent\",\"protocol\":1,\"version\":\"x\",\"pid\":5,\"boot_id\":" \
	"\"b\"}\n"

struct peer {
	struct agent_client *client;
	int ours, theirs;
};

static int start_peer(void **state)
{
	struct peer *p = xcalloc(1, sizeof(*p));
	int ends[2];

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
	p->ours = ends[0];
	p->theirs = ends[1];
	p->client = agent_client_new(p->ours, p->ours);
	*state = p;
	return 0;
}

static void hang_up(struct peer *p)
{
	if (p->theirs >= 0)
		close(p->theirs);
	p->theirs = -1;
}

static int end_peer(void **state)
{
	struct peer *p = *state;

	agent_client_free(p->client);
	hang_up(p);
	close(p->ours);
	free(p);
	return 0;
}

static void say(struct peer *p, const char *text)
{
	assert_int_equal(file_write_all(p->theirs, text, strlen(text)), 0);
}

static void assert_call(struct peer *p, int timeout_ms, int code, const char *text)
{
	struct error err = ERROR_INIT;
	json_t *result = NULL;
	int r = agent_call(p->client, "facts", NULL, timeout_ms, &result, &err);

	if (r != code || (text && !strstr(error_text(&err), text)))
		print_message("gave %d: %s\n", r, error_text(&err));
	assert_int_equal(r, code);
	if (text)
		assert_non_null(strstr(error_text(&err), text));
	error_release(&err);
	json_decref(result);
}

static void assert_dead(struct peer *p)
{
	assert_true(agent_client_dead(p->client));
	assert_call(p, 1000, -EPIPE, "has ended before");
}

static void reply_comes_through(void **state)
{
	struct peer *p = *state;
	json_t *result = NULL;
	char line[256];
	ssize_t n;

	say(p, HELLO "{\"id\":1,\"ok\":true,\"result\":{\"a\":1}}\n");
	assert_int_equal(
		agent_call(p->client, "read", json_pack("{s:s}", "path", "x"), 1000, &result, NULL),
		0);
	assert_int_equal(json_int(result, "a", 0), 1);
	json_decref(result);
	n = read(p->theirs, line, sizeof(line) - 1);
	assert_true(n > 0);
	line[n] = '\0';
	assert_string_equal(line, "{\"id\":1,\"op\":\"read\",\"path\":\"x\"}\n");
}

static void reply_in_pieces(void **state)
{
	struct peer *p = *state;

	if (fork() == 0) {
		const char *text = HELLO "{\"id\":1,\"ok\":true,\"result\":{}}\n";

		for (; *text; text++) {
			say(p, (char[]){ *text, '\0' });
			clock_sleep_ns(100000);
		}
		_exit(0);
	}
	assert_call(p, CALL_MS, 0, NULL);
}

static void agents_error_is_handed_on(void **state)
{
	struct peer *p = *state;

	say(p, "{\"id\":1,\"ok\":false,\"error\":{\"errno\":1,\"name\":\"EPERM\",\"text\":\"no!\"}}"
	       "\n"
	       "{\"id\":2,\"ok\":false,\"error\":{\"errno\":-7}}\n"
	       "{\"id\":3,\"ok\":false}\n{\"id\":4,\"ok\":true,\"result\":{}}\n");
	assert_call(p, 1000, -EPERM, "no!");
	assert_call(p, 1000, -EIO, "no reason");
	assert_call(p, 1000, -EIO, "no reason");
	assert_call(p, 1000, 0, NULL);
	assert_false(agent_client_dead(p->client));
}

static void greeting_is_passed_over(void **state)
{
	struct peer *p = *state;

	say(p, "Welcome to Debian\n\n" HELLO "{\"id\":1,\"ok\":true,\"result\":{}}\n");
	assert_call(p, 1000, 0, NULL);
	say(p, "Welcome again\n");
	assert_call(p, 1000, -EPROTO, "no JSON: 'Welcome again'");
	assert_dead(p);
}

static void last_words_are_told(void **state)
{
	struct peer *p = *state;

	say(p, "bash: harness-agent: command not found\n");
	assert_int_equal(shutdown(p->theirs, SHUT_WR), 0);
	assert_call(
		p, 1000, -EPIPE, "the last line from there was: 'bash: harness-agent: command not");
	assert_dead(p);
}

static void last_words_of_one_that_does_not_listen(void **state)
{
	struct peer *p = *state;

	say(p, "hello\nsh: 1: exec: harness-agent: not found\n");
	hang_up(p);
	assert_call(p, 1000, -EPIPE, "was: 'sh: 1: exec: harness-agent: not found'");
	assert_dead(p);
}

static void closed_for_writing(void **state)
{
	struct peer *p = *state;

	signal(SIGPIPE, SIG_DFL); /* must not end the program */
	hang_up(p);
	assert_call(p, 1000, -EPIPE, "is gone");
	signal(SIGPIPE, SIG_IGN);
	assert_dead(p);
}

static void endless_greeting_ends(void **state)
{
	struct peer *p = *state;
	char *noise = xmalloc(1001);
	pid_t pid;

	memset(noise, 'z', 999);
	strcpy(noise + 999, "\n");
	pid = fork();
	if (pid == 0) {
		for (int i = 0; i < 400; i++)
			say(p, noise);
		_exit(0);
	}
	assert_call(p, CALL_MS, -EPROTO, "no JSON");
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	free(noise);
}

static void silence_times_out(void **state)
{
	struct peer *p = *state;

	say(p, HELLO "{\"id\":1,\"ok\":tr");
	assert_call(p, 50, -ETIMEDOUT, "within 50 ms");
	assert_dead(p);
}

static void answer_to_another_question(void **state)
{
	struct peer *p = *state;

	say(p, "{\"id\":7,\"ok\":true,\"result\":{}}\n");
	assert_call(p, 1000, -EPROTO, "nothing that was asked");
	assert_dead(p);
}

static void answer_without_result(void **state)
{
	struct peer *p = *state;

	say(p, "{\"id\":1,\"ok\":true}\n");
	assert_call(p, 1000, -EPROTO, "without a result");
}

static void replaced_agent_breaks_the_call(void **state)
{
	struct peer *p = *state;

	say(p, HELLO "{\"id\":1,\"ok\":true,\"result\":{}}\n");
	assert_call(p, 1000, 0, NULL);
	say(p, HELLO "{\"id\":2,\"ok\":true,\"result\":{}}\n"); /* the same one says it again */
	assert_call(p, 1000, 0, NULL);
	say(p, "{\"hello\":\"harness-agent\",\"protocol\":1,\"pid\":6}\n");
	assert_call(p, 1000, -EPIPE, "was killed");
	assert_dead(p);
}

static void hello_with_and_without_a_first_line(void **state)
{
	struct peer *p = *state;
	struct error err = ERROR_INIT;
	const json_t *hello;

	say(p, "{\"id\":1,\"ok\":true,\"result\":{\"hello\":\"harness-agent\",\"protocol\":1,"
	       "\"pid\":9}}\n");
	assert_int_equal(agent_client_hello(p->client, 1000, &hello, NULL), 0);
	assert_int_equal(json_int(hello, "pid", 0), 9);
	end_peer(state);
	start_peer(state);
	p = *state;
	say(p, "{\"hello\":\"harness-agent\",\"protocol\":2,\"pid\":9}\n{\"id\":1,\"ok\":true,"
	       "\"result\":{}}\n");
	assert_int_equal(agent_client_hello(p->client, 1000, &hello, &err), -EPROTO);
	assert_non_null(strstr(error_text(&err), "protocol 2"));
	error_release(&err);
	assert_dead(p);
}

static void machine_reads_through_the_agent(void **state)
{
	struct agent_process *a = *state;
	struct machine m;
	char *text = NULL;
	json_t *paths = NULL;

	need_agent();
	m = agent_client_machine(a->client, NULL);
	assert_int_equal(machine_read(&m, KNOB, &text, NULL), 0);
	assert_string_equal(text, "10\n");
	free(text);
	assert_int_equal(machine_read(&m, "proc/none", &text, NULL), -ENOENT);
	assert_int_equal(machine_glob(&m, "proc/sys/kernel/k*", &paths, NULL), 0);
	assert_int_equal(json_array_size(paths), 1);
	json_decref(paths);
}

#define with_peer(test) cmocka_unit_test_setup_teardown(test, start_peer, end_peer)

int main(void)
{
	const struct CMUnitTest tests[] = {
		with_peer(reply_comes_through),
		with_peer(reply_in_pieces),
		with_peer(agents_error_is_handed_on),
		with_peer(greeting_is_passed_over),
		with_peer(last_words_are_told),
		with_peer(last_words_of_one_that_does_not_listen),
		with_peer(closed_for_writing),
		with_peer(endless_greeting_ends),
		with_peer(silence_times_out),
		with_peer(answer_to_another_question),
		with_peer(answer_without_result),
		with_peer(replaced_agent_breaks_the_call),
		with_peer(hello_with_and_without_a_first_line),
		cmocka_unit_test_setup_teardown(
			machine_reads_through_the_agent, start_fake, end_fake),
	};

	signal(SIGPIPE, SIG_IGN);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
