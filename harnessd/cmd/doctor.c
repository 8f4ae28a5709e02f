/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/command.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/wrap.h"
#include "db/machine_lock.h"
#include "experiment/doctor.h"
#include "report/table.h"

static const char help[] =
	"Usage: harness doctor [--flip] [--json]\n"
	"\n"
	"Reads this machine as an experimenter would: can scheduler features be written\n"
	"and are they read back, which counters work, what disturbs measurements, can\n"
	"guests be booted; with what to do about each.\n"
	"\n"
	"  --flip   really flip one feature and put it back; without it the value in\n"
	"           force is written once more\n"
	"\n"
	"Exit status: 0 native experiments on scheduler features can run, 4 they can't.\n";

static const struct option options[] = {
	{ "flip", no_argument, NULL, 'f' },
	CLI_OPTIONS,
};

static json_t *diagnosis_json(const struct diagnosis *d)
{
	json_t *list = json_array();

	for (size_t i = 0; i < d->n; i++)
		json_array_append_new(
			list, json_pack("{s:s, s:s, s:s, s:s?}", "check", d->finding[i].name,
				      "grade", grade_name(d->finding[i].grade), "text",
				      d->finding[i].text, "advice", d->finding[i].advice));
	return list;
}

static void print_diagnosis(const struct diagnosis *d)
{
	struct strbuf out = STRBUF_INIT;

	for (size_t i = 0; i < d->n; i++) {
		const struct finding *f = &d->finding[i];
		char *advice = f->advice ? xasprintf("-> %s", f->advice) : NULL;

		strbuf_printf(&out, "%-8s %-15s ", grade_name(f->grade), f->name);
		wrap_words(&out, f->text, 25, 25);
		if (advice) {
			strbuf_putc(&out, ' ', 25);
			wrap_words(&out, advice, 25, 28);
		}
		free(advice);
	}
	fputs(strbuf_text(&out), stdout);
	strbuf_release(&out);
}

static int enter_local(const struct target_env *env, struct session *session, struct error *err)
{
	int r = file_make_dirs(env->work_dir, 0755, err);

	if (r == 0)
		r = session_open(session, "local", NULL, env, -1, err);
	if (r == 0)
		r = session_enter(session, "", false, err);
	return r;
}

static int tell(struct cli *cli, struct diagnosis *d)
{
	int status = EXIT_NO_REGRESSION;

	for (size_t i = 0; i < d->n; i++)
		if (d->finding[i].grade == GRADE_PROBLEM)
			status = EXIT_CANNOT;
	if (cli->json)
		cli_print_json(diagnosis_json(d));
	else
		print_diagnosis(d);
	diagnosis_release(d);
	return status;
}

/* Under the machine's lock where it is free, so that no run begins with our knob turned. */
static int examine(struct cli *cli, bool flip)
{
	char *agent = cli_agent_path(cli), *work = file_join(cli->state_dir, "runs/doctor");
	const struct target_env env = {
		.state_dir = cli->state_dir,
		.work_dir = work,
		.agent_path = agent,
	};
	struct machine_lock lock = MACHINE_LOCK_INIT;
	struct session session = { .arm = -1 };
	struct error err = ERROR_INIT, busy = ERROR_INIT;
	struct diagnosis d;
	int status, r = machine_lock_take(cli->state_dir, "machine", "harness doctor", false, NULL,
			    NULL, &lock, &busy);

	if (r < 0 && r != -EBUSY) {
		status = cli_fail(EXIT_CANNOT, &busy);
	} else if (enter_local(&env, &session, &err) < 0) {
		status = cli_fail(EXIT_CANNOT, &err);
	} else {
		doctor_examine(
			&session, cli->state_dir, flip, r < 0 ? error_text(&busy) : NULL, &d);
		status = tell(cli, &d);
	}
	session_close(&session);
	machine_lock_release(&lock);
	error_release(&busy);
	free(agent);
	free(work);
	return status;
}

static int run(struct cli *cli, int argc, char **argv)
{
	bool flip = false;
	int option, status = -1;

	while ((option = getopt_long(argc, argv, "h", options, NULL)) != -1) {
		if (option == 'f')
			flip = true;
		else if (cli_option(cli, &cmd_doctor, option, optarg, &status) && status >= 0)
			return status;
	}
	if (optind != argc)
		return cli_usage(&cmd_doctor, "no argument is wanted");
	return examine(cli, flip);
}

const struct command cmd_doctor = {
	.name = "doctor",
	.summary = "what this machine can do, what disturbs, what helps",
	.help = help,
	.run = run,
};
