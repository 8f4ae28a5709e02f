/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Trials: what comes back, and that nothing stays behind. */
#include "agent_process.h"

#include <dirent.h>
#include <sched.h>

/* A request for "sh -c script"; more members are added by the test. */
static json_t *shell(const char *script)
{
	return json_pack("{s:s, s:[s, s, s], s:i, s:i}", "nonce", "n-1", "argv", "sh", "-c", script,
		"timeout_ms", 20000, "grace_ms", 200);
}

static json_t *with(json_t *request, const char *key, json_t *value)
{
	json_object_set_new(request, key, value);
	return request;
}

static json_t *run(struct agent_process *a, json_t *request)
{
	return call(a, "run", request);
}

static void assert_out(const json_t *result, const char *stream, const char *expected)
{
	const json_t *blob = json_object_get(result, stream);

	if (!blob_is(blob, expected))
		print_message("%s is: %s\n", stream, json_str(result, stream, "(no string)"));
	assert_true(blob_is(blob, expected));
}

static int count_entries(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *entry;
	int n = 0;

	while (dir && (entry = readdir(dir)))
		n += entry->d_name[0] != '.';
	if (dir)
		closedir(dir);
	return n;
}

/* The keeper removes a trial's folder while the answer is on its way. */
static void assert_left_empty(const char *path)
{
	for (int i = 0; i < 1000 && count_entries(path); i++)
		clock_sleep_ns(5000000);
	assert_int_equal(count_entries(path), 0);
}

static void result_has_all_members(void **state)
{
	struct agent_process *a = *state;
	json_t *result = run(a, shell("echo out; echo err >&2; exit 3"));
	const json_t *usage = json_object_get(result, "rusage");
	void *last = NULL;

	assert_string_equal(json_str(result, "nonce", ""), "n-1");
	assert_true(json_int(result, "started_ns", 0) > 0);
	assert_true(json_int(result, "elapsed_ns", 0) > 0);
	assert_int_equal(json_int(result, "exit", -1), 3);
	assert_true(json_is_null(json_object_get(result, "signal")));
	assert_false(json_flag(result, "signalled", true));
	assert_false(json_flag(result, "timed_out", true));
	assert_false(json_flag(result, "cancelled", true));
	assert_int_equal(json_int(result, "survivors", -1), 0);
	assert_out(result, "stdout", "out\n");
	assert_out(result, "stderr", "err\n");
	assert_int_equal(json_int(result, "stdout_total", -1), 4);
	assert_true(json_int(usage, "maxrss_kb", 0) > 0);
	assert_true(json_is_integer(json_object_get(usage, "nvcsw")));
	for (void *it = json_object_iter(result); it; it = json_object_iter_next(result, it))
		last = it;
	assert_string_equal(json_object_iter_key(last), "end");
	assert_string_equal(json_str(result, "end", ""), "n-1");
	json_decref(result);
	assert_left_empty(a->work);
}

static void surroundings_are_fresh_and_neutral(void **state)
{
	struct agent_process *a = *state;
	json_t *result;

	setenv("LC_TIME", "de_DE", 1);
	setenv("LANG", "de_DE", 1);
	agent_end(a);
	agent_start(a, NULL, NULL);
	result = run(a, with(shell("echo $LC_ALL $LC_TIME $LANG $HARNESS_NONCE $A; test "
				   "\"$TMPDIR\" = \"$PWD\" && "
				   "test -n \"$HOME\" && ls; umask; cat; ls /proc/self/fd | wc -w; "
				   "test -t 0 || echo no terminal"),
				"env", json_pack("{s:s}", "A", "added")));
	assert_out(result, "stdout", "C n-1 added\n0022\n4\nno terminal\n");
	json_decref(result);
	unsetenv("LC_TIME");
	unsetenv("LANG");
}

static void program_that_is_not_there(void **state)
{
	struct agent_process *a = *state;

	call_fails(a, "run",
		json_pack("{s:s, s:[s], s:i}", "nonce", "n", "argv", "foo-is-not-there",
			"timeout_ms", 1000),
		-ENOENT, "cannot run 'foo-is-not-there': No such file or directory");
	call_fails(a, "run",
		json_pack("{s:s, s:[s], s:i}", "nonce", "n", "argv", "/etc/passwd", "timeout_ms",
			1000),
		-EACCES, "cannot run '/etc/passwd': Permission denied");
	assert_left_empty(a->work);
}

