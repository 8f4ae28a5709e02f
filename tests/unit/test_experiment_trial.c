/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the agent's answer to a trial is worth. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "experiment/trial.h"
#include "spec/diag.h"

static const char bench_text[] = "name: b\ncommand: [b]\nfiles: [log]\n"
				 "metrics:\n"
				 "  - {name: value, unit: x, better: higher, stream: file, file: "
				 "log, pattern: '^(\\d+)$'}\n";

static struct benchmark *benchmark(void)
{
	struct diags diags = DIAGS_INIT;
	struct benchmark *bench = NULL;

	assert_int_equal(
		benchmark_parse("b.yaml", bench_text, strlen(bench_text), &bench, &diags), 0);
	diags_release(&diags);
	return bench;
}

static json_t *answer(void)
{
	return json_pack(
		"{s:s, s:I, s:i, s:n, s:b, s:b, s:b, s:s, s:s, s:i, s:i, s:{s:s}, s:{s:i}, "
		"s:{}, s:s}",
		"nonce", "n1", "elapsed_ns", (json_int_t)2000000000, "exit", 0, "signal",
		"signalled", 0, "timed_out", 0, "cancelled", 0, "stdout", "", "stderr", "",
		"stdout_total", 0, "stderr_total", 0, "files", "log", "17\n", "files_total", "log",
		3, "collect", "end", "n1");
}

/* Judges and takes the answer. Return: the reason why it does not count, owned; NULL when it does. */
static char *judge(json_t *result, const char *nonce, enum trial_state state)
{
	struct job job = { .name = (char *)"j" };
	struct benchmark *bench = benchmark();
	struct trial_outcome out;
	char *reason;

	trial_judge(&job, bench, result, nonce, &out);
	assert_int_equal(out.store.state, state);
	reason = xstrdup(out.store.reason);
	if (state == TRIAL_DONE)
		assert_true(out.figures.n == 1 && out.figures.v[0].value == 17);
	else
		assert_true(out.figures.n == 0 && out.samples.n == 0);
	trial_outcome_release(&out);
	benchmark_free(bench);
	json_decref(result);
	return reason;
}

static void assert_reason(char *reason, const char *part)
{
	if (!reason || !strstr(reason, part))
		fail_msg("'%s' is not in '%s'", part, reason ? reason : "(null)");
	free(reason);
}

static void a_whole_answer_counts(void **state)
{
	(void)state;
	assert_null(judge(answer(), "n1", TRIAL_DONE));
}

static void an_answer_of_another_trial_does_not(void **state)
{
	json_t *cut = answer();

	(void)state;
	assert_reason(judge(answer(), "n2", TRIAL_FAILED), "end record");
	json_object_del(cut, "end");
	assert_reason(judge(cut, "n1", TRIAL_FAILED), "end record");
}

static void a_trial_that_was_stopped_is_lost(void **state)
{
	json_t *result = answer();

	(void)state;
	json_object_set_new(result, "cancelled", json_true());
	json_object_set_new(result, "signalled", json_true());
	assert_reason(judge(result, "n1", TRIAL_LOST), "stopped");
}

/* Of a file that was not kept whole the last numbers are missing, and nobody would see it. */
static void a_file_that_is_cut_off_does_not_count(void **state)
{
	json_t *result = answer();

	(void)state;
	json_object_set_new(
		result, "files_total", json_pack("{s:I}", "log", (json_int_t)100000000));
	free(judge(result, "n1", TRIAL_FAILED));
}

static void a_file_that_was_not_written_is_no_result(void **state)
{
	json_t *result = answer();

	(void)state;
	json_object_set_new(result, "files", json_pack("{s:n}", "log"));
	json_object_set_new(result, "files_total", json_object());
	free(judge(result, "n1", TRIAL_FAILED));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_whole_answer_counts),
		cmocka_unit_test(an_answer_of_another_trial_does_not),
		cmocka_unit_test(a_trial_that_was_stopped_is_lost),
		cmocka_unit_test(a_file_that_is_cut_off_does_not_count),
		cmocka_unit_test(a_file_that_was_not_written_is_no_result),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
