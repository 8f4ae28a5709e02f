/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "runners/bench/texts.h"

#include <stdlib.h>

#include "base/json.h"

static struct bench_text from_file(const struct bench_output *output, const char *file)
{
	struct bench_text t = { .name = file, .text = "" };

	if (output->files &&
		!json_blob_read(json_object_get(output->files, file), &t.owned, &t.len))
		t.text = t.owned;
	return t;
}

size_t bench_texts(const struct bench_output *output, int stream, const char *file,
	struct bench_text texts[BENCH_MAX_TEXTS])
{
	const struct bench_text out = {
		.name = "stdout",
		.text = output->out ? output->out : "",
		.len = output->out ? output->out_len : 0,
	};
	const struct bench_text err = {
		.name = "stderr",
		.text = output->err ? output->err : "",
		.len = output->err ? output->err_len : 0,
	};

	switch (stream) {
	case STREAM_STDOUT:
		texts[0] = out;
		return 1;
	case STREAM_STDERR:
		texts[0] = err;
		return 1;
	case STREAM_FILE:
		texts[0] = from_file(output, file);
		return 1;
	default:
		texts[0] = out;
		texts[1] = err;
		return 2;
	}
}

void bench_texts_release(struct bench_text *texts, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(texts[i].owned);
}
