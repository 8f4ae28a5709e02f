/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "undo_log.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json.h"

static bool same_setting(
	const struct change *c, const char *path, enum file_kind kind, const char *value)
{
	if (c->kind != kind || strcmp(c->path, path) != 0)
		return false;
	return kind != FILE_FEATURE ||
	       strcmp(feature_bare_name(c->new), feature_bare_name(value)) == 0;
}

struct change *changes_find(
	const struct changes *list, const char *path, enum file_kind kind, const char *value)
{
	for (size_t i = 0; i < list->n; i++)
		if (same_setting(&list->c[i], path, kind, value))
			return &list->c[i];
	return NULL;
}

struct change *changes_add(struct changes *list, const struct change *change)
{
	struct change *c;

	array_reserve(list->c, list->n, list->cap);
	c = &list->c[list->n++];
	*c = (struct change){ .path = xstrdup(change->path),
		.old = xstrdup(change->old),
		.new = xstrdup(change->new),
		.boot_id = xstrdup(change->boot_id),
		.kind = change->kind };
	return c;
}

static void change_release(struct change *c)
{
	free(c->path);
	free(c->old);
	free(c->new);
	free(c->boot_id);
}

void changes_remove(struct changes *list, struct change *change)
{
	size_t after = list->n - (size_t)(change - list->c) - 1;

	change_release(change);
	memmove(change, change + 1, after * sizeof(*change));
	list->n--;
}

void changes_release(struct changes *list)
{
	for (size_t i = 0; i < list->n; i++)
		change_release(&list->c[i]);
	free(list->c);
	*list = CHANGES_INIT;
}

static void add_line(struct strbuf *sb, json_t *record)
{
	char *line = json_line(record);

	strbuf_printf(sb, "%s\n", line);
	free(line);
	json_decref(record);
}

/* Kernel files are bytes; what is no UTF-8 travels as a blob. */
static json_t *text_blob(const char *text)
{
	return json_blob(text, strlen(text));
}

void undo_log_line(struct strbuf *sb, const struct change *change)
{
	add_line(sb, json_pack("{s:s, s:o, s:o, s:s, s:s}", "path", change->path, "old",
			     text_blob(change->old), "new", text_blob(change->new), "kind",
			     file_kind_name(change->kind), "boot_id", change->boot_id));
}

void undo_log_line_back(struct strbuf *sb, const struct change *change)
{
	add_line(sb,
		json_pack("{s:s, s:o, s:s, s:b}", "path", change->path, "new",
			text_blob(change->new), "kind", file_kind_name(change->kind), "back", 1));
}

static void take_record(const json_t *record, struct changes *out)
{
	struct change c = { .path = (char *)json_str(record, "path", NULL),
		.boot_id = (char *)json_str(record, "boot_id", "") };
	struct change *known;
	size_t len;

	if (!c.path || file_kind_parse(json_str(record, "kind", NULL), &c.kind, NULL) < 0 ||
		json_blob_read(json_object_get(record, "new"), &c.new, &len) < 0)
		return;
	known = changes_find(out, c.path, c.kind, c.new);
	if (json_flag(record, "back", false)) {
		if (known)
			changes_remove(out, known);
	} else if (known) {
		free(known->new);
		known->new = xstrdup(c.new);
	} else if (json_blob_read(json_object_get(record, "old"), &c.old, &len) == 0) {
		changes_add(out, &c);
	}
	free(c.old);
	free(c.new);
}

void undo_log_parse(const char *text, size_t len, struct changes *out)
{
	const char *end = text + len, *eol;
	json_t *record;

	for (const char *p = text; (eol = memchr(p, '\n', (size_t)(end - p))); p = eol + 1) {
		if (json_parse(p, (size_t)(eol - p), &record, NULL) < 0)
			continue;
		take_record(record, out);
		json_decref(record);
	}
}

static int check_restored(const struct sysroot *root, const struct change *c, struct error *err)
{
	char *now;
	int r = kernel_file_value(root, c->path, c->kind, c->old, &now, err);

	if (r < 0)
		return r;
	if (!kernel_file_same(c->kind, c->old, now))
		r = error_set(err, -EIO, "'%s' could not be put back to '%s': it still reads '%s'",
			c->path, c->old, now);
	free(now);
	return r;
}

int change_restore(const struct sysroot *root, const struct change *change, const char *boot_id,
	bool *wrote, struct error *err)
{
	bool rebooted = strcmp(boot_id, change->boot_id) != 0;
	char *now = NULL;
	int r = kernel_file_value(root, change->path, change->kind, change->old, &now, err);

	*wrote = false;
	if (r < 0)
		return rebooted && r == -ENOENT ? 0 : r;
	if (kernel_file_same(change->kind, now, change->old) ||
		(rebooted && !kernel_file_same(change->kind, now, change->new)))
		goto out;
	*wrote = true;
	r = kernel_file_write(root, change->path, change->kind, change->old, err);
	if (r == 0)
		r = check_restored(root, change, err);
out:
	free(now);
	return r;
}

size_t changes_restore(const struct sysroot *root, struct changes *list, const char *boot_id,
	json_t *restored, json_t *failed)
{
	size_t n_failed = 0;

	for (size_t i = list->n; i-- > 0;) {
		struct change *c = &list->c[i];
		struct error why = ERROR_INIT;
		bool wrote;

		if (change_restore(root, c, boot_id, &wrote, &why) < 0) {
			json_array_append_new(
				failed, json_pack("{s:s, s:o, s:s}", "path", c->path, "value",
						text_blob(c->old), "text", error_text(&why)));
			n_failed++;
		} else {
			if (wrote)
				json_array_append_new(
					restored, json_pack("{s:s, s:o}", "path", c->path, "value",
							  text_blob(c->old)));
			changes_remove(list, c);
		}
		error_release(&why);
	}
	return n_failed;
}
