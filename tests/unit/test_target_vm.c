/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Target "vm" with a real kernel: a flip that is read back, saved states, panic, hang, sudden deaths.
 *
 * The guest's agent must be static, so it is the one of the plain build also when this program is
 * built with sanitizers. */
#include "target_tools.h"

#include <dirent.h>
#include <glob.h>
#include <jansson.h>
#include <signal.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "base/json.h"
#include "runners/agent_client.h"
#include "runners/target/target.h"
#include "runners/target/vm_args.h"

enum { CALL_MS = 60000 };

/** struct world - one target for all tests: its guest boots once */
struct world {
	char work[64];
	char *state, *kernel, *share;
	json_t *programs;
	struct vm_options options;
	struct target_env env;
	struct target *target;
	struct agent_client *client;
	struct error err;
	const char *missing;
};

static const struct target_ops *vm(void)
{
	return target_find("vm", NULL);
}

static char *first_match(const char *pattern)
{
	glob_t found;
	char *path = NULL;

	if (glob(pattern, 0, NULL, &found) == 0)
		path = xstrdup(found.gl_pathv[found.gl_pathc - 1]);
	globfree(&found);
	return path;
}

/* Kernels that were fetched once serve every test; else one that is installed. */
static char *find_kernel(void)
{
	const char *kernels = getenv("HARNESS_KERNELS");
	char *pattern = xasprintf(
		"%s/*/boot/vmlinuz-*", kernels && *kernels ? kernels : "/var/lib/harness/kernels");
	char *path = first_match(pattern);

	free(pattern);
	return path ? path : first_match("/boot/vmlinuz-*");
}

static const char *what_is_missing(struct world *w)
{
	char *qemu = file_find_program("qemu-system-x86_64");
	bool have_qemu = qemu != NULL;

	free(qemu);
	if (!have_qemu)
		return "qemu-system-x86_64 is not installed";
	if (!w->kernel)
		return "there is no kernel for a guest; 'harness vm fetch-kernel' gets one";
	if (access(w->env.agent_path, X_OK) < 0)
		return "build/harness-agent is not built";
	return NULL;
}

static int open_world(void **state)
{
	struct world *w = xcalloc(1, sizeof(*w));
	const char *shared = getenv("HARNESS_STATE");

	*state = w;
	strcpy(w->work, "/tmp/target-vm-XXXXXX");
	if (!mkdtemp(w->work))
		return -1;
	w->kernel = find_kernel();
	/* A state folder shared with other test programs saves their guests a boot. */
	w->state = xstrdup(shared && *shared ? shared : w->work);
	w->share = file_join(w->state, "share");
	w->programs = json_pack("[{s:s, s:s}, {s:s, s:s}]", "name", "sh", "path", "/bin/sh", "name",
		"cat", "path", "/bin/cat");
	w->options = (struct vm_options){ .kernel = w->kernel,
		.cpus = 2,
		.threads = 1,
		.sockets = 1,
		.memory = 256 << 20,
		.accel = VM_ACCEL_TCG,
		.boot_timeout = 240,
		.shutdown_timeout = 10,
		.snapshot = true,
		.share = w->share,
		.qemu = (char *)"qemu-system-x86_64" };
	w->env = (struct target_env){ .state_dir = w->state,
		.work_dir = w->work,
		.agent_path = "build/harness-agent",
		.programs = w->programs };
	w->missing = what_is_missing(w);
	if (w->missing)
		return 0;
	assert_fine(file_make_dirs(w->share, 0755, &w->err), &w->err);
	assert_fine(file_make_dirs(w->state, 0755, &w->err), &w->err);
	assert_fine(vm()->open(&w->options, &w->env, &w->target, &w->err), &w->err);
	return 0;
}

static int close_world(void **state)
{
	struct world *w = *state;

	agent_client_free(w->client);
	vm()->close(w->target);
	file_remove_tree(w->work, NULL);
	json_decref(w->programs);
	free(w->state);
	free(w->kernel);
	free(w->share);
	error_release(&w->err);
	free(w);
	return 0;
}

static struct world *need_guest(void **state)
{
	struct world *w = *state;

	if (w->missing) {
		print_message("skipped: %s\n", w->missing);
		skip();
	}
	return w;
}

