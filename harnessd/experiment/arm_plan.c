/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "experiment/arm_plan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "runners/bench/bench.h"

static const char *const write_kinds[] = {
	[WRITE_PLAIN] = "plain",
	[WRITE_FEATURE] = "feature",
	[WRITE_CHOICE] = "choice",
};

static int no_read(void *context, const char *path, char **text, struct error *err)
{
	(void)context;
	(void)text;
	return error_set(err, -ENXIO, "no machine to read '%s' from", path);
}

static int no_glob(void *context, const char *pattern, json_t **paths, struct error *err)
{
	(void)context;
	(void)paths;
	return error_set(err, -ENXIO, "no machine to look for '%s' on", pattern);
}

char *arm_cmdline(const struct arm *arm)
{
	const json_t *level = json_object_get(arm->all, "cmdline");
	const struct machine nobody = { .read = no_read, .glob = no_glob };
	const struct knob_ops *ops = level ? knob_find("cmdline", NULL) : NULL;
	struct knob_plan plan;
	char *words;

	knob_plan_init(&plan);
	if (ops)
		ops->plan(level, &nobody, &plan, NULL);
	words = xstrdup(plan.cmdline ? plan.cmdline : "");
	knob_plan_release(&plan);
	return words;
}

int arm_plan(const struct arm *arm, const struct machine *machine, struct knob_plan *plan,
	struct error *err)
{
	const char *name;
	json_t *level;

	knob_plan_init(plan);
	json_object_foreach(arm->all, name, level) {
		const struct knob_ops *ops = knob_find(name, err);
		int r = ops ? ops->plan(level, machine, plan, err) : -EINVAL;

		if (r < 0) {
			error_prefix(err, "arm '%s': %s: ", arm->label, name);
			return r;
		}
	}
	return 0;
}

int arm_command(const struct benchmark *bench, const struct job *job, const struct knob_plan *plan,
	json_t **argv, struct error *err)
{
	json_t *params = job->params ? json_copy(job->params) : json_object();
	int r;

	if (plan->params)
		json_object_update(params, plan->params);
	r = bench_command(bench, params, &plan->cpus, argv, err);
	json_decref(params);
	return r;
}

json_t *arm_writes(const struct knob_plan *plan)
{
	json_t *writes = json_array();

	for (size_t i = 0; i < plan->n_writes; i++) {
		const struct knob_write *w = &plan->writes[i];

		json_array_append_new(writes, json_pack("{s:s, s:s, s:s}", "path", w->path, "value",
						      w->value, "kind", write_kinds[w->kind]));
	}
	return writes;
}

/* The benchmark file's environment, under the arm's. */
static json_t *environment(const struct benchmark *bench, const struct knob_plan *plan)
{
	json_t *env = bench->env ? json_copy(bench->env) : json_object();

	if (plan->env)
		json_object_update(env, plan->env);
	return env;
}

json_t *arm_plan_json(
	const struct benchmark *bench, const struct knob_plan *plan, const json_t *argv)
{
	json_t *cpus = json_array();

	for (size_t i = 0; i < plan->cpus.n; i++)
		json_array_append_new(cpus, json_integer(plan->cpus.cpu[i]));
	return json_pack("{s:o, s:o, s:b, s:o, s:O?, s:s}", "writes", arm_writes(plan), "cpus",
		cpus, "pin", bench->pin, "env", environment(bench, plan), "argv", argv, "cmdline",
		plan->cmdline ? plan->cmdline : "");
}
