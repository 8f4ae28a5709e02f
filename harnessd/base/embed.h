/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Text files inside the program. */
#ifndef BASE_EMBED_H
#define BASE_EMBED_H

/**
 * EMBED() - make a file's bytes a NUL-terminated constant
 * @symbol: declares "extern const char symbol[];"
 * @file: path from the top of the source tree
 *
 * The Makefile passes the object's dependency on @file by hand (see EMBEDDED there).
 */
#define EMBED(symbol, file)                           \
	__asm__(".section .rodata\n"                  \
		".global " #symbol "\n" #symbol ":\n" \
		".incbin \"" file "\"\n.byte 0\n"     \
		".previous\n");                       \
	extern const char symbol[]

#endif
