/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/alloc.h"

#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *checked(void *ptr)
{
	if (!ptr) {
		fputs("harness: out of memory\n", stderr);
		abort();
	}
	return ptr;
}

void alloc_keep(void)
{
	mallopt(M_MMAP_THRESHOLD, 32 << 20); /* glibc takes no more */
	mallopt(M_TRIM_THRESHOLD, 256 << 20);
}

void *xmalloc(size_t size)
{
	return checked(malloc(size ? size : 1));
}

void *xcalloc(size_t n, size_t size)
{
	return checked(calloc(n ? n : 1, size ? size : 1));
}

void *xrealloc_array(void *ptr, size_t n, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(n, size, &bytes))
		checked(NULL);
	return checked(realloc(ptr, bytes ? bytes : 1));
}

char *xstrdup(const char *s)
{
	return s ? checked(strdup(s)) : NULL;
}

char *xmemdup0(const void *data, size_t len)
{
	char *copy = xmalloc(len + 1);

	if (len)
		memcpy(copy, data, len);
	copy[len] = '\0';
	return copy;
}

char *xvasprintf(const char *fmt, va_list ap)
{
	char *s = NULL;

	if (vasprintf(&s, fmt, ap) < 0)
		checked(NULL);
	return s;
}

char *xasprintf(const char *fmt, ...)
{
	va_list ap;
	char *s;

	va_start(ap, fmt);
	s = xvasprintf(fmt, ap);
	va_end(ap);
	return s;
}
