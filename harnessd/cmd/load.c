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
#include "runners/target/target.h"

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

/* What only both files, or the target, tell of a level. Return: 0 or -EINVAL. */
typedef int level_check(const struct loaded_job *loaded, const json_t *level, struct error *err);

static int check_params(const struct loaded_job *loaded, const json_t *level, struct error *err)
{
	return bench_params_check(loaded->bench, level, err);
}

static int check_cmdline(const struct loaded_job *loaded, const json_t *level, struct error *err)
{
	const struct target_ops *target = target_find(loaded->job->target, NULL);
	json_t *levels = json_pack("{s:O}", "cmdline", (json_t *)level);
	const struct arm arm = { .all = levels };
	char *words = arm_cmdline(&arm);
	int r = 0;

	if (*words && target && target->shares_host)
		r = error_set(err, -EINVAL,
			"'%s' is for a kernel that is booted, which target '%s' never does; try "
			"target: vm",
			words, target->name);
	free(words);
	json_decref(levels);
	return r;
}

static void check_level(const struct loaded_job *loaded, const char *knob, const json_t *level,
	int line, int column, struct diags *diags)
{
	static const struct {
		const char *knob;
		level_check *check;
	} checks[] = { { "params", check_params }, { "cmdline", check_cmdline } };
	struct error err = ERROR_INIT;

	for (size_t i = 0; i < array_size(checks); i++)
		if (strcmp(checks[i].knob, knob) == 0 && checks[i].check(loaded, level, &err) < 0)
			diags_add(diags, loaded->job->path, line, column, "%s: %s", knob,
				error_text(&err));
	error_release(&err);
}

static void check_levels(const struct loaded_job *loaded, struct diags *diags)
{
	const struct job *job = loaded->job;
	const char *knob;
	json_t *level;

	for (size_t f = 0; f < job->n_factors; f++)
		for (size_t i = 0; i < job->factors[f].n_levels; i++)
			check_level(loaded, job->factors[f].name, job->factors[f].levels[i].value,
				job->factors[f].levels[i].line, job->factors[f].levels[i].column,
				diags);
	for (size_t i = 0; i < job->n_arms; i++)
		json_object_foreach(job->arms[i].levels, knob, level) {
			check_level(
				loaded, knob, level, job->arms[i].line, job->arms[i].column, diags);
		}
	json_object_foreach(job->fixed, knob, level) {
		check_level(loaded, knob, level, 0, 0, diags);
	}
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
	check_levels(loaded, diags);
	free(metric);
	design_release(&design);
	error_release(&err);
}

int load_job(struct cli *cli, const char *path, struct loaded_job *loaded, struct diags *diags)
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

void loaded_job_release(struct loaded_job *loaded)
{
	job_free(loaded->job);
	benchmark_free(loaded->bench);
	*loaded = (struct loaded_job){ 0 };
}
