/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "runners/target/elf.h"

#include <elf.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "runners/target/command.h"

bool elf_is(const char *data, size_t len)
{
	return len >= sizeof(Elf64_Ehdr) && memcmp(data, ELFMAG, SELFMAG) == 0 &&
	       data[EI_CLASS] == ELFCLASS64 && data[EI_DATA] == ELFDATA2LSB;
}

/* @n bytes at @offset, or NULL when the file is too short. */
static const char *part(const char *data, size_t len, uint64_t offset, uint64_t n)
{
	return offset <= len && n <= len - offset ? data + offset : NULL;
}

char *elf_interpreter(const char *data, size_t len)
{
	Elf64_Ehdr head;

	if (!elf_is(data, len))
		return NULL;
	memcpy(&head, data, sizeof(head));
	for (uint64_t i = 0; i < head.e_phnum; i++) {
		const char *at =
			part(data, len, head.e_phoff + i * head.e_phentsize, sizeof(Elf64_Phdr));
		const char *name;
		Elf64_Phdr ph;

		if (!at)
			return NULL;
		memcpy(&ph, at, sizeof(ph));
		if (ph.p_type != PT_INTERP)
			continue;
		name = part(data, len, ph.p_offset, ph.p_filesz);
		return name ? xmemdup0(name, strnlen(name, ph.p_filesz)) : NULL;
	}
	return NULL;
}

static bool section_head(
	const char *data, size_t len, const Elf64_Ehdr *head, uint64_t i, Elf64_Shdr *section)
{
	const char *at = part(data, len, head->e_shoff + i * head->e_shentsize, sizeof(*section));

	if (at)
		memcpy(section, at, sizeof(*section));
	return at != NULL;
}

const char *elf_section(const char *data, size_t len, const char *name, size_t *out_len)
{
	const char *names;
	Elf64_Shdr sh, table;
	Elf64_Ehdr head;

	if (!elf_is(data, len))
		return NULL;
	memcpy(&head, data, sizeof(head));
	if (!section_head(data, len, &head, head.e_shstrndx, &table))
		return NULL;
	names = part(data, len, table.sh_offset, table.sh_size);
	for (uint64_t i = 0; names && i < head.e_shnum; i++) {
		if (!section_head(data, len, &head, i, &sh))
			return NULL;
		if (sh.sh_name >= table.sh_size || sh.sh_type == SHT_NOBITS ||
			strlen(name) >= table.sh_size - sh.sh_name ||
			memcmp(names + sh.sh_name, name, strlen(name) + 1) != 0)
			continue;
		*out_len = sh.sh_size;
		return part(data, len, sh.sh_offset, sh.sh_size);
	}
	return NULL;
}

/* "	libc.so.6 => /lib/x86_64-linux-gnu/libc.so.6 (0x00007f3a44a44000)"
 * "	/lib64/ld-linux-x86-64.so.2 (0x00007f3a44c90000)"
 * "	linux-vdso.so.1 (0x00007f3a44c8e000)"
 * "	libfoo.so.1 => not found" */
void elf_parse_list(const char *text, size_t len, struct string_list *libs, char **missing)
{
	char *copy = xmemdup0(text, len), *save = NULL;

	for (char *line = strtok_r(copy, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		char *arrow = strstr(line, " => "), *end;

		line += strspn(line, " \t");
		if (arrow && strcmp(arrow + 4, "not found") == 0 && !*missing)
			*missing = xmemdup0(line, (size_t)(arrow - line));
		if (arrow)
			line = arrow + 4;
		end = strstr(line, " (0x");
		if (*line != '/' || !end)
			continue;
		*end = '\0';
		if (!words_has(libs, line))
			words_add(libs, line);
	}
	free(copy);
}

/* glibc opens libgcc_s only when a thread ends itself or is cancelled: no list shows it. */
static void add_unwinder(struct string_list *libs)
{
	for (size_t i = 0; i < libs->n; i++) {
		char *dir, *path;

		if (strcmp(file_basename(libs->s[i]), "libc.so.6") != 0)
			continue;
		dir = file_dirname(libs->s[i]);
		path = file_join(dir, "libgcc_s.so.1");
		if (file_exists(path) && !words_has(libs, path))
			words_add(libs, path);
		free(path);
		free(dir);
		return;
	}
}

int elf_libraries(
	const char *path, const char *data, size_t len, struct string_list *libs, struct error *err)
{
	char *loader = elf_interpreter(data, len), *missing = NULL;
	struct strbuf out = STRBUF_INIT;
	int r;

	if (!loader)
		return 0;
	r = command_runl(30, &out, err, loader, "--list", path);
	if (r < 0) {
		error_prefix(err, "cannot tell which libraries '%s' needs: ", path);
		goto out;
	}
	if (!words_has(libs, loader))
		words_add(libs, loader);
	elf_parse_list(strbuf_text(&out), out.len, libs, &missing);
	if (missing)
		r = error_set(err, -ENOENT, "'%s' needs the library %s, which is not installed",
			path, missing);
	else
		add_unwinder(libs);
out:
	strbuf_release(&out);
	free(missing);
	free(loader);
	return r;
}