static void bad_requests(void **state)
{
	struct agent_process *a = *state;

	call_fails(a, "run", json_pack("{s:s}", "nonce", "n"), -EINVAL, "\"argv\"");
	call_fails(a, "run", json_pack("{s:[s]}", "argv", "true"), -EINVAL, "\"nonce\"");
	call_fails(a, "run", json_pack("{s:s, s:[s]}", "nonce", "n", "argv", "true"), -EINVAL,
		"\"timeout_ms\"");
	call_fails(a, "run", with(shell("true"), "files", json_pack("[s]", "../x")), -EINVAL,
		"\"files\"");
	call_fails(
		a, "run", with(shell("true"), "cpus", json_pack("[i]", -1)), -EINVAL, "\"cpus\"");
	call_fails(a, "run", with(shell("true"), "user", json_string("nobody-here")), -ENOENT,
		"no user 'nobody-here'");
}

static void timeout_is_term_first(void **state)
{
	struct agent_process *a = *state;
	json_t *result = run(a, with(shell("trap 'echo Time: 1.0; exit 0' TERM; sleep 60 & wait"),
					"timeout_ms", json_integer(300)));

	/* A result and exit 0, as hackbench and others do: the host must know that it was us. */
	assert_true(json_flag(result, "timed_out", false));
	assert_true(json_flag(result, "signalled", false));
	assert_false(json_flag(result, "cancelled", true));
	assert_int_equal(json_int(result, "exit", -1), 0);
	assert_out(result, "stdout", "Time: 1.0\n");
	json_decref(result);
}

static void timeout_kills_what_ignores_term(void **state)
{
	struct agent_process *a = *state;
	json_t *request = with(
		shell("trap '' TERM; while :; do sleep 60; done"), "timeout_ms", json_integer(200));
	json_t *result = run(a, with(request, "nonce", json_string(agent_nonce(a))));

	assert_true(json_flag(result, "timed_out", false));
	assert_int_equal(json_int(result, "signal", -1), SIGKILL);
	assert_true(json_is_null(json_object_get(result, "exit")));
	json_decref(result);
	assert_int_equal(count_trial_processes(agent_nonce(a)), 0);
}

static void own_signal_is_not_ours(void **state)
{
	struct agent_process *a = *state;
	json_t *result = run(a, shell("kill -SEGV $$"));

	assert_int_equal(json_int(result, "signal", -1), SIGSEGV);
	assert_false(json_flag(result, "signalled", true));
	json_decref(result);
}

static void survivors_are_counted_and_killed(void **state)
{
	struct agent_process *a = *state;
	json_t *result =
		run(a, with(shell("(setsid sh -c 'sleep 300 & exec sleep 300' &) ; echo done"),
			       "nonce", json_string(agent_nonce(a))));

	assert_out(result, "stdout", "done\n");
	assert_int_equal(json_int(result, "survivors", -1), 2);
	assert_int_equal(json_int(result, "exit", -1), 0);
	assert_false(json_flag(result, "signalled", true));
	json_decref(result);
	assert_int_equal(count_trial_processes(agent_nonce(a)), 0);
}

static void stragglers_are_no_survivors(void **state)
{
	struct agent_process *a = *state;
	json_t *result = run(a, shell("(echo late) & echo early"));

	assert_int_equal(json_int(result, "survivors", -1), 0);
	assert_int_equal(json_int(result, "stdout_total", 0), strlen("early\nlate\n"));
	json_decref(result);
}

static void flood_is_counted_but_not_kept(void **state)
{
	struct agent_process *a = *state;
	json_t *result = run(a, with(shell("yes | head -c 50000000; yes | head -c 3000 >&2"),
					"max_output", json_integer(1000)));

	assert_int_equal(json_int(result, "stdout_total", 0), 50000000);
	assert_int_equal(json_string_length(json_object_get(result, "stdout")), 1000);
	assert_int_equal(json_int(result, "stderr_total", 0), 3000);
	assert_int_equal(json_int(result, "exit", -1), 0);
	json_decref(result);
}

static void closed_streams_are_not_the_end(void **state)
{
	struct agent_process *a = *state;
	json_t *result = run(a, shell("exec >&- 2>&-; sleep 0.3; exit 7"));

	assert_int_equal(json_int(result, "exit", -1), 7);
	assert_true(json_int(result, "elapsed_ns", 0) > 250000000);
	json_decref(result);
}

