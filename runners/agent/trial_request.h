/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The members of "run". */
#ifndef AGENT_TRIAL_REQUEST_H
#define AGENT_TRIAL_REQUEST_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/cpulist.h"
#include "base/error.h"
#include "base/sysroot.h"
#include "user.h"

/** struct trial_request - strings and JSON borrowed from the request, the rest its own */
struct trial_request {
	const char *nonce;
	char **argv;
	const json_t *env;
	const json_t *files;
	const json_t *collect;
	struct cpulist cpus;
	bool pin;
	int64_t timeout_ms, grace_ms, settle_ms;
	size_t max_output;
	struct user user;
	bool has_user;
};

/** trial_request_parse() - Return: 0, or -errno with what is wrong; release it in either case. */
int trial_request_parse(const struct sysroot *root, const json_t *json,
	struct trial_request *request, struct error *err);
/** trial_request_release() - free what it holds. */
void trial_request_release(struct trial_request *request);

#endif
