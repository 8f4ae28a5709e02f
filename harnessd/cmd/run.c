/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/command.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "cmd/interrupt.h"
#include "cmd/load.h"
#include "cmd/progress.h"
#include "cmd/stale.h"
#include "db/machine_lock.h"
#include "experiment/run.h"

static const char help[] =
	"Usage: harness run [OPTION]... JOB.yaml\n"
	"       harness run --resume RUN\n"
	"\n"
	"Runs a job to its verdict: every block runs each arm in random order, the data\n"
	"are looked at after 5, 7, 10, 14, ... blocks, and the run ends when every arm\n"
	"is better, worse or equivalent, or when its blocks or its time are used up.\n"
	"Everything is kept in the database of the state folder; Ctrl-C ends the trial\n"
	"in flight, puts knobs back and keeps what there is, and --resume goes on from\n"
	"there; a second Ctrl-C leaves at once, and the agent puts the knobs back.\n"
	"\n"
	"  --resume RUN      go on with an interrupted run (0: the newest)\n"
	"  --seed N          order of the arms; without it a fresh one, which is kept\n"
	"  --max-blocks N    most blocks, in place of the job's decide: {max_blocks: N}\n"
	"  --quiet           no progress, only what needs attention and the report\n"
	"  --json            the report as JSON, and nothing else on standard output\n"
	"  --state DIR       state folder (HARNESS_STATE; /var/lib/harness for root)\n"
	"  --configs DIR     look here first for benchmarks/ and targets/\n"
	"\n"
	"Exit status: 0 no regression, 1 regression, 2 undecided, 3 bad usage or job,\n"
	"4 could not run.\n"
	"\n"
	"Examples:\n"
	"  harness run configs/jobs/ttwu-queue.yaml\n"
	"  harness run --seed 42 --json job.yaml > result.json\n"
	"\n"
	"See also: harness check, harness help job, harness show, harness doctor\n";

struct arguments {
	const char *job;
	long resume, max_blocks;
	uint64_t seed;
	bool quiet;
};

static const struct option options[] = {
	{ "resume", required_argument, NULL, 'r' },
	{ "seed", required_argument, NULL, 's' },
	{ "max-blocks", required_argument, NULL, 'b' },
	{ "quiet", no_argument, NULL, 'q' },
	CLI_OPTIONS,
};

/* Return: -1 to go on, or the exit status. */
static int read_arguments(struct cli *cli, int argc, char **argv, struct arguments *args)
{
	int option, status = -1;
	long n;

	*args = (struct arguments){ .resume = -1 };
	while ((option = getopt_long(argc, argv, "hq", options, NULL)) != -1) {
		if (option == 'q') {
			args->quiet = true;
		} else if (cli_option(cli, &cmd_run, option, optarg, &status)) {
			if (status >= 0)
				return status;
		} else if ((n = cli_number(optarg, option == 'b' ? 256 : 1L << 53)) < 0) {
			return cli_usage(&cmd_run, "'%s' is no whole number in range", optarg);
		} else if (option == 'r') {
			args->resume = n;
		} else if (option == 's') {
			args->seed = (uint64_t)n;
		} else {
			args->max_blocks = n;
		}
	}
	if (args->resume >= 0 ? optind != argc : optind != argc - 1)
		return cli_usage(&cmd_run, "a job file, or --resume RUN, is wanted");
	args->job = args->resume < 0 ? argv[optind] : NULL;
	if (args->max_blocks && args->max_blocks < 3)
		return cli_usage(&cmd_run, "--max-blocks takes 3 to 256");
	if (!args->job && (args->seed || args->max_blocks))
		return cli_usage(
			&cmd_run, "a run that is taken up again keeps its seed and blocks");
	return -1;
}

static void waiting(void *context, const char *holder)
{
	(void)context;
	fprintf(stderr, "waiting for this machine: %s\n", holder);
}

static void print_report(struct cli *cli, struct store *store, int64_t id)
{
	struct report report;
	struct error err = ERROR_INIT;

	if (report_load(store, id, &report, &err) < 0) {
		cli_fail(EXIT_CANNOT, &err);
		return;
	}
	cli_print_report(cli, &report);
	report_release(&report);
}

/* Did it get far enough for a report that says more than the error does? */
static bool has_trials(struct store *store, int64_t id)
{
	struct store_trial *trials;
	size_t n;

	if (store_trials(store, id, &trials, &n, NULL) < 0)
		return false;
	store_trials_free(trials, n);
	return n > 0;
}

static int status_of(int r, enum conclusion conclusion)
{
	if (r < 0)
		return EXIT_CANNOT;
	switch (conclusion) {
	case CONCLUSION_REGRESSION:
		return EXIT_REGRESSION;
	case CONCLUSION_UNDECIDED:
		return EXIT_UNDECIDED;
	default:
		return EXIT_NO_REGRESSION;
	}
}

