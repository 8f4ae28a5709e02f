/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/rng.h"

#include <math.h>
#include <sys/random.h>

#include "base/clock.h"

static uint64_t rotl(uint64_t x, int k)
{
	return (x << k) | (x >> (64 - k));
}

void rng_seed(struct rng *rng, uint64_t seed)
{
	for (int i = 0; i < 4; i++) {
		uint64_t z = (seed += 0x9e3779b97f4a7c15ULL);

		z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
		z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
		rng->s[i] = z ^ (z >> 31);
	}
}

uint64_t rng_u64(struct rng *rng)
{
	uint64_t *s = rng->s, result = rotl(s[1] * 5, 7) * 9, t = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = rotl(s[3], 45);
	return result;
}

uint64_t rng_below(struct rng *rng, uint64_t n)
{
	uint64_t limit = UINT64_MAX - UINT64_MAX % n, x;

	do {
		x = rng_u64(rng);
	} while (x >= limit);
	return x % n;
}

double rng_double(struct rng *rng)
{
	return ((double)(rng_u64(rng) >> 11) + 0.5) * 0x1p-53;
}

double rng_normal(struct rng *rng)
{
	double u, v, s;

	do {
		u = 2 * rng_double(rng) - 1;
		v = 2 * rng_double(rng) - 1;
		s = u * u + v * v;
	} while (s >= 1 || s == 0);
	return u * sqrt(-2 * log(s) / s);
}

void rng_shuffle(struct rng *rng, size_t *order, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		size_t j = rng_below(rng, i + 1);

		order[i] = order[j];
		order[j] = i;
	}
}

uint64_t rng_entropy(void)
{
	uint64_t seed;

	if (getrandom(&seed, sizeof(seed), 0) != sizeof(seed))
		seed = clock_monotonic_ns() ^ clock_realtime_ns();
	return seed;
}
