/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Kernel files that hold a setting: what they say, and how to change it. */
#ifndef AGENT_KERNEL_FILE_H
#define AGENT_KERNEL_FILE_H

#include <stdbool.h>

#include "base/error.h"
#include "base/sysroot.h"

/** enum file_kind - how a file shows its setting; "plain", "feature", "choice" in the protocol */
enum file_kind {
	FILE_PLAIN,   /* the file holds the value */
	FILE_FEATURE, /* a line of words, NO_ in front when off: GENTLE_FAIR_SLEEPERS NO_HRTICK */
	FILE_CHOICE,  /* all choices, the one in force in brackets: always [madvise] never */
};

/** file_kind_parse() - the protocol's word. Return: 0 or -EINVAL with what is allowed. */
int file_kind_parse(const char *word, enum file_kind *kind, struct error *err);
/** file_kind_name() - the reverse. */
const char *file_kind_name(enum file_kind kind);

/**
 * kernel_file_value() - the setting a file shows now
 * @name: for a feature, its name with or without NO_ in front; not looked at for the others
 * @value: the plain text without white space at its end, the feature's word as it stands, or the
 *	choice in brackets; owned by the caller
 * Return: 0 or -errno; -ENOENT also for a feature that the file doesn't list.
 */
int kernel_file_value(const struct sysroot *root, const char *path, enum file_kind kind,
	const char *name, char **value, struct error *err);

/**
 * kernel_file_write() - change a setting
 *
 * On the machine this is one write(2). Below any other root (tests) nobody answers a write, so the
 * file's text is changed the way the kernel would: a feature's word is replaced in its line, the
 * brackets of a choice move. There PATH.stuck stands for a setting that takes writes without
 * effect, PATH.locked for one that is refused with EPERM (root ignores permission bits).
 * Return: 0 or -errno.
 */
int kernel_file_write(const struct sysroot *root, const char *path, enum file_kind kind,
	const char *value, struct error *err);

/** kernel_file_same() - do two values of a file mean the same ("4 4 1" and "4\t4\t1", "1" and "0x1")? */
bool kernel_file_same(enum file_kind kind, const char *a, const char *b);

/** feature_bare_name() - a feature's name without NO_ in front; borrowed from @word. */
const char *feature_bare_name(const char *word);

#endif
