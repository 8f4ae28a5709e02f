/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the agent holds changed, and how it all comes back. */
#ifndef AGENT_UNDO_H
#define AGENT_UNDO_H

#include <jansson.h>
#include <stdbool.h>

#include "base/error.h"
#include "base/sysroot.h"
#include "guardian.h"
#include "undo_log.h"

/**
 * struct undo - the settings this agent holds changed
 * @file, @fd: its undo file, locked; NULL and -1 before the first change
 */
struct undo {
	const struct sysroot *root;
	const char *dir;
	const char *boot_id;
	char *file;
	int fd;
	struct changes held;
	struct guardian guardian;
};

/** undo_init() - nothing held; all arguments borrowed. */
void undo_init(struct undo *undo, const struct sysroot *root, const char *dir, const char *boot_id);

/**
 * undo_note() - remember changes before they are made
 *
 * When it returns 0 the old values are on disk, the file is locked and the guardian is awake.
 * A setting that is held already keeps its first old value.
 */
int undo_note(struct undo *undo, const struct changes *changes, struct error *err);

/** undo_guard() - while anything is held there must be a guardian: replace one that was killed. */
int undo_guard(struct undo *undo, struct error *err);

/** undo_put_back() - put back one held setting; it stays held if that fails. */
int undo_put_back(struct undo *undo, struct change *change, struct error *err);

/**
 * undo_all() - put back everything held, newest first
 * @restored, @failed: as for changes_restore(). Return: how many failed (they stay held).
 */
size_t undo_all(struct undo *undo, json_t *restored, json_t *failed);

/** undo_close() - dismiss the guardian; remove the file unless something could not be put back. */
void undo_close(struct undo *undo);

/**
 * undo_left_behind() - put back what agents that are gone have left (power loss, a killed guardian)
 * @restored, @failed: as for changes_restore(). Files that a living agent has locked are skipped;
 * those that are done are removed. Return: how many settings failed, or -errno with a message.
 */
int undo_left_behind(const struct sysroot *root, const char *dir, const char *boot_id,
	json_t *restored, json_t *failed, struct error *err);

#endif