/* Why a run did not come to its end, said once: by the report, where there is one to print. */
static void say_end(struct cli *cli, int64_t id, int r, bool reported, struct error *err)
{
	if (r == -EINTR && id > 0)
		fprintf(stderr, "stopped; 'harness run --resume %lld' goes on\n", (long long)id);
	else if (reported && !cli->json)
		fprintf(stderr,
			"harness: run %lld failed; 'harness run --resume %lld' tries again\n",
			(long long)id, (long long)id);
	else
		cli_fail(EXIT_CANNOT, err);
}

/* The run under the machine's lock, then its report, whatever came of it. */
static int run_locked(struct cli *cli, struct store *store, const struct arguments *args,
	const struct loaded_job *loaded, const struct run_env *env)
{
	enum conclusion conclusion = CONCLUSION_UNDECIDED;
	struct error err = ERROR_INIT;
	int64_t id = args->resume;
	bool reported;
	int r;

	if (args->job)
		r = run_start(store, loaded->job, loaded->bench, env, &id, &conclusion, &err);
	else
		r = run_resume(store, &id, env, &conclusion, &err);
	/* A run that had ended before is left as it is, and so is its report. */
	reported = id > 0 && r != -EBUSY && (r == 0 || cli->json || has_trials(store, id));
	if (reported)
		print_report(cli, store, id);
	else if (cli->json)
		cli_print_json(json_pack("{s:s}", "error", error_text(&err)));
	if (r < 0)
		say_end(cli, id, r, reported, &err);
	error_release(&err);
	return status_of(r, conclusion);
}

static int lock_machine(struct cli *cli, const struct arguments *args,
	const struct loaded_job *loaded, struct machine_lock *lock, struct error *err)
{
	char *what = args->job ? xasprintf("a run of the job '%s'", loaded->job->name)
			       : xstrdup("a run that is taken up again");
	int r = machine_lock_take(cli->state_dir, "machine", what, true, waiting, NULL, lock, err);

	free(what);
	return r;
}

static int with_store(
	struct cli *cli, const struct arguments *args, const struct loaded_job *loaded)
{
	struct progress progress;
	char *agent = cli_agent_path(cli);
	struct run_env env = {
		.state_dir = cli->state_dir,
		.agent_path = agent,
		.programs_dir = cli->programs_dir,
		.config_dirs = cli->config_dirs,
		.registry = &cli->registry,
		.progress = &progress.ops,
		.cancel_fd = -1,
	};
	struct machine_lock lock = MACHINE_LOCK_INIT;
	struct store *store = NULL;
	struct error err = ERROR_INIT;
	int r = cli_open_store(cli, true, &store, &err), status = EXIT_CANNOT;

	progress_init(&progress, args->quiet);
	if (r == 0)
		r = env.cancel_fd = interrupt_open(&err);
	if (r >= 0)
		r = lock_machine(cli, args, loaded, &lock, &err);
	if (r < 0) {
		if (cli->json)
			cli_print_json(json_pack("{s:s}", "error", error_text(&err)));
		cli_fail(EXIT_CANNOT, &err);
	} else {
		stale_restore(cli, false);
		status = run_locked(cli, store, args, loaded, &env);
	}
	interrupt_close(env.cancel_fd);
	machine_lock_release(&lock);
	progress_end(&progress);
	store_close(store);
	free(agent);
	return status;
}

/* Return: -1 to go on, or the exit status. */
static int load(struct cli *cli, const struct arguments *args, struct loaded_job *loaded)
{
	struct diags diags = DIAGS_INIT;
	int status = -1;

	if (load_job(cli, args->job, loaded, &diags) < 0) {
		char *text = diags_text(&diags);

		fputs(text, stderr);
		free(text);
		if (cli->json)
			cli_print_json(json_pack("{s:s, s:o}", "error", "the job is not valid",
				"diagnostics", diags_json(&diags)));
		status = EXIT_USAGE;
	} else {
		if (args->seed)
			loaded->job->seed = args->seed;
		if (args->max_blocks)
			loaded->job->decide.max_blocks = args->max_blocks;
	}
	diags_release(&diags);
	return status;
}

static int run(struct cli *cli, int argc, char **argv)
{
	struct loaded_job loaded = { 0 };
	struct arguments args;
	int status = read_arguments(cli, argc, argv, &args);

	if (status < 0 && args.job)
		status = load(cli, &args, &loaded);
	if (status < 0)
		status = with_store(cli, &args, &loaded);
	loaded_job_release(&loaded);
	return status;
}

const struct command cmd_run = {
	.name = "run",
	.summary = "run a job to its verdict",
	.help = help,
	.run = run,
};
