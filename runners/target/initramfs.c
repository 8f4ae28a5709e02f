/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "runners/target/initramfs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/json.h"
#include "base/strbuf.h"
#include "runners/target/command.h"
#include "runners/target/elf.h"
#include "runners/target/modules.h"

enum { MAX_PROGRAM = 1 << 30 };

static void add_skeleton(struct cpio *cpio)
{
	static const char *const dirs[] = { "bin", "dev", "etc", "host", "proc", "root", "run",
		"sys" };
	static const char passwd[] = "root:x:0:0:root:/root:/bin/sh\n"
				     "nobody:x:65534:65534:nobody:/:/bin/false\n";
	static const char group[] = "root:x:0:\nnogroup:x:65534:\nnobody:x:65534:\n";
	static const char hosts[] = "127.0.0.1 localhost\n::1 localhost\n";

	for (size_t i = 0; i < array_size(dirs); i++)
		cpio_dir(cpio, dirs[i], 0755);
	cpio_dir(cpio, "tmp", 01777);
	/* The kernel opens it as init's standard streams before anything is mounted. */
	cpio_char_device(cpio, "dev/console", 0600, 5, 1);
	cpio_char_device(cpio, "dev/null", 0666, 1, 3);
	cpio_file(cpio, "etc/passwd", 0644, passwd, sizeof(passwd) - 1);
	cpio_file(cpio, "etc/group", 0644, group, sizeof(group) - 1);
	cpio_file(cpio, "etc/hosts", 0644, hosts, sizeof(hosts) - 1);
}

static int add_agent(struct cpio *cpio, const char *path, struct error *err)
{
	char *data = NULL, *loader;
	size_t len = 0;
	int r = file_read(path, MAX_PROGRAM, &data, &len, err);

	if (r < 0)
		return r;
	loader = elf_interpreter(data, len);
	if (loader)
		r = error_set(err, -EINVAL,
			"'%s' is linked dynamically; a guest's init must be static (make without "
			"SANITIZE)",
			path);
	cpio_file(cpio, "init", 0755, data, len);
	cpio_link(cpio, "harness-agent", "init");
	free(loader);
	free(data);
	return r;
}

static int add_program(struct cpio *cpio, const char *at, const char *path, struct error *err);

static int add_libraries(
	struct cpio *cpio, const char *path, const char *data, size_t len, struct error *err)
{
	struct string_list libs = { 0 };
	int r = elf_libraries(path, data, len, &libs, err);

	for (size_t i = 0; r == 0 && i < libs.n; i++) {
		char *lib = NULL;
		size_t lib_len = 0;

		if (cpio_has(cpio, libs.s[i]))
			continue;
		r = file_read(libs.s[i], MAX_PROGRAM, &lib, &lib_len, err);
		if (r == 0)
			cpio_file(cpio, libs.s[i], 0755, lib, lib_len);
		free(lib);
	}
	words_release(&libs);
	return r;
}

/* "#!/bin/sh -e" needs /bin/sh; "#!/usr/bin/env python3" needs both. */
static int add_interpreter(struct cpio *cpio, const char *script, struct error *err)
{
	char *line = xmemdup0(script + 2, strcspn(script + 2, "\n")), *save = NULL;
	char *program = strtok_r(line, " \t\r", &save), *word = strtok_r(NULL, " \t\r", &save);
	int r = 0;

	if (program && !cpio_has(cpio, program))
		r = add_program(cpio, program, program, err);
	if (r == 0 && program && word && strcmp(file_basename(program), "env") == 0) {
		char *path = file_find_program(word), *at = xasprintf("bin/%s", word);

		if (!path)
			r = error_set(err, -ENOENT, "there is no program '%s'", word);
		else if (!cpio_has(cpio, at))
			r = add_program(cpio, at, path, err);
		free(at);
		free(path);
	}
	if (r < 0)
		error_prefix(err, "the script's interpreter: ");
	free(line);
	return r;
}

