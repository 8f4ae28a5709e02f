/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/strpool.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

struct strpool {
	char **slot;
	size_t n, size; /* size is a power of two */
};

static uint64_t hash_of(const char *s)
{
	uint64_t h = 0xcbf29ce484222325ULL; /* FNV-1a */

	for (; *s; s++)
		h = (h ^ (unsigned char)*s) * 0x100000001b3ULL;
	return h;
}

struct strpool *strpool_new(void)
{
	struct strpool *pool = xcalloc(1, sizeof(*pool));

	pool->size = 64;
	pool->slot = xcalloc(pool->size, sizeof(*pool->slot));
	return pool;
}

static char **find(struct strpool *pool, const char *s)
{
	size_t i = hash_of(s) & (pool->size - 1);

	while (pool->slot[i] && strcmp(pool->slot[i], s) != 0)
		i = (i + 1) & (pool->size - 1);
	return &pool->slot[i];
}

static void grow(struct strpool *pool)
{
	char **old = pool->slot;
	size_t size = pool->size;

	pool->size = size * 2;
	pool->slot = xcalloc(pool->size, sizeof(*pool->slot));
	for (size_t i = 0; i < size; i++)
		if (old[i])
			*find(pool, old[i]) = old[i];
	free(old);
}

const char *strpool_add(struct strpool *pool, const char *s)
{
	char **slot = find(pool, s);

	if (*slot)
		return *slot;
	if (pool->n * 2 >= pool->size) {
		grow(pool);
		slot = find(pool, s);
	}
	pool->n++;
	return *slot = xstrdup(s);
}

void strpool_free(struct strpool *pool)
{
	if (!pool)
		return;
	for (size_t i = 0; i < pool->size; i++)
		free(pool->slot[i]);
	free(pool->slot);
	free(pool);
}
