/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Changes to kernel files, the undo file that remembers them, and putting them back. */
#ifndef AGENT_UNDO_LOG_H
#define AGENT_UNDO_LOG_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/strbuf.h"
#include "base/sysroot.h"
#include "kernel_file.h"

/** struct change - one setting that is, or is about to be, not as it was; strings owned */
struct change {
	char *path;
	char *old;
	char *new;
	char *boot_id;
	enum file_kind kind;
};

/** struct changes - oldest first */
struct changes {
	struct change *c;
	size_t n, cap;
};

#define CHANGES_INIT ((struct changes){ 0 })

/** changes_find() - the change of the same setting (a feature is one of its file's settings). */
struct change *changes_find(
	const struct changes *list, const char *path, enum file_kind kind, const char *value);
/** changes_add() - append; all strings are copied. Return: it, until the next addition. */
struct change *changes_add(struct changes *list, const struct change *change);
/** changes_remove() - forget one that changes_find() gave. */
void changes_remove(struct changes *list, struct change *change);
/** changes_release() - free all. */
void changes_release(struct changes *list);

/** undo_log_line() - append a change as one line of an undo file. */
void undo_log_line(struct strbuf *sb, const struct change *change);
/** undo_log_line_back() - append the line that says: this one has been put back. */
void undo_log_line_back(struct strbuf *sb, const struct change *change);
/**
 * undo_log_parse() - read an undo file
 *
 * A last line without its end was never synced, so its write never happened: it is left out, as is
 * a line that is no record. Of several lines for one setting the first has the old value that
 * counts and the last the value we wrote.
 */
void undo_log_parse(const char *text, size_t len, struct changes *out);

/**
 * change_restore() - put one setting back and read it back
 * @boot_id: of the running system. After a reboot the kernel is at its defaults, so only a file
 *	that still (again) holds what we wrote is ours to change.
 * @wrote: set when the file was really written (it was not at its old value)
 * Return: 0 or -errno with a message.
 */
int change_restore(const struct sysroot *root, const struct change *change, const char *boot_id,
	bool *wrote, struct error *err);

/**
 * changes_restore() - put all back, newest first; those that could not be stay in the list
 * @restored, @failed: JSON arrays to add {"path","value"} and {"path","value","text"} to
 * Return: how many failed.
 */
size_t changes_restore(const struct sysroot *root, struct changes *list, const char *boot_id,
	json_t *restored, json_t *failed);

#endif
