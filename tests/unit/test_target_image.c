/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What goes into a guest: the archive, programs with their libraries, modules in their order. */
#include "target_tools.h"

#include <elf.h>

#include "runners/target/command.h"
#include "runners/target/cpio.h"
#include "runners/target/elf.h"
#include "runners/target/initramfs.h"
#include "runners/target/modules.h"

struct item {
	char name[256];
	unsigned long mode, size, rmajor, rminor, mtime, ino;
	const char *data;
};

static unsigned long number(const char *at)
{
	char digits[9] = { 0 };

	memcpy(digits, at, 8);
	return strtoul(digits, NULL, 16);
}

/* The entry at *at, as the kernel's unpacker reads it. Return: false at the trailer. */
static bool next_item(const struct strbuf *sb, size_t *at, struct item *item)
{
	const char *head = sb->data + *at;
	unsigned long name_len;

	assert_true(*at % 4 == 0 && *at + 110 <= sb->len);
	assert_memory_equal(head, "070701", 6);
	item->ino = number(head + 6);
	item->mode = number(head + 14);
	item->mtime = number(head + 46);
	item->size = number(head + 54);
	item->rmajor = number(head + 78);
	item->rminor = number(head + 86);
	name_len = number(head + 94);
	assert_true(name_len <= sizeof(item->name));
	memcpy(item->name, head + 110, name_len);
	assert_int_equal(item->name[name_len - 1], 0);
	*at += (110 + name_len + 3) & ~3UL;
	item->data = sb->data + *at;
	*at += (item->size + 3) & ~3UL;
	assert_true(*at <= sb->len);
	return strcmp(item->name, "TRAILER!!!") != 0;
}

static bool find_item(const struct cpio *cpio, const char *name, struct item *item)
{
	size_t at = 0;

	while (next_item(&cpio->out, &at, item))
		if (strcmp(item->name, name) == 0)
			return true;
	return false;
}

static void cpio_holds_what_was_put_in(void **state)
{
	struct item item;
	struct cpio cpio;
	size_t at = 0;

	(void)state;
	cpio_init(&cpio);
	cpio_file(&cpio, "/a/b/file", 0755, "12345", 5);
	cpio_file(&cpio, "a/b/file", 0644, "other", 5);
	cpio_link(&cpio, "a/link", "b/file");
	cpio_char_device(&cpio, "dev/console", 0600, 5, 1);
	cpio_end(&cpio);
	assert_true(next_item(&cpio.out, &at, &item));
	assert_string_equal(item.name, "a");
	assert_int_equal(item.mode, S_IFDIR | 0755);
	assert_true(next_item(&cpio.out, &at, &item));
	assert_string_equal(item.name, "a/b");
	assert_true(next_item(&cpio.out, &at, &item));
	assert_string_equal(item.name, "a/b/file");
	assert_int_equal(item.mode, S_IFREG | 0755);
	assert_int_equal(item.size, 5);
	assert_int_equal(item.mtime, 0);
	assert_memory_equal(item.data, "12345", 5);
	assert_true(next_item(&cpio.out, &at, &item));
	assert_int_equal(item.mode, S_IFLNK | 0777);
	assert_memory_equal(item.data, "b/file", 6);
	assert_true(next_item(&cpio.out, &at, &item));
	assert_string_equal(item.name, "dev");
	assert_true(next_item(&cpio.out, &at, &item));
	assert_int_equal(item.mode, S_IFCHR | 0600);
	assert_int_equal(item.rmajor * 100 + item.rminor, 501);
	assert_false(next_item(&cpio.out, &at, &item));
	assert_int_equal(at, cpio.out.len);
	cpio_release(&cpio);
}

static const char dep[] =
	"kernel/drivers/virtio/virtio.ko:\n"
	"kernel/drivers/virtio/virtio_ring.ko.xz: kernel/drivers/virtio/virtio.ko\n"
	"kernel/drivers/virtio/virtio_pci.ko: kernel/drivers/virtio/virtio_ring.ko.xz "
	"kernel/drivers/virtio/virtio.ko\n"
	"kernel/a.ko: kernel/b.ko\nkernel/b.ko: kernel/a.ko\nno colon\n";

