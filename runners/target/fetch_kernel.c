/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "runners/target/fetch_kernel.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/sysroot.h"
#include "runners/target/command.h"
#include "runners/target/kernel_find.h"

enum {
	QUERY_SECONDS = 60,
	UPDATE_SECONDS = 300,
	DOWNLOAD_SECONDS = 1800,
	UNPACK_SECONDS = 600,
	MAX_PACKAGES = 16,
};

static void say(const struct fetch_progress *progress, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static void say(const struct fetch_progress *progress, const char *fmt, ...)
{
	char *text;
	va_list ap;

	if (!progress || !progress->say)
		return;
	va_start(ap, fmt);
	text = xvasprintf(fmt, ap);
	va_end(ap);
	progress->say(progress->context, text);
	free(text);
}

static bool kernel_part(const char *name)
{
	static const char *const kinds[] = { "linux-image-", "linux-modules-", "linux-binary-" };
	size_t len = strlen(name);

	if (len > 9 && strcmp(name + len - 9, "-unsigned") == 0)
		return false;
	for (size_t i = 0; i < array_size(kinds); i++)
		if (strncmp(name, kinds[i], strlen(kinds[i])) == 0)
			return true;
	return false;
}

/* "  Depends: linux-image-6.1.0-57-amd64"; alternatives begin with "|", virtual ones stand in <>. */
void fetch_parse_depends(const char *text, size_t len, struct string_list *packages)
{
	static const char *const words[] = { "  Depends: ", "  PreDepends: " };
	char *copy = xmemdup0(text, len), *save = NULL;

	for (char *line = strtok_r(copy, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		for (size_t i = 0; i < array_size(words); i++) {
			char *name = line + strlen(words[i]);

			if (strncmp(line, words[i], strlen(words[i])) != 0)
				continue;
			name[strcspn(name, " :")] = '\0';
			if (kernel_part(name) && !words_has(packages, name))
				words_add(packages, name);
		}
	}
	free(copy);
}

static int depends(const char *package, struct string_list *packages, struct error *err)
{
	struct strbuf out = STRBUF_INIT;
	int r = command_runl(QUERY_SECONDS, &out, err, "apt-cache", "depends", package);

	if (r == 0)
		fetch_parse_depends(strbuf_text(&out), out.len, packages);
	strbuf_release(&out);
	return r;
}

/* The package itself and, step by step, what it depends on: the list grows while it is walked. */
static int resolve(const char *package, struct string_list *packages, struct error *err)
{
	int r = 0;

	words_add(packages, package);
	for (size_t i = 0; r == 0 && i < packages->n && i < MAX_PACKAGES; i++)
		r = depends(packages->s[i], packages, err);
	return r;
}

static int default_package(char **package, struct error *err)
{
	struct strbuf out = STRBUF_INIT;
	int r = command_runl(QUERY_SECONDS, &out, err, "dpkg", "--print-architecture");
	const char *text = strbuf_text(&out);

	if (r == 0)
		*package = xasprintf("linux-image-%.*s", (int)strcspn(text, "\n"), text);
	else
		error_prefix(err, "kernels are fetched by Debian's package tools: ");
	strbuf_release(&out);
	return r;
}

static int download(const char *dir, const struct string_list *packages, struct error *err)
{
	struct string_list argv = { 0 };
	int r;

	/* The folder may be one that apt's own user cannot write to. */
	words_add(&argv, "apt-get");
	words_add(&argv, "-q");
	words_add(&argv, "-o");
	words_add(&argv, "APT::Sandbox::User=root");
	words_add(&argv, "download");
	for (size_t i = 0; i < packages->n; i++)
		words_add(&argv, packages->s[i]);
	r = command_run(&argv, dir, DOWNLOAD_SECONDS, NULL, err);
	words_release(&argv);
	return r;
}

static int unpack(const char *dir, const char *root, struct error *err)
{
	struct sysroot here = SYSROOT_INIT;
	char **debs = NULL;
	int n, r = sysroot_open(&here, dir, err);

	if (r < 0)
		return r;
	n = sysroot_glob(&here, "*.deb", &debs);
	for (int i = 0; r == 0 && i < n; i++) {
		char *deb = file_join(dir, debs[i]);

		r = command_runl(UNPACK_SECONDS, NULL, err, "dpkg-deb", "-x", deb, root);
		free(deb);
	}
	if (n >= 0)
		sysroot_glob_free(debs, n);
	sysroot_close(&here);
	return r;
}

/* Return: the one image's release, or NULL. */
static char *release_below(const char *dir)
{
	struct sysroot root = SYSROOT_INIT;
	char **images = NULL, *release = NULL;
	int n;

	if (sysroot_open(&root, dir, NULL) < 0)
		return NULL;
	n = sysroot_glob(&root, "boot/vmlinuz-*", &images);
	if (n > 0)
		release = xstrdup(file_basename(images[n - 1]) + strlen("vmlinuz-"));
	if (n >= 0)
		sysroot_glob_free(images, n);
	sysroot_close(&root);
	return release;
}

static char *image_path(const char *kernels, const char *release)
{
	return xasprintf("%s/%s/boot/vmlinuz-%s", kernels, release, release);
}

/* Put the unpacked tree in its place; someone else may have been faster. */
static int put_in_place(
	const char *kernels, const char *root, char **kernel_path, struct error *err)
{
	char *release = release_below(root), *place = NULL;
	int r = 0;

	if (!release)
		return error_set(err, -ENOENT, "the packages hold no kernel image");
	place = file_join(kernels, release);
	if (rename(root, place) < 0 && errno != ENOTEMPTY && errno != EEXIST)
		r = error_sys(err, -errno, "cannot move the kernel to '%s'", place);
	if (r == 0)
		r = file_sync_dir(kernels, err);
	if (r == 0)
		*kernel_path = image_path(kernels, release);
	free(place);
	free(release);
	return r;
}

/* "linux-image-6.1.0-57-amd64" says the release: true when that one is there already. */
static bool fetched_before(
	const char *kernels, const struct string_list *packages, char **kernel_path)
{
	for (size_t i = 0; i < packages->n; i++) {
		char *path;

		if (strncmp(packages->s[i], "linux-image-", 12) != 0)
			continue;
		path = image_path(kernels, packages->s[i] + 12);
		if (file_exists(path)) {
			*kernel_path = path;
			return true;
		}
		free(path);
	}
	return false;
}

/* Packages into @dir. Return: 0, 1 when that kernel is there already, or -errno. */
static int obtain(const char *kernels, const char *dir, const char *package,
	const struct fetch_progress *progress, char **kernel_path, struct error *err)
{
	struct string_list packages = { 0 };
	int r = resolve(package, &packages, err);

	if (r == 0 && fetched_before(kernels, &packages, kernel_path)) {
		say(progress, "%s was fetched before", *kernel_path);
		r = 1;
	} else if (r == 0) {
		say(progress, "downloading %s", packages.s[packages.n - 1]);
		r = download(dir, &packages, err);
	}
	words_release(&packages);
	return r;
}

/* obtain(), once more with fresh package lists when the old ones are missing or name a version that
 * the archive has not any more. */
static int obtain_fresh(const char *kernels, const char *dir, const char *package,
	const struct fetch_progress *progress, char **kernel_path, struct error *err)
{
	struct error first = ERROR_INIT;
	int r = obtain(kernels, dir, package, progress, kernel_path, &first);

	if (r == -ENOENT) {
		error_set(err, r, "%s", error_text(&first));
	} else if (r < 0) {
		say(progress, "%s; updating the package lists", error_text(&first));
		r = command_runl(UPDATE_SECONDS, NULL, err, "apt-get", "-q", "update");
		if (r < 0)
			error_prefix(err, "%s; ", error_text(&first));
		else
			r = obtain(kernels, dir, package, progress, kernel_path, err);
	}
	error_release(&first);
	return r;
}

static int fetch(const char *kernels, const char *package, const struct fetch_progress *progress,
	char **kernel_path, struct error *err)
{
	char *dir = xasprintf("%s/.new-%d", kernels, (int)getpid()), *root = file_join(dir, "root");
	uint64_t start = clock_monotonic_ns();
	int r = file_make_dirs(root, 0755, err);

	if (r == 0)
		r = obtain_fresh(kernels, dir, package, progress, kernel_path, err);
	if (r == 0) {
		say(progress, "unpacking");
		r = unpack(dir, root, err);
		if (r == 0)
			r = put_in_place(kernels, root, kernel_path, err);
		if (r == 0)
			say(progress, "fetched %s in %.0f s", *kernel_path,
				(double)(clock_monotonic_ns() - start) / 1e9);
	}
	file_remove_tree(dir, NULL);
	free(root);
	free(dir);
	return r < 0 ? r : 0;
}

int vm_fetch_kernel(const char *state_dir, const char *package,
	const struct fetch_progress *progress, char **kernel_path, struct error *err)
{
	char *kernels = file_join(state_dir, "kernels"), *name = xstrdup(package);
	int r = file_make_dirs(kernels, 0755, err);

	if (r == 0 && !name)
		r = default_package(&name, err);
	if (r == 0)
		r = fetch(kernels, name, progress, kernel_path, err);
	if (r < 0)
		error_prefix(err, "cannot fetch a kernel: ");
	free(name);
	free(kernels);
	return r;
}
