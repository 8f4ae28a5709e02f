/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "stat/compare.h"

static void assert_near(double got, double want, double tolerance)
{
	if (!(fabs(got - want) <= tolerance))
		fail_msg("got %.12g, want %.12g", got, want);
}

static struct compare_plan plan_of(int max_blocks, double margin)
{
	struct compare_plan plan;

	assert_int_equal(compare_plan_init(&plan, max_blocks, .008, .05, margin, NULL), 0);
	return plan;
}

static void draw(double *d, size_t n, double mean, double sd, uint64_t seed)
{
	struct rng rng;

	rng_seed(&rng, seed);
	for (size_t i = 0; i < n; i++)
		d[i] = mean + sd * rng_normal(&rng);
}

static void nothing_yet(void **state)
{
	struct compare_plan plan = plan_of(64, .01);
	double d[] = { .02 };
	struct comparison c;

	(void)state;
	for (size_t n = 0; n < 2; n++) {
		compare_blocks(&plan, d, n, true, false, &c);
		assert_int_equal(c.verdict, VERDICT_UNDECIDED);
		assert_int_equal(c.n, n);
		assert_near(c.estimate, n ? exp(.02) : 1, 1e-15);
		assert_true(c.low == 0 && isinf(c.high) && isinf(c.smallest));
		assert_true(c.p == 1 && c.p_equal == 1 && !c.stopped);
		compare_blocks(&plan, d, n, true, true, &c);
		assert_true(c.verdict == VERDICT_UNDECIDED && c.stopped);
	}
}

static void direction(void **state)
{
	struct compare_plan plan = plan_of(64, .01);
	double up[64], down[64];
	struct comparison c;

	(void)state;
	draw(up, 64, .05, .005, 1);
	draw(down, 64, -.05, .005, 2);
	for (size_t n = 5; n <= 64; n += n == 5 ? 9 : 50) {
		compare_blocks(&plan, up, n, true, false, &c);
		assert_int_equal(c.verdict, VERDICT_BETTER);
		assert_true(c.stopped && c.low > 1 && c.estimate > c.low && c.high > c.estimate);
		assert_near(c.estimate, exp(.05), .02);
		compare_blocks(&plan, up, n, false, false, &c);
		assert_int_equal(c.verdict, VERDICT_WORSE);
		compare_blocks(&plan, down, n, true, false, &c);
		assert_int_equal(c.verdict, VERDICT_WORSE);
		assert_true(c.high < 1);
		compare_blocks(&plan, down, n, false, false, &c);
		assert_int_equal(c.verdict, VERDICT_BETTER);
	}
}

static void equivalence(void **state)
{
	struct compare_plan plan = plan_of(64, .01), without = plan_of(64, 0);
	double d[64];
	struct comparison c;

	(void)state;
	draw(d, 64, .0001, .002, 3);
	for (size_t n = 7; n <= 64; n += n == 7 ? 7 : 50) {
		compare_blocks(&plan, d, n, true, false, &c);
		assert_int_equal(c.verdict, VERDICT_EQUIVALENT);
		assert_true(c.stopped && c.p_equal < .005 && c.low > .99 && c.high < 1.01);
		compare_blocks(&without, d, n, true, false, &c);
		assert_int_equal(c.verdict, VERDICT_UNDECIDED);
		assert_true(c.p_equal == 1 && c.stopped == (n == 64));
	}
}

/* A difference that is sure and yet within the margin: differing goes first. */
static void differing_goes_first(void **state)
{
	struct compare_plan plan = plan_of(64, .05);
	double d[64];
	struct comparison c;

	(void)state;
	draw(d, 64, .01, .001, 4);
	compare_blocks(&plan, d, 14, true, false, &c);
	assert_int_equal(c.verdict, VERDICT_BETTER);
	assert_true(c.p_equal <= plan.p_equal[3] && c.high < 1.05);
}

static void no_verdict_between_looks(void **state)
{
	struct compare_plan plan = plan_of(64, .01);
	double d[70];
	struct comparison c;

	(void)state;
	draw(d, 70, .05, .001, 5);
	for (size_t n = 2; n < 64; n++) {
		compare_blocks(&plan, d, n, true, false, &c);
		assert_int_equal(c.verdict != VERDICT_UNDECIDED, compare_is_look(&plan, n) >= 0);
		assert_int_equal(c.stopped, compare_is_look(&plan, n) >= 0);
	}
	/* The interval between looks is at the level of the look before. */
	compare_blocks(&plan, d, 16, true, false, &c);
	assert_near(c.level, plan.p_differ[3], 0);
	compare_blocks(&plan, d, 3, true, false, &c);
	assert_near(c.level, plan.p_differ[0], 0);
	/* Blocks beyond the plan are left out. */
	compare_blocks(&plan, d, 70, true, false, &c);
	assert_true(c.n == 64 && c.stopped && c.verdict == VERDICT_BETTER);
}

