/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "experiment/version.h"

#include <stdlib.h>

#include "base/json.h"
#include "experiment/programs.h"
#include "runners/bench/bench.h"

enum { VERSION_MS = 10000, VERSION_BYTES = 65536 };

static int ask(struct session *session, const struct benchmark *bench, const char *programs_dir,
	json_t **result, struct error *err)
{
	json_t *argv = json_array(), *request;

	for (size_t i = 0; i < bench->version.command.n; i++)
		json_array_append_new(argv, json_string(bench->version.command.s[i]));
	if (session->ops->shares_host)
		programs_resolve(argv, programs_dir);
	request = json_pack("{s:s, s:o, s:i, s:i, s:i}", "nonce", "version", "argv", argv,
		"timeout_ms", VERSION_MS, "grace_ms", 500, "max_output", VERSION_BYTES);
	return session_call(session, "run", request, VERSION_MS + SESSION_CALL_MS, result, err);
}

static char *version_in(const struct benchmark *bench, const json_t *result, const char *stream)
{
	char *text = NULL, *version = NULL;
	size_t len;

	if (json_blob_read(json_object_get(result, stream), &text, &len) == 0)
		version = bench_version_text(bench, text, len);
	free(text);
	return version;
}

int version_note(struct session *session, const struct benchmark *bench, const char *programs_dir,
	struct error *err)
{
	json_t *result = NULL;
	struct error unknown = ERROR_INIT;
	char *version = NULL;
	int r;

	if (!bench->version.command.n)
		return 0;
	r = ask(session, bench, programs_dir, &result, &unknown);
	if (r < 0 && agent_client_dead(session->client)) {
		r = error_set(err, r, "while asking for the benchmark's version: %s",
			error_text(&unknown));
	} else {
		version = version_in(bench, result, "stdout");
		if (!version)
			version = version_in(bench, result, "stderr");
		json_object_set_new(
			session->facts, "benchmark", json_pack("{s:s?}", "version", version));
		r = 0;
	}
	free(version);
	json_decref(result);
	error_release(&unknown);
	return r;
}
