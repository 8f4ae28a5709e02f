/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "spawn.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/json.h"

struct environment {
	char **v;
	size_t n, cap;
};

static bool has_name(const char *entry, const char *name, size_t len)
{
	return strncmp(entry, name, len) == 0 && entry[len] == '=';
}

static void set(struct environment *env, const char *name, const char *value)
{
	char *entry = xasprintf("%s=%s", name, value);

	for (size_t i = 0; i < env->n; i++) {
		if (has_name(env->v[i], name, strlen(name))) {
			free(env->v[i]);
			env->v[i] = entry;
			return;
		}
	}
	array_reserve(env->v, env->n, env->cap);
	env->v[env->n++] = entry;
}

static bool is_locale(const char *entry)
{
	return strncmp(entry, "LC_", 3) == 0 || has_name(entry, "LANG", 4) ||
	       has_name(entry, "LANGUAGE", 8);
}

static bool has(const struct environment *env, const char *name)
{
	for (size_t i = 0; i < env->n; i++)
		if (has_name(env->v[i], name, strlen(name)))
			return true;
	return false;
}

static void add_object(struct environment *env, const json_t *add)
{
	const char *name;
	json_t *value;

	json_object_foreach((json_t *)add, name, value) {
		char *text = json_scalar_text(value);

		if (text)
			set(env, name, text);
		free(text);
	}
}

char **spawn_environment(
	const struct user *user, const char *folder, const char *nonce, const json_t *add)
{
	struct environment env = { 0 };

	for (char **e = environ; e && *e; e++) {
		if (is_locale(*e))
			continue;
		array_reserve(env.v, env.n, env.cap);
		env.v[env.n++] = xstrdup(*e);
	}
	if (!has(&env, "PATH"))
		set(&env, "PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");
	if (user || !has(&env, "HOME"))
		set(&env, "HOME", user ? user->home : "/");
	set(&env, "LC_ALL", "C");
	set(&env, "PWD", folder);
	set(&env, "TMPDIR", folder);
	set(&env, "HARNESS_NONCE", nonce);
	add_object(&env, add);
	array_reserve(env.v, env.n, env.cap);
	env.v[env.n] = NULL;
	return env.v;
}

void spawn_environment_free(char **env)
{
	for (size_t i = 0; env && env[i]; i++)
		free(env[i]);
	free(env);
}
