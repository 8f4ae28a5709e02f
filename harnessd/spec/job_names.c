/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "spec/job_names.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/nearest.h"
#include "base/strbuf.h"

/* A list of arms can be long; beyond this many the rest is counted. */
enum { SHOWN_MAX = 40 };

void names_add(struct names *names, const char *name, size_t len)
{
	char *copy = xmemdup0(name, len);

	string_list_add(&names->list, copy);
	free(copy);
}

void names_add_entries(struct names *names, const struct registry_entry *entries, size_t n)
{
	for (size_t i = 0; i < n; i++)
		string_list_add(&names->list, entries[i].name);
}

static char *allowed(const struct names *names)
{
	struct strbuf sb = STRBUF_INIT;
	size_t n = names->list.n;

	strbuf_puts(&sb, n ? "; allowed: " : "");
	for (size_t i = 0; i < n && i < SHOWN_MAX; i++) {
		const char *quote = strpbrk(names->list.s[i], ", ") ? "'" : "";

		strbuf_printf(&sb, "%s%s%s%s", i ? ", " : "", quote, names->list.s[i], quote);
	}
	if (n > SHOWN_MAX)
		strbuf_printf(&sb, ", … (%zu in all)", n);
	return strbuf_steal(&sb);
}

void names_unknown(const struct names *names, const struct yaml_node *node, struct diags *diags,
	const char *what, const char *where)
{
	char *got = yaml_excerpt(node), *list = allowed(names), *suffix;
	bool scalar = node->kind == YAML_SCALAR && !yaml_is_null(node);

	suffix = nearest_suffix(
		scalar ? node->text : "", (const char *const *)names->list.s, names->list.n);
	yaml_error(node, diags, "%s%s%s%s%s%s", what, scalar ? " " : "; got ", got, where, list,
		suffix);
	free(got);
	free(list);
	free(suffix);
}

void names_missing(const struct names *names, const struct yaml_node *node, struct diags *diags,
	const char *what)
{
	char *list = allowed(names);

	yaml_error(node, diags, "%s%s", what, list);
	free(list);
}

void names_release(struct names *names)
{
	string_list_release(&names->list);
}
