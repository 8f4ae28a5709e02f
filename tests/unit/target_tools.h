/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the tests of targets share: a folder of their own, and files in it. */
#ifndef TESTS_TARGET_TOOLS_H
#define TESTS_TARGET_TOOLS_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/file.h"

/** struct folder - a temporary folder; @err: for the calls under test */
struct folder {
	char path[64];
	struct error err;
};

static inline int folder_make(void **state)
{
	struct folder *f = xcalloc(1, sizeof(*f));

	strcpy(f->path, "/tmp/target-test-XXXXXX");
	*state = f;
	return mkdtemp(f->path) ? 0 : -1;
}

static inline int folder_remove(void **state)
{
	struct folder *f = *state;

	file_remove_tree(f->path, NULL);
	error_release(&f->err);
	free(f);
	return 0;
}

/* A file below the folder, with the folders above it. Return: its path, owned by the caller. */
static inline char *folder_put(
	struct folder *f, const char *name, const void *data, size_t len, mode_t mode)
{
	char *path = file_join(f->path, name), *dir = file_dirname(path);

	assert_int_equal(file_make_dirs(dir, 0755, NULL), 0);
	assert_int_equal(file_replace(path, data, len, mode, NULL), 0);
	assert_int_equal(chmod(path, mode), 0);
	free(dir);
	return path;
}

static inline void folder_put_text(struct folder *f, const char *name, const char *text)
{
	free(folder_put(f, name, text, strlen(text), 0644));
}

/* The call succeeded; otherwise its message is shown. */
#define assert_fine(call, err)                                  \
	do {                                                    \
		int result_ = (call);                           \
		if (result_ < 0)                                \
			print_message("%s\n", error_text(err)); \
		assert_true(result_ >= 0);                      \
	} while (0)

#define assert_contains(text, part)                                            \
	do {                                                                   \
		if (!strstr((text), (part)))                                   \
			print_message("'%s' is not in: %s\n", (part), (text)); \
		assert_non_null(strstr((text), (part)));                       \
	} while (0)

#endif
