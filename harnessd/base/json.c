/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/json.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

static const char base64_digits[] =
	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static char *base64_encode(const unsigned char *in, size_t len)
{
	char *out = xmalloc((len + 2) / 3 * 4 + 1), *p = out;

	for (size_t i = 0; i < len; i += 3) {
		unsigned int v = (unsigned int)in[i] << 16;

		if (i + 1 < len)
			v |= (unsigned int)in[i + 1] << 8;
		if (i + 2 < len)
			v |= in[i + 2];
		*p++ = base64_digits[v >> 18];
		*p++ = base64_digits[v >> 12 & 63];
		*p++ = i + 1 < len ? base64_digits[v >> 6 & 63] : '=';
		*p++ = i + 2 < len ? base64_digits[v & 63] : '=';
	}
	*p = '\0';
	return out;
}

static int base64_decode(const char *in, char **data, size_t *len)
{
	size_t n = strlen(in), at = 0;
	char *out = xmalloc(n / 4 * 3 + 4);
	unsigned int acc = 0, bits = 0;

	for (size_t i = 0; i < n && in[i] != '='; i++) {
		const char *digit = strchr(base64_digits, in[i]);

		if (!digit) {
			free(out);
			return -EINVAL;
		}
		acc = acc << 6 | (unsigned int)(digit - base64_digits);
		bits += 6;
		if (bits >= 8) {
			bits -= 8;
			out[at++] = (char)(acc >> bits & 0xff);
		}
	}
	out[at] = '\0';
	*data = out;
	*len = at;
	return 0;
}

json_t *json_blob(const void *data, size_t len)
{
	json_t *text =
		memchr(data ? data : "", 0, len) ? NULL : json_stringn(data ? data : "", len);
	char *encoded;

	if (text || !data)
		return text ? text : json_string("");
	encoded = base64_encode(data, len);
	text = json_pack("{s:s}", "base64", encoded);
	free(encoded);
	return text;
}

int json_blob_read(const json_t *value, char **data, size_t *len)
{
	const char *encoded;

	if (json_is_string(value)) {
		*len = json_string_length(value);
		*data = xmemdup0(json_string_value(value), *len);
		return 0;
	}
	encoded = json_string_value(json_object_get(value, "base64"));
	return encoded ? base64_decode(encoded, data, len) : -EINVAL;
}

const char *json_str(const json_t *object, const char *key, const char *fallback)
{
	const char *s = json_string_value(json_object_get(object, key));

	return s ? s : fallback;
}

int64_t json_int(const json_t *object, const char *key, int64_t fallback)
{
	const json_t *v = json_object_get(object, key);

	return json_is_integer(v) ? json_integer_value(v) : fallback;
}

double json_num(const json_t *object, const char *key, double fallback)
{
	const json_t *v = json_object_get(object, key);

	return json_is_number(v) ? json_number_value(v) : fallback;
}

bool json_flag(const json_t *object, const char *key, bool fallback)
{
	const json_t *v = json_object_get(object, key);

	return json_is_boolean(v) ? json_is_true(v) : fallback;
}

json_t *json_finite(double x)
{
	return isfinite(x) ? json_real(x) : json_null();
}

char *json_scalar_text(const json_t *value)
{
	switch (json_typeof(value)) {
	case JSON_STRING:
		return xstrdup(json_string_value(value));
	case JSON_INTEGER:
		return xasprintf("%" JSON_INTEGER_FORMAT, json_integer_value(value));
	case JSON_REAL:
		return xasprintf("%.15g", json_real_value(value));
	case JSON_TRUE:
		return xstrdup("true");
	case JSON_FALSE:
		return xstrdup("false");
	default:
		return NULL;
	}
}

char *json_line(const json_t *value)
{
	char *text = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY);

	return text ? text : xstrdup("null");
}

int json_parse(const char *text, size_t len, json_t **value, struct error *err)
{
	json_error_t why;

	*value = json_loadb(text, len, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &why);
	if (!*value)
		return error_set(err, -EINVAL, "no valid JSON: %s (line %d, column %d)", why.text,
			why.line, why.column);
	return 0;
}
