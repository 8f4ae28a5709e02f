/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The manual pages: what is written by hand in docs/man/, and in it what the program knows. */
#ifndef CMD_MAN_PAGES_H
#define CMD_MAN_PAGES_H

#include "base/error.h"
#include "base/strbuf.h"

/**
 * man_page() - source of a manual page
 * @name: "harness", "job", "benchmark", "target", "collect", "knob"
 * Return: 0, or -ENOENT with a message that names the nearest.
 */
int man_page(const char *name, struct strbuf *out, struct error *err);

#endif
