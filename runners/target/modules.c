/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "runners/target/modules.h"

#include <errno.h>
#include <fts.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "runners/target/command.h"
#include "runners/target/elf.h"

enum {
	MAX_MODULE = 256 << 20,
	MAX_LIST = 64 << 20,
	MAX_DEPTH = 64,
};

static char *name_of(const char *path, size_t len)
{
	size_t start = len, end;
	char *name;

	while (start > 0 && path[start - 1] != '/')
		start--;
	end = start;
	while (end < len && path[end] != '.')
		end++;
	name = xmemdup0(path + start, end - start);
	for (char *p = name; *p; p++)
		if (*p == '-')
			*p = '_';
	return name;
}

char *modules_name(const char *path)
{
	return name_of(path, strlen(path));
}

void modules_init(struct modules *m, const char *dir)
{
	*m = (struct modules){ xstrdup(dir), json_object(), NULL, json_object() };
}

void modules_release(struct modules *m)
{
	free(m->dir);
	json_decref(m->paths);
	json_decref(m->needs);
	json_decref(m->builtin);
	*m = (struct modules){ 0 };
}

/* Words of "a.ko b.ko" as an array of module names. */
static json_t *names_in(char *text, const char *separators)
{
	json_t *names = json_array();
	char *save = NULL;

	for (char *word = strtok_r(text, separators, &save); word;
		word = strtok_r(NULL, separators, &save)) {
		char *name = modules_name(word);

		json_array_append_new(names, json_string(name));
		free(name);
	}
	return names;
}

/* "kernel/net/9p/9pnet_virtio.ko: kernel/net/9p/9pnet.ko kernel/drivers/virtio/virtio.ko" */
void modules_parse_dep(struct modules *m, const char *text, size_t len)
{
	char *copy = xmemdup0(text, len), *save = NULL;

	if (!m->needs)
		m->needs = json_object();
	for (char *line = strtok_r(copy, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		char *colon = strchr(line, ':'), *name;

		if (!colon)
			continue;
		*colon = '\0';
		name = modules_name(line);
		json_object_set_new(m->paths, name, json_string(line));
		json_object_set_new(m->needs, name, names_in(colon + 1, " \t\r"));
		free(name);
	}
	free(copy);
}

/* "kernel/fs/9p/9p.ko" */
void modules_parse_builtin(struct modules *m, const char *text, size_t len)
{
	char *copy = xmemdup0(text, len), *save = NULL;

	for (char *line = strtok_r(copy, "\n\r", &save); line;
		line = strtok_r(NULL, "\n\r", &save)) {
		char *name = modules_name(line);

		json_object_set_new(m->builtin, name, json_true());
		free(name);
	}
	free(copy);
}

/* Strings with a NUL behind each: "license=GPL\0depends=virtio,virtio_ring\0..." */
json_t *modules_parse_depends(const char *text, size_t len)
{
	static const char key[] = "depends=";

	for (size_t at = 0; at < len;) {
		size_t n = strnlen(text + at, len - at);

		if (n > strlen(key) && strncmp(text + at, key, strlen(key)) == 0) {
			char *list = xmemdup0(text + at + strlen(key), n - strlen(key));
			json_t *names = names_in(list, ",");

			free(list);
			return names;
		}
		at += n + 1;
	}
	return json_array();
}

/* Without modules.dep the folder itself says where each module is. */
static int find_files(struct modules *m, struct error *err)
{
	char *const top[] = { m->dir, NULL };
	FTS *fts = fts_open(top, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
	FTSENT *entry;

	if (!fts)
		return error_sys(err, -errno, "cannot open '%s'", m->dir);
	while ((entry = fts_read(fts))) {
		char *name;

		if (entry->fts_info != FTS_F || !strstr(entry->fts_name, ".ko"))
			continue;
		name = modules_name(entry->fts_name);
		json_object_set_new(
			m->paths, name, json_string(entry->fts_path + strlen(m->dir) + 1));
		free(name);
	}
	fts_close(fts);
	return 0;
}

int modules_open(struct modules *m, const char *dir, struct error *err)
{
	char *dep = file_join(dir, "modules.dep"), *builtin = file_join(dir, "modules.builtin");
	char *text = NULL;
	size_t len = 0;
	int r = 0;

	modules_init(m, dir);
	if (file_read(builtin, MAX_LIST, &text, &len, NULL) == 0)
		modules_parse_builtin(m, text, len);
	free(text);
	text = NULL;
	if (file_read(dep, MAX_LIST, &text, &len, NULL) == 0)
		modules_parse_dep(m, text, len);
	else
		r = find_files(m, err);
	free(text);
	free(builtin);
	free(dep);
	if (r < 0)
		modules_release(m);
	return r;
}

int modules_load(const struct modules *m, const char *file, struct strbuf *out, struct error *err)
{
	static const char *const unpackers[][2] = { { ".gz", "gzip" }, { ".xz", "xz" },
		{ ".zst", "zstd" } };
	char *path = file_join(m->dir, file), *data = NULL;
	const char *suffix = strrchr(file, '.');
	size_t len = 0;
	int r = 0;

	for (size_t i = 0; suffix && i < array_size(unpackers); i++) {
		if (strcmp(suffix, unpackers[i][0]) != 0)
			continue;
		r = command_runl(60, out, err, unpackers[i][1], "-dc", path);
		if (r < 0)
			error_prefix(err, "cannot unpack the module '%s': ", path);
		goto out;
	}
	r = file_read(path, MAX_MODULE, &data, &len, err);
	if (r == 0)
		strbuf_add(out, data, len);
	free(data);
out:
	free(path);
	return r;
}

/* What a module needs directly; new reference. */
static json_t *needs_of(struct modules *m, const char *name, const char *file, struct error *err)
{
	struct strbuf data = STRBUF_INIT;
	json_t *needs = NULL;
	const char *info;
	size_t len = 0;

	if (m->needs)
		return json_incref(json_object_get(m->needs, name));
	if (modules_load(m, file, &data, err) == 0) {
		info = elf_section(strbuf_text(&data), data.len, ".modinfo", &len);
		if (info)
			needs = modules_parse_depends(info, len);
		else
			error_set(err, -EINVAL, "'%s/%s' is not a kernel module", m->dir, file);
	}
	strbuf_release(&data);
	return needs;
}

static int resolve(struct modules *m, const char *name, int depth, struct string_list *files,
	struct error *err)
{
	const char *file = json_string_value(json_object_get(m->paths, name));
	json_t *needs, *need;
	size_t i;
	int r = 0;

	if (!file && json_object_get(m->builtin, name))
		return 0;
	if (!file)
		return error_set(err, -ENOENT,
			"the kernel has no %s, neither built in nor as a module in '%s'", name,
			m->dir);
	if (words_has(files, file))
		return 0;
	if (depth > MAX_DEPTH)
		return error_set(
			err, -ELOOP, "modules in '%s' need each other in a circle", m->dir);
	needs = needs_of(m, name, file, err);
	if (!needs)
		return -EINVAL;
	json_array_foreach(needs, i, need) {
		r = resolve(m, json_string_value(need), depth + 1, files, err);
		if (r < 0)
			break;
	}
	json_decref(needs);
	if (r == 0 && !words_has(files, file))
		words_add(files, file);
	return r;
}

int modules_resolve(
	struct modules *m, const char *name, struct string_list *files, struct error *err)
{
	char *plain = modules_name(name);
	int r = resolve(m, plain, 0, files, err);

	free(plain);
	return r;
}
