/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "db/idmap.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

/* FNV-1a, 64 bits (Fowler, Noll and Vo). */
static uint64_t hash(const char *s)
{
	uint64_t h = 0xcbf29ce484222325u;

	for (; *s; s++)
		h = (h ^ (unsigned char)*s) * 0x100000001b3u;
	return h;
}

/* The slot of a key, or the free one where it belongs; cap is a power of two and never full. */
static struct idmap_slot *find(const struct idmap *map, const char *key)
{
	size_t at = hash(key) & (map->cap - 1);

	while (map->slot[at].key && strcmp(map->slot[at].key, key) != 0)
		at = (at + 1) & (map->cap - 1);
	return &map->slot[at];
}

static void grow(struct idmap *map)
{
	struct idmap old = *map;

	map->cap = old.cap ? old.cap * 2 : 64;
	map->slot = xcalloc(map->cap, sizeof(*map->slot));
	for (size_t i = 0; i < old.cap; i++)
		if (old.slot[i].key)
			*find(map, old.slot[i].key) = old.slot[i];
	free(old.slot);
}

int64_t idmap_get(const struct idmap *map, const char *key)
{
	return map->cap ? find(map, key)->id : 0;
}

void idmap_put(struct idmap *map, const char *key, int64_t id)
{
	if (map->n + 1 > map->cap / 2)
		grow(map);
	*find(map, key) = (struct idmap_slot){ .key = xstrdup(key), .id = id };
	map->n++;
}

void idmap_release(struct idmap *map)
{
	for (size_t i = 0; i < map->cap; i++)
		free(map->slot[i].key);
	free(map->slot);
	*map = (struct idmap){ 0 };
}
