/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whatever happens to the agent, the machine ends up as it was. */
#include "agent_process.h"

#include <dirent.h>

#define OFF "GENTLE_FAIR_SLEEPERS NO_HRTICK NO_TTWU_QUEUE NONTASK_CAPACITY\n"
#define ON "GENTLE_FAIR_SLEEPERS NO_HRTICK TTWU_QUEUE NONTASK_CAPACITY\n"

static void set_two(struct agent_process *a)
{
	json_decref(call(a, "set",
		json_pack("{s:[o, o]}", "writes", write_of(KNOB, "11", "plain"),
			write_of(FEATURES, "NO_TTWU_QUEUE", "feature"))));
	assert_file(a->root, KNOB, "11\n");
	assert_file(a->root, FEATURES, OFF);
}

static bool is_restored(const struct agent_process *a)
{
	char *knob = get_file(a->root, KNOB), *features = get_file(a->root, FEATURES);
	bool restored = strcmp(knob, "10\n") == 0 && strcmp(features, ON) == 0;

	free(knob);
	free(features);
	return restored;
}

static int count_undo_files(const struct agent_process *a)
{
	DIR *dir = opendir(a->undo);
	struct dirent *entry;
	int n = 0;

	while (dir && (entry = readdir(dir)))
		n += entry->d_name[0] != '.';
	if (dir)
		closedir(dir);
	return n;
}

static bool wait_until(bool (*done)(const struct agent_process *), const struct agent_process *a)
{
	for (int i = 0; i < 10000; i++) {
		if (done(a))
			return true;
		clock_sleep_ns(1000000);
	}
	return false;
}

static bool no_undo_files(const struct agent_process *a)
{
	return count_undo_files(a) == 0;
}

static void undo_file_is_there_before_the_end(void **state)
{
	struct agent_process *a = *state;

	set_two(a);
	assert_int_equal(count_undo_files(a), 1);
	json_decref(call(a, "bye", NULL));
	agent_wait(a);
	assert_true(is_restored(a));
	assert_int_equal(count_undo_files(a), 0);
}

static void host_that_hangs_up_leaves_no_trace(void **state)
{
	struct agent_process *a = *state;

	set_two(a);
	assert_int_equal(agent_end(a), 0);
	assert_true(is_restored(a));
	assert_int_equal(count_undo_files(a), 0);
}

static void signals_put_back(void **state)
{
	static const int signals[] = { SIGTERM, SIGINT, SIGHUP };

	(void)state;
	for (size_t i = 0; i < array_size(signals); i++) {
		struct agent_process a;

		need_agent();
		agent_folders(&a);
		agent_start(&a, NULL, NULL);
		set_two(&a);
		assert_int_equal(kill(a.pid, signals[i]), 0);
		assert_int_equal(WEXITSTATUS(agent_wait(&a)), 128 + signals[i]);
		assert_true(is_restored(&a));
		assert_int_equal(count_undo_files(&a), 0);
		agent_clean(&a);
	}
}

static void kill_is_survived_by_the_guardian(void **state)
{
	struct agent_process *a = *state;

	set_two(a);
	assert_int_equal(kill(a->pid, SIGKILL), 0);
	assert_true(wait_until(is_restored, a));
	assert_true(wait_until(no_undo_files, a));
}

static void start_trial(struct agent_process *a, const char *nonce, const char *script)
{
	json_t *request = json_pack("{s:i, s:s, s:s, s:[s, s, s], s:i}", "id", 99, "op", "run",
		"nonce", nonce, "argv", "sh", "-c", script, "timeout_ms", 300000);
	char *line = json_line(request);

	assert_int_equal(file_write_all(a->to, line, strlen(line)), 0);
	assert_int_equal(file_write_all(a->to, "\n", 1), 0);
	free(line);
	json_decref(request);
}

/* A benchmark that tries to get away: its own session, its own parentage, another environment. */
#define FUGITIVES                                                             \
	"setsid sleep 300 & (setsid sh -c 'sleep 300 & exec sleep 300' &) ; " \
	"(setsid sh -c 'trap \"\" TERM; sleep 300' &) ; sleep 300"

