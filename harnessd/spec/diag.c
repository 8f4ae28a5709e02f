/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "spec/diag.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/strbuf.h"

void diags_add(struct diags *diags, const char *file, int line, int column, const char *fmt, ...)
{
	va_list ap;

	array_reserve(diags->d, diags->n, diags->cap);
	va_start(ap, fmt);
	diags->d[diags->n++] = (struct diag){
		.file = xstrdup(file ? file : ""),
		.line = line,
		.column = column,
		.text = xvasprintf(fmt, ap),
	};
	va_end(ap);
}

/* A finding with what decides its place: files count in the order they were first met. */
struct placed {
	struct diag d;
	size_t file, index;
};

static int compare_long(long a, long b)
{
	return (a > b) - (a < b);
}

static int compare_placed(const void *left, const void *right)
{
	const struct placed *a = left, *b = right;
	int order = compare_long((long)a->file, (long)b->file);

	if (!order)
		order = compare_long(a->d.line, b->d.line);
	if (!order)
		order = compare_long(a->d.column, b->d.column);
	return order ? order : compare_long((long)a->index, (long)b->index);
}

/* A run of findings in one file is common, so the last file is looked at first. */
static size_t file_rank(const struct placed *all, size_t n, const char *file)
{
	for (size_t i = n; i-- > 0;)
		if (!strcmp(all[i].d.file, file))
			return all[i].file;
	return n;
}

void diags_sort(struct diags *diags)
{
	struct placed *all = xcalloc(diags->n, sizeof(*all));

	for (size_t i = 0; i < diags->n; i++) {
		all[i].d = diags->d[i];
		all[i].index = i;
		all[i].file = file_rank(all, i, diags->d[i].file);
	}
	qsort(all, diags->n, sizeof(*all), compare_placed);
	for (size_t i = 0; i < diags->n; i++)
		diags->d[i] = all[i].d;
	free(all);
}

char *diags_text(const struct diags *diags)
{
	struct strbuf sb = STRBUF_INIT;

	for (size_t i = 0; i < diags->n; i++) {
		const struct diag *d = &diags->d[i];

		if (*d->file)
			strbuf_puts(&sb, d->file);
		if (d->line)
			strbuf_printf(&sb, ":%d", d->line);
		if (d->line && d->column)
			strbuf_printf(&sb, ":%d", d->column);
		strbuf_printf(&sb, "%s%s\n", *d->file ? ": " : "", d->text);
	}
	return strbuf_steal(&sb);
}

/* A file name need not be UTF-8; a finding is not lost for that. */
static json_t *text_json(const char *text)
{
	json_t *json = json_string(text);

	return json ? json : json_string("(not UTF-8)");
}

json_t *diags_json(const struct diags *diags)
{
	json_t *array = json_array();

	for (size_t i = 0; i < diags->n; i++) {
		const struct diag *d = &diags->d[i];

		json_array_append_new(
			array, json_pack("{s:o, s:i, s:i, s:o}", "file", text_json(d->file), "line",
				       d->line, "column", d->column, "text", text_json(d->text)));
	}
	return array;
}

void diags_release(struct diags *diags)
{
	for (size_t i = 0; i < diags->n; i++) {
		free(diags->d[i].file);
		free(diags->d[i].text);
	}
	free(diags->d);
	*diags = DIAGS_INIT;
}