static void enter(struct world *w)
{
	struct target_link link;
	uint64_t start = clock_monotonic_ns();

	agent_client_free(w->client);
	w->client = NULL;
	assert_fine(vm()->enter(w->target, "", true, &link, &w->err), &w->err);
	assert_true(link.fresh);
	print_message("a fresh guest after %.2f s\n", (double)(clock_monotonic_ns() - start) / 1e9);
	w->client = agent_client_new(link.in, link.out);
}

static json_t *call(struct world *w, const char *op, json_t *args)
{
	json_t *result = NULL;

	assert_fine(agent_call(w->client, op, args, CALL_MS, &result, &w->err), &w->err);
	return result;
}

static json_t *shell(const char *script)
{
	return json_pack("{s:s, s:[s, s, s], s:i, s:i}", "nonce", "n-1", "argv", "sh", "-c", script,
		"timeout_ms", 20000, "grace_ms", 200);
}

static bool feature_is_on(struct world *w, const char *path)
{
	json_t *result = call(w, "read", json_pack("{s:s}", "path", path));
	const char *text = json_str(result, "text", "");
	bool off = strstr(text, "NO_TTWU_QUEUE") != NULL;

	assert_contains(text, "TTWU_QUEUE");
	json_decref(result);
	return !off;
}

static void a_flip_is_made_and_gone_in_a_fresh_guest(void **state)
{
	struct world *w = need_guest(state);
	json_t *facts, *result;
	char *path;
	double boots[2];

	enter(w);
	facts = call(w, "facts", NULL);
	path = xstrdup(json_str(json_object_get(facts, "sched_features"), "path", ""));
	assert_string_not_equal(path, "");
	boots[0] = json_num(facts, "uptime_s", -1);
	json_decref(facts);
	assert_true(feature_is_on(w, path));
	result = call(w, "set",
		json_pack("{s:[{s:s, s:s, s:s}]}", "writes", "path", path, "value", "NO_TTWU_QUEUE",
			"kind", "feature"));
	json_decref(result);
	assert_false(feature_is_on(w, path));

	enter(w);
	assert_true(feature_is_on(w, path));
	facts = call(w, "facts", NULL);
	boots[1] = json_num(facts, "uptime_s", -1);
	/* The second guest went on from where the first one began: its clock says so. */
	assert_true(boots[1] >= boots[0] - 5 && boots[1] <= boots[0] + 5);
	json_decref(facts);
	free(path);
}

static void the_share_is_seen_in_every_guest(void **state)
{
	struct world *w = need_guest(state);
	char *file = file_join(w->share, "file");
	json_t *result;

	assert_int_equal(file_replace(file, "from the host", 13, 0644, NULL), 0);
	enter(w);
	result = call(w, "run", shell("cat /host/file; echo x > /host/file"));
	assert_string_equal(json_str(result, "stdout", ""), "from the host");
	assert_string_equal(json_str(result, "end", ""), "n-1");
	json_decref(result);
	free(file);
}

/* A request that the guest does not survive, and what is said about it; owned by the caller. */
static char *lose(struct world *w, const char *script)
{
	json_t *result = NULL;
	int r = agent_call(w->client, "run", shell(script), 10000, &result, &w->err);
	char *why;

	assert_true(r < 0);
	assert_null(result);
	assert_true(agent_client_dead(w->client));
	why = vm()->lost(w->target);
	agent_client_free(w->client);
	w->client = NULL;
	return why;
}

static void a_panic_is_quoted_and_the_run_goes_on(void **state)
{
	struct world *w = need_guest(state);
	json_t *result;
	char *why;

	enter(w);
	why = lose(w, "echo c > /proc/sysrq-trigger");
	assert_contains(why,
		"the guest's kernel panicked: Kernel panic - not syncing: sysrq triggered crash\n");
	assert_contains(why, "Kernel Offset:");
	free(why);
	enter(w);
	result = call(w, "run", shell("echo alive"));
	assert_string_equal(json_str(result, "stdout", ""), "alive\n");
	json_decref(result);
}

/* The youngest child of a process, or 0. */
static pid_t child_of(pid_t parent)
{
	DIR *dir = opendir("/proc");
	struct dirent *entry;
	pid_t found = 0;

	while ((entry = readdir(dir))) {
		char *path = xasprintf("/proc/%s/stat", entry->d_name), *text = NULL, *after;
		long pid = strtol(entry->d_name, NULL, 10), owner = 0;

		if (pid > found && file_read(path, 4096, &text, NULL, NULL) == 0 &&
			(after = strrchr(text, ')')) && sscanf(after, ") %*c %ld", &owner) == 1 &&
			owner == (long)parent)
			found = (pid_t)pid;
		free(text);
		free(path);
	}
	closedir(dir);
	return found;
}