static void any_bytes_come_through(void **state)
{
	struct agent_process *a = *state;
	json_t *result = run(a, shell("printf 'a\\000b\\377'"));
	char *data;
	size_t len;

	assert_true(json_is_object(json_object_get(result, "stdout")));
	assert_int_equal(json_blob_read(json_object_get(result, "stdout"), &data, &len), 0);
	assert_int_equal(len, 4);
	assert_memory_equal(data, "a\0b\377", 4);
	free(data);
	json_decref(result);
}

static void files_are_returned(void **state)
{
	struct agent_process *a = *state;
	json_t *result = run(a, with(with(shell("echo '{}' >out.json; yes | head -c 5000 >big; ln "
						"-s /etc/shadow link; "
						"mkfifo fifo"),
					     "files",
					     json_pack("[s, s, s, s, s]", "out.json", "big", "link",
						     "fifo", "none")),
					"max_output", json_integer(1000)));
	const json_t *files = json_object_get(result, "files");

	assert_string_equal(json_str(files, "out.json", ""), "{}\n");
	assert_int_equal(json_string_length(json_object_get(files, "big")), 1000);
	assert_int_equal(json_int(json_object_get(result, "files_total"), "big", 0), 5000);
	assert_true(json_is_null(json_object_get(files, "link")));
	assert_true(json_is_null(json_object_get(files, "fifo")));
	assert_true(json_is_null(json_object_get(files, "none")));
	json_decref(result);
}

static void binds_to_cpus(void **state)
{
	struct agent_process *a = *state;
	json_t *result;

	result = run(a, with(with(shell("grep Cpus_allowed_list /proc/self/status"), "cpus",
				     json_pack("[i]", 0)),
				"pin", json_true()));
	assert_out(result, "stdout", "Cpus_allowed_list:\t0\n");
	json_decref(result);
	call_fails(a, "run",
		with(with(shell("true"), "cpus", json_pack("[i, i]", 0, 9999)), "pin", json_true()),
		-ENODEV, "cannot bind to the CPUs 0,9999");
}

/* Without "pin" the benchmark has all CPUs, though the agent itself has moved away. */
static void agent_leaves_the_cpus(void **state)
{
	struct agent_process *a = *state;
	cpu_set_t set;
	int n;
	char script[128], expected[16];
	json_t *result;

	assert_int_equal(sched_getaffinity(0, sizeof(set), &set), 0);
	n = CPU_COUNT(&set);
	if (n < 2 || !CPU_ISSET(0, &set)) {
		print_message("skipped: one CPU only\n");
		skip();
	}
	snprintf(script, sizeof(script), "nproc; taskset -cp %d | sed 's/.*: //; s/^0.*/bad/'",
		(int)a->pid);
	result = run(a, with(shell(script), "cpus", json_pack("[i]", 0)));
	snprintf(expected, sizeof(expected), "%d\n", n);
	assert_true(strncmp(json_str(result, "stdout", ""), expected, strlen(expected)) == 0);
	assert_null(strstr(json_str(result, "stdout", ""), "bad"));
	json_decref(result);
	assert_int_equal(sched_getaffinity(a->pid, sizeof(set), &set), 0);
	assert_int_equal(CPU_COUNT(&set), n);
}

static void runs_as_another_user(void **state)
{
	struct agent_process *a = *state;
	json_t *result;

	if (getuid() != 0) {
		print_message("skipped: needs root\n");
		skip();
	}
	/* a relative program would not be found by bob; /tmp/harness-test.* is open to all */
	result = run(a, with(shell("id -u; id -g; id -G; echo $HOME; echo x >file"), "user",
				json_string("bob")));
	assert_out(result, "stdout", "12345\n12346\n12346 777\n/home/bob\n");
	assert_out(result, "stderr", "");
	json_decref(result);
	result = run(a, with(shell("id -u; id -G"), "user", json_string("54321:54322")));
	assert_out(result, "stdout", "54321\n54322\n");
	json_decref(result);
}

