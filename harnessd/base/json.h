/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Small helpers on jansson. */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/**
 * json_blob() - bytes as a JSON value
 *
 * A string when the bytes are valid UTF-8 without NUL, else {"base64": "..."}, so that whatever a
 * benchmark prints comes through unchanged. Return: a new reference.
 */
json_t *json_blob(const void *data, size_t len);
/**
 * json_blob_read() - the bytes of a json_blob()
 * @data: owned by the caller, NUL-terminated
 * Return: 0, or -EINVAL when @value is neither form (NULL included).
 */
int json_blob_read(const json_t *value, char **data, size_t *len);

/** json_str() - string member of an object, or @fallback; borrowed. */
const char *json_str(const json_t *object, const char *key, const char *fallback);
/** json_int() - integer member of an object, or @fallback. */
int64_t json_int(const json_t *object, const char *key, int64_t fallback);
/** json_num() - number member (integer or real), or @fallback. */
double json_num(const json_t *object, const char *key, double fallback);
/** json_flag() - boolean member, or @fallback. */
bool json_flag(const json_t *object, const char *key, bool fallback);

/** json_finite() - a number, or null for one that JSON cannot hold; new reference. */
json_t *json_finite(double x);

/** json_scalar_text() - a scalar as text (true, 5, 0.25, name), NULL for others; caller owns. */
char *json_scalar_text(const json_t *value);
/** json_line() - compact one-line text with keys in insertion order; owned by the caller. */
char *json_line(const json_t *value);
/** json_parse() - text to JSON with depth bounded by the library. Return: 0 or -EINVAL. */
int json_parse(const char *text, size_t len, json_t **value, struct error *err);

#endif
