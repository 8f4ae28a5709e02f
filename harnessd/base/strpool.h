/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Each distinct string once. */
#ifndef BASE_STRPOOL_H
#define BASE_STRPOOL_H

#include <stddef.h>

struct strpool;

/** strpool_new() - an empty pool. */
struct strpool *strpool_new(void);
/** strpool_add() - the pool's copy of a string; equal strings give the same pointer. */
const char *strpool_add(struct strpool *pool, const char *s);
/** strpool_free() - free the pool and every string in it; NULL is fine. */
void strpool_free(struct strpool *pool);

#endif