static void collects_around_it(void **state)
{
	struct agent_process *a = *state;
	char *script = xasprintf("echo 2 >%s/" KNOB, a->root);
	json_t *request = with(shell(script), "collect",
		json_pack("[{s:s, s:[s]}, {s:s, s:[s]}, {s:s, s:s}, {s:s}]", "name", "k", "paths",
			KNOB, "name", "none", "paths", "proc/none", "name", "p", "probe", "no-such",
			"name", "x"));
	json_t *result = run(a, request), *collect = json_object_get(result, "collect");

	assert_string_equal(json_str(json_object_get(collect, "k"), "before", ""), "10\n");
	assert_string_equal(json_str(json_object_get(collect, "k"), "after", ""), "2\n");
	assert_int_equal(
		json_int(json_object_get(json_object_get(collect, "none"), "error"), "errno", 0),
		ENOENT);
	assert_non_null(strstr(
		json_str(json_object_get(json_object_get(collect, "p"), "error"), "text", ""),
		"no probe 'no-such'"));
	assert_non_null(json_object_get(json_object_get(collect, "x"), "error"));
	json_decref(result);
	free(script);
}

static void cancel_ends_the_trial(void **state)
{
	struct agent_process *a = *state;
	int fds[2];
	json_t *result;

	need_agent();
	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	if (fork() == 0) {
		clock_sleep_ns(300000000);
		_exit(write(fds[1], "c", 1) == 1 ? 0 : 1);
	}
	agent_client_cancel_fd(a->client, fds[0]);
	result = run(a, shell("trap 'exit 0' TERM; echo on; sleep 60 & wait"));
	assert_true(json_flag(result, "cancelled", false));
	assert_true(json_flag(result, "signalled", false));
	assert_false(json_flag(result, "timed_out", true));
	assert_out(result, "stdout", "on\n");
	json_decref(result);
	/* still readable: the next trial is cancelled at once, before or after its start */
	assert_true(
		agent_call(a->client, "run", with(shell("sleep 60"), "settle_ms", json_integer(50)),
			CALL_MS, &result, NULL) == -ECANCELED);
	agent_client_cancel_fd(a->client, -1);
	json_decref(run(a, shell("true")));
	close(fds[0]);
	close(fds[1]);
}

static void other_requests_wait_for_nobody(void **state)
{
	struct agent_process *a = *state;
	static const char lines[] = "{\"id\":1,\"op\":\"run\",\"nonce\":\"x\",\"argv\":[\"sleep\","
				    "\"0.2\"],\"timeout_ms\":9999}\n"
				    "{\"id\":2,\"op\":\"facts\"}\n";
	FILE *from;
	char *line = NULL;
	size_t cap = 0;

	need_agent();
	from = fdopen(dup(a->from), "r");
	assert_int_equal(file_write_all(a->to, lines, strlen(lines)), 0);
	assert_true(getline(&line, &cap, from) > 0); /* hello */
	assert_true(getline(&line, &cap, from) > 0);
	assert_non_null(strstr(line, "\"id\":2,\"ok\":false"));
	assert_non_null(strstr(line, "EBUSY"));
	assert_true(getline(&line, &cap, from) > 0);
	assert_non_null(strstr(line, "\"id\":1,\"ok\":true"));
	free(line);
	fclose(from);
}

static void start_stubborn_trial(struct agent_process *a)
{
	json_t *request = with(shell("trap '' TERM; setsid sleep 300 & sleep 300"), "nonce",
		json_string(agent_nonce(a)));
	char *line;

	json_object_set_new(request, "id", json_integer(1));
	json_object_set_new(request, "op", json_string("run"));
	line = json_line(request);
	assert_int_equal(file_write_all(a->to, line, strlen(line)), 0);
	assert_int_equal(file_write_all(a->to, "\n", 1), 0);
	for (int i = 0; i < 2000 && count_trial_processes(agent_nonce(a)) < 3; i++)
		clock_sleep_ns(5000000);
	free(line);
	json_decref(request);
}

static void assert_nothing_left(struct agent_process *a)
{
	assert_int_equal(count_trial_processes(agent_nonce(a)), 0);
	assert_int_equal(count_entries(a->work), 0);
}

static void host_that_hangs_up_ends_the_trial(void **state)
{
	struct agent_process *a = *state;

	need_agent();
	start_stubborn_trial(a);
	assert_int_equal(agent_end(a), 0);
	assert_nothing_left(a);
}

