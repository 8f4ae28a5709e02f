/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Memory that cannot fail: the state on disk survives a crash by design, so running out of memory
 * aborts with one line instead of carrying untested branches everywhere. */
#ifndef BASE_ALLOC_H
#define BASE_ALLOC_H

#include <stdarg.h>
#include <stddef.h>

/**
 * alloc_keep() - keep freed memory for the next use instead of handing it back to the kernel
 *
 * For a program that does the same again and again: each page that is fetched anew costs a fault, up
 * to 20 us in a guest, and the texts of a large machine take thousands of pages a trial.
 */
void alloc_keep(void);
/** xmalloc() - malloc() that aborts when memory is out; the caller owns the result. */
void *xmalloc(size_t size);
/** xcalloc() - calloc() that aborts when memory is out or n * size overflows. */
void *xcalloc(size_t n, size_t size);
/** xrealloc_array() - resize to n elements of size bytes; aborts when out or on overflow. */
void *xrealloc_array(void *ptr, size_t n, size_t size);
/** xstrdup() - copy of a string; NULL gives NULL. */
char *xstrdup(const char *s);
/** xmemdup0() - copy of len bytes with a terminating NUL behind them. */
char *xmemdup0(const void *data, size_t len);
/** xasprintf() - formatted string owned by the caller. */
char *xasprintf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/** xvasprintf() - xasprintf() on a va_list. */
char *xvasprintf(const char *fmt, va_list ap) __attribute__((format(printf, 1, 0)));

/** array_reserve() - make room for one more element in a growing array of *cap elements. */
#define array_reserve(ptr, n, cap)                                            \
	do {                                                                  \
		if ((n) >= (cap)) {                                           \
			(cap) = (cap) ? (cap)*2 : 8;                          \
			(ptr) = xrealloc_array((ptr), (cap), sizeof(*(ptr))); \
		}                                                             \
	} while (0)

#define array_size(a) (sizeof(a) / sizeof((a)[0]))

#endif