static void time_out(void **state)
{
	struct compare_plan plan = plan_of(64, .01), extended = plan;
	double d[64];
	struct comparison c;

	(void)state;
	draw(d, 64, .05, .001, 6);
	compare_blocks(&plan, d, 2, true, true, &c);
	assert_true(c.verdict == VERDICT_UNDECIDED && c.stopped);
	compare_blocks(&plan, d, 30, true, true, &c);
	compare_plan_add_look(&extended, 30, NULL);
	assert_true(c.verdict == VERDICT_BETTER && c.stopped);
	assert_near(c.level, extended.p_differ[6], 0);
	/* One look after three blocks, out of 64: 3/64 of alpha, no more. */
	compare_blocks(&plan, d, 3, true, true, &c);
	assert_near(c.level, .008 * 3 / 64, 1e-9);
	/* At a planned look time-out changes nothing but that it stops. */
	draw(d, 64, 0, .02, 7);
	compare_blocks(&plan, d, 26, true, true, &c);
	assert_near(c.level, plan.p_differ[5], 0);
	assert_true(c.verdict == VERDICT_UNDECIDED && c.stopped);
}

static void all_blocks_alike(void **state)
{
	struct compare_plan plan = plan_of(64, .01);
	double same[64], zero[64] = { 0 };
	struct comparison c;

	(void)state;
	for (int i = 0; i < 64; i++)
		same[i] = -.05;
	compare_blocks(&plan, same, 10, true, false, &c);
	assert_int_equal(c.verdict, VERDICT_UNDECIDED);
	assert_true(c.low == 0 && isinf(c.high) && isinf(c.smallest));
	assert_near(c.estimate, exp(-.05), 1e-15);
	compare_blocks(&plan, same, 14, true, false, &c);
	assert_int_equal(c.verdict, VERDICT_WORSE);
	assert_near(c.low, exp(-.05), 1e-15);
	assert_near(c.high, exp(-.05), 1e-15);
	assert_near(c.smallest, 0, 0);
	compare_blocks(&plan, zero, 7, true, false, &c);
	assert_int_equal(c.verdict, VERDICT_UNDECIDED);
	compare_blocks(&plan, zero, 10, true, false, &c);
	assert_int_equal(c.verdict, VERDICT_EQUIVALENT);
	assert_near(c.p, 1, 0);
	compare_blocks(&plan, zero, 64, true, false, &c);
	assert_int_equal(c.verdict, VERDICT_EQUIVALENT);
	assert_true(c.low == 1 && c.high == 1 && c.smallest == 0);
}

/* Verdict and interval agree at every look, on data of all sorts; nothing is NaN. */
static void interval_agrees_with_verdict(void **state)
{
	struct compare_plan plan = { 0 };
	struct rng rng;
	int different = 0;

	(void)state;
	rng_seed(&rng, 8);
	for (int trial = 0; trial < 3000; trial++) {
		size_t look, n;
		double d[64];
		struct comparison c;

		if (trial % 100 == 0)
			plan = plan_of(7 + trial / 75, .01);
		look = rng_below(&rng, plan.n_looks);
		n = (size_t)plan.looks[look];
		draw(d, n, .012 * rng_normal(&rng), .01, rng_u64(&rng));
		for (size_t i = 0; i < n && trial % 3 == 0; i++)
			d[i] = rint(d[i] * 100) / 100;
		compare_blocks(&plan, d, n, trial & 1, false, &c);
		assert_near(c.level, plan.p_differ[look], 0);
		assert_int_equal(c.verdict == VERDICT_BETTER || c.verdict == VERDICT_WORSE,
			c.low > 1 || c.high < 1);
		assert_true(c.low <= c.estimate && c.estimate <= c.high);
		assert_true(c.p >= 0 && c.p <= 1 && c.p_equal >= 0 && c.p_equal <= 1);
		assert_true(c.smallest >= 0);
		different += c.verdict == VERDICT_BETTER || c.verdict == VERDICT_WORSE;
	}
	assert_true(different > 300);
}