static bool wait_for_processes(const char *nonce, bool some)
{
	for (int i = 0; i < 2000; i++) {
		int n = count_trial_processes(nonce);

		if (some ? n >= 6 : n == 0)
			return true;
		clock_sleep_ns(5000000);
	}
	return false;
}

static double kill_in_trial(const char *contain)
{
	struct agent_process a;
	const char *nonce;
	uint64_t killed;
	double ms;

	agent_folders(&a);
	nonce = agent_nonce(&a);
	agent_start(&a, NULL, contain);
	set_two(&a);
	start_trial(&a, nonce, FUGITIVES);
	assert_true(wait_for_processes(nonce, true));
	killed = clock_monotonic_ns();
	kill(a.pid, SIGKILL);
	for (int i = 0; i < 10000 && !is_restored(&a); i++)
		clock_sleep_ns(500000);
	ms = (double)(clock_monotonic_ns() - killed) / 1e6;
	assert_true(is_restored(&a));
	assert_true(wait_for_processes(nonce, false));
	print_message(
		"contained by %s: restored %.1f ms after SIGKILL, no process left after %.0f ms\n",
		contain, ms, (double)(clock_monotonic_ns() - killed) / 1e6);
	agent_clean(&a);
	return ms;
}

/* The limit is the requirement. A busy machine may be late once or twice, not five times. */
static void assert_fast_restore(const char *contain)
{
	double best = 1e9;

	need_agent();
	for (int i = 0; i < 5 && best >= 100; i++) {
		double ms = kill_in_trial(contain);

		best = ms < best ? ms : best;
	}
	assert_true(best < 100);
}

static void kill_in_a_trial_restores_in_100_ms(void **state)
{
	(void)state;
	assert_fast_restore("auto");
}

static void kill_in_a_trial_restores_without_cgroups(void **state)
{
	(void)state;
	assert_fast_restore("subreaper");
}

static void term_in_a_trial_ends_all(void **state)
{
	struct agent_process *a = *state;

	set_two(a);
	start_trial(a, agent_nonce(a), FUGITIVES);
	assert_true(wait_for_processes(agent_nonce(a), true));
	kill(a->pid, SIGTERM);
	assert_int_equal(WEXITSTATUS(agent_wait(a)), 128 + SIGTERM);
	assert_true(is_restored(a));
	assert_int_equal(count_trial_processes(agent_nonce(a)), 0);
}

static char *undo_output(struct agent_process *a, int *status)
{
	struct strbuf text = STRBUF_INIT;
	int out[2];
	pid_t pid;

	assert_int_equal(pipe2(out, O_CLOEXEC), 0);
	pid = fork();
	if (pid == 0) {
		dup2(out[1], 1);
		agent_exec(a, a->root, NULL, "undo");
	}
	close(out[1]);
	assert_int_equal(file_read_fd(out[0], &text, 1 << 20), 0);
	close(out[0]);
	waitpid(pid, status, 0);
	*status = WEXITSTATUS(*status);
	return strbuf_steal(&text);
}

static void assert_undo(struct agent_process *a, int expected, const char *said)
{
	int status;
	char *text = undo_output(a, &status);

	if (!strstr(text, said))
		print_message("undo said: %s\n", text);
	assert_non_null(strstr(text, said));
	assert_int_equal(status, expected);
	free(text);
}