static void modules_come_in_the_order_of_their_needs(void **state)
{
	struct string_list files = { 0 };
	struct folder *f = *state;
	struct modules m;

	modules_init(&m, "/m");
	modules_parse_dep(&m, dep, strlen(dep));
	modules_parse_builtin(&m, "kernel/fs/9p/9p.ko\n", 19);
	assert_fine(modules_resolve(&m, "virtio-pci", &files, &f->err), &f->err);
	assert_fine(modules_resolve(&m, "virtio_ring", &files, &f->err), &f->err);
	assert_fine(modules_resolve(&m, "9p", &files, &f->err), &f->err);
	assert_int_equal(files.n, 3);
	assert_string_equal(files.s[0], "kernel/drivers/virtio/virtio.ko");
	assert_string_equal(files.s[1], "kernel/drivers/virtio/virtio_ring.ko.xz");
	assert_string_equal(files.s[2], "kernel/drivers/virtio/virtio_pci.ko");
	assert_int_equal(modules_resolve(&m, "virtio_console", &files, &f->err), -ENOENT);
	assert_string_equal(error_text(&f->err),
		"the kernel has no virtio_console, neither built in nor as a module in '/m'");
	assert_int_equal(modules_resolve(&m, "a", &files, &f->err), -ELOOP);
	words_release(&files);
	modules_release(&m);
}

/* The smallest file with a .modinfo section. */
static void put_module(struct folder *f, const char *name, const char *info, size_t info_len)
{
	static const char names[] = "\0.shstrtab\0.modinfo";
	Elf64_Ehdr head = {
		.e_shoff = 512, .e_shentsize = sizeof(Elf64_Shdr), .e_shnum = 3, .e_shstrndx = 1
	};
	Elf64_Shdr sections[3] = { { 0 },
		{ .sh_name = 1, .sh_type = SHT_STRTAB, .sh_offset = 128, .sh_size = sizeof(names) },
		{ .sh_name = 11, .sh_type = SHT_PROGBITS, .sh_offset = 256, .sh_size = info_len } };
	char data[1024] = { 0 };

	memcpy(head.e_ident, ELFMAG, SELFMAG);
	head.e_ident[EI_CLASS] = ELFCLASS64;
	head.e_ident[EI_DATA] = ELFDATA2LSB;
	memcpy(data, &head, sizeof(head));
	memcpy(data + 128, names, sizeof(names));
	memcpy(data + 256, info, info_len);
	memcpy(data + 512, sections, sizeof(sections));
	free(folder_put(f, name, data, sizeof(data), 0644));
}

static void modules_need_no_depmod(void **state)
{
	static const char pci[] = "license=GPL\0depends=virtio-ring,virtio\0name=virtio_pci";
	static const char none[] = "license=GPL\0depends=";
	struct string_list files = { 0 };
	struct folder *f = *state;
	struct modules m;

	put_module(f, "kernel/drivers/virtio_pci.ko", pci, sizeof(pci));
	put_module(f, "kernel/drivers/virtio_ring.ko", none, sizeof(none));
	put_module(f, "kernel/virtio.ko", none, sizeof(none));
	folder_put_text(f, "kernel/broken.ko", "no module at all");
	assert_fine(modules_open(&m, f->path, &f->err), &f->err);
	assert_fine(modules_resolve(&m, "virtio_pci", &files, &f->err), &f->err);
	assert_int_equal(files.n, 3);
	assert_string_equal(files.s[0], "kernel/drivers/virtio_ring.ko");
	assert_string_equal(files.s[2], "kernel/drivers/virtio_pci.ko");
	assert_true(modules_resolve(&m, "broken", &files, &f->err) < 0);
	assert_contains(error_text(&f->err), "broken.ko' is not a kernel module");
	words_release(&files);
	modules_release(&m);
}

static void modules_are_unpacked(void **state)
{
	struct strbuf out = STRBUF_INIT;
	struct folder *f = *state;
	struct modules m;
	char *path = file_join(f->path, "x.ko");

	folder_put_text(f, "x.ko", "module");
	modules_init(&m, f->path);
	if (command_runl(10, NULL, &f->err, "gzip", path) < 0) {
		print_message("skipped: %s\n", error_text(&f->err));
	} else {
		assert_fine(modules_load(&m, "x.ko.gz", &out, &f->err), &f->err);
		assert_string_equal(strbuf_text(&out), "module");
	}
	folder_put_text(f, "bad.ko.gz", "not compressed");
	assert_true(modules_load(&m, "bad.ko.gz", &out, &f->err) < 0);
	assert_contains(error_text(&f->err), "cannot unpack the module");
	modules_release(&m);
	strbuf_release(&out);
	free(path);
}

static void damaged_elf_files_do_no_harm(void **state)
{
	size_t len = 0, found = 0;
	char *data = NULL;

	(void)state;
	assert_int_equal(file_read("/proc/self/exe", SIZE_MAX, &data, &len, NULL), 0);
	assert_non_null(elf_section(data, len, ".text", &found));
	assert_null(elf_section(data, len, ".no_such_section", &found));
	for (size_t cut = 0; cut < 4096 && cut < len; cut += 13) {
		char *part = xmemdup0(data, cut);

		free(elf_interpreter(part, cut));
		elf_section(part, cut, ".text", &found);
		free(part);
	}
	for (size_t at = 16; at < 64; at++) {
		char saved = data[at];

		data[at] = (char)0xff;
		free(elf_interpreter(data, len));
		elf_section(data, len, ".text", &found);
		data[at] = saved;
	}
	free(data);
}

