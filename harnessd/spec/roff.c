/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "spec/roff.h"

#include <stdbool.h>
#include <string.h>

enum { REPLACEMENT = 0xfffd };

/* The character at text[0], and how many bytes it takes; a broken one is one byte of it. */
static unsigned decode_utf8(const unsigned char *text, size_t len, size_t *size)
{
	static const unsigned least[] = { 0, 0x80, 0x800, 0x10000 };
	size_t more = *text >= 0xf0 ? 3 : *text >= 0xe0 ? 2 : 1;
	unsigned c = *text & (0x3f >> more);

	*size = 1;
	if (*text < 0xc2 || *text > 0xf4 || len <= more)
		return REPLACEMENT;
	for (size_t i = 1; i <= more; i++) {
		if ((text[i] & 0xc0) != 0x80)
			return REPLACEMENT;
		c = c << 6 | (text[i] & 0x3f);
	}
	if (c < least[more] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
		return REPLACEMENT;
	*size = more + 1;
	return c;
}

/* The name of a sign that roff would take for something else or print as another one, or NULL. */
static const char *name_of(char c)
{
	switch (c) {
	case '\\':
		return "\\(rs";
	case '-':
		return "\\-";
	case '\'':
		return "\\(aq";
	case '`':
		return "\\(ga";
	case '^':
		return "\\(ha";
	case '~':
		return "\\(ti";
	case '"':
		return "\\(dq";
	default:
		return NULL;
	}
}

static bool at_line_start(const struct strbuf *out)
{
	return out->len == 0 || out->data[out->len - 1] == '\n';
}

void roff_escape(struct strbuf *out, const char *text, size_t len)
{
	size_t size;

	for (size_t i = 0; i < len; i += size) {
		const char *name = name_of(text[i]);

		size = 1;
		if (name) {
			strbuf_puts(out, name);
		} else if ((unsigned char)text[i] >= 0x80) {
			strbuf_printf(out, "\\[u%04X]",
				decode_utf8((const unsigned char *)text + i, len - i, &size));
		} else {
			if (text[i] == '.' && at_line_start(out))
				strbuf_puts(out, "\\&");
			strbuf_putc(out, text[i], 1);
		}
	}
}

static void add_words(struct strbuf *out, const char *text, size_t len)
{
	bool first = true;

	while (len) {
		size_t blanks = strspn(text, " \n"), word;

		if (blanks >= len)
			break;
		text += blanks;
		len -= blanks;
		word = strcspn(text, " \n");
		word = word < len ? word : len;
		strbuf_putc(out, ' ', first ? 0 : 1);
		roff_escape(out, text, word);
		text += word;
		len -= word;
		first = false;
	}
	strbuf_putc(out, '\n', 1);
}

void roff_words(struct strbuf *out, const char *text)
{
	add_words(out, text, strlen(text));
}

/* struct prose - what the lines so far have begun; @depth: the blanks that kept lines lose */
struct prose {
	struct strbuf *out;
	enum { NOTHING, TEXT, LIST, KEPT } block;
	bool after_gap;
	size_t depth;
};

static void end_block(struct prose *prose)
{
	if (prose->block == KEPT)
		strbuf_puts(prose->out, ".fi\n.RE\n");
	prose->block = NOTHING;
}

static void begin_kept(struct prose *prose, size_t depth)
{
	end_block(prose);
	if (prose->after_gap)
		strbuf_puts(prose->out, ".PP\n");
	strbuf_puts(prose->out, ".RS 4\n.nf\n");
	prose->block = KEPT;
	prose->depth = depth;
}

static void keep_line(struct prose *prose, const char *line, size_t len)
{
	size_t blanks = strspn(line, " ");

	blanks = blanks < prose->depth ? blanks : prose->depth;
	roff_escape(prose->out, line + blanks, len - blanks);
	strbuf_putc(prose->out, '\n', 1);
}

static void text_line(struct prose *prose, const char *line, size_t len)
{
	if (prose->block != TEXT) {
		end_block(prose);
		strbuf_puts(prose->out, ".PP\n");
		prose->block = TEXT;
	}
	add_words(prose->out, line, len);
}

/* Where the text of "  name  text" begins, or 0 when the line is none such. */
static size_t item_text(const char *line, size_t len)
{
	size_t i = strspn(line, " ");

	for (; i + 2 < len; i++) {
		if (strncmp(line + i, "  ", 2) != 0)
			continue;
		i += strspn(line + i, " ");
		return i < len ? i : 0;
	}
	return 0;
}

static void list_item(struct prose *prose, const char *line, size_t len, size_t text)
{
	size_t name = strspn(line, " "), end = text;

	while (line[end - 1] == ' ')
		end--;
	end_block(prose);
	strbuf_puts(prose->out, ".TP\n.B ");
	roff_escape(prose->out, line + name, end - name);
	strbuf_putc(prose->out, '\n', 1);
	add_words(prose->out, line + text, len - text);
	prose->block = LIST;
	prose->depth = name;
}

static void indented_line(struct prose *prose, const char *line, size_t len)
{
	size_t blanks = strspn(line, " "), text = item_text(line, len);

	if (prose->block == KEPT) {
		keep_line(prose, line, len);
	} else if (prose->block == LIST && blanks > prose->depth) {
		add_words(prose->out, line, len);
	} else if (text) {
		list_item(prose, line, len, text);
	} else {
		begin_kept(prose, blanks);
		keep_line(prose, line, len);
	}
}

void roff_prose(struct strbuf *out, const char *text)
{
	static const char usage[] = "Usage: ";
	struct prose prose = { .out = out };

	while (*text) {
		size_t len = strcspn(text, "\n"), skip = sizeof(usage) - 1;

		if (len == strspn(text, " ")) {
			end_block(&prose);
			prose.after_gap = out->len > 0;
		} else if (strncmp(text, usage, skip) == 0) {
			begin_kept(&prose, skip);
			keep_line(&prose, text + skip, len - skip);
		} else if (*text == ' ') {
			indented_line(&prose, text, len);
		} else {
			text_line(&prose, text, len);
		}
		if (len != strspn(text, " "))
			prose.after_gap = false;
		text += len + (text[len] == '\n');
	}
	end_block(&prose);
}
