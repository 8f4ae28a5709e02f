/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "runners/knob/setting.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/nearest.h"
#include "runners/knob/level.h"

/* Sample of a choice file: "always [madvise] never\n" */

struct words {
	char **w;
	size_t n, cap;
	size_t bracketed; /* how many stood in [brackets] */
};

static void words_split(struct words *words, char *text)
{
	char *save = NULL;

	for (char *w = strtok_r(text, " \t\n", &save); w; w = strtok_r(NULL, " \t\n", &save)) {
		size_t len = strlen(w);

		if (len > 2 && w[0] == '[' && w[len - 1] == ']') {
			w[len - 1] = '\0';
			w++;
			words->bracketed++;
		}
		array_reserve(words->w, words->n, words->cap);
		words->w[words->n++] = w;
	}
}

static bool words_have(const struct words *words, const char *word)
{
	for (size_t i = 0; i < words->n; i++)
		if (strcmp(words->w[i], word) == 0)
			return true;
	return false;
}

static int plan_choice(const struct words *words, const char *path, const char *value,
	struct knob_plan *plan, struct error *err)
{
	char *hint;

	if (words_have(words, value))
		return knob_plan_set(plan, path, value, WRITE_CHOICE, err);
	hint = names_hint(value, "it takes", (const char *const *)words->w, words->n);
	error_set(err, -EINVAL, "'/%s' does not take '%s'%s", path, value, hint);
	free(hint);
	return -EINVAL;
}

/* 1 for true, 0 for false, -1 for a value that is neither. */
static int truth(const char *value)
{
	static const char *const yes[] = { "1", "Y", "y", "true", "yes", "on" };
	static const char *const no[] = { "0", "N", "n", "false", "no", "off" };

	for (size_t i = 0; i < array_size(yes); i++) {
		if (strcmp(value, yes[i]) == 0)
			return 1;
		if (strcmp(value, no[i]) == 0)
			return 0;
	}
	return -1;
}

/* How the kernel would print the value: else it would seem not to have taken when read back. */
static const char *as_printed(const struct words *words, const char *value)
{
	bool yes_no =
		words->n == 1 && (strcmp(words->w[0], "Y") == 0 || strcmp(words->w[0], "N") == 0);

	if (yes_no && truth(value) >= 0)
		return truth(value) ? "Y" : "N";
	if (strcmp(value, "true") == 0)
		return "1";
	return strcmp(value, "false") == 0 ? "0" : value;
}

static int explain_unreadable(
	const struct machine *machine, const char *path, int code, struct error *err)
{
	char *nearest;

	if (machine_gone(code))
		return error_sys(err, code, "cannot read '/%s'", path);
	if (code != -ENOENT)
		return error_sys(err, code,
			"cannot read '/%s', and a file that can't be read can't be put back", path);
	nearest = setting_nearest(machine, path);
	if (nearest)
		error_set(err, code, "there is no '/%s'; did you mean '/%s'?", path, nearest);
	else
		error_set(err, code, "there is no '/%s' on this machine", path);
	free(nearest);
	return code;
}

int setting_plan(const struct machine *machine, const char *path, const char *value,
	struct knob_plan *plan, struct error *err)
{
	struct words words = { 0 };
	char *text;
	int r = machine_read(machine, path, &text, NULL);

	if (r < 0)
		return explain_unreadable(machine, path, r, err);
	words_split(&words, text);
	if (words.bracketed == 1 && words.n > 1)
		r = plan_choice(&words, path, value, plan, err);
	else
		r = knob_plan_set(plan, path, as_printed(&words, value), WRITE_PLAIN, err);
	free(words.w);
	free(text);
	return r;
}

/* Names in a folder, as the paths that a glob gave. */
static const char **base_names(const json_t *paths)
{
	const char **names = xcalloc(json_array_size(paths) + 1, sizeof(*names));
	size_t i;
	json_t *path;

	json_array_foreach(paths, i, path) {
		const char *text = json_string_value(path),
			   *slash = text ? strrchr(text, '/') : NULL;

		names[i] = slash ? slash + 1 : text;
	}
	return names;
}

/* @path with the component at @start replaced by the nearest name of its folder; NULL if none. */
static char *replace_component(const struct machine *machine, const char *path, size_t start)
{
	size_t len = strcspn(path + start, "/");
	char *pattern = xasprintf("%.*s*", (int)start, path), *word = xmemdup0(path + start, len);
	char *result = NULL;
	json_t *paths = NULL;

	if (machine_glob(machine, pattern, &paths, NULL) == 0) {
		const char **names = base_names(paths);
		const char *nearest = nearest_name(word, names, json_array_size(paths));

		if (nearest && strcmp(nearest, word) != 0)
			result = xasprintf(
				"%.*s%s%s", (int)start, path, nearest, path + start + len);
		free(names);
	}
	json_decref(paths);
	free(pattern);
	free(word);
	return result;
}

static bool reachable(const struct machine *machine, const char *path)
{
	json_t *paths = NULL;
	bool there = machine_glob(machine, path, &paths, NULL) == 0 && json_array_size(paths) > 0;

	json_decref(paths);
	return there;
}

/* From the end to the front, so that the longest folder that exists is the one searched. */
char *setting_nearest(const struct machine *machine, const char *path)
{
	for (size_t start = strlen(path); start-- > 0;) {
		char *candidate;

		if (start && path[start - 1] != '/')
			continue;
		candidate = start ? replace_component(machine, path, start) : NULL;
		if (candidate && reachable(machine, candidate))
			return candidate;
		free(candidate);
	}
	return NULL;
}

int setting_check_value(const char *name, const json_t *value, struct error *err)
{
	char *text = level_value_text(value);
	int r = 0;

	if (!text || !text[strspn(text, " \t\n")])
		r = error_set(
			err, -EINVAL, "'%s' has no value; an empty one can't be written", name);
	free(text);
	return r;
}
