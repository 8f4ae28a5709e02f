/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "agent.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "kernel_file.h"

/* One request's writes: borrowed from the JSON, but for the values read. */
struct write {
	const char *path;
	const char *value;
	enum file_kind kind;
	char *old;
	char *now;
};

struct writes {
	struct write *w;
	size_t n;
};

static void writes_release(struct writes *list)
{
	for (size_t i = 0; i < list->n; i++) {
		free(list->w[i].old);
		free(list->w[i].now);
	}
	free(list->w);
}

/* "/sys/x" and "sys/x" are one file. */
static const char *relative(const char *path)
{
	return path + strspn(path, "/");
}

static int parse_writes(const json_t *request, struct writes *list, struct error *err)
{
	const json_t *writes = json_object_get(request, "writes");

	if (!json_is_array(writes))
		return error_set(err, -EINVAL, "set needs \"writes\", an array");
	list->w = xcalloc(json_array_size(writes) + 1, sizeof(*list->w));
	for (size_t i = 0; i < json_array_size(writes); i++) {
		const json_t *item = json_array_get(writes, i);
		struct write *w = &list->w[i];
		int r = file_kind_parse(json_str(item, "kind", "plain"), &w->kind, err);

		if (r < 0)
			return r;
		w->path = json_str(item, "path", NULL);
		w->value = json_str(item, "value", NULL);
		if (!w->path || !w->value)
			return error_set(
				err, -EINVAL, "write %zu needs \"path\" and \"value\", strings", i);
		w->path = relative(w->path);
		list->n = i + 1;
	}
	return 0;
}

static bool is_named(const struct writes *list, const struct change *held)
{
	for (size_t i = 0; i < list->n; i++) {
		const struct write *w = &list->w[i];

		if (strcmp(w->path, held->path) == 0 && w->kind == held->kind &&
			(w->kind != FILE_FEATURE || strcmp(feature_bare_name(w->value),
							    feature_bare_name(held->new)) == 0))
			return true;
	}
	return false;
}

static int put_back_unnamed(struct undo *undo, const struct writes *list, struct error *err)
{
	for (size_t i = undo->held.n; i-- > 0;) {
		int r = is_named(list, &undo->held.c[i])
				? 0
				: undo_put_back(undo, &undo->held.c[i], err);

		if (r < 0)
			return r;
	}
	return 0;
}

/* Old values of all files of the request go to disk in one go, before the first is written. */
static int note_all(struct undo *undo, struct writes *list, struct error *err)
{
	struct changes changes = CHANGES_INIT;
	int r = 0;

	for (size_t i = 0; i < list->n && r == 0; i++) {
		struct write *w = &list->w[i];
		struct change *held = changes_find(&undo->held, w->path, w->kind, w->value);
		char *now = NULL;

		r = kernel_file_value(undo->root, w->path, w->kind, w->value, &now, err);
		if (r < 0)
			break;
		w->old = xstrdup(held ? held->old : now);
		if (held || !kernel_file_same(w->kind, now, w->value))
			changes_add(&changes, &(struct change){ .path = (char *)w->path,
						      .old = w->old,
						      .new = (char *)w->value,
						      .boot_id = (char *)undo->boot_id,
						      .kind = w->kind });
		free(now);
	}
	if (r == 0)
		r = undo_note(undo, &changes, err);
	changes_release(&changes);
	return r;
}

/* Read just before the write, too: one write of a request may change what another file says. */
static int write_one(const struct undo *undo, struct write *w, struct error *err)
{
	char *before = NULL;
	int r = kernel_file_value(undo->root, w->path, w->kind, w->value, &before, err);

	if (r < 0)
		return r;
	if (!kernel_file_same(w->kind, before, w->value))
		r = kernel_file_write(undo->root, w->path, w->kind, w->value, err);
	if (r == 0)
		r = kernel_file_value(undo->root, w->path, w->kind, w->value, &w->now, err);
	if (r == 0 && !kernel_file_same(w->kind, w->now, w->value))
		r = error_set(err, -EIO, "writing '%s' to '%s' was accepted but %s '%s'", w->value,
			w->path,
			strcmp(before, w->now) == 0 ? "without effect: it still reads"
						    : "not taken: it now reads",
			w->now);
	free(before);
	return r;
}

static void put_all_back(struct undo *undo, struct error *err)
{
	json_t *restored = json_array(), *failed = json_array();

	undo_all(undo, restored, failed);
	for (size_t i = 0; i < json_array_size(failed); i++) {
		char *why = xstrdup(error_text(err));

		error_set(err, -EIO, "%s; and besides: %s", why,
			json_str(json_array_get(failed, i), "text", ""));
		free(why);
	}
	json_decref(restored);
	json_decref(failed);
}

int op_set(struct agent *agent, const json_t *request, json_t **result, struct error *err)
{
	struct writes list = { 0 };
	json_t *done = json_array();
	int r = parse_writes(request, &list, err);

	if (r < 0)
		goto out;
	collects_forget(&agent->kept); /* counters on a CPU that goes offline never come back */
	r = put_back_unnamed(&agent->undo, &list, err);
	if (r == 0)
		r = note_all(&agent->undo, &list, err);
	for (size_t i = 0; i < list.n && r == 0; i++) {
		struct write *w = &list.w[i];

		r = write_one(&agent->undo, w, err);
		if (r == 0)
			json_array_append_new(
				done, json_pack("{s:s, s:o, s:o}", "path", w->path, "old",
					      json_blob(w->old, strlen(w->old)), "now",
					      json_blob(w->now, strlen(w->now))));
	}
	if (r == 0)
		*result = json_pack("{s:O}", "writes", done);
	else
		put_all_back(&agent->undo, err);
out:
	json_decref(done);
	writes_release(&list);
	return r;
}

int op_undo(struct agent *agent, const json_t *request, json_t **result, struct error *err)
{
	json_t *restored = json_array(), *failed = json_array();

	(void)request;
	(void)err;
	collects_forget(&agent->kept);
	undo_all(&agent->undo, restored, failed);
	*result = json_pack("{s:o, s:o}", "restored", restored, "failed", failed);
	return 0;
}