/* Agent, guardian and keeper, all three: the benchmark runs on until somebody says undo. */
static void cgroups_left_behind_are_cleared(void **state)
{
	struct agent_process *a = *state;
	char *command;
	int status;
	json_t *result = call(a, "run",
		json_pack("{s:s, s:[s], s:i}", "nonce", "x", "argv", "true", "timeout_ms", 9999));
	bool cgroup = strcmp(json_str(result, "contained", ""), "cgroup") == 0;

	json_decref(result);
	if (!cgroup) {
		print_message("skipped: no cgroup v2 here to leave anything in\n");
		skip();
	}
	set_two(a);
	start_trial(a, agent_nonce(a), FUGITIVES);
	assert_true(wait_for_processes(agent_nonce(a), true));
	kill(a->pid, SIGSTOP); /* it would notice the others' deaths and act */
	command = xasprintf("kill -9 $(ps -o pid= --ppid %d)", (int)a->pid);
	status = system(command);
	free(command);
	kill(a->pid, SIGKILL);
	assert_int_equal(status, 0);
	agent_end(a);
	if (count_trial_processes(agent_nonce(a)) == 0) {
		print_message("skipped: another agent on this machine has cleared them\n");
		skip();
	}
	assert_undo(a, 0, "put back " KNOB ": 10\n");
	assert_int_equal(count_trial_processes(agent_nonce(a)), 0);
}

/* The guardian of an agent: its child of that name. */
static pid_t find_guardian(pid_t agent)
{
	char *command = xasprintf("ps -o pid=,comm= --ppid %d", (int)agent), line[128];
	FILE *list = popen(command, "r");
	pid_t guardian = 0;

	while (list && fgets(line, sizeof(line), list))
		if (strstr(line, "harness-guard"))
			guardian = (pid_t)atoi(line);
	if (list)
		pclose(list);
	free(command);
	return guardian;
}

/* The guardian first: nobody is left to put anything back, as if the power had gone. */
static void lose_power(struct agent_process *a)
{
	pid_t guardian = find_guardian(a->pid);

	assert_true(guardian > 0);
	kill(guardian, SIGKILL);
	kill(a->pid, SIGKILL);
	agent_end(a);
	assert_false(is_restored(a));
	assert_int_equal(count_undo_files(a), 1);
}

static void power_loss_is_undone_by_command(void **state)
{
	struct agent_process *a = *state;

	set_two(a);
	lose_power(a);
	assert_undo(a, 0, "put back " FEATURES ": TTWU_QUEUE\nput back " KNOB ": 10\n");
	assert_true(is_restored(a));
	assert_int_equal(count_undo_files(a), 0);
	assert_undo(a, 0, "nothing to put back");
}

static void power_loss_is_undone_by_the_next_agent(void **state)
{
	struct agent_process *a = *state;
	const json_t *hello;

	set_two(a);
	lose_power(a);
	agent_start(a, NULL, NULL);
	assert_int_equal(agent_client_hello(a->client, CALL_MS, &hello, NULL), 0);
	assert_int_equal(json_array_size(json_object_get(hello, "undone")), 2);
	assert_true(is_restored(a));
}

static void after_a_reboot_only_our_own_value_is_undone(void **state)
{
	struct agent_process *a = *state;

	set_two(a);
	lose_power(a);
	put_file(a->root, BOOT_ID, "boot-two\n");
	put_file(a->root, KNOB, "42\n"); /* somebody else's now */
	assert_undo(a, 0, "put back " FEATURES ": TTWU_QUEUE\n");
	assert_file(a->root, KNOB, "42\n");
	assert_file(a->root, FEATURES, ON);
	assert_int_equal(count_undo_files(a), 0);
}

static void in_the_same_boot_any_value_is_undone(void **state)
{
	struct agent_process *a = *state;

	set_two(a);
	lose_power(a);
	put_file(a->root, KNOB, "42\n");
	assert_undo(a, 0, "put back " KNOB ": 10\n");
	assert_true(is_restored(a));
}

static void failed_undo_keeps_its_file(void **state)
{
	struct agent_process *a = *state;
	char *lock;

	set_two(a);
	lose_power(a);
	put_file(a->root, KNOB ".locked", "");
	assert_undo(a, 1, "could not put back " KNOB ": 10; ");
	assert_file(a->root, FEATURES, ON);
	assert_int_equal(count_undo_files(a), 1);
	lock = file_join(a->root, KNOB ".locked");
	unlink(lock);
	free(lock);
	assert_undo(a, 0, "put back " KNOB ": 10\n");
	assert_true(is_restored(a));
	assert_int_equal(count_undo_files(a), 0);
}

