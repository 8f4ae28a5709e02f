/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Samples by JSON pointer, as /int/wakeup_latency_pct99.0 in
 *	{"normal": {"version": "6.18.44"},"int": {"time": 1796065886, "wakeup_latency_pct99.0": 5784}}
 * which may have lines of text before and after it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/strbuf.h"
#include "runners/bench/metric.h"
#include "runners/bench/number.h"

/* Lines that begin like JSON and are none are passed over, but not for ever: each costs a parse. */
enum { MAX_ATTEMPTS = 32 };

static json_t *parse_here(const char *text, size_t len)
{
	const size_t flags = JSON_DISABLE_EOF_CHECK | JSON_ALLOW_NUL;

	return json_loadb(text, len, flags, NULL);
}

/* The first line that begins a whole object or list. */
static json_t *find_json(const char *text, size_t len)
{
	const char *at = text, *end = text + len, *line_end;
	int attempts = 0;
	json_t *value;

	while (at < end && attempts < MAX_ATTEMPTS) {
		line_end = memchr(at, '\n', (size_t)(end - at));
		while (at < end && (*at == ' ' || *at == '\t'))
			at++;
		if (at < end && (*at == '{' || *at == '[')) {
			value = parse_here(at, (size_t)(end - at));
			if (value)
				return value;
			attempts++;
		}
		if (!line_end)
			break;
		at = line_end + 1;
	}
	return NULL;
}

/* One reference token, with ~1 for "/" and ~0 for "~". */
static char *unescape(const char *token, size_t len)
{
	struct strbuf sb = STRBUF_INIT;

	for (size_t i = 0; i < len; i++) {
		char c = token[i];

		if (c == '~' && i + 1 < len && (token[i + 1] == '0' || token[i + 1] == '1'))
			c = token[++i] == '1' ? '/' : '~';
		strbuf_putc(&sb, c, 1);
	}
	return sb.data ? strbuf_steal(&sb) : xstrdup("");
}

static const json_t *step(const json_t *value, const char *key)
{
	char *end;
	unsigned long index;

	if (json_is_object(value))
		return json_object_get(value, key);
	if (!json_is_array(value) || !*key || strspn(key, "0123456789") != strlen(key))
		return NULL;
	if (key[0] == '0' && key[1])
		return NULL; /* RFC 6901: no leading zeros */
	errno = 0;
	index = strtoul(key, &end, 10);
	return errno ? NULL : json_array_get(value, index);
}

static const json_t *resolve(const json_t *value, const char *pointer)
{
	while (value && *pointer == '/') {
		size_t len = strcspn(pointer + 1, "/");
		char *key = unescape(pointer + 1, len);

		value = step(value, key);
		free(key);
		pointer += 1 + len;
	}
	return value;
}

/* A number, or a string that is one. */
static int read_value(const struct bench_metric *metric, const char *pointer, const json_t *found,
	double *value, struct error *err)
{
	int r;

	if (json_is_number(found)) {
		*value = json_number_value(found);
		return 0;
	}
	if (!json_is_string(found))
		r = error_set(err, -EBADMSG, "no number there");
	else
		r = bench_number(json_string_value(found), json_string_length(found),
			metric->decimal_comma, value, err);
	if (r < 0)
		error_prefix(err, "'%s' at %s: ", metric->name, pointer);
	return r;
}

int bench_json_samples(struct bench_job *job, const struct bench_metric *metric,
	const struct bench_text *text, struct error *err)
{
	json_t *root = find_json(text->text, text->len);
	const json_t *found = NULL;
	double value = 0;
	size_t i;
	int r = 0;

	for (i = 0; root && i < metric->json.n && !found; i++) {
		const char *pointer = metric->json.s[i];

		found = resolve(root, pointer);
		if (!found)
			continue;
		r = read_value(metric, pointer, found, &value, err);
		if (!r)
			r = bench_add_sample(job, metric, metric->name, value, err);
	}
	json_decref(root);
	return r < 0 ? r : found != NULL;
}