/* A harness that was killed may leave a reply unread: then the agent's channel ends by a reset. */
static void set_on_socket(struct agent_process *a)
{
	need_agent();
	agent_end(a);
	agent_start_on_socket(a);
	json_decref(call(a, "set", json_pack("{s:[o]}", "writes", write_of(KNOB, "11", "plain"))));
	assert_file(a->root, KNOB, "11\n");
}

static void die_with_a_reply_unread(struct agent_process *a)
{
	static const char facts[] = "{\"id\":7,\"op\":\"facts\"}\n";
	char byte;

	assert_int_equal(file_write_all(a->to, facts, strlen(facts)), 0);
	assert_int_equal(recv(a->from, &byte, 1, MSG_PEEK), 1);
	assert_int_equal(agent_end(a), 0);
	assert_file(a->root, KNOB, "10\n");
	assert_nothing_left(a);
}

static void reset_between_trials_is_the_end(void **state)
{
	set_on_socket(*state);
	die_with_a_reply_unread(*state);
}

static void reset_in_a_trial_is_the_end(void **state)
{
	set_on_socket(*state);
	start_stubborn_trial(*state);
	die_with_a_reply_unread(*state);
}

static void orphan_holding_the_pipe_does_not_hang_us(void **state)
{
	struct agent_process *a = *state;
	json_t *result = run(a, shell("echo a; (trap '' TERM; setsid sleep 300 &)"));

	assert_int_equal(json_int(result, "survivors", -1), 1);
	assert_out(result, "stdout", "a\n");
	json_decref(result);
}

/* The same, where there are no cgroups. */
static int start_subreaper(void **state)
{
	struct agent_process *a = xcalloc(1, sizeof(*a));

	*state = a;
	agent_folders(a);
	if (access(agent_program(), X_OK) == 0)
		agent_start(a, NULL, "subreaper");
	return 0;
}

static void subreaper_says_so(void **state)
{
	struct agent_process *a = *state;
	json_t *result = run(a, shell("true"));

	assert_string_equal(json_str(result, "contained", ""), "subreaper");
	json_decref(result);
}

static void many_trials_leak_nothing(void **state)
{
	struct agent_process *a = *state;
	char *path = xasprintf("/proc/%d/fd", (int)a->pid);
	int before;

	json_decref(run(a, shell("true")));
	before = count_entries(path);
	for (int i = 0; i < 30; i++)
		json_decref(run(a, shell("echo x")));
	assert_int_equal(count_entries(path), before);
	free(path);
}

#define on_fake(test) cmocka_unit_test_setup_teardown(test, start_fake, end_fake)
#define on_subreaper(test)                                                  \
	{                                                                   \
#test " (subreaper)", test, start_subreaper, end_fake, NULL \
	}

int main(void)
{
	const struct CMUnitTest tests[] = {
		on_fake(result_has_all_members),
		on_fake(surroundings_are_fresh_and_neutral),
		on_fake(program_that_is_not_there),
		on_fake(bad_requests),
		on_fake(timeout_is_term_first),
		on_fake(timeout_kills_what_ignores_term),
		on_fake(own_signal_is_not_ours),
		on_fake(survivors_are_counted_and_killed),
		on_fake(stragglers_are_no_survivors),
		on_fake(flood_is_counted_but_not_kept),
		on_fake(closed_streams_are_not_the_end),
		on_fake(any_bytes_come_through),
		on_fake(files_are_returned),
		on_fake(binds_to_cpus),
		on_fake(agent_leaves_the_cpus),
		on_fake(runs_as_another_user),
		on_fake(collects_around_it),
		on_fake(cancel_ends_the_trial),
		on_fake(other_requests_wait_for_nobody),
		on_fake(host_that_hangs_up_ends_the_trial),
		on_fake(reset_between_trials_is_the_end),
		on_fake(reset_in_a_trial_is_the_end),
		on_fake(orphan_holding_the_pipe_does_not_hang_us),
		on_fake(many_trials_leak_nothing),
		on_subreaper(subreaper_says_so),
		on_subreaper(timeout_is_term_first),
		on_subreaper(timeout_kills_what_ignores_term),
		on_subreaper(survivors_are_counted_and_killed),
		on_subreaper(orphan_holding_the_pipe_does_not_hang_us),
		on_subreaper(host_that_hangs_up_ends_the_trial),
		on_subreaper(cancel_ends_the_trial),
	};

	signal(SIGPIPE, SIG_IGN);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
