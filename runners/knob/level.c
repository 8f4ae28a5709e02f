/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "runners/knob/level.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "base/nearest.h"
#include "base/strbuf.h"

static const char blanks[] = " \t\n\v\f\r";

bool level_is_default(const json_t *level)
{
	const char *text = json_string_value(level);

	return text && strcmp(text, "default") == 0;
}

static void add_words(json_t *words, const char *text)
{
	for (text += strspn(text, blanks); *text; text += strspn(text, blanks)) {
		size_t len = strcspn(text, blanks);

		json_array_append_new(words, json_stringn(text, len));
		text += len;
	}
}

int level_words(const json_t *level, const char *what, json_t **words, struct error *err)
{
	size_t i;
	json_t *item;

	*words = json_array();
	if (json_is_string(level))
		add_words(*words, json_string_value(level));
	json_array_foreach(level, i, item) {
		if (!json_is_string(item))
			goto bad;
		add_words(*words, json_string_value(item));
	}
	if (json_array_size(*words))
		return 0;
bad:
	json_decref(*words);
	*words = NULL;
	return error_set(err, -EINVAL, "%s are written as words or as a list of words", what);
}

static char *list_text(const json_t *list)
{
	struct strbuf sb = STRBUF_INIT;
	size_t i;
	json_t *item;

	json_array_foreach(list, i, item) {
		char *text = json_scalar_text(item);

		if (!text) {
			strbuf_release(&sb);
			return NULL;
		}
		strbuf_printf(&sb, "%s%s", i ? " " : "", text);
		free(text);
	}
	return strbuf_steal(&sb);
}

char *level_value_text(const json_t *value)
{
	if (!value)
		return NULL;
	return json_is_array(value) ? list_text(value) : json_scalar_text(value);
}

static bool value_ok(const json_t *value, bool lists)
{
	char *text = json_is_array(value) && !lists ? NULL : level_value_text(value);
	bool ok = text != NULL;

	free(text);
	return ok;
}

int level_check_mapping(
	const json_t *level, const char *knob, const char *example, bool lists, struct error *err)
{
	const char *name;
	json_t *value;

	if (!json_is_object(level))
		return error_set(err, -EINVAL, "%s takes a mapping of names to values, like %s",
			knob, example);
	json_object_foreach((json_t *)level, name, value) {
		if (!value_ok(value, lists))
			return error_set(err, -EINVAL,
				"the value of '%s' must be text, a number or true/false%s", name,
				lists ? ", or a list of these" : "");
	}
	return 0;
}

char *level_mapping_label(const json_t *level)
{
	struct strbuf sb = STRBUF_INIT;
	const char *name;
	json_t *value;

	json_object_foreach((json_t *)level, name, value) {
		char *text = level_value_text(value);

		strbuf_printf(&sb, "%s%s=%s", sb.len ? "," : "", name, text ? text : "");
		free(text);
	}
	if (!sb.len)
		strbuf_puts(&sb, "default");
	return strbuf_steal(&sb);
}

char *names_hint(const char *word, const char *what, const char *const *names, size_t n)
{
	struct strbuf sb = STRBUF_INIT;
	char *nearest = nearest_suffix(word, names, n);

	strbuf_printf(&sb, "%s%s %s:", nearest, *nearest ? "" : ";", what);
	for (size_t i = 0; i < n; i++)
		strbuf_printf(&sb, "%s %s", i ? "," : "", names[i]);
	free(nearest);
	return strbuf_steal(&sb);
}

int machine_need_root(const struct machine *machine, struct error *err)
{
	long long uid = json_int(machine->facts, "uid", 0);

	if (!uid)
		return 0;
	return error_set(err, -EACCES,
		"kernel files are root's to write, and harness-agent runs as uid %lld; run it as "
		"root, or try target: vm",
		uid);
}

bool machine_gone(int code)
{
	return code == -EPIPE || code == -EPROTO || code == -ETIMEDOUT || code == -EINTR;
}
