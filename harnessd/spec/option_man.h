/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Option rows as part of a manual page. */
#ifndef SPEC_OPTION_MAN_H
#define SPEC_OPTION_MAN_H

#include "base/strbuf.h"
#include "spec/option.h"

/**
 * options_man() - man(7) source of a table: each row with type, range, default, help, example
 *
 * To stand below a heading of the page; nested tables follow, each under a heading of its own.
 */
void options_man(const struct option_table *table, struct strbuf *out);

#endif
