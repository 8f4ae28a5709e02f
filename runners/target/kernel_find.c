/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "runners/target/kernel_find.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/nearest.h"

enum { MAX_HEADER = 65536 };

/* One place where kernels lie: an image "vmlinuz-RELEASE" and a folder of modules for each. */
struct candidate {
	char *path, *release, *modules;
	bool fetched;
};

struct candidates {
	struct candidate *c;
	size_t n, cap;
};

void kernel_release(struct guest_kernel *kernel)
{
	free(kernel->path);
	free(kernel->release);
	free(kernel->modules);
	*kernel = (struct guest_kernel){ 0 };
}

/* x86 boot protocol: "HdrS" at 0x202, the offset of the version text less 0x200 at 0x20e. */
char *kernel_image_release(const char *data, size_t len)
{
	size_t at, n = 0;

	if (len < 0x210 || memcmp(data + 0x202, "HdrS", 4) != 0)
		return xstrdup("");
	at = 0x200 + ((size_t)(unsigned char)data[0x20e] | (size_t)(unsigned char)data[0x20f] << 8);
	while (at + n < len && data[at + n] > ' ' && data[at + n] < 127)
		n++;
	return at + n < len ? xmemdup0(data + at, n) : xstrdup("");
}

static char *image_release(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct strbuf sb = STRBUF_INIT;
	char *release;

	if (fd >= 0) {
		/* Only the head is wanted: the limit ends the reading. */
		file_read_fd(fd, &sb, MAX_HEADER);
		close(fd);
	}
	release = kernel_image_release(strbuf_text(&sb), sb.len);
	strbuf_release(&sb);
	return release;
}

int kernel_compare_releases(const char *a, const char *b)
{
	const char *rc_a = strstr(a, "-rc"), *rc_b = strstr(b, "-rc");
	char *base_a = xmemdup0(a, rc_a ? (size_t)(rc_a - a) : strlen(a));
	char *base_b = xmemdup0(b, rc_b ? (size_t)(rc_b - b) : strlen(b));
	int order = strverscmp(base_a, base_b);

	/* The same version but for "-rc": the one that has it is the older. */
	if (rc_a && !rc_b && strncmp(base_a, base_b, strlen(base_a)) == 0)
		order = -1;
	else if (rc_b && !rc_a && strncmp(base_a, base_b, strlen(base_b)) == 0)
		order = 1;
	else if (order == 0)
		order = strverscmp(a, b);
	free(base_a);
	free(base_b);
	return order;
}

/* The first of DIR/lib/modules/RELEASE and DIR/usr/lib/modules/RELEASE that is there, or NULL. */
static char *modules_below(const char *dir, const char *release)
{
	static const char *const places[] = { "lib/modules", "usr/lib/modules" };

	if (!*release)
		return NULL;
	for (size_t i = 0; i < array_size(places); i++) {
		char *top = file_join(dir, places[i]), *path = file_join(top, release);

		free(top);
		if (file_exists(path))
			return path;
		free(path);
	}
	return NULL;
}

/* "DIR/boot/vmlinuz-6.1.0-57-amd64" or "DIR/lib/modules/6.12.9-200.fc41.x86_64/vmlinuz" */
static void add_candidates(
	struct candidates *list, const char *dir, const char *pattern, bool fetched)
{
	struct sysroot root = SYSROOT_INIT;
	char **paths = NULL;
	int n;

	if (sysroot_open(&root, dir, NULL) < 0)
		return;
	n = sysroot_glob(&root, pattern, &paths);
	for (int i = 0; i < n; i++) {
		const char *base = file_basename(paths[i]), *dash = strchr(base, '-');
		char *folder = file_dirname(paths[i]);
		const char *release = dash ? dash + 1 : file_basename(folder);

		array_reserve(list->c, list->n, list->cap);
		list->c[list->n++] = (struct candidate){ file_join(dir, paths[i]), xstrdup(release),
			modules_below(dir, release), fetched };
		free(folder);
	}
	if (n >= 0)
		sysroot_glob_free(paths, n);
	sysroot_close(&root);
}

static void gather(const struct sysroot *root, const char *state_dir, const char *only,
	struct candidates *list)
{
	char *kernels = file_join(state_dir, "kernels"), **dirs = NULL;
	struct sysroot fetched = SYSROOT_INIT;
	int n = 0;