static pid_t kill_soon(pid_t pid)
{
	pid_t killer = fork();

	if (killer == 0) {
		clock_sleep_ns(300000000);
		kill(pid, SIGKILL);
		_exit(0);
	}
	return killer;
}

static void a_killed_qemu_is_an_error_of_the_trial(void **state)
{
	struct world *w = need_guest(state);
	pid_t killer;
	char *why;

	enter(w);
	killer = kill_soon(child_of(getpid()));
	why = lose(w, "cat /dev/zero > /dev/null");
	assert_contains(why, "QEMU ended with signal 9 (Killed)");
	free(why);
	assert_int_equal(waitpid(killer, NULL, 0), killer);
}

static void a_guest_that_stops_answering_is_taken_down(void **state)
{
	struct world *w = need_guest(state);
	json_t *result = NULL;
	pid_t qemu;
	char *why;

	enter(w);
	qemu = child_of(getpid());
	assert_int_equal(kill(qemu, SIGSTOP), 0);
	assert_int_equal(agent_call(w->client, "facts", NULL, 300, &result, &w->err), -ETIMEDOUT);
	why = vm()->lost(w->target);
	assert_contains(why, "QEMU itself does not answer");
	free(why);
	assert_int_equal(kill(qemu, 0), -1);
	enter(w);
}

static void a_boot_that_hangs_is_given_up(void **state)
{
	struct world *w = need_guest(state);
	struct target_link link;

	/* The program waits for input on a console that never gives any. */
	w->options.boot_timeout = 4;
	assert_int_equal(
		vm()->enter(w->target, "rdinit=/bin/cat", true, &link, &w->err), -ETIMEDOUT);
	w->options.boot_timeout = 240;
	assert_contains(error_text(&w->err), "the guest did not come up within 4 s");
	assert_contains(error_text(&w->err), "the console's last lines");
	assert_int_equal(child_of(getpid()), 0);
}

static void no_qemu_outlives_its_driver(void **state)
{
	struct world *w = need_guest(state);
	pid_t driver, qemu;
	int pipe_fds[2], status;
	char c;

	assert_int_equal(pipe(pipe_fds), 0);
	driver = fork();
	if (driver == 0) {
		struct target_link link;
		int r = vm()->enter(w->target, "", true, &link, &w->err);

		if (r < 0)
			fprintf(stderr, "%s\n", error_text(&w->err));
		if (write(pipe_fds[1], r == 0 ? "y" : "n", 1) == 1)
			pause();
		_exit(1);
	}
	close(pipe_fds[1]);
	assert_int_equal(read(pipe_fds[0], &c, 1), 1);
	assert_int_equal(c, 'y');
	qemu = child_of(driver);
	assert_true(qemu > 0);
	kill(driver, SIGKILL);
	assert_int_equal(waitpid(driver, &status, 0), driver);
	for (int i = 0; i < 500 && kill(qemu, 0) == 0; i++) {
		char *path = xasprintf("/proc/%d/stat", (int)qemu), *text = NULL;

		/* In a container nobody may reap it. */
		if (file_read(path, 4096, &text, NULL, NULL) == 0 && strstr(text, ") Z"))
			i = 1000;
		free(text);
		free(path);
		if (i < 500)
			clock_sleep_ns(10000000);
		else
			qemu = 0;
	}
	assert_true(qemu == 0 || kill(qemu, 0) < 0);
	close(pipe_fds[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_flip_is_made_and_gone_in_a_fresh_guest),
		cmocka_unit_test(the_share_is_seen_in_every_guest),
		cmocka_unit_test(a_panic_is_quoted_and_the_run_goes_on),
		cmocka_unit_test(a_killed_qemu_is_an_error_of_the_trial),
		cmocka_unit_test(a_guest_that_stops_answering_is_taken_down),
		cmocka_unit_test(no_qemu_outlives_its_driver),
		cmocka_unit_test(a_boot_that_hangs_is_given_up),
	};

	return cmocka_run_group_tests(tests, open_world, close_world);
}