static void libraries_are_read_from_the_loader(void **state)
{
	static const char text[] = "\tlinux-vdso.so.1 (0x00007f3a44c8e000)\n"
				   "\tlibc.so.6 => /lib/x/libc.so.6 (0x00007f3a44a44000)\n"
				   "\tlibgone.so.2 => not found\n"
				   "\t/lib64/ld-linux-x86-64.so.2 (0x00007f3a44c90000)\n"
				   "\tlibc.so.6 => /lib/x/libc.so.6 (0x00007f3a44a44000)\n";
	struct string_list libs = { 0 };
	char *missing = NULL;

	(void)state;
	elf_parse_list(text, strlen(text), &libs, &missing);
	assert_int_equal(libs.n, 2);
	assert_string_equal(libs.s[0], "/lib/x/libc.so.6");
	assert_string_equal(libs.s[1], "/lib64/ld-linux-x86-64.so.2");
	assert_string_equal(missing, "libgone.so.2");
	free(missing);
	words_release(&libs);
}

/* A static program without content: enough of an agent to be packed. */
static char *put_agent(struct folder *f)
{
	Elf64_Ehdr head = { .e_type = ET_EXEC };

	memcpy(head.e_ident, ELFMAG, SELFMAG);
	head.e_ident[EI_CLASS] = ELFCLASS64;
	head.e_ident[EI_DATA] = ELFDATA2LSB;
	return folder_put(f, "agent", &head, sizeof(head), 0755);
}

static void a_guest_gets_programs_interpreters_and_libraries(void **state)
{
	struct folder *f = *state;
	struct initramfs_content content = { .agent = put_agent(f) };
	struct cpio cpio, again;
	struct item item;
	char *script;
	json_t *programs;

	script = folder_put(f, "bench.sh", "#!/bin/sh -e\necho hello\n", 24, 0755);
	programs = json_pack("[{s:s, s:s}]", "name", "bench", "path", script);
	content.programs = programs;
	assert_fine(initramfs_build(&content, &cpio, &f->err), &f->err);
	assert_true(find_item(&cpio, "init", &item));
	assert_int_equal(item.mode, S_IFREG | 0755);
	assert_true(find_item(&cpio, "harness-agent", &item));
	assert_true(find_item(&cpio, "dev/console", &item));
	assert_true(find_item(&cpio, "bin/bench", &item));
	assert_true(find_item(&cpio, "bin/sh", &item));
	assert_true(item.size > 1000);
	assert_true(
		cpio_has(&cpio, "/lib64/ld-linux-x86-64.so.2") || cpio_has(&cpio, "bin/busybox"));
	assert_fine(initramfs_build(&content, &again, &f->err), &f->err);
	assert_int_equal(cpio.out.len, again.out.len);
	assert_memory_equal(cpio.out.data, again.out.data, cpio.out.len);
	cpio_release(&cpio);
	cpio_release(&again);
	json_decref(programs);
	free(script);
	free((char *)content.agent);
}

static void what_cannot_go_into_a_guest_is_said(void **state)
{
	struct folder *f = *state;
	struct initramfs_content content = { .agent = "/bin/sh" };
	struct cpio cpio;

	assert_int_equal(initramfs_build(&content, &cpio, &f->err), -EINVAL);
	assert_contains(error_text(&f->err), "must be static");
	content.agent = put_agent(f);
	content.programs = json_pack("[{s:s, s:s}]", "name", "x", "path", "/no/such/program");
	assert_int_equal(initramfs_build(&content, &cpio, &f->err), -ENOENT);
	assert_contains(error_text(&f->err), "cannot take '/no/such/program' into the guest");
	json_decref((json_t *)content.programs);
	free((char *)content.agent);
}

#define with_folder(test) cmocka_unit_test_setup_teardown(test, folder_make, folder_remove)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cpio_holds_what_was_put_in),
		with_folder(modules_come_in_the_order_of_their_needs),
		with_folder(modules_need_no_depmod),
		with_folder(modules_are_unpacked),
		cmocka_unit_test(damaged_elf_files_do_no_harm),
		cmocka_unit_test(libraries_are_read_from_the_loader),
		with_folder(a_guest_gets_programs_interpreters_and_libraries),
		with_folder(what_cannot_go_into_a_guest_is_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
