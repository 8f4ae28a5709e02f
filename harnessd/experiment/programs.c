/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "experiment/programs.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"

static char *own_program(const char *name, const char *own_dir)
{
	char *path;

	if (!own_dir || strchr(name, '/'))
		return NULL;
	path = file_join(own_dir, name);
	if (access(path, X_OK) == 0)
		return path;
	free(path);
	return NULL;
}

static void need(json_t *list, const char *name, const char *own_dir)
{
	char *path = own_program(name, own_dir);

	if (!path)
		path = file_find_program(name);
	if (path)
		json_array_append_new(
			list, json_pack("{s:s, s:s}", "name", file_basename(name), "path", path));
	free(path);
}

json_t *programs_needed(const struct benchmark *bench, const char *own_dir)
{
	json_t *list = json_array();

	if (bench->command.n)
		need(list, bench->command.s[0], own_dir);
	if (bench->version.command.n && (!bench->command.n || strcmp(bench->version.command.s[0],
								      bench->command.s[0]) != 0))
		need(list, bench->version.command.s[0], own_dir);
	return list;
}

void programs_resolve(json_t *argv, const char *own_dir)
{
	const char *name = json_string_value(json_array_get(argv, 0));
	char *path = name ? own_program(name, own_dir) : NULL;

	if (path)
		json_array_set_new(argv, 0, json_string(path));
	free(path);
}
