/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counters of memory management, one "name number" a line. The names change with every kernel
 * version, so they are handed on as they are. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "collectors/collector.h"
#include "collectors/scan.h"

/* nr_free_pages 227791
 * pgfault 35996 */

struct item {
	struct span name;
	uint64_t count;
};

struct items {
	struct item *item;
	size_t n, cap;
};

static int parse_items(const struct collector_text *t, struct items *items, struct error *err)
{
	struct span text = span_of(t->text, t->len), line;
	size_t number = 0;

	*items = (struct items){ 0 };
	while (span_line(&text, &line)) {
		struct span value;
		struct item it;

		number++;
		if (!span_word(&line, &it.name))
			continue;
		if (!span_word(&line, &value) || !span_u64(value, &it.count) || !span_blank(line))
			return error_set(err, -EINVAL, "line %zu is not 'name number'", number);
		array_reserve(items->item, items->n, items->cap);
		items->item[items->n++] = it;
	}
	if (!items->n)
		return error_set(err, -EINVAL, "the text is empty");
	return 0;
}

/* Both snapshots come from one kernel, so the names stand at the same places. */
static const struct item *find_item(const struct items *items, struct span name, size_t at)
{
	if (at < items->n && span_same(items->item[at].name, name))
		return &items->item[at];
	for (size_t i = 0; i < items->n; i++)
		if (span_same(items->item[i].name, name))
			return &items->item[i];
	return NULL;
}

static void emit(const struct item *it, double value, struct values *out)
{
	char *name = span_text(it->name);

	values_add(out, name, "count", value);
	free(name);
}

/* Levels (nr_free_pages) may fall: a difference can be negative. */
static int emit_differences(const struct collector_text *before, const struct items *new, bool all,
	struct values *out, struct error *err)
{
	struct items old;
	int r = parse_items(before, &old, err);

	for (size_t i = 0; !r && i < new->n; i++) {
		const struct item *was = find_item(&old, new->item[i].name, i);
		double d = was ? (double)new->item[i].count - (double)was->count : 0;

		if (was && (d != 0 || all))
			emit(&new->item[i], d, out);
	}
	free(old.item);
	return r;
}

static int parse(const struct collector_text *before, const struct collector_text *after, bool all,
	struct values *out, struct error *err)
{
	struct items new;
	int r = parse_items(collector_text_last(before, after), &new, err);

	if (!r && before && after)
		r = emit_differences(before, &new, all, out, err);
	else
		for (size_t i = 0; !r && i < new.n; i++)
			emit(&new.item[i], (double)new.item[i].count, out);
	free(new.item);
	return r;
}

static const char *const aliases[] = { "proc_vmstat", NULL };
static const char *const paths[] = { "proc/vmstat", NULL };

const struct collector_ops vmstat_collector = {
	.name = "vmstat",
	.aliases = aliases,
	.help = "memory management: faults, reclaim, compaction, NUMA balancing and levels",
	.paths = paths,
	.parse = parse,
};
