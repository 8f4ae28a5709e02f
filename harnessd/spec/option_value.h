/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One value of one option row: text to member, and words for what a row takes. For option*.c. */
#ifndef SPEC_OPTION_VALUE_H
#define SPEC_OPTION_VALUE_H

#include <stdbool.h>

#include "spec/option.h"

/** option_is_scalar() - true for the types that one text fills. */
bool option_is_scalar(const struct option_row *row);
/**
 * option_set() - fill the member of a scalar type from text
 * @member: untouched after an error; what a string held before is freed
 * Return: 0, -EINVAL for a text that is none of the type, -ERANGE for one out of range.
 */
int option_set(const struct option_row *row, const char *text, void *member);
/** option_matches() - true when the row has no pattern, or the text matches it as a whole. */
bool option_matches(const struct option_row *row, const char *text);
/** option_has_range() - true when the row limits its number. */
bool option_has_range(const struct option_row *row);
/** option_takes() - "a percentage from 0% to 50%", without the example; owned by the caller. */
char *option_takes(const struct option_row *row);
/** option_summary() - "a percentage from 0% to 50%; default 1%"; owned by the caller. */
char *option_summary(const struct option_row *row);
/** option_names() - the row names of a table, joined by ", "; owned by the caller. */
char *option_names(const struct option_table *table);
/** option_text_json() - JSON of a default or example as it stands in a row; new reference. */
json_t *option_text_json(const char *text);
/** option_schema() - JSON schema of one row's value; new reference. */
json_t *option_schema(const struct option_row *row);
/** option_find() - a row by name, or NULL. */
const struct option_row *option_find(const struct option_table *table, const char *name);

#endif
