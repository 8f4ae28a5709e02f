/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "agent.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "reply.h"
#include "snapshot.h"

int op_read(struct agent *agent, const json_t *request, json_t **result, struct error *err)
{
	const char *path = json_str(request, "path", NULL);
	char *text;
	size_t len;
	int r;

	if (!path)
		return error_set(err, -EINVAL, "read needs \"path\", a string");
	r = sysroot_read(&agent->root, path, &text, &len, err);
	if (r < 0)
		return r;
	*result = json_pack("{s:o}", "text", json_blob(text, len));
	free(text);
	return 0;
}

int op_glob(struct agent *agent, const json_t *request, json_t **result, struct error *err)
{
	const char *pattern = json_str(request, "pattern", NULL);
	char **paths;
	json_t *list;
	int n;

	if (!pattern)
		return error_set(err, -EINVAL, "glob needs \"pattern\", a string");
	n = sysroot_glob(&agent->root, pattern, &paths);
	if (n < 0)
		return error_sys(err, n, "cannot look for '%s'", pattern);
	list = json_array();
	for (int i = 0; i < n; i++)
		json_array_append_new(list, json_string(paths[i]));
	sysroot_glob_free(paths, n);
	*result = json_pack("{s:o}", "paths", list);
	return 0;
}

int op_snapshot(struct agent *agent, const json_t *request, json_t **result, struct error *err)
{
	const json_t *items = json_object_get(request, "items");
	json_t *all;

	if (!json_is_array(items))
		return error_set(err, -EINVAL, "snapshot needs \"items\", an array");
	all = json_object();
	for (size_t i = 0; i < json_array_size(items); i++) {
		const json_t *item = json_array_get(items, i);
		const char *name = json_str(item, "name", NULL);
		struct strbuf text = STRBUF_INIT;
		struct error why = ERROR_INIT;
		int r = snapshot_take(&agent->root, json_object_get(item, "paths"), &text, &why);

		if (name)
			json_object_set_new(all, name,
				r == 0 ? json_blob(strbuf_text(&text), text.len)
				       : json_pack("{s:o}", "error", reply_error(r, &why)));
		strbuf_release(&text);
		error_release(&why);
	}
	*result = all;
	return 0;
}
