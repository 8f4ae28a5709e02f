/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect.h"

#include <errno.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/json.h"
#include "reply.h"
#include "snapshot.h"

static int prepare_probe(struct collect *c, const struct sysroot *root, const json_t *item,
	const struct cpulist *cpus)
{
	const char *name = json_str(item, "probe", NULL);
	struct probe_trial trial = { .root = root,
		.options = json_object_get(item, "options"),
		.cpus = cpus->cpu,
		.n_cpus = cpus->n };

	c->probe = name ? probe_find(name) : NULL;
	if (!name)
		return error_set(&c->err, -EINVAL, "'%s' needs \"paths\" or \"probe\"", c->name);
	if (!c->probe)
		return error_set(&c->err, -ENOENT, "this agent has no probe '%s'", name);
	return c->probe->prepare(&trial, &c->state, &c->err);
}

void collects_prepare(struct collects *all, const struct sysroot *root, const json_t *items,
	const struct cpulist *cpus)
{
	size_t n = json_array_size(items);

	*all = (struct collects){ .c = xcalloc(n + 1, sizeof(*all->c)), .root = root };
	for (size_t i = 0; i < n; i++) {
		const json_t *item = json_array_get(items, i);
		struct collect *c = &all->c[all->n];

		c->name = json_str(item, "name", NULL);
		if (!c->name)
			continue;
		all->n++;
		c->paths = json_object_get(item, "paths");
		if (!c->paths)
			c->code = prepare_probe(c, root, item, cpus);
	}
}

void collects_attach(struct collects *all, pid_t child)
{
	for (size_t i = 0; i < all->n; i++) {
		struct collect *c = &all->c[i];

		if (c->code == 0 && c->probe && c->probe->attach)
			c->code = c->probe->attach(c->state, child, &c->err);
	}
}

void collects_before(struct collects *all)
{
	for (size_t i = 0; i < all->n; i++) {
		struct collect *c = &all->c[i];

		if (c->code == 0 && c->paths)
			c->code = snapshot_take(all->root, c->paths, &c->before, &c->err);
	}
}

void collects_start(struct collects *all)
{
	for (size_t i = 0; i < all->n; i++) {
		struct collect *c = &all->c[i];

		if (c->code == 0 && c->probe && c->probe->start)
			c->code = c->probe->start(c->state, &c->err);
	}
}

void collects_stop(struct collects *all)
{
	for (size_t i = all->n; i-- > 0;) {
		struct collect *c = &all->c[i];

		if (c->code == 0 && c->probe && c->probe->stop)
			c->code = c->probe->stop(c->state, &c->err);
	}
}

static int gather(struct collect *c)
{
	char *text;
	size_t len;
	int r = c->probe->collect(c->state, &text, &len, &c->err);

	if (r < 0)
		return r;
	strbuf_add(&c->after, text, len);
	free(text);
	return 0;
}

/* Files first: what they say goes on changing while the probes' texts are made. */
void collects_after(struct collects *all)
{
	for (size_t i = 0; i < all->n; i++) {
		struct collect *c = &all->c[i];

		if (c->code == 0 && c->paths)
			c->code = snapshot_take(all->root, c->paths, &c->after, &c->err);
	}
	for (size_t i = 0; i < all->n; i++) {
		struct collect *c = &all->c[i];

		if (c->code == 0 && c->probe)
			c->code = gather(c);
	}
}

static json_t *blob(const struct strbuf *sb)
{
	return json_blob(strbuf_text(sb), sb->len);
}

json_t *collects_json(const struct collects *all)
{
	json_t *object = json_object();

	for (size_t i = 0; i < all->n; i++) {
		const struct collect *c = &all->c[i];
		json_t *one;

		if (c->code < 0)
			one = json_pack("{s:o}", "error", reply_error(c->code, &c->err));
		else if (c->probe)
			one = json_pack("{s:n, s:o}", "before", "after", blob(&c->after));
		else
			one = json_pack(
				"{s:o, s:o}", "before", blob(&c->before), "after", blob(&c->after));
		json_object_set_new(object, c->name, one);
	}
	return object;
}

void collects_release(struct collects *all)
{
	for (size_t i = 0; i < all->n; i++) {
		struct collect *c = &all->c[i];

		if (c->probe)
			c->probe->release(c->state);
		strbuf_release(&c->before);
		strbuf_release(&c->after);
		error_release(&c->err);
	}
	free(all->c);
	*all = (struct collects){ 0 };
}
