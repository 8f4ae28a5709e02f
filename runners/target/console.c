/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "runners/target/console.h"

#include <ctype.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/strbuf.h"

enum {
	MAX_LINE = 200,
	MAX_LOG = 4 << 20,
};

/* "[    5.933006] Kernel panic - not syncing: sysrq triggered crash" */
char *console_panic_line(const char *text, size_t len)
{
	static const char mark[] = "Kernel panic - not syncing";
	const char *found = memmem(text, len, mark, sizeof(mark) - 1), *end = text + len;
	const char *stop = found;

	if (!found)
		return NULL;
	while (stop < end && *stop != '\n' && *stop != '\r' && *stop != '\0')
		stop++;
	return xmemdup0(found, (size_t)(stop - found));
}

/* Length of an ANSI escape sequence: "\033[1;31m", or two bytes for the others. */
static size_t escape_len(const char *s, size_t len)
{
	size_t n = 2;

	if (len < 2 || s[1] != '[')
		return len < 2 ? len : 2;
	while (n < len && !isalpha((unsigned char)s[n]))
		n++;
	return n < len ? n + 1 : len;
}

static void add_clean(struct strbuf *out, const char *line, size_t len)
{
	size_t start = out->len;

	for (size_t i = 0; i < len && out->len - start < MAX_LINE;) {
		if (line[i] == '\033') {
			i += escape_len(line + i, len - i);
			continue;
		}
		if (line[i] == '\t' || !iscntrl((unsigned char)line[i]))
			strbuf_add(out, &line[i], 1);
		i++;
	}
	if (out->len > start)
		strbuf_putc(out, '\n', 1);
}

static size_t line_begin(const char *text, size_t end)
{
	while (end > 0 && text[end - 1] != '\n')
		end--;
	return end;
}

static bool blank(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!isspace((unsigned char)text[i]))
			return false;
	return true;
}

char *console_tail(const char *text, size_t len, size_t lines)
{
	struct strbuf out = STRBUF_INIT;
	size_t first = len, end = len;

	while (end > 0 && lines > 0) {
		first = line_begin(text, end);
		if (!blank(text + first, end - first))
			lines--;
		end = first ? first - 1 : 0;
	}
	while (first < len) {
		const char *newline = memchr(text + first, '\n', len - first);
		size_t stop = newline ? (size_t)(newline - text) : len;

		add_clean(&out, text + first, stop - first);
		first = stop + 1;
	}
	return strbuf_steal(&out);
}

char *console_read(const char *path, size_t *len)
{
	struct strbuf sb = STRBUF_INIT;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;

	if (fd >= 0) {
		if (fstat(fd, &st) == 0 && st.st_size > MAX_LOG)
			lseek(fd, -(off_t)MAX_LOG, SEEK_END);
		/* A guest that still prints must not keep us reading: the limit ends it. */
		file_read_fd(fd, &sb, MAX_LOG);
		close(fd);
	}
	*len = sb.len;
	return strbuf_steal(&sb);
}
