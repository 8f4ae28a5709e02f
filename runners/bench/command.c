/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "runners/bench/bench.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "base/nearest.h"
#include "base/strbuf.h"
#include "spec/template.h"

static int unknown_param(const struct benchmark *bench, const char *name, struct error *err)
{
	const char **names = xcalloc(json_object_size(bench->params) + 1, sizeof(*names));
	struct strbuf list = STRBUF_INIT;
	const char *key;
	json_t *value;
	char *suffix;
	size_t n = 0;

	json_object_foreach(bench->params, key, value) {
		strbuf_printf(&list, "%s%s", n ? ", " : "; it has ", key);
		names[n++] = key;
	}
	suffix = nearest_suffix(name, names, n);
	error_set(err, -EINVAL, "the benchmark '%s' has no parameter '%s'%s%s", bench->name, name,
		strbuf_text(&list), suffix);
	strbuf_release(&list);
	free(suffix);
	free(names);
	return -EINVAL;
}

static int check_params(const struct benchmark *bench, const json_t *params, struct error *err)
{
	const char *name;
	json_t *value, *dflt;

	json_object_foreach((json_t *)params, name, value) {
		dflt = json_object_get(bench->params, name);
		if (!dflt)
			return unknown_param(bench, name, err);
		if (json_is_object(value) || json_is_array(value))
			return error_set(err, -EINVAL,
				"the parameter '%s' has to be one value, not a list or mapping",
				name);
		if (json_is_boolean(dflt) && !json_is_boolean(value) && !json_is_null(value))
			return error_set(
				err, -EINVAL, "the parameter '%s' has to be true or false", name);
	}
	return 0;
}

/* {cpu3}: text owned by the caller, NULL when the arm has no CPUs. */
static int cpu_text(const struct benchmark *bench, const char *name, const struct cpulist *cpus,
	char **text, struct error *err)
{
	unsigned long at;

	*text = NULL;
	if (!cpus || !cpus->n)
		return 0;
	if (!strcmp(name, "cpus")) {
		*text = cpulist_format(cpus);
		return 0;
	}
	at = strtoul(name + 3, NULL, 10);
	if (at >= cpus->n)
		return error_set(err, -EINVAL,
			"the command of '%s' names {%s}, and the arm has only %zu CPU%s",
			bench->name, name, cpus->n, cpus->n == 1 ? "" : "s");
	*text = xasprintf("%d", cpus->cpu[at]);
	return 0;
}

/* Text of a parameter: NULL when it leaves its argument out. */
static char *param_text(const struct benchmark *bench, const char *name, const json_t *params)
{
	const json_t *value = json_object_get(params, name);

	if (!value)
		value = json_object_get(bench->params, name);
	if (!value || json_is_null(value) || json_is_false(value))
		return NULL;
	return json_is_true(value) ? xstrdup("") : json_scalar_text(value);
}

static bool is_param(const struct benchmark *bench, const char *name)
{
	return json_object_get(bench->params, name) != NULL;
}

/* One argument into @out. Return: 1, 0 when it is to be left out, -EINVAL. */
static int fill_argument(const struct benchmark *bench, const char *at, const json_t *params,
	const struct cpulist *cpus, struct strbuf *out, struct error *err)
{
	struct template_piece piece;
	int r;

	while ((r = template_next(&at, &piece, err)) == 1) {
		char *name, *text = NULL;

		if (!piece.is_name) {
			strbuf_add(out, piece.text, piece.len);
			continue;
		}
		name = xmemdup0(piece.text, piece.len);
		if (is_param(bench, name))
			text = param_text(bench, name, params);
		else
			r = cpu_text(bench, name, cpus, &text, err);
		free(name);
		if (r < 0 || !text)
			return r < 0 ? r : 0;
		strbuf_puts(out, text);
		free(text);
	}
	return r < 0 ? r : 1;
}

int bench_command(const struct benchmark *bench, const json_t *params, const struct cpulist *cpus,
	json_t **argv, struct error *err)
{
	int r = check_params(bench, params, err);
	json_t *made;
	size_t i;

	if (r < 0)
		return r;
	if ((cpus ? cpus->n : 0) < (size_t)bench->cpus)
		return error_set(err, -EINVAL,
			"the benchmark '%s' needs %ld CPUs and the arm names %zu; give placement: "
			"or "
			"cpus: in the job",
			bench->name, bench->cpus, cpus ? cpus->n : 0);
	made = json_array();
	for (i = 0; i < bench->command.n; i++) {
		struct strbuf arg = STRBUF_INIT;

		r = fill_argument(bench, bench->command.s[i], params, cpus, &arg, err);
		if (r == 1)
			json_array_append_new(made, json_string(strbuf_text(&arg)));
		strbuf_release(&arg);
		if (r < 0) {
			json_decref(made);
			return r;
		}
	}
	*argv = made;
	return 0;
}

int bench_params_check(const struct benchmark *bench, const json_t *params, struct error *err)
{
	return params ? check_params(bench, params, err) : 0;
}
