/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stat/compare.h"

#include <stdint.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "stat/boundaries.h"

/*
 * struct family - all comparisons of a run on their way through the looks
 * @plan: as given, @at: the same with the share of alpha that each open arm has now
 * @n_different: arms found to differ so far
 */
struct family {
	const struct compare_plan *plan;
	struct compare_plan at;
	const double *const *d;
	const size_t *n;
	size_t n_arms, n_different;
	bool higher_is_better, final;
	struct comparison *out;
};

static void share_alpha(struct family *f)
{
	size_t open = f->n_arms - f->n_different;

	f->at = *f->plan;
	if (open > 1) {
		f->at.alpha /= (double)open;
		boundaries_linear(f->at.looks, f->at.n_looks, f->at.looks[f->at.n_looks - 1],
			f->at.alpha, f->at.p_differ);
	}
}

static bool differs(const struct comparison *c)
{
	return c->verdict == VERDICT_BETTER || c->verdict == VERDICT_WORSE;
}

static bool takes_part(const struct family *f, const bool *done, size_t arm, size_t blocks)
{
	return !done[arm] && (blocks == SIZE_MAX || f->n[arm] >= blocks);
}

/* One look at all open arms with the present share. Return: arms newly found to differ. */
static size_t test_arms(struct family *f, bool *done, size_t blocks)
{
	bool at_end = blocks == SIZE_MAX;
	size_t found = 0;

	for (size_t i = 0; i < f->n_arms; i++) {
		if (!takes_part(f, done, i, blocks))
			continue;
		compare_blocks(&f->at, f->d[i], at_end ? f->n[i] : blocks, f->higher_is_better,
			at_end && f->final, &f->out[i]);
		if (differs(&f->out[i])) {
			done[i] = true;
			found++;
		}
	}
	return found;
}

/* All rounds of one look, whose size is blocks, or SIZE_MAX for whatever each arm has. A difference
 * leaves a larger share to the other arms, which are tested anew; "equivalent" is settled only
 * after that, since differing goes first. */
static void look_at(struct family *f, bool *done, size_t blocks)
{
	size_t found;

	while ((found = test_arms(f, done, blocks))) {
		f->n_different += found;
		share_alpha(f);
	}
	for (size_t i = 0; i < f->n_arms; i++)
		if (takes_part(f, done, i, blocks))
			done[i] = f->out[i].stopped;
}

void compare_arms(const struct compare_plan *plan, const double *const *d, const size_t *n,
	size_t n_arms, bool higher_is_better, bool final, struct comparison *out)
{
	struct family f = { .plan = plan,
		.d = d,
		.n = n,
		.n_arms = n_arms,
		.higher_is_better = higher_is_better,
		.final = final,
		.out = out };
	bool *done = xcalloc(n_arms, sizeof(*done));

	share_alpha(&f);
	for (size_t i = 0; i < plan->n_looks; i++)
		look_at(&f, done, (size_t)plan->looks[i]);
	look_at(&f, done, SIZE_MAX);
	free(done);
}
