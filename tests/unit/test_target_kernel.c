/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which kernel a guest boots, and which packages make one. */
#include "target_tools.h"

#include "base/sysroot.h"
#include "runners/target/command.h"
#include "runners/target/fetch_kernel.h"
#include "runners/target/kernel_find.h"

/* A machine with two installed kernels, and a state folder with two that were fetched. */
static int make_kernels(void **state)
{
	struct folder *f;

	if (folder_make(state) < 0)
		return -1;
	f = *state;
	folder_put_text(f, "root/boot/vmlinuz-6.1.0-9-amd64", "x");
	folder_put_text(f, "root/boot/vmlinuz-6.1.0-57-amd64", "x");
	folder_put_text(f, "root/lib/modules/6.1.0-57-amd64/modules.dep", "");
	folder_put_text(f, "root/lib/modules/6.0.1-fedora/vmlinuz", "x");
	folder_put_text(f, "state/kernels/6.12.9-amd64/boot/vmlinuz-6.12.9-amd64", "x");
	folder_put_text(f, "state/kernels/6.12.9-amd64/usr/lib/modules/6.12.9-amd64/y", "");
	folder_put_text(f, "state/kernels/6.12-rc3/boot/vmlinuz-6.12-rc3", "x");
	folder_put_text(f, "state/kernels/.new-12/boot/vmlinuz-9.9", "half unpacked");
	return 0;
}

static int find(
	struct folder *f, const char *wanted, const char *modules, struct guest_kernel *kernel)
{
	char *root_path = file_join(f->path, "root"), *state = file_join(f->path, "state");
	struct sysroot root = SYSROOT_INIT;
	int r;

	assert_fine(sysroot_open(&root, root_path, &f->err), &f->err);
	r = kernel_find(&root, state, wanted, modules, kernel, &f->err);
	sysroot_close(&root);
	free(state);
	free(root_path);
	return r;
}

static void assert_found(struct folder *f, const char *wanted, const char *release,
	const char *path_end, const char *modules_end)
{
	struct guest_kernel k;

	assert_fine(find(f, wanted, NULL, &k), &f->err);
	assert_string_equal(k.release, release);
	assert_contains(k.path, path_end);
	if (modules_end)
		assert_contains(k.modules, modules_end);
	else
		assert_null(k.modules);
	kernel_release(&k);
}

static void the_newest_kernel_is_found(void **state)
{
	struct folder *f = *state;

	assert_found(f, NULL, "6.12.9-amd64", "state/kernels/6.12.9-amd64/boot/vmlinuz",
		"6.12.9-amd64/usr/lib/modules/6.12.9-amd64");
	assert_found(f, "fetched", "6.12.9-amd64", "kernels/6.12.9-amd64/boot", "6.12.9-amd64");
	assert_found(f, "installed", "6.1.0-57-amd64", "root/boot/vmlinuz-6.1.0-57-amd64",
		"root/lib/modules/6.1.0-57-amd64");
	assert_found(f, "6.1.0-9-amd64", "6.1.0-9-amd64", "root/boot/vmlinuz-6.1.0-9", NULL);
	assert_found(f, "6.0.1-fedora", "6.0.1-fedora", "modules/6.0.1-fedora/vmlinuz",
		"lib/modules/6.0.1-fedora");
}

static void a_kernel_that_is_not_there_is_named(void **state)
{
	struct folder *f = *state;
	struct guest_kernel k;

	assert_int_equal(find(f, "6.1.0-75-amd64", NULL, &k), -ENOENT);
	assert_contains(error_text(&f->err), "did you mean '6.1.0-57-amd64'");
	assert_int_equal(find(f, "/no/such/vmlinuz", NULL, &k), -ENOENT);
	assert_contains(error_text(&f->err), "cannot read the kernel '/no/such/vmlinuz'");
	file_remove_tree(f->path, NULL);
	folder_put_text(f, "root/boot/config", "");
	assert_int_equal(find(f, NULL, NULL, &k), -ENOENT);
	assert_contains(error_text(&f->err), "harness vm fetch-kernel");
}

/* A bzImage's header that says @release. */
static size_t make_image(char *data, const char *release)
{
	memset(data, 0, 4096);
	memcpy(data + 0x202, "HdrS", 4);
	data[0x20e] = 0x00;
	data[0x20f] = 0x04;
	sprintf(data + 0x600, "%s (someone@somewhere) #1 SMP", release);
	return 4096;
}

static void an_image_tells_its_release_and_finds_its_modules(void **state)
{
	struct folder *f = *state;
	struct guest_kernel k;
	char data[4096], *path, *release;
	size_t len = make_image(data, "6.1.0-57-amd64");

	path = folder_put(f, "elsewhere/bzImage", data, len, 0644);
	assert_fine(find(f, path, NULL, &k), &f->err);
	assert_string_equal(k.release, "6.1.0-57-amd64");
	assert_contains(k.modules, "root/lib/modules/6.1.0-57-amd64");
	kernel_release(&k);
	assert_fine(find(f, path, "/given/modules", &k), &f->err);
	assert_string_equal(k.modules, "/given/modules");
	kernel_release(&k);
	free(path);
	for (size_t cut = 0; cut < 0x640; cut += 7) {
		char *part = xmemdup0(data, cut);

		free(kernel_image_release(part, cut));
		free(part);
	}
	release = kernel_image_release("MZ", 2);
	assert_string_equal(release, "");
	free(release);
}

