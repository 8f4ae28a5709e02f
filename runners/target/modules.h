/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Kernel modules that a guest's initramfs must bring along, and the order to load them in. */
#ifndef RUNNERS_TARGET_MODULES_H
#define RUNNERS_TARGET_MODULES_H

#include <jansson.h>
#include <stddef.h>

#include "base/error.h"
#include "base/strbuf.h"
#include "spec/option.h"

/**
 * struct modules - the modules of one kernel
 * @dir: "lib/modules/RELEASE"
 * @paths: module name → file, relative to @dir; '-' in names is '_'
 * @needs: module name → array of names, from modules.dep; NULL when there is none (a package that
 *	was unpacked but not installed): then each module's own "depends=" is read when it is asked for
 * @builtin: names that are part of the kernel
 */
struct modules {
	char *dir;
	json_t *paths, *needs, *builtin;
};

/** modules_name() - "kernel/net/9p/9pnet-virtio.ko.xz" → "9pnet_virtio"; owned by the caller. */
char *modules_name(const char *path);
/** modules_parse_dep() - the text of modules.dep into m->paths and m->needs. */
void modules_parse_dep(struct modules *m, const char *text, size_t len);
/** modules_parse_builtin() - the text of modules.builtin into m->builtin. */
void modules_parse_builtin(struct modules *m, const char *text, size_t len);
/** modules_parse_depends() - "depends=a,b" of a .modinfo section; new array of names. */
json_t *modules_parse_depends(const char *text, size_t len);

/** modules_init() - an empty set, for the parsers above. */
void modules_init(struct modules *m, const char *dir);
/** modules_open() - read what is known of the modules in a folder. Return: 0 or -errno. */
int modules_open(struct modules *m, const char *dir, struct error *err);
/**
 * modules_resolve() - the files to load for a module, those it needs first
 * @files: paths relative to m->dir are appended, each once; nothing for what is built in
 * Return: 0, -ENOENT for a module that the kernel does not have, -ELOOP, or another -errno.
 */
int modules_resolve(
	struct modules *m, const char *name, struct string_list *files, struct error *err);
/**
 * modules_load() - a module's content, decompressed (.ko, .ko.gz, .ko.xz, .ko.zst)
 * @file: as modules_resolve() gave it
 */
int modules_load(const struct modules *m, const char *file, struct strbuf *out, struct error *err);
/** modules_release() - free all. */
void modules_release(struct modules *m);

#endif
