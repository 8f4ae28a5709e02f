/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "keeper_pack.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

/* Then follow: groups, CPUs, the mask, and the strings, each with its NUL. */
struct header {
	size_t n_argv, n_env, n_groups, n_cpus, mask_size;
	bool pinned, has_user, has_path;
	uid_t uid;
	gid_t gid;
};

static size_t count(char *const *strings)
{
	size_t n = 0;

	while (strings[n])
		n++;
	return n;
}

static void put_string(struct strbuf *out, const char *text)
{
	strbuf_add(out, text, strlen(text) + 1);
}

static void put_strings(struct strbuf *out, char *const *strings)
{
	for (; *strings; strings++)
		put_string(out, *strings);
}

/* Without the zeros at its end: the kernel takes a short mask, and ours has room for 65536 CPUs. */
static size_t mask_size(const struct affinity *affinity)
{
	const unsigned long *word = (const unsigned long *)affinity->set;
	size_t n = affinity->size / sizeof(*word);

	while (n > 1 && !word[n - 1])
		n--;
	return n * sizeof(*word);
}

void keeper_pack(const struct spawn *spawn, const struct contain *contain, struct strbuf *out)
{
	const struct user *user = spawn->user;
	struct header h = { .n_argv = count(spawn->argv),
		.n_env = count(spawn->env),
		.n_groups = user ? user->n_groups : 0,
		.n_cpus = spawn->cpus ? spawn->cpus->n : 0,
		.mask_size = mask_size(spawn->affinity),
		.pinned = spawn->cpus,
		.has_user = user,
		.has_path = contain->path,
		.uid = user ? user->uid : 0,
		.gid = user ? user->gid : 0 };

	strbuf_add(out, &h, sizeof(h));
	if (user)
		strbuf_add(out, user->groups, h.n_groups * sizeof(*user->groups));
	if (h.n_cpus)
		strbuf_add(out, spawn->cpus->cpu, h.n_cpus * sizeof(*spawn->cpus->cpu));
	strbuf_add(out, spawn->affinity->set, h.mask_size);
	put_strings(out, spawn->argv);
	put_strings(out, spawn->env);
	put_string(out, spawn->folder);
	put_string(out, contain->ops->name);
	put_string(out, contain->path ? contain->path : "");
}

static void take(const char **at, void *data, size_t len)
{
	memcpy(data, *at, len);
	*at += len;
}

static const char *take_string(const char **at)
{
	const char *text = *at;

	*at += strlen(text) + 1;
	return text;
}

static char **take_strings(const char **at, size_t n)
{
	char **strings = xcalloc(n + 1, sizeof(*strings));

	for (size_t i = 0; i < n; i++)
		strings[i] = (char *)take_string(at);
	return strings;
}

static void take_numbers(const char **at, const struct header *h, struct keeper_load *load)
{
	load->user = (struct user){ .uid = h->uid, .gid = h->gid, .n_groups = h->n_groups };
	take(at, load->user.groups, h->n_groups * sizeof(*load->user.groups));
	for (size_t i = 0; i < h->n_cpus; i++) {
		int cpu;

		take(at, &cpu, sizeof(cpu));
		cpulist_add(&load->cpus, cpu);
	}
	load->affinity = (struct affinity){ .set = xmalloc(h->mask_size), .size = h->mask_size };
	take(at, load->affinity.set, h->mask_size);
}

void keeper_unpack(char *bytes, const struct sysroot *machine, struct keeper_load *load)
{
	const char *at = bytes, *folder, *way, *path;
	struct header h;

	*load = (struct keeper_load){ .bytes = bytes };
	take(&at, &h, sizeof(h));
	take_numbers(&at, &h, load);
	load->argv = take_strings(&at, h.n_argv);
	load->env = take_strings(&at, h.n_env);
	folder = take_string(&at);
	way = take_string(&at);
	path = take_string(&at);
	contain_adopt(&load->contain, machine, way, h.has_path ? path : NULL);
	load->spawn = (struct spawn){ .argv = load->argv,
		.env = load->env,
		.folder = folder,
		.cpus = h.pinned ? &load->cpus : NULL,
		.affinity = &load->affinity,
		.user = h.has_user ? &load->user : NULL,
		.out = -1,
		.err = -1,
		.group = -1,
		.go = -1,
		.report = -1 };
}

void keeper_load_release(struct keeper_load *load)
{
	contain_release(&load->contain);
	free(load->argv);
	free(load->env);
	cpulist_release(&load->cpus);
	free(load->affinity.set);
	free(load->bytes);
	*load = (struct keeper_load){ .contain = { .dirfd = -1 } };
}