/* t: Johnson & Welch by hand. Signed rank: 1.96 + 0.84 standard errors, the textbook's formula. */
static void smallest_effect(void **state)
{
	struct compare_plan plan;
	double d[200], sum = 0;
	struct comparison c;

	(void)state;
	/* sd .01, n 5, all alpha at one look: t is 2.776, f 4. */
	compare_plan_init(&plan, 5, .05, .05, 0, NULL);
	compare_blocks(&plan,
		(const double[]){ .0126491106, -.0126491106, .0063245553, -.0063245553, 0 }, 5,
		true, false, &c);
	assert_near(log1p(c.smallest),
		(2.776445 * 15 / 16 + .841621 * sqrt(1 + 2.776445 * 2.776445 / 8)) * .01 / sqrt(5),
		1e-6);
	/* Efficiency 3/π against normal data; the mean of many such. */
	compare_plan_init(&plan, 100, .05, .05, 0, NULL);
	plan.looks[0] = 100;
	plan.n_looks = 1;
	plan.p_differ[0] = .05;
	for (uint64_t seed = 0; seed < 200; seed++) {
		draw(d, 100, .003, .01, seed);
		compare_blocks(&plan, d, 100, true, false, &c);
		sum += log1p(c.smallest) / 200;
	}
	assert_near(sum / ((1.959964 + .841621) * .01 / 10 * sqrt(M_PI / 3)), 1, .03);
}

static void overall_p(void **state)
{
	struct compare_plan plan = plan_of(64, .01), other;
	struct comparison c = { .n = 5, .p = .5 };

	(void)state;
	assert_near(compare_overall_p(&plan, &c), 1, 0);
	for (size_t i = 0; i < plan.n_looks; i++) {
		c.n = (size_t)plan.looks[i];
		c.p = plan.p_differ[i];
		assert_near(compare_overall_p(&plan, &c), .008, 1e-6);
		c.p = plan.p_differ[i] * 2;
		assert_true(compare_overall_p(&plan, &c) > .008);
	}
	compare_plan_init(&other, 64, .05, .05, .01, NULL);
	c.n = 19;
	c.p = other.p_differ[4];
	assert_near(compare_overall_p(&plan, &c), .05, 1e-5);
	/* Not a look: as a time-out there would have it. */
	compare_plan_add_look(&plan, 20, NULL);
	c.n = 20;
	c.p = plan.p_differ[5];
	other = plan_of(64, .01);
	assert_near(compare_overall_p(&other, &c), .008, 1e-6);
	c.n = 1;
	assert_near(compare_overall_p(&other, &c), 1, 0);
	c.n = 10;
	c.p = 0;
	assert_true(compare_overall_p(&other, &c) < 1e-100);
}

static void holm(void **state)
{
	/* p.adjust(c(.01, .04, .03, .005), "holm") of R. */
	static const double p[] = { .01, .04, .03, .005 }, want[] = { .03, .06, .06, .02 };
	double adjusted[4], one = .7;

	(void)state;
	compare_holm(p, 4, adjusted);
	for (int i = 0; i < 4; i++)
		assert_near(adjusted[i], want[i], 1e-15);
	compare_holm((const double[]){ .4, .5, .6 }, 3, adjusted);
	for (int i = 0; i < 3; i++)
		assert_near(adjusted[i], 1, 0);
	compare_holm(&one, 1, adjusted);
	assert_near(adjusted[0], .7, 0);
	compare_holm(NULL, 0, NULL);
}

static void assert_same(const struct comparison *a, const struct comparison *b)
{
	assert_true(a->verdict == b->verdict && a->n == b->n && a->stopped == b->stopped);
	assert_true(a->estimate == b->estimate && a->low == b->low && a->high == b->high);
	assert_true(a->level == b->level && a->p == b->p && a->p_equal == b->p_equal);
	assert_true(a->smallest == b->smallest);
}

static void one_arm_is_a_replay(void **state)
{
	struct compare_plan plan = plan_of(64, .01);
	double d[64];
	const double *rows[] = { d };
	int stops[3] = { 0 };

	(void)state;
	for (uint64_t seed = 0; seed < 300; seed++) {
		struct comparison c, want;
		size_t n;

		draw(d, 64, .004 * (double)(seed % 5), .01, seed);
		for (n = 5; n < 64; n++) {
			if (compare_is_look(&plan, n) < 0)
				continue;
			compare_blocks(&plan, d, n, true, false, &want);
			if (want.stopped)
				break;
		}
		if (n == 64)
			compare_blocks(&plan, d, n, true, false, &want);
		/* Blocks that came after the verdict do not change it. */
		compare_arms(&plan, rows, (const size_t[]){ 64 }, 1, true, false, &c);
		assert_same(&c, &want);
		compare_arms(&plan, rows, &n, 1, true, true, &c);
		assert_same(&c, &want);
		stops[c.verdict == VERDICT_EQUIVALENT ? 1 : c.verdict == VERDICT_BETTER]++;
	}
	assert_true(stops[1] > 50);
}

