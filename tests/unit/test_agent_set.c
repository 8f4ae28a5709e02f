/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Settings: written, read back, put back. */
#include "agent_process.h"

static json_t *set(struct agent_process *a, json_t *writes)
{
	return call(a, "set", json_pack("{s:o}", "writes", writes));
}

static void set_fails(struct agent_process *a, json_t *writes, int code, const char *text)
{
	call_fails(a, "set", json_pack("{s:o}", "writes", writes), code, text);
}

static void assert_write(const json_t *result, size_t i, const char *old, const char *now)
{
	const json_t *w = json_array_get(json_object_get(result, "writes"), i);

	assert_string_equal(json_str(w, "old", ""), old);
	assert_string_equal(json_str(w, "now", ""), now);
}

static void writes_every_kind_and_puts_back(void **state)
{
	struct agent_process *a = *state;
	json_t *result = set(a, json_pack("[o, o, o]", write_of(KNOB, "11", "plain"),
					write_of("/" FEATURES, "NO_TTWU_QUEUE", "feature"),
					write_of(CHOICE, "never", "choice")));

	assert_write(result, 0, "10", "11");
	assert_write(result, 1, "TTWU_QUEUE", "NO_TTWU_QUEUE");
	assert_write(result, 2, "madvise", "never");
	json_decref(result);
	assert_file(a->root, KNOB, "11\n");
	assert_file(a->root, FEATURES,
		"GENTLE_FAIR_SLEEPERS NO_HRTICK NO_TTWU_QUEUE NONTASK_CAPACITY\n");
	assert_file(a->root, CHOICE, "always madvise [never]\n");
	result = call(a, "undo", NULL);
	assert_int_equal(json_array_size(json_object_get(result, "restored")), 3);
	assert_int_equal(json_array_size(json_object_get(result, "failed")), 0);
	json_decref(result);
	assert_file(a->root, KNOB, "10\n");
	assert_file(
		a->root, FEATURES, "GENTLE_FAIR_SLEEPERS NO_HRTICK TTWU_QUEUE NONTASK_CAPACITY\n");
	assert_file(a->root, CHOICE, "always [madvise] never\n");
}

static void what_is_not_named_any_more_goes_back(void **state)
{
	struct agent_process *a = *state;

	json_decref(set(a, json_pack("[o, o]", write_of(KNOB, "11", "plain"),
				   write_of(FEATURES, "HRTICK", "feature"))));
	json_decref(set(a, json_pack("[o]", write_of(FEATURES, "NO_TTWU_QUEUE", "feature"))));
	assert_file(a->root, KNOB, "10\n");
	assert_file(a->root, FEATURES,
		"GENTLE_FAIR_SLEEPERS NO_HRTICK NO_TTWU_QUEUE NONTASK_CAPACITY\n");
	json_decref(set(a, json_array()));
	assert_file(
		a->root, FEATURES, "GENTLE_FAIR_SLEEPERS NO_HRTICK TTWU_QUEUE NONTASK_CAPACITY\n");
}

static void the_first_old_value_counts(void **state)
{
	struct agent_process *a = *state;
	json_t *result;

	json_decref(set(a, json_pack("[o]", write_of(KNOB, "11", "plain"))));
	result = set(a, json_pack("[o]", write_of(KNOB, "12", "plain")));
	assert_write(result, 0, "10", "12");
	json_decref(result);
	json_decref(call(a, "undo", NULL));
	assert_file(a->root, KNOB, "10\n");
}

static void nontask_is_a_feature_that_is_on(void **state)
{
	struct agent_process *a = *state;
	json_t *result =
		set(a, json_pack("[o]", write_of(FEATURES, "NO_NONTASK_CAPACITY", "feature")));

	assert_write(result, 0, "NONTASK_CAPACITY", "NO_NONTASK_CAPACITY");
	json_decref(result);
	set_fails(a, json_pack("[o]", write_of(FEATURES, "NO_TTWU", "feature")), -ENOENT,
		"no feature 'TTWU'");
}