static void files_of_living_agents_are_left_alone(void **state)
{
	struct agent_process *a = *state;

	set_two(a);
	assert_undo(a, 0, "nothing to put back");
	assert_file(a->root, KNOB, "11\n");
	json_decref(call(a, "bye", NULL));
	agent_wait(a);
	assert_true(is_restored(a));
}

static void torn_and_foreign_lines_are_passed_over(void **state)
{
	struct agent_process *a = *state;

	need_agent();
	agent_end(a); /* one that has just started would undo them itself */
	put_file(a->root, KNOB, "12\n");
	put_file(a->undo, "boot-one.1.json-lines",
		"{\"path\":\"" KNOB
		"\",\"old\":\"10\",\"new\":\"11\",\"kind\":\"plain\",\"boot_id\":\"boot-one\"}\n"
		"nonsense\n{\"path\":7}\n[]\n"
		"{\"path\":\"" KNOB
		"\",\"old\":\"11\",\"new\":\"12\",\"kind\":\"plain\",\"boot_id\":\"boot-one\"}\n"
		"{\"path\":\"" CHOICE "\",\"old\":\"never\",\"new\":\"madvise\",\"kind\":"
		"\"choice\",\"boot_id\":\"boot-one\"}\n"
		"{\"path\":\"" CHOICE "\",\"new\":\"madvise\",\"kind\":\"choice\",\"back\":true}\n"
		"{\"path\":\"" FEATURES "\",\"old\":\"NO_TTWU");
	assert_undo(a, 0, "put back " KNOB ": 10\n");
	assert_true(is_restored(a));
	assert_file(a->root, CHOICE, "always [madvise] never\n");
}

static void dead_guardian_is_replaced(void **state)
{
	struct agent_process *a = *state;

	set_two(a);
	kill(find_guardian(a->pid), SIGKILL);
	clock_sleep_ns(20000000);
	set_two(a);
	json_decref(call(a, "set", json_pack("{s:[o]}", "writes", write_of(KNOB, "13", "plain"))));
	kill(a->pid, SIGKILL);
	assert_true(wait_until(is_restored, a));
}

static void many_files_go_back_newest_first(void **state)
{
	struct agent_process *a = *state;
	json_t *writes = json_array();

	for (int i = 0; i < 300; i++) {
		char *path = xasprintf("sys/cpu%d/disable", i);

		put_file(a->root, path, "0\n");
		json_array_append_new(writes, write_of(path, "1", "plain"));
		free(path);
	}
	json_decref(call(a, "set", json_pack("{s:o}", "writes", writes)));
	assert_file(a->root, "sys/cpu299/disable", "1\n");
	kill(a->pid, SIGKILL);
	assert_true(wait_until(no_undo_files, a));
	assert_file(a->root, "sys/cpu0/disable", "0\n");
	assert_file(a->root, "sys/cpu299/disable", "0\n");
}

#define on_fake(test) cmocka_unit_test_setup_teardown(test, start_fake, end_fake)

int main(void)
{
	const struct CMUnitTest tests[] = {
		on_fake(undo_file_is_there_before_the_end),
		on_fake(host_that_hangs_up_leaves_no_trace),
		cmocka_unit_test(signals_put_back),
		on_fake(kill_is_survived_by_the_guardian),
		cmocka_unit_test(kill_in_a_trial_restores_in_100_ms),
		cmocka_unit_test(kill_in_a_trial_restores_without_cgroups),
		on_fake(term_in_a_trial_ends_all),
		on_fake(cgroups_left_behind_are_cleared),
		on_fake(power_loss_is_undone_by_command),
		on_fake(power_loss_is_undone_by_the_next_agent),
		on_fake(after_a_reboot_only_our_own_value_is_undone),
		on_fake(in_the_same_boot_any_value_is_undone),
		on_fake(failed_undo_keeps_its_file),
		on_fake(files_of_living_agents_are_left_alone),
		on_fake(torn_and_foreign_lines_are_passed_over),
		on_fake(dead_guardian_is_replaced),
		on_fake(many_files_go_back_newest_first),
	};

	signal(SIGPIPE, SIG_IGN);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