/* The level for each arm is alpha over the arms that are still open, at the same look already. */
static void holm_at_each_look(void **state)
{
	struct compare_plan plan = plan_of(64, 0), third, half;
	double far[10], near[10], none[10];
	const double *rows[] = { none, near, far };
	struct comparison c[3];

	(void)state;
	compare_plan_init(&third, 64, .008 / 3, .05, 0, NULL);
	compare_plan_init(&half, 64, .008 / 2, .05, 0, NULL);
	draw(far, 10, .05, .001, 1);
	draw(near, 10, .01, .01, 2);
	draw(none, 10, 0, .01, 3);
	/* Shift "near" until it lies between the boundaries for a third and for half of alpha. */
	for (int i = 0; i < 4000; i++) {
		compare_blocks(&plan, near, 10, true, false, &c[0]);
		if (c[0].p < (third.p_differ[2] + half.p_differ[2]) / 2)
			break;
		for (int j = 0; j < 10; j++)
			near[j] += 1e-5;
	}
	assert_true(c[0].p > third.p_differ[2] && c[0].p < half.p_differ[2]);
	compare_arms(&plan, rows, (const size_t[]){ 10, 10, 0 }, 3, true, false, c);
	assert_int_equal(c[1].verdict, VERDICT_UNDECIDED);
	assert_near(c[1].level, third.p_differ[2], 0);
	assert_true(c[1].low < 1 && c[2].n == 0);
	compare_arms(&plan, rows, (const size_t[]){ 10, 10, 10 }, 3, true, false, c);
	assert_int_equal(c[2].verdict, VERDICT_BETTER);
	assert_int_equal(c[2].n, 5);
	assert_near(c[2].level, third.p_differ[0], 0);
	assert_int_equal(c[1].verdict, VERDICT_BETTER);
	assert_near(c[1].level, half.p_differ[2], 0);
	assert_true(c[1].low > 1);
	assert_int_equal(c[0].verdict, VERDICT_UNDECIDED);
	assert_near(c[0].level, plan.p_differ[2], 0);
}

/* The share of an arm that differs goes to the others at the same look. All blocks of "far" are up,
 * p = 2^-13 at 14; one least block of "near" is down, p = 2^-12, between the levels. */
static void holm_frees_a_share_at_once(void **state)
{
	struct compare_plan plan = plan_of(64, 0);
	double far[14], near[14], none[14];
	const double *rows[] = { near, none, far };
	const size_t n[] = { 14, 14, 14 };
	struct comparison c[3];

	(void)state;
	for (int i = 0; i < 14; i++) {
		far[i] = near[i] = i % 2 ? .005 : .095;
		none[i] = i % 2 ? .01 : -.0101;
	}
	near[3] = -.001;
	compare_arms(&plan, rows, n, 2, true, false, c);
	assert_int_equal(c[0].verdict, VERDICT_BETTER);
	compare_arms(&plan, rows, n, 3, true, true, c);
	assert_true(c[2].verdict == VERDICT_BETTER && c[2].n == 14);
	assert_near(c[2].p, 0x1p-13, 1e-15);
	assert_true(c[0].verdict == VERDICT_BETTER && c[0].n == 14);
	assert_near(c[0].p, 0x1p-12, 1e-15);
	assert_true(c[0].level > c[2].level && c[2].level < c[0].p);
	assert_true(c[1].verdict == VERDICT_UNDECIDED && c[1].stopped);
	/* Without "far" being that clear, "near" has to go on. */
	far[5] = -.002;
	compare_arms(&plan, rows, n, 3, true, true, c);
	assert_int_equal(c[0].verdict, VERDICT_UNDECIDED);
	assert_int_equal(c[2].verdict, VERDICT_UNDECIDED);
}

static void names(void **state)
{
	(void)state;
	assert_string_equal(verdict_name(VERDICT_UNDECIDED), "undecided");
	assert_string_equal(verdict_name(VERDICT_BETTER), "better");
	assert_string_equal(verdict_name(VERDICT_WORSE), "worse");
	assert_string_equal(verdict_name(VERDICT_EQUIVALENT), "equivalent");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_yet),
		cmocka_unit_test(direction),
		cmocka_unit_test(equivalence),
		cmocka_unit_test(differing_goes_first),
		cmocka_unit_test(no_verdict_between_looks),
		cmocka_unit_test(time_out),
		cmocka_unit_test(all_blocks_alike),
		cmocka_unit_test(interval_agrees_with_verdict),
		cmocka_unit_test(smallest_effect),
		cmocka_unit_test(overall_p),
		cmocka_unit_test(holm),
		cmocka_unit_test(one_arm_is_a_replay),
		cmocka_unit_test(holm_at_each_look),
		cmocka_unit_test(holm_frees_a_share_at_once),
		cmocka_unit_test(names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