static int add_program(struct cpio *cpio, const char *at, const char *path, struct error *err)
{
	char *data = NULL;
	size_t len = 0;
	int r = file_read(path, MAX_PROGRAM, &data, &len, err);

	if (r < 0)
		return r;
	cpio_file(cpio, at, 0755, data, len);
	if (elf_is(data, len))
		r = add_libraries(cpio, path, data, len, err);
	else if (len > 2 && memcmp(data, "#!", 2) == 0)
		r = add_interpreter(cpio, data, err);
	free(data);
	return r;
}

static int add_programs(struct cpio *cpio, const json_t *programs, struct error *err)
{
	const json_t *program;
	size_t i;

	json_array_foreach(programs, i, program) {
		const char *name = json_str(program, "name", ""), *path;
		char *at;
		int r;

		path = json_str(program, "path", "");
		at = xasprintf("bin/%s", file_basename(name));
		r = add_program(cpio, at, path, err);
		free(at);
		if (r < 0) {
			error_prefix(err, "cannot take '%s' into the guest: ", path);
			return r;
		}
	}
	return 0;
}

/* busybox gives scripts their small tools, where the host has a static one. Its names are links, and
 * come last so that a program of the trial's wins over a link of the same name. */
static void add_busybox(struct cpio *cpio)
{
	char *path = file_find_program("busybox"), *data = NULL, *loader = NULL, *save = NULL;
	struct strbuf names = STRBUF_INIT;
	size_t len = 0;

	if (!path || file_read(path, MAX_PROGRAM, &data, &len, NULL) < 0)
		goto out;
	loader = elf_interpreter(data, len);
	if (loader || command_runl(10, &names, NULL, path, "--list") < 0 || !names.len)
		goto out;
	cpio_file(cpio, "bin/busybox", 0755, data, len);
	for (char *name = strtok_r(names.data, "\n", &save); name;
		name = strtok_r(NULL, "\n", &save)) {
		char *at = xasprintf("bin/%s", file_basename(name));

		cpio_link(cpio, at, "busybox");
		free(at);
	}
out:
	strbuf_release(&names);
	free(loader);
	free(data);
	free(path);
}

static int add_module_files(struct cpio *cpio, const struct modules *m,
	const struct string_list *files, struct error *err)
{
	struct strbuf list = STRBUF_INIT;
	int r = 0;

	for (size_t i = 0; r == 0 && i < files->n; i++) {
		struct strbuf data = STRBUF_INIT;
		char *name = modules_name(files->s[i]), *at = xasprintf("lib/modules/%s.ko", name);

		r = modules_load(m, files->s[i], &data, err);
		if (r == 0)
			cpio_file(cpio, at, 0644, strbuf_text(&data), data.len);
		strbuf_printf(&list, "/%s\n", at);
		strbuf_release(&data);
		free(at);
		free(name);
	}
	cpio_file(cpio, "modules.list", 0644, strbuf_text(&list), list.len);
	strbuf_release(&list);
	return r;
}

static int add_modules(
	struct cpio *cpio, const struct initramfs_content *content, struct error *err)
{
	static const char *const channel[] = { "virtio_pci", "virtio_console" };
	static const char *const share[] = { "9p", "9pnet_virtio" };
	struct string_list files = { 0 };
	struct modules m;
	int r = modules_open(&m, content->modules, err);

	if (r < 0)
		return r;
	for (size_t i = 0; r == 0 && i < array_size(channel); i++)
		r = modules_resolve(&m, channel[i], &files, err);
	for (size_t i = 0; r == 0 && content->share && i < array_size(share); i++)
		r = modules_resolve(&m, share[i], &files, err);
	if (r == 0)
		r = add_module_files(cpio, &m, &files, err);
	words_release(&files);
	modules_release(&m);
	return r;
}

int initramfs_build(const struct initramfs_content *content, struct cpio *cpio, struct error *err)
{
	int r;

	cpio_init(cpio);
	add_skeleton(cpio);
	r = add_agent(cpio, content->agent, err);
	if (r == 0)
		r = add_programs(cpio, content->programs, err);
	if (r == 0)
		add_busybox(cpio);
	if (r == 0 && content->modules)
		r = add_modules(cpio, content, err);
	if (r == 0)
		cpio_end(cpio);
	else
		cpio_release(cpio);
	return r;
}
