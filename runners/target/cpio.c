/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "runners/target/cpio.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"

/* One entry: "070701", 13 numbers of 8 hexadecimal digits, the name with its NUL, padding to 4 bytes,
 * the data, padding to 4 bytes (Documentation/driver-api/early-userspace/buffer-format.rst). */
struct entry {
	const char *path;
	unsigned int mode;
	unsigned int major_number, minor_number;
	const void *data;
	size_t len;
};

void cpio_init(struct cpio *cpio)
{
	*cpio = (struct cpio){ .seen = json_object() };
}

static const char *relative(const char *path)
{
	while (*path == '/')
		path++;
	return path;
}

bool cpio_has(const struct cpio *cpio, const char *path)
{
	return json_object_get(cpio->seen, relative(path)) != NULL;
}

static void pad(struct cpio *cpio)
{
	strbuf_putc(&cpio->out, '\0', -cpio->out.len & 3);
}

static void put(struct cpio *cpio, const struct entry *e)
{
	unsigned int links = S_ISDIR(e->mode) ? 2 : 1;
	size_t name_len = strlen(e->path) + 1;

	strbuf_printf(&cpio->out, "070701%08x%08x%08x%08x%08x%08x%08zx%08x%08x%08x%08x%08zx%08x",
		++cpio->ino, e->mode, 0, 0, links, 0, e->len, 0, 0, e->major_number,
		e->minor_number, name_len, 0);
	strbuf_add(&cpio->out, e->path, name_len);
	pad(cpio);
	if (e->len)
		strbuf_add(&cpio->out, e->data, e->len);
	pad(cpio);
}

static void add(struct cpio *cpio, struct entry e)
{
	const char *slash;

	e.path = relative(e.path);
	if (*e.path == '\0' || cpio_has(cpio, e.path))
		return;
	slash = strrchr(e.path, '/');
	if (slash) {
		char *parent = xmemdup0(e.path, (size_t)(slash - e.path));

		cpio_dir(cpio, parent, 0755);
		free(parent);
	}
	json_object_set_new_nocheck(cpio->seen, e.path, json_true());
	put(cpio, &e);
}

void cpio_dir(struct cpio *cpio, const char *path, unsigned int mode)
{
	add(cpio, (struct entry){ .path = path, .mode = S_IFDIR | mode });
}

void cpio_file(struct cpio *cpio, const char *path, unsigned int mode, const void *data, size_t len)
{
	add(cpio, (struct entry){ .path = path, .mode = S_IFREG | mode, .data = data, .len = len });
}

void cpio_link(struct cpio *cpio, const char *path, const char *to)
{
	add(cpio, (struct entry){
			  .path = path, .mode = S_IFLNK | 0777, .data = to, .len = strlen(to) });
}

void cpio_char_device(struct cpio *cpio, const char *path, unsigned int mode,
	unsigned int major_number, unsigned int minor_number)
{
	add(cpio, (struct entry){ .path = path,
			  .mode = S_IFCHR | mode,
			  .major_number = major_number,
			  .minor_number = minor_number });
}

void cpio_end(struct cpio *cpio)
{
	put(cpio, &(struct entry){ .path = "TRAILER!!!" });
}

void cpio_release(struct cpio *cpio)
{
	strbuf_release(&cpio->out);
	json_decref(cpio->seen);
	cpio->seen = NULL;
}