static void same_value_in_other_words_is_no_change(void **state)
{
	struct agent_process *a = *state;

	put_file(a->root, "proc/sys/kernel/printk", "4\t4\t1\t7\n");
	json_decref(
		set(a, json_pack("[o]", write_of("proc/sys/kernel/printk", "4 4 1 7", "plain"))));
	json_decref(set(a, json_pack("[o]", write_of(KNOB, "0xa", "plain"))));
	assert_file(a->root, "proc/sys/kernel/printk", "4\t4\t1\t7\n");
	assert_file(a->root, KNOB, "10\n");
}

static void without_effect_is_an_error(void **state)
{
	struct agent_process *a = *state;

	put_file(a->root, FEATURES ".stuck", "");
	set_fails(a,
		json_pack("[o, o]", write_of(KNOB, "11", "plain"),
			write_of(FEATURES, "NO_TTWU_QUEUE", "feature")),
		-EIO, "was accepted but without effect: it still reads 'TTWU_QUEUE'");
	assert_file(a->root, KNOB, "10\n");
}

static void refused_is_an_error(void **state)
{
	struct agent_process *a = *state;

	put_file(a->root, FEATURES ".locked", "");
	set_fails(a,
		json_pack("[o, o]", write_of(KNOB, "11", "plain"),
			write_of(FEATURES, "NO_TTWU_QUEUE", "feature")),
		-EPERM, "Operation not permitted");
	assert_file(a->root, KNOB, "10\n");
	set_fails(a, json_pack("[o]", write_of("proc/none", "1", "plain")), -ENOENT, "proc/none");
	set_fails(
		a, json_pack("[o]", write_of(CHOICE, "sometimes", "choice")), -EINVAL, "sometimes");
	set_fails(
		a, json_pack("[o]", write_of(KNOB, "1", "odd")), -EINVAL, "plain, feature, choice");
	set_fails(a, json_pack("[{s:s}]", "path", KNOB), -EINVAL, "\"value\"");
}

static void values_of_each_cpu_are_kept_each(void **state)
{
	struct agent_process *a = *state;

	put_file(a->root, "sys/cpu0/governor", "powersave\n");
	put_file(a->root, "sys/cpu1/governor", "ondemand\n");
	json_decref(
		set(a, json_pack("[o, o]", write_of("sys/cpu0/governor", "performance", "plain"),
			       write_of("sys/cpu1/governor", "performance", "plain"))));
	assert_file(a->root, "sys/cpu1/governor", "performance\n");
	assert_int_equal(agent_end(a), 0);
	assert_file(a->root, "sys/cpu0/governor", "powersave\n");
	assert_file(a->root, "sys/cpu1/governor", "ondemand\n");
}

static void what_cannot_be_put_back_is_told(void **state)
{
	struct agent_process *a = *state;
	json_t *result, *failed;

	json_decref(set(a, json_pack("[o, o]", write_of(KNOB, "11", "plain"),
				   write_of(CHOICE, "never", "choice"))));
	put_file(a->root, KNOB ".locked", "");
	result = call(a, "undo", NULL);
	failed = json_object_get(result, "failed");
	assert_int_equal(json_array_size(failed), 1);
	assert_string_equal(json_str(json_array_get(failed, 0), "path", ""), KNOB);
	assert_non_null(strstr(json_str(json_array_get(failed, 0), "text", ""), "not permitted"));
	json_decref(result);
	assert_file(a->root, CHOICE, "always [madvise] never\n");
	call_fails(a, "bye", NULL, -EIO, "could not be put back");
	assert_int_equal(WEXITSTATUS(agent_end(a)), 1);
}

#define on_fake(test) cmocka_unit_test_setup_teardown(test, start_fake, end_fake)

int main(void)
{
	const struct CMUnitTest tests[] = {
		on_fake(writes_every_kind_and_puts_back),
		on_fake(what_is_not_named_any_more_goes_back),
		on_fake(the_first_old_value_counts),
		on_fake(nontask_is_a_feature_that_is_on),
		on_fake(same_value_in_other_words_is_no_change),
		on_fake(without_effect_is_an_error),
		on_fake(refused_is_an_error),
		on_fake(values_of_each_cpu_are_kept_each),
		on_fake(what_cannot_be_put_back_is_told),
	};

	signal(SIGPIPE, SIG_IGN);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
