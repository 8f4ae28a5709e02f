/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trial_request.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json.h"

enum {
	DEFAULT_GRACE_MS = 2000,
	DEFAULT_OUTPUT = 1 << 20,
	/* Two streams of control characters, six bytes each in JSON, still fit into one line. */
	MAX_OUTPUT = 4 << 20,
	MAX_MS = 7 * 24 * 3600 * 1000,
};

static int parse_argv(const json_t *json, struct trial_request *request, struct error *err)
{
	const json_t *argv = json_object_get(json, "argv");
	size_t n = json_array_size(argv);

	if (!n)
		return error_set(err, -EINVAL, "run needs \"argv\", an array of strings");
	request->argv = xcalloc(n + 1, sizeof(*request->argv));
	for (size_t i = 0; i < n; i++) {
		request->argv[i] = (char *)json_string_value(json_array_get(argv, i));
		if (!request->argv[i])
			return error_set(err, -EINVAL, "word %zu of \"argv\" is no string", i);
	}
	if (!*request->argv[0])
		return error_set(err, -EINVAL, "the first word of \"argv\" is empty");
	return 0;
}

static int parse_cpus(const json_t *json, struct trial_request *request, struct error *err)
{
	const json_t *cpus = json_object_get(json, "cpus");

	for (size_t i = 0; i < json_array_size(cpus); i++) {
		const json_t *cpu = json_array_get(cpus, i);
		json_int_t n = json_is_integer(cpu) ? json_integer_value(cpu) : -1;

		if (n < 0 || n > CPULIST_MAX_CPU)
			return error_set(err, -EINVAL, "\"cpus\" needs numbers from 0 to %d",
				CPULIST_MAX_CPU);
		cpulist_add(&request->cpus, (int)n);
	}
	return 0;
}

static int parse_ms(
	const json_t *json, const char *key, int64_t fallback, int64_t *ms, struct error *err)
{
	*ms = json_int(json, key, fallback);
	if (*ms < 0 || *ms > MAX_MS)
		return error_set(err, -EINVAL, "run needs \"%s\", milliseconds from 0 to %d", key,
			(int)MAX_MS);
	return 0;
}

static int parse_limits(const json_t *json, struct trial_request *request, struct error *err)
{
	int64_t max = json_int(json, "max_output", DEFAULT_OUTPUT);
	int r = parse_ms(json, "timeout_ms", -1, &request->timeout_ms, err);

	if (r == 0)
		r = parse_ms(json, "grace_ms", DEFAULT_GRACE_MS, &request->grace_ms, err);
	if (r == 0)
		r = parse_ms(json, "settle_ms", 0, &request->settle_ms, err);
	if (r == 0 && max < 0)
		r = error_set(err, -EINVAL, "\"max_output\" is negative");
	request->max_output = max > MAX_OUTPUT ? MAX_OUTPUT : (size_t)max;
	return r;
}

/* Names within the trial's folder only: the agent reads them with its own rights. */
static int check_files(const json_t *files, struct error *err)
{
	for (size_t i = 0; i < json_array_size(files); i++) {
		const char *name = json_string_value(json_array_get(files, i));

		if (!name || !*name || strchr(name, '/') || strcmp(name, "..") == 0)
			return error_set(
				err, -EINVAL, "\"files\" needs plain names in the trial's folder");
	}
	return 0;
}

int trial_request_parse(const struct sysroot *root, const json_t *json,
	struct trial_request *request, struct error *err)
{
	const char *user = json_str(json, "user", NULL);
	int r;

	*request = (struct trial_request){
		.nonce = json_str(json, "nonce", NULL),
		.env = json_object_get(json, "env"),
		.files = json_object_get(json, "files"),
		.collect = json_object_get(json, "collect"),
		.pin = json_flag(json, "pin", false),
	};
	if (!request->nonce)
		return error_set(err, -EINVAL, "run needs \"nonce\", a string");
	r = parse_argv(json, request, err);
	if (r == 0)
		r = parse_cpus(json, request, err);
	if (r == 0)
		r = parse_limits(json, request, err);
	if (r == 0)
		r = check_files(request->files, err);
	if (r == 0 && user) {
		r = user_lookup(root, user, &request->user, err);
		request->has_user = r == 0;
	}
	return r;
}

void trial_request_release(struct trial_request *request)
{
	free(request->argv);
	cpulist_release(&request->cpus);
	user_release(&request->user);
}
