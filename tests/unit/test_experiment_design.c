/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "experiment/design.h"

static struct job_level features[] = { { .label = "TTWU_QUEUE" }, { .label = "NO_TTWU_QUEUE" } };
static struct job_level places[] = { { .label = "a" }, { .label = "b" }, { .label = "c" } };

static struct job two_factors(void)
{
	static struct job_factor factors[] = {
		{ .name = "place", .levels = places, .n_levels = 3 },
		{ .name = "features", .levels = features, .n_levels = 2 },
	};

	for (size_t i = 0; i < 2; i++)
		features[i].value = json_string(features[i].label);
	for (size_t i = 0; i < 3; i++)
		places[i].value = json_string(places[i].label);
	return (struct job){ .factors = factors, .n_factors = 2 };
}

static void forget(struct job *job)
{
	for (size_t f = 0; f < job->n_factors; f++)
		for (size_t i = 0; i < job->factors[f].n_levels; i++)
			json_decref(job->factors[f].levels[i].value);
	json_decref(job->baseline);
	json_decref(job->fixed);
}

static const struct registry nothing = { 0 };

static void factorial_has_every_combination(void **state)
{
	struct job job = two_factors();
	struct design design;

	(void)state;
	assert_int_equal(design_init(&design, &job, &nothing, NULL), 0);
	assert_int_equal(design.n, 6);
	assert_string_equal(design.arms[0].label, "a TTWU_QUEUE");
	assert_string_equal(design.arms[1].label, "a NO_TTWU_QUEUE");
	assert_string_equal(design.arms[5].label, "c NO_TTWU_QUEUE");
	assert_int_equal(design.baseline, 0);
	design_release(&design);
	forget(&job);
}

static void baseline_names_some_factors(void **state)
{
	struct job job = two_factors();
	struct design design;
	struct error err = ERROR_INIT;

	(void)state;
	job.baseline = json_pack("{s:s}", "place", "b");
	assert_int_equal(design_init(&design, &job, &nothing, &err), 0);
	assert_string_equal(design.arms[design.baseline].label, "b TTWU_QUEUE");
	design_release(&design);
	json_decref(job.baseline);
	job.baseline = json_pack("{s:s}", "place", "z");
	assert_int_equal(design_init(&design, &job, &nothing, &err), -22);
	assert_string_equal(error_text(&err), "the baseline {\"place\":\"z\"} is none of the arms");
	error_release(&err);
	forget(&job);
}

static void fixed_levels_are_in_every_arm(void **state)
{
	struct job job = two_factors();
	struct design design;

	(void)state;
	job.fixed = json_pack("{s:s}", "governor", "performance");
	assert_int_equal(design_init(&design, &job, &nothing, NULL), 0);
	for (size_t i = 0; i < design.n; i++) {
		assert_string_equal(
			json_string_value(json_object_get(design.arms[i].all, "governor")),
			"performance");
		assert_null(json_object_get(design.arms[i].levels, "governor"));
	}
	design_release(&design);
	forget(&job);
}

static void order_is_a_permutation_fixed_by_seed_and_block(void **state)
{
	size_t order[5], again[5], differ = 0;

	(void)state;
	for (size_t block = 0; block < 50; block++) {
		unsigned int seen = 0;

		design_order(7, block, 5, order);
		design_order(7, block, 5, again);
		assert_memory_equal(order, again, sizeof(order));
		for (size_t i = 0; i < 5; i++)
			seen |= 1u << order[i];
		assert_int_equal(seen, 31);
		design_order(8, block, 5, again);
		differ += memcmp(order, again, sizeof(order)) != 0;
	}
	assert_true(differ > 40);
}

/* Each arm is equally often in each place: 2000 blocks of 3, expected 667, 5 sd are 105. */
static void order_is_uniform(void **state)
{
	size_t count[3][3] = { 0 }, order[3];

	(void)state;
	for (size_t block = 0; block < 2000; block++) {
		design_order(99, block, 3, order);
		for (size_t i = 0; i < 3; i++)
			count[i][order[i]]++;
	}
	for (size_t i = 0; i < 9; i++)
		assert_in_range(count[i / 3][i % 3], 667 - 105, 667 + 105);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(factorial_has_every_combination),
		cmocka_unit_test(baseline_names_some_factors),
		cmocka_unit_test(fixed_levels_are_in_every_arm),
		cmocka_unit_test(order_is_a_permutation_fixed_by_seed_and_block),
		cmocka_unit_test(order_is_uniform),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
