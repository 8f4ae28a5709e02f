/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Saved states of guests that have just booted, kept from run to run: a guest boots once, and then
 * goes on from there in a tenth of a second. */
#ifndef RUNNERS_TARGET_SAVED_STATE_H
#define RUNNERS_TARGET_SAVED_STATE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/** struct digest - 128-bit FNV-1a: tells inputs apart, and is no protection against forgery */
struct digest {
	unsigned __int128 sum;
};

/** digest_init() - nothing yet. */
void digest_init(struct digest *d);
/** digest_add() - bytes; their length counts, too, so that "ab","c" differs from "a","bc". */
void digest_add(struct digest *d, const void *data, size_t len);
/** digest_add_text() - a string, or NULL. */
void digest_add_text(struct digest *d, const char *text);
/** digest_add_file() - a file's content. */
int digest_add_file(struct digest *d, const char *path, struct error *err);
/** digest_hex() - 32 digits; owned by the caller. */
char *digest_hex(const struct digest *d);

/**
 * saved_state_open() - the state saved under a key
 * @key: digest of everything that the guest was made of
 * @hello: what its agent said when it was ready; owned by the caller
 * Return: a descriptor to read it from, -ENOENT, or another -errno.
 */
int saved_state_open(const char *state_dir, const char *key, char **hello);

/**
 * struct state_draft - a state that is being saved; in its place only when it is whole
 * @fd: write it here
 */
struct state_draft {
	int fd;
	char *top, *dir;
};

/** saved_state_begin() - a place for a new state. */
int saved_state_begin(const char *state_dir, struct state_draft *draft, struct error *err);
/**
 * saved_state_commit() - put it in its place
 * @limit: bytes that all states together may take; those not used for longest go first
 */
int saved_state_commit(struct state_draft *draft, const char *key, const char *hello,
	long long limit, struct error *err);
/** saved_state_abort() - throw it away; fine after a commit. */
void saved_state_abort(struct state_draft *draft);
/** saved_state_discard() - remove a state that proved to be of no use. */
void saved_state_discard(const char *state_dir, const char *key);

#endif