static void releases_are_ordered_as_people_order_them(void **state)
{
	static const char *const order[] = { "5.10.0-8-amd64", "5.10.0-28-amd64", "6.1.0-9",
		"6.1.0-57", "6.12-rc1", "6.12-rc10", "6.12.0", "6.12.1" };

	(void)state;
	for (size_t i = 0; i < array_size(order); i++) {
		assert_int_equal(kernel_compare_releases(order[i], order[i]), 0);
		for (size_t j = i + 1; j < array_size(order); j++) {
			assert_true(kernel_compare_releases(order[i], order[j]) < 0);
			assert_true(kernel_compare_releases(order[j], order[i]) > 0);
		}
	}
}

static void the_parts_of_a_kernel_are_found(void **state)
{
	static const char text[] = "linux-image-amd64\n"
				   "  Depends: linux-image-6.1.0-57-amd64\n"
				   "  Depends: linux-image-6.1.0-57-amd64-unsigned\n"
				   "  PreDepends: linux-modules-6.8.0-31-generic:amd64\n"
				   "  Depends: kmod\n"
				   " |Depends: linux-image-something-else\n"
				   "  Depends: <linux-initramfs-tool>\n"
				   "    initramfs-tools\n"
				   "  Suggests: linux-image-doc\n"
				   "  Depends: linux-image-6.1.0-57-amd64\n";
	struct string_list packages = { 0 };

	(void)state;
	fetch_parse_depends(text, strlen(text), &packages);
	assert_int_equal(packages.n, 2);
	assert_string_equal(packages.s[0], "linux-image-6.1.0-57-amd64");
	assert_string_equal(packages.s[1], "linux-modules-6.8.0-31-generic");
	words_release(&packages);
}

/* Package tools in the place of the machine's: their archive has one kernel, and the lists name an
 * older one until they are updated. */
static void put_package_tools(struct folder *f)
{
	static const struct {
		const char *name, *script;
	} tools[] = {
		{ "dpkg", "echo amd64" },
		{ "apt-cache",
			"v=8; [ -e \"$BIN/updated\" ] && v=9\n"
			"[ \"$2\" = linux-image-amd64 ] && echo \"  Depends: linux-image-$v\"\n"
			"true" },
		{ "apt-get", "echo \"$*\" >> \"$BIN/log\"\n"
			     "case \"$*\" in\n*update*) : > \"$BIN/updated\" ;;\n"
			     "*linux-image-9*) : > linux-image-9.deb ;;\n"
			     "*) echo 'E: 404 Not Found' >&2; exit 100 ;;\nesac" },
		{ "dpkg-deb", "mkdir -p \"$3/boot\" && echo image > \"$3/boot/vmlinuz-9\"" },
	};

	for (size_t i = 0; i < array_size(tools); i++) {
		char *name = xasprintf("bin/%s", tools[i].name);
		char *text = xasprintf("#!/bin/sh\nBIN='%s/bin'\n%s\n", f->path, tools[i].script);

		free(folder_put(f, name, text, strlen(text), 0755));
		free(text);
		free(name);
	}
}

static void note(void *context, const char *text)
{
	strbuf_printf(context, "%s\n", text);
}

static void a_kernel_is_fetched_once(void **state)
{
	struct strbuf said = STRBUF_INIT;
	struct fetch_progress progress = { note, &said };
	char *path = NULL, *log = NULL, *log_path, *old = xstrdup(getenv("PATH")), *new_path;
	struct folder *f = *state;

	put_package_tools(f);
	new_path = xasprintf("%s/bin:%s", f->path, old);
	setenv("PATH", new_path, 1);
	assert_fine(vm_fetch_kernel(f->path, NULL, &progress, &path, &f->err), &f->err);
	assert_contains(path, "/kernels/9/boot/vmlinuz-9");
	assert_true(file_exists(path));
	assert_contains(strbuf_text(&said), "404 Not Found; updating the package lists\n");
	free(path);
	strbuf_clear(&said);
	assert_fine(vm_fetch_kernel(f->path, NULL, &progress, &path, &f->err), &f->err);
	assert_contains(strbuf_text(&said), "was fetched before");
	free(path);
	setenv("PATH", old, 1);
	log_path = file_join(f->path, "bin/log");
	assert_int_equal(file_read(log_path, 10000, &log, NULL, NULL), 0);
	assert_contains(
		log, "-q -o APT::Sandbox::User=root download linux-image-amd64 linux-image-8");
	assert_contains(log, "-q update\n");
	assert_null(strstr(strstr(log, "linux-image-9") + 1, "download"));
	free(log);
	free(log_path);
	free(new_path);
	free(old);
	strbuf_release(&said);
}

#define with_kernels(test) cmocka_unit_test_setup_teardown(test, make_kernels, folder_remove)

int main(void)
{
	const struct CMUnitTest tests[] = {
		with_kernels(the_newest_kernel_is_found),
		with_kernels(a_kernel_that_is_not_there_is_named),
		with_kernels(an_image_tells_its_release_and_finds_its_modules),
		cmocka_unit_test(releases_are_ordered_as_people_order_them),
		cmocka_unit_test(the_parts_of_a_kernel_are_found),
		cmocka_unit_test_setup_teardown(
			a_kernel_is_fetched_once, folder_make, folder_remove),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
