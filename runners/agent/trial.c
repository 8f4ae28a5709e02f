/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trial.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/file.h"

static int make_folder(struct trial *trial, struct error *err)
{
	const struct user *user = &trial->request.user;
	char *path;
	int r = file_make_dirs(trial->agent->work_dir, 0755, err);

	if (r < 0)
		return r;
	path = xasprintf("%s/harness-trial.XXXXXX", trial->agent->work_dir);
	if (!mkdtemp(path)) {
		r = error_sys(err, -errno, "cannot make a folder in '%s'", trial->agent->work_dir);
		free(path);
		return r;
	}
	trial->folder = path;
	if (trial->request.has_user && chown(path, user->uid, user->gid) < 0)
		return error_sys(err, -errno, "cannot give the folder '%s' to the user", path);
	return 0;
}

static int open_pipe(int *read_end, int *write_end, struct error *err)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) < 0)
		return error_sys(err, -errno, "cannot make a pipe");
	*read_end = ends[0];
	*write_end = ends[1];
	return 0;
}

/* The benchmark's process tells that it is ready to exec, or why it could not get ready. */
static int hear_ready(struct trial *trial, const struct spawn *spawn, struct error *err)
{
	struct spawn_report report;
	ssize_t n;

	do {
		n = read(trial->report, &report, sizeof(report));
	} while (n < 0 && errno == EINTR);
	if (n != sizeof(report))
		return error_set(err, -EIO, "the benchmark's process was killed before its start");
	trial->child = report.pid;
	return report.stage == SPAWN_READY ? 0 : spawn_failure(spawn, &report, err);
}

static void shut(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static int start(struct trial *trial, struct spawn *spawn, struct error *err)
{
	int r = open_pipe(&spawn->go, &trial->go, err);

	if (r == 0)
		r = open_pipe(&trial->report, &spawn->report, err);
	if (r == 0)
		r = capture_open(&trial->out, trial->request.max_output, err);
	if (r == 0)
		r = capture_open(&trial->err, trial->request.max_output, err);
	spawn->out = trial->out.write_end;
	spawn->err = trial->err.write_end;
	if (r == 0)
		r = keeper_spawn(&trial->agent->keeper, spawn, &trial->contain, err);
	trial->kept = r == 0;
	shut(&spawn->go);
	shut(&spawn->report);
	capture_started(&trial->out);
	capture_started(&trial->err);
	return r;
}

static int contain(struct trial *trial, struct error *err)
{
	char *id = xasprintf("%d.%u", (int)getpid(), trial->agent->trials++);
	int r = contain_open(
		&trial->contain, &trial->agent->machine, trial->agent->contain, id, err);

	free(id);
	if (r == 0)
		trial->contained = trial->contain.ops->name;
	return r;
}

/* From a process that is ready to one that has ended. */
static int measure(struct trial *trial, const struct spawn *spawn, struct error *err)
{
	int r;

	collects_attach(&trial->collects, trial->child);
	collects_before(&trial->collects);
	collects_start(&trial->collects);
	trial->started_ns = clock_realtime_ns();
	trial->go_ns = clock_monotonic_ns();
	r = file_write_all(trial->go, "g", 1);
	if (r < 0)
		return error_sys(err, r, "the benchmark's process was killed before its start");
	r = trial_watch(trial, spawn, err);
	collects_stop(&trial->collects);
	if (r < 0)
		return r;
	collects_after(&trial->collects);
	trial_settle(trial);
	return 0;
}

static int run_contained(struct trial *trial, struct error *err)
{
	struct trial_request *request = &trial->request;
	const struct user *user = request->has_user ? &request->user : NULL;
	char **env = spawn_environment(user, trial->folder, request->nonce, request->env);
	struct spawn spawn = { .argv = request->argv,
		.env = env,
		.folder = trial->folder,
		.cpus = request->pin ? &request->cpus : NULL,
		.affinity = &trial->placement.before,
		.user = user,
		.group = trial->contain.dirfd,
		.go = -1,
		.report = -1 };
	int r = start(trial, &spawn, err);

	if (r == 0)
		r = hear_ready(trial, &spawn, err);
	if (r == 0)
		r = measure(trial, &spawn, err);
	spawn_environment_free(env);
	return r;
}

static int run(struct trial *trial, json_t **result, struct error *err)
{
	struct agent *agent = trial->agent;
	int r = make_folder(trial, err);

	if (r == 0)
		r = undo_guard(&agent->undo, err);
	if (r == 0)
		r = keeper_ready(&agent->keeper, &agent->machine, err);
	if (r == 0)
		r = trial_pause(trial, trial->request.settle_ms, err);
	if (r < 0)
		return r;
	placement_leave(&trial->placement, &agent->machine, &trial->request.cpus,
		(pid_t[]){ agent->undo.guardian.pid, agent->keeper.pid });
	collects_prepare(&trial->collects, &agent->root, trial->request.collect,
		&trial->request.cpus, &agent->kept);
	r = contain(trial, err);
	if (r == 0)
		r = run_contained(trial, err);
	if (r == 0)
		*result = trial_result(trial);
	return r;
}

/* The keeper removes container and folder while the answer is on its way. */
static void leave(struct trial *trial)
{
	if (!trial->exited || trial->left)
		trial_clear(trial);
	if (keeper_tell(&trial->agent->keeper, KEEPER_LEAVE) < 0)
		return; /* it was killed: they are the agent's again */
	contain_release(&trial->contain);
	free(trial->folder);
	trial->folder = NULL;
}

static void release(struct trial *trial)
{
	shut(&trial->go); /* a process that still waits for it ends, and the keeper can obey */
	if (trial->kept)
		leave(trial);
	if (trial->contain.ops)
		contain_close(&trial->contain);
	placement_return(&trial->placement);
	collects_release(&trial->collects);
	capture_release(&trial->out);
	capture_release(&trial->err);
	shut(&trial->report);
	if (trial->folder)
		file_remove_tree(trial->folder, NULL);
	free(trial->folder);
	trial_request_release(&trial->request);
}

int op_run(struct agent *agent, const json_t *request, json_t **result, struct error *err)
{
	struct trial trial = { .agent = agent,
		.contain = { .dirfd = -1 },
		.out = { .read_end = -1, .write_end = -1 },
		.err = { .read_end = -1, .write_end = -1 },
		.go = -1,
		.report = -1 };
	int r = trial_request_parse(&agent->root, request, &trial.request, err);

	if (r == 0)
		r = run(&trial, result, err);
	release(&trial);
	return r;
}
