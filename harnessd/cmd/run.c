/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/command.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/alloc.h"
#include "cmd/load.h"
#include "cmd/progress.h"
#include "cmd/stale.h"
#include "db/machine_lock.h"
#include "experiment/run.h"
#include "report/report.h"

static const char help[] =
	"Usage: harness run [OPTION]... JOB.yaml\n"
	"       harness run --resume RUN\n"
	"\n"
	"Runs a job to its verdict: every block runs each arm in random order, the data\n"
	"are looked at after 5, 7, 10, 14, ... blocks, and the run ends when every arm\n"
	"is better, worse or equivalent, or when its blocks or its time are used up.\n"
	"Everything is kept in the database of the state folder; Ctrl-C ends the trial\n"
	"in flight, puts knobs back and keeps what there is, and --resume goes on from\n"
	"there.\n"
	"\n"
	"  --resume RUN      go on with an interrupted run (0: the newest)\n"
	"  --seed N          order of the arms; without it a fresh one, which is kept\n"
	"  --max-blocks N    most blocks, in place of the job's decide: {max_blocks: N}\n"
	"  --quiet           no progress, only what needs attention and the report\n"
	"  --json            the report as JSON\n"
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

static bool number(const char *text, unsigned long long max, unsigned long long *value)
{
	char *end;

	errno = 0;
	*value = strtoull(text, &end, 10);
	return !errno && *text >= '0' && *text <= '9' && !*end && *value <= max;
}

/* Return: -1 to go on, or the exit status. */
static int read_arguments(struct cli *cli, int argc, char **argv, struct arguments *args)
{
	unsigned long long n;
	int option, status = -1;

	*args = (struct arguments){ .resume = -1 };
	while ((option = getopt_long(argc, argv, "hq", options, NULL)) != -1) {
		if (option == 'q') {
			args->quiet = true;
		} else if (cli_option(cli, &cmd_run, option, optarg, &status)) {
			if (status >= 0)
				return status;
		} else if (!number(optarg, option == 'b' ? 256 : 1ULL << 53, &n)) {
			return cli_usage(&cmd_run, "'%s' is no whole number in range", optarg);
		} else if (option == 'r') {
			args->resume = (long)n;
		} else if (option == 's') {
			args->seed = n;
		} else {
			args->max_blocks = (long)n;
		}
	}
	if (args->resume >= 0 ? optind != argc : optind != argc - 1)
		return cli_usage(&cmd_run, "a job file, or --resume RUN, is wanted");
	args->job = args->resume < 0 ? argv[optind] : NULL;
	if (args->max_blocks && args->max_blocks < 3)
		return cli_usage(&cmd_run, "--max-blocks takes 3 to 256");
	return -1;
}

/* Readable from the first Ctrl-C on; it is never read, so that everybody sees it. */
static int cancel_descriptor(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, NULL);
	return signalfd(-1, &set, SFD_CLOEXEC);
}

static void waiting(void *context, const char *holder)
{
	(void)context;
	fprintf(stderr, "waiting for this machine: %s\n", holder);
}

static int print_report(struct cli *cli, struct store *store, int64_t id, struct error *err)
{
	struct report report;
	struct strbuf text = STRBUF_INIT;
	int r = report_load(store, id, &report, err);

	if (r < 0)
		return r;
	if (cli->json) {
		cli_print_json(report_json(&report));
	} else {
		report_text(&report, &text);
		fputs(strbuf_text(&text), stdout);
		strbuf_release(&text);
	}
	report_release(&report);
	return 0;
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

/* The run under the machine's lock, then its report, whatever came of it. */
static int run_locked(struct cli *cli, struct store *store, const struct arguments *args,
	const struct loaded_job *loaded, const struct run_env *env)
{
	enum conclusion conclusion = CONCLUSION_UNDECIDED;
	struct error err = ERROR_INIT, second = ERROR_INIT;
	int64_t id = args->resume;
	int r;

	if (args->job)
		r = run_start(store, loaded->job, loaded->bench, env, &id, &conclusion, &err);
	else
		r = run_resume(store, &id, env, &conclusion, &err);
	if (r == -EINTR)
		fprintf(stderr, "stopped; 'harness run --resume %lld' goes on\n", (long long)id);
	if (id > 0 && r != -EBUSY && r != -ENOENT && print_report(cli, store, id, &second) < 0)
		cli_fail(EXIT_CANNOT, &second);
	if (r < 0 && r != -EINTR)
		return cli_fail(EXIT_CANNOT, &err);
	error_release(&err);
	return status_of(r, conclusion);
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
	struct machine_lock lock;
	struct store *store = NULL;
	struct error err = ERROR_INIT;
	int status = EXIT_CANNOT;

	progress_init(&progress, args->quiet);
	if (cli_open_store(cli, true, &store, &err) < 0 ||
		machine_lock_take(cli->state_dir, "machine",
			args->job ? args->job : "a resumed run", true, waiting, NULL, &lock,
			&err) < 0) {
		cli_fail(EXIT_CANNOT, &err);
	} else {
		stale_restore(cli);
		env.cancel_fd = cancel_descriptor();
		status = run_locked(cli, store, args, loaded, &env);
		close(env.cancel_fd);
		machine_lock_release(&lock);
	}
	progress_end(&progress);
	store_close(store);
	free(agent);
	return status;
}

static int run(struct cli *cli, int argc, char **argv)
{
	struct loaded_job loaded = { 0 };
	struct arguments args;
	int status = read_arguments(cli, argc, argv, &args);

	if (status >= 0)
		return status;
	if (args.job) {
		if (load_job(cli, args.job, &loaded, stderr) < 0)
			return EXIT_USAGE;
		if (args.seed)
			loaded.job->seed = args.seed;
		if (args.max_blocks)
			loaded.job->decide.max_blocks = args.max_blocks;
	}
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