	if (!only || strcmp(only, "fetched") != 0) {
		add_candidates(list, root->path, "boot/vmlinuz-*", false);
		add_candidates(list, root->path, "lib/modules/*/vmlinuz", false);
	}
	if ((!only || strcmp(only, "installed") != 0) &&
		sysroot_open(&fetched, kernels, NULL) == 0) {
		n = sysroot_glob(&fetched, "*", &dirs);
		for (int i = 0; i < n; i++) {
			char *dir = file_join(kernels, dirs[i]);

			add_candidates(list, dir, "boot/vmlinuz-*", true);
			free(dir);
		}
		if (n >= 0)
			sysroot_glob_free(dirs, n);
		sysroot_close(&fetched);
	}
	free(kernels);
}

static void candidates_release(struct candidates *list)
{
	for (size_t i = 0; i < list->n; i++) {
		free(list->c[i].path);
		free(list->c[i].release);
		free(list->c[i].modules);
	}
	free(list->c);
}

/* The newest that can be read; @locked: one that can't. */
static const struct candidate *newest(
	const struct candidates *list, const char *release, const struct candidate **locked)
{
	const struct candidate *best = NULL;

	for (size_t i = 0; i < list->n; i++) {
		const struct candidate *c = &list->c[i];

		if (release && strcmp(c->release, release) != 0)
			continue;
		if (access(c->path, R_OK) < 0) {
			*locked = c;
			continue;
		}
		if (!best || kernel_compare_releases(c->release, best->release) > 0)
			best = c;
	}
	return best;
}

static int nothing_found(const struct candidates *list, const char *wanted,
	const struct candidate *locked, struct error *err)
{
	const char **names = xcalloc(list->n + 1, sizeof(*names));
	char *near = NULL;
	int r = -ENOENT;

	for (size_t i = 0; i < list->n; i++)
		names[i] = list->c[i].release;
	near = wanted ? nearest_suffix(wanted, names, list->n) : xstrdup("");
	if (locked)
		r = error_set(err, -EACCES,
			"the kernel '%s' may only be read by root; try 'harness vm fetch-kernel'",
			locked->path);
	else if (wanted && strcmp(wanted, "installed") != 0 && strcmp(wanted, "fetched") != 0)
		error_set(err, r, "no kernel '%s' is installed or was fetched%s", wanted, near);
	else
		error_set(err, r,
			"no kernel %s; 'harness vm fetch-kernel' downloads the distribution's",
			wanted && strcmp(wanted, "fetched") == 0 ? "was fetched yet"
								 : "is installed here");
	free(near);
	free(names);
	return r;
}

static int find_by_name(const struct sysroot *root, const char *state_dir, const char *wanted,
	struct guest_kernel *kernel, struct error *err)
{
	bool class = wanted && (strcmp(wanted, "installed") == 0 || strcmp(wanted, "fetched") == 0);
	const struct candidate *locked = NULL, *best;
	struct candidates list = { 0 };
	int r = 0;

	gather(root, state_dir, class ? wanted : NULL, &list);
	best = newest(&list, class ? NULL : wanted, &locked);
	if (best)
		*kernel = (struct guest_kernel){ xstrdup(best->path), xstrdup(best->release),
			xstrdup(best->modules) };
	else
		r = nothing_found(&list, wanted, locked, err);
	candidates_release(&list);
	return r;
}

/* Modules of an image given by path: beside it ("X/boot/vmlinuz" → "X/lib/modules"), installed, or
 * fetched. */
static char *modules_for(
	const struct sysroot *root, const char *state_dir, const char *path, const char *release)
{
	char *boot = file_dirname(path), *up = file_join(boot, "..");
	char *fetched = xasprintf("%s/kernels/%s", state_dir, release);
	const char *const places[] = { boot, up, root->path, fetched };
	char *found = NULL;

	for (size_t i = 0; i < array_size(places) && !found; i++)
		found = modules_below(places[i], release);
	free(fetched);
	free(up);
	free(boot);
	return found;
}

int kernel_find(const struct sysroot *root, const char *state_dir, const char *wanted,
	const char *modules, struct guest_kernel *kernel, struct error *err)
{
	int r = 0;

	*kernel = (struct guest_kernel){ 0 };
	if (wanted && strchr(wanted, '/')) {
		if (access(wanted, R_OK) < 0)
			return error_sys(err, -errno, "cannot read the kernel '%s'", wanted);
		kernel->path = xstrdup(wanted);
		kernel->release = image_release(wanted);
		kernel->modules = modules_for(root, state_dir, wanted, kernel->release);
	} else {
		r = find_by_name(root, state_dir, wanted, kernel, err);
	}
	if (r == 0 && modules) {
		free(kernel->modules);
		kernel->modules = xstrdup(modules);
	}
	return r;
}
