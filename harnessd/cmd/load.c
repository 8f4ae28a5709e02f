/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cmd/load.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "experiment/arm_plan.h"
#include "experiment/design.h"
#include "experiment/run_record.h"
#include "runners/bench/bench.h"

/* A benchmark named by a path is looked for beside the job file. */
static char *benchmark_name(const struct job *job)
{
	bool is_path = strchr(job->benchmark, '/') || strstr(job->benchmark, ".yaml");
	char *dir, *path;

	if (!is_path || job->benchmark[0] == '/')
		return xstrdup(job->benchmark);
	dir = file_dirname(job->path);
	path = file_join(dir, job->benchmark);
	free(dir);
	return path;
}

/* Parameters, metric and baseline can be checked only with both files at hand. */
static void check_together(struct cli *cli, const struct loaded_job *loaded, struct diags *diags)
{
	struct error err = ERROR_INIT;
	struct design design = { 0 };
	char *metric;

	if (run_record_metric(loaded->job, loaded->bench, &metric, &err) < 0)
		diags_add(diags, loaded->job->path, 0, 0, "decide: %s", error_text(&err));
	else if (design_init(&design, loaded->job, &cli->registry, &err) < 0)
		diags_add(diags, loaded->job->path, 0, 0, "%s", error_text(&err));
	else if (bench_params_check(loaded->bench, loaded->job->params, &err) < 0)
		diags_add(diags, loaded->job->path, 0, 0, "params: %s", error_text(&err));
	free(metric);
	design_release(&design);
	error_release(&err);
}

int load_job_diags(
	struct cli *cli, const char *path, struct loaded_job *loaded, struct diags *diags)
{
	char *name;

	*loaded = (struct loaded_job){ 0 };
	if (job_load(path, &cli->registry, &cli->config_dirs, &loaded->job, diags) < 0)
		return -EINVAL;
	name = benchmark_name(loaded->job);
	if (benchmark_load(name, &cli->config_dirs, &loaded->bench, diags) == 0)
		check_together(cli, loaded, diags);
	free(name);
	if (!diags->n)
		return 0;
	loaded_job_release(loaded);
	return -EINVAL;
}

int load_job(struct cli *cli, const char *path, struct loaded_job *loaded, FILE *out)
{
	struct diags diags = DIAGS_INIT;
	int r = load_job_diags(cli, path, loaded, &diags);

	if (r < 0) {
		char *text = diags_text(&diags);

		fputs(text, out);
		free(text);
	}
	diags_release(&diags);
	return r;
}

void loaded_job_release(struct loaded_job *loaded)
{
	job_free(loaded->job);
	benchmark_free(loaded->bench);
	*loaded = (struct loaded_job){ 0 };
}
