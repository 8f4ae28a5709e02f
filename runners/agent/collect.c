/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect.h"

#include <errno.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/json.h"
#include "reply.h"
#include "snapshot.h"

static struct probe_trial probe_trial(const struct collects *all, const struct collect *c)
{
	return (struct probe_trial){ .root = all->root,
		.options = c->options,
		.cpus = all->cpus.cpu,
		.n_cpus = all->cpus.n };
}

static void kept_release(struct kept_probe *kept)
{
	kept->probe->release(kept->state);
	json_decref(kept->options);
	cpulist_release(&kept->cpus);
}

void collects_forget(struct collects_kept *kept)
{
	for (size_t i = 0; i < kept->n; i++)
		kept_release(&kept->probe[i]);
	free(kept->probe);
	*kept = (struct collects_kept){ 0 };
}

/* The state of an equal probe of the trial before, when that still holds. */
static bool take_kept(struct collects *all, struct collect *c)
{
	const struct probe_trial trial = probe_trial(all, c);

	for (size_t i = 0; i < all->kept->n; i++) {
		struct kept_probe *kept = &all->kept->probe[i];
		bool same = kept->probe == c->probe && cpulist_equal(&kept->cpus, &all->cpus) &&
			    (kept->options == c->options || json_equal(kept->options, c->options));

		if (!same || !c->probe->again(kept->state, &trial))
			continue;
		c->state = kept->state;
		json_decref(kept->options);
		cpulist_release(&kept->cpus);
		*kept = all->kept->probe[--all->kept->n];
		return true;
	}
	return false;
}

static void keep(struct collects *all, struct collect *c)
{
	array_reserve(all->kept->probe, all->kept->n, all->kept->cap);
	all->kept->probe[all->kept->n++] = (struct kept_probe){ .probe = c->probe,
		.options = json_deep_copy(c->options),
		.cpus = cpulist_copy(&all->cpus),
		.state = c->state };
}

static int prepare_probe(struct collects *all, struct collect *c, const char *name)
{
	const struct probe_trial trial = probe_trial(all, c);

	if (!name)
		return error_set(&c->err, -EINVAL, "'%s' needs \"paths\" or \"probe\"", c->name);
	c->probe = probe_find(name);
	if (!c->probe)
		return error_set(&c->err, -ENOENT, "this agent has no probe '%s'", name);
	if (c->probe->again && take_kept(all, c))
		return 0;
	return c->probe->prepare(&trial, &c->state, &c->err);
}

void collects_prepare(struct collects *all, const struct sysroot *root, const json_t *items,
	const struct cpulist *cpus, struct collects_kept *kept)
{
	size_t n = json_array_size(items);

	*all = (struct collects){ .c = xcalloc(n + 1, sizeof(*all->c)),
		.root = root,
		.cpus = cpulist_copy(cpus),
		.kept = kept };
	for (size_t i = 0; i < n; i++) {
		const json_t *item = json_array_get(items, i);
		struct collect *c = &all->c[all->n];

		c->name = json_str(item, "name", NULL);
		if (!c->name)
			continue;
		all->n++;
		c->paths = json_object_get(item, "paths");
		c->options = json_object_get(item, "options");
		if (!c->paths)
			c->code = prepare_probe(all, c, json_str(item, "probe", NULL));
	}
	collects_forget(kept); /* what this trial has no use for */
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
	all->whole = true;
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

		if (all->whole && c->probe && c->probe->again && c->code == 0)
			keep(all, c);
		else if (c->probe)
			c->probe->release(c->state);
		strbuf_release(&c->before);
		strbuf_release(&c->after);
		error_release(&c->err);
	}
	free(all->c);
	cpulist_release(&all->cpus);
	*all = (struct collects){ 0 };
}
