/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A histogram of durations with a bounded relative error, for use inside a measuring loop. A header,
 * so that the hot path is inlined and the program stays one object. */
#ifndef CONTEXT_SWITCH_HISTOGRAM_H
#define CONTEXT_SWITCH_HISTOGRAM_H

#include <math.h>
#include <stdint.h>

/* Log-linear: each power of two is cut into 128 buckets, so a bucket is at most 1/128 (0.8 %) wide
 * and its middle at most 0.4 % off. Values below 128 ns are exact; the last bucket holds the rest. */
enum { HIST_BITS = 7, HIST_SUB = 1 << HIST_BITS, HIST_OCTAVES = 34 };
enum { HIST_BUCKETS = HIST_SUB * HIST_OCTAVES };

/** struct histogram - counts of values in ns; zeroed memory is an empty one */
struct histogram {
	uint64_t n;
	uint64_t max;
	uint64_t count[HIST_BUCKETS];
};

/** hist_bucket() - where a value is counted. */
static inline unsigned int hist_bucket(uint64_t v)
{
	unsigned int octave, bucket;

	if (v < HIST_SUB)
		return (unsigned int)v;
	octave = 63u - (unsigned int)__builtin_clzll(v) - HIST_BITS;
	bucket = (octave + 1) * HIST_SUB + (unsigned int)((v >> octave) - HIST_SUB);
	return bucket < HIST_BUCKETS ? bucket : HIST_BUCKETS - 1;
}

/** hist_middle() - the value that a bucket stands for. */
static inline double hist_middle(unsigned int bucket)
{
	unsigned int octave = bucket / HIST_SUB;

	if (!octave)
		return bucket;
	return ldexp(HIST_SUB + bucket % HIST_SUB, (int)octave - 1) +
	       (ldexp(1, (int)octave - 1) - 1) / 2;
}

/** hist_add() - count a value; no allocation. */
static inline void hist_add(struct histogram *h, uint64_t v)
{
	h->count[hist_bucket(v)]++;
	h->n++;
	if (v > h->max)
		h->max = v;
}

/** hist_percentile() - nearest rank: the smallest value that so many percent of all do not exceed. */
static inline double hist_percentile(const struct histogram *h, double percent)
{
	uint64_t rank = (uint64_t)ceil(percent / 100 * (double)h->n), seen = 0;
	unsigned int i;

	for (i = 0; i < HIST_BUCKETS - 1; i++) {
		seen += h->count[i];
		if (seen >= rank && seen)
			return hist_middle(i);
	}
	return (double)h->max;
}

#endif
