/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stat/compare.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "stat/boundaries.h"

double compare_alpha(double confidence)
{
	return 0.8 * (1 - confidence);
}

/* A third more blocks each time: the look that decides comes at most a quarter later than the best
 * one would have. The last step is made longer rather than followed by a short one. */
static void place_looks(struct compare_plan *plan, int max_blocks)
{
	double next = 5;

	plan->n_looks = 0;
	while (next < 0.8 * max_blocks) {
		plan->looks[plan->n_looks++] = (int)(next + 0.5);
		next = next * 1.32 + 0.6;
	}
	plan->looks[plan->n_looks++] = max_blocks;
}

static void set_boundaries(struct compare_plan *plan)
{
	int last = plan->looks[plan->n_looks - 1];

	boundaries_linear(plan->looks, plan->n_looks, last, plan->alpha, plan->p_differ);
	/* Each side of TOST is a one-sided test: half of a two-sided one at twice the error. */
	boundaries_linear(plan->looks, plan->n_looks, last, 2 * plan->alpha_equal, plan->p_equal);
	for (size_t i = 0; i < plan->n_looks; i++)
		plan->p_equal[i] /= 2;
}

int compare_plan_init(struct compare_plan *plan, int max_blocks, double alpha, double alpha_equal,
	double margin, struct error *err)
{
	if (max_blocks < COMPARE_MIN_BLOCKS || max_blocks > COMPARE_MAX_BLOCKS)
		return error_set(err, -EINVAL, "cannot plan %d blocks; %d to %d are possible",
			max_blocks, COMPARE_MIN_BLOCKS, COMPARE_MAX_BLOCKS);
	if (!(alpha > 0 && alpha < 1))
		return error_set(err, -EINVAL, "alpha is %g; it must be between 0 and 1", alpha);
	if (!(alpha_equal > 0 && alpha_equal < 0.5))
		return error_set(err, -EINVAL,
			"the error of equivalence is %g; it must be between 0 and 0.5",
			alpha_equal);
	if (!(margin >= 0 && isfinite(margin)))
		return error_set(err, -EINVAL, "margin is %g; it must be 0 or more", margin);
	memset(plan, 0, sizeof(*plan));
	plan->alpha = alpha;
	plan->alpha_equal = alpha_equal;
	plan->margin = log1p(margin);
	place_looks(plan, max_blocks);
	set_boundaries(plan);
	return 0;
}

int compare_plan_add_look(struct compare_plan *plan, int n, struct error *err)
{
	size_t at = 0;

	if (n < COMPARE_MIN_BLOCKS || n > plan->looks[plan->n_looks - 1])
		return error_set(err, -EINVAL, "cannot look at %d blocks; %d to %d are planned", n,
			COMPARE_MIN_BLOCKS, plan->looks[plan->n_looks - 1]);
	while (plan->looks[at] < n)
		at++;
	if (plan->looks[at] == n)
		return 0;
	if (plan->n_looks == COMPARE_MAX_LOOKS)
		return error_set(err, -ENOSPC, "the plan has %d looks already", COMPARE_MAX_LOOKS);
	memmove(&plan->looks[at + 1], &plan->looks[at], (plan->n_looks - at) * sizeof(int));
	plan->looks[at] = n;
	plan->n_looks++;
	set_boundaries(plan);
	return 0;
}

int compare_is_look(const struct compare_plan *plan, size_t n)
{
	for (size_t i = 0; i < plan->n_looks; i++)
		if ((size_t)plan->looks[i] == n)
			return (int)i;
	return -1;
}

double compare_overall_p(const struct compare_plan *plan, const struct comparison *comparison)
{
	struct compare_plan copy = *plan;
	double p[COMPARE_MAX_LOOKS], low, high = 0.999;
	int last = plan->looks[plan->n_looks - 1], look;

	if (compare_plan_add_look(&copy, (int)comparison->n, NULL))
		return 1;
	look = compare_is_look(&copy, comparison->n);
	boundaries_linear(copy.looks, (size_t)look + 1, last, high, p);
	if (!(comparison->p <= p[look]))
		return 1;
	/* A look's boundary is below alpha and rises with it. */
	low = fmax(comparison->p, 1e-300);
	while (high / low > 1 + 1e-5) {
		double alpha = sqrt(low * high);

		boundaries_linear(copy.looks, (size_t)look + 1, last, alpha, p);
		if (p[look] < comparison->p)
			low = alpha;
		else
			high = alpha;
	}
	return high;
}
