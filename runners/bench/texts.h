/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The texts of one run that a row "stream" means. */
#ifndef RUNNERS_BENCH_TEXTS_H
#define RUNNERS_BENCH_TEXTS_H

#include "runners/bench/bench.h"

enum { BENCH_MAX_TEXTS = 2 };

/** struct bench_text - one of them; @name for messages, @owned when it had to be decoded */
struct bench_text {
	const char *name;
	const char *text;
	size_t len;
	char *owned;
};

/** bench_texts() - those of a stream, in the order to look in. Return: how many. */
size_t bench_texts(const struct bench_output *output, int stream, const char *file,
	struct bench_text texts[BENCH_MAX_TEXTS]);
/** bench_texts_release() - free what was decoded. */
void bench_texts_release(struct bench_text *texts, size_t n);

#endif
