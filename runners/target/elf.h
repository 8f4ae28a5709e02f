/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The little that a guest's image needs to know of ELF files. Input is never trusted. */
#ifndef RUNNERS_TARGET_ELF_H
#define RUNNERS_TARGET_ELF_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "spec/option.h"

/** elf_is() - true for a 64-bit little-endian ELF file. */
bool elf_is(const char *data, size_t len);
/**
 * elf_interpreter() - the dynamic loader that a program names (PT_INTERP)
 * Return: owned by the caller; NULL for a static program and for damaged files.
 */
char *elf_interpreter(const char *data, size_t len);
/**
 * elf_section() - content of a section by name
 * Return: borrowed from @data with its length in *out_len, or NULL.
 */
const char *elf_section(const char *data, size_t len, const char *name, size_t *out_len);

/**
 * elf_parse_list() - shared libraries from the output of "LOADER --list PROGRAM"
 * @missing: set to the first library that was not found, owned by the caller, else untouched
 */
void elf_parse_list(const char *text, size_t len, struct string_list *libs, char **missing);

/**
 * elf_libraries() - files that a dynamic program needs: its loader and its shared libraries
 * @path, @data, @len: the program and its content
 * @libs: absolute paths are appended; nothing for a static program
 * Return: 0, or -errno: the loader is not on this machine, or a library is missing.
 */
int elf_libraries(const char *path, const char *data, size_t len, struct string_list *libs,
	struct error *err);

#endif
