/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stat/compare.h"

#include <math.h>

#include "base/alloc.h"
#include "stat/location.h"

static const double detectable_power = 0.80;

/* The estimate is the centre of the Walsh averages, the t interval that of the mean. With the small
 * levels of a plan they can't part; with a careless alpha they could. */
static double within(double x, double low, double high)
{
	return fmin(fmax(x, low), high);
}

static void measure(const struct compare_plan *plan, struct location *loc, struct comparison *out)
{
	double low, high;

	location_interval(loc, out->level, &low, &high);
	out->estimate = exp(within(location_estimate(loc), low, high));
	out->low = exp(low);
	out->high = exp(high);
	out->p = location_p(loc);
	if (plan->margin > 0)
		out->p_equal = fmax(
			location_p_above(loc, -plan->margin), location_p_below(loc, plan->margin));
	out->smallest =
		expm1(location_detectable(loc, out->level, detectable_power, (high - low) / 2));
}

static enum verdict decide(const struct compare_plan *plan, int look, bool higher_is_better,
	const struct comparison *c)
{
	if (c->p <= plan->p_differ[look])
		return (c->low >= 1) == higher_is_better ? VERDICT_BETTER : VERDICT_WORSE;
	if (plan->margin > 0 && c->p_equal <= plan->p_equal[look])
		return VERDICT_EQUIVALENT;
	return VERDICT_UNDECIDED;
}

/* Level of the interval between looks: that of the last look, before any that of the first. */
static double level_at(const struct compare_plan *plan, size_t n)
{
	double level = plan->p_differ[0];

	for (size_t i = 0; i < plan->n_looks && (size_t)plan->looks[i] <= n; i++)
		level = plan->p_differ[i];
	return level;
}

void compare_blocks(const struct compare_plan *plan, const double *d, size_t n,
	bool higher_is_better, bool final, struct comparison *out)
{
	size_t last = (size_t)plan->looks[plan->n_looks - 1];
	struct compare_plan extended;
	struct location loc;
	int look;

	if (n > last)
		n = last;
	*out = (struct comparison){ .n = n,
		.estimate = n ? exp(d[0]) : 1,
		.low = 0,
		.high = INFINITY,
		.p = 1,
		.p_equal = 1,
		.smallest = INFINITY,
		.stopped = final || n == last };
	look = compare_is_look(plan, n);
	if (final && look < 0) {
		extended = *plan;
		if (!compare_plan_add_look(&extended, (int)n, NULL)) {
			plan = &extended;
			look = compare_is_look(plan, n);
		}
	}
	out->level = level_at(plan, n);
	if (n < 2)
		return;
	location_init(&loc, d, n);
	measure(plan, &loc, out);
	location_release(&loc);
	if (look >= 0)
		out->verdict = decide(plan, look, higher_is_better, out);
	out->stopped |= out->verdict != VERDICT_UNDECIDED;
}

const char *verdict_name(enum verdict verdict)
{
	static const char *const names[] = {
		[VERDICT_UNDECIDED] = "undecided",
		[VERDICT_BETTER] = "better",
		[VERDICT_WORSE] = "worse",
		[VERDICT_EQUIVALENT] = "equivalent",
	};

	return (size_t)verdict < array_size(names) ? names[verdict] : "undecided";
}
