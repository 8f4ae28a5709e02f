/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A map from texts to numbers, so that a name seen before costs no query. */
#ifndef DB_IDMAP_H
#define DB_IDMAP_H

#include <stddef.h>
#include <stdint.h>

/** struct idmap - open addressing; slot: key NULL when free. All zero is an empty map. */
struct idmap {
	struct idmap_slot {
		char *key;
		int64_t id;
	} * slot;
	size_t n, cap;
};

/** idmap_get() - the number of a text, or 0. */
int64_t idmap_get(const struct idmap *map, const char *key);
/** idmap_put() - add a text (copied) that is not in the map; @id is not 0. */
void idmap_put(struct idmap *map, const char *key, int64_t id);
/** idmap_release() - empty it and free its memory; it can be used again. */
void idmap_release(struct idmap *map);

#endif
