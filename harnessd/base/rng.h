/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A seeded random generator that gives the same numbers on every machine. */
#ifndef BASE_RNG_H
#define BASE_RNG_H

#include <stddef.h>
#include <stdint.h>

/** struct rng - state of xoshiro256** (Blackman and Vigna, 2018) */
struct rng {
	uint64_t s[4];
};

/** rng_seed() - start the sequence that belongs to @seed (state filled by splitmix64). */
void rng_seed(struct rng *rng, uint64_t seed);
/** rng_u64() - 64 random bits. */
uint64_t rng_u64(struct rng *rng);
/** rng_below() - uniform in 0 … n-1 without bias; n > 0. */
uint64_t rng_below(struct rng *rng, uint64_t n);
/** rng_double() - uniform in (0, 1). */
double rng_double(struct rng *rng);
/** rng_normal() - standard normal (polar method; no state beyond the generator's). */
double rng_normal(struct rng *rng);
/** rng_shuffle() - random order of 0 … n-1 into order[] (Fisher-Yates). */
void rng_shuffle(struct rng *rng, size_t *order, size_t n);
/** rng_entropy() - a fresh seed from the operating system. */
uint64_t rng_entropy(void);

#endif
