/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Everything that is wrong with a file, with the place of each. */
#ifndef SPEC_DIAG_H
#define SPEC_DIAG_H

#include <jansson.h>
#include <stddef.h>

/** struct diag - one finding; line and column count from 1, 0 when they are unknown */
struct diag {
	char *file;
	int line, column;
	char *text;
};

/** struct diags - the findings of one or more files, in the order they were met */
struct diags {
	struct diag *d;
	size_t n, cap;
};

#define DIAGS_INIT ((struct diags){ 0 })

/** diags_add() - note a finding: "what is wrong; what is allowed; did you mean". */
void diags_add(struct diags *diags, const char *file, int line, int column, const char *fmt, ...)
	__attribute__((format(printf, 5, 6)));
/** diags_sort() - by file (in order of appearance), line and column. */
void diags_sort(struct diags *diags);
/** diags_text() - "file:line:column: text" a line each; owned by the caller. */
char *diags_text(const struct diags *diags);
/** diags_json() - [{"file","line","column","text"}]; new reference. */
json_t *diags_json(const struct diags *diags);
/** diags_release() - free all. */
void diags_release(struct diags *diags);

#endif
