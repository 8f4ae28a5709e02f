/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "runners/knob/knob.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

void knob_plan_init(struct knob_plan *plan)
{
	*plan = (struct knob_plan){
		.env = json_object(),
		.params = json_object(),
		.cmdline = xstrdup(""),
	};
}

void knob_plan_write(
	struct knob_plan *plan, const char *path, const char *value, enum write_kind kind)
{
	array_reserve(plan->writes, plan->n_writes, plan->cap_writes);
	plan->writes[plan->n_writes++] = (struct knob_write){
		.path = xstrdup(path),
		.value = xstrdup(value),
		.kind = kind,
	};
}

static const char *feature_name(const char *word)
{
	return strncmp(word, "NO_", 3) == 0 ? word + 3 : word;
}

/* A line of features holds many settings, each word being one; other files hold one. */
static bool same_setting(
	const struct knob_write *w, const char *path, const char *value, enum write_kind kind)
{
	if (strcmp(w->path, path) != 0)
		return false;
	return kind != WRITE_FEATURE || w->kind != WRITE_FEATURE ||
	       strcmp(feature_name(w->value), feature_name(value)) == 0;
}

int knob_plan_set(struct knob_plan *plan, const char *path, const char *value, enum write_kind kind,
	struct error *err)
{
	for (size_t i = 0; i < plan->n_writes; i++) {
		const struct knob_write *w = &plan->writes[i];

		if (!same_setting(w, path, value, kind))
			continue;
		if (strcmp(w->value, value) == 0)
			return 0;
		return error_set(err, -EINVAL,
			"the arm asks for both '%s' and '%s' in '/%s'; leave one of them out",
			w->value, value, path);
	}
	knob_plan_write(plan, path, value, kind);
	return 0;
}

int knob_plan_cpus(struct knob_plan *plan, const struct cpulist *cpus, struct error *err)
{
	if (plan->cpus.n)
		return error_set(err, -EINVAL,
			"'placement' and 'cpus' both choose the benchmark's CPUs; keep one of "
			"them");
	plan->cpus = cpulist_copy(cpus);
	return 0;
}

void knob_plan_release(struct knob_plan *plan)
{
	for (size_t i = 0; i < plan->n_writes; i++) {
		free(plan->writes[i].path);
		free(plan->writes[i].value);
	}
	free(plan->writes);
	cpulist_release(&plan->cpus);
	json_decref(plan->env);
	json_decref(plan->params);
	free(plan->cmdline);
	*plan = (struct knob_plan){ 0 };
}
