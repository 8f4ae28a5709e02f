/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers as tools print them under LC_ALL=C, and nothing else. */
#ifndef RUNNERS_BENCH_NUMBER_H
#define RUNNERS_BENCH_NUMBER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/**
 * bench_number() - read a number: sign, digits with a point, exponent, whatever the locale
 * @decimal_comma: a comma may stand for the point
 * Return: 0, or -EBADMSG for anything else: commas, nan, inf, hexadecimal, out of a double's range.
 */
int bench_number(
	const char *text, size_t len, bool decimal_comma, double *value, struct error *err);

/**
 * bench_number_cut() - does text[start, end) cut a longer number in two?
 * @open_left, @open_right: the pattern says nothing of what stands on that side
 *
 * "14" of "14,516740" is such a cut, "516740" too, and "1" of "1e6": a pattern that was written for
 * another locale or format must not read half a number.
 */
bool bench_number_cut(
	const char *text, size_t len, size_t start, size_t end, bool open_left, bool open_right);

#endif
