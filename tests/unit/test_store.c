/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs, arms, trials, samples, figures, raw texts. */
#include "db/store.h"

#include "store_fixture.h"

#include <errno.h>
#include <math.h>

#include "base/clock.h"

static void test_names(void **state)
{
	(void)state;
	assert_string_equal(run_state_name(RUN_INTERRUPTED), "interrupted");
	assert_string_equal(run_state_name(RUN_FAILED), "failed");
	assert_string_equal(trial_state_name(TRIAL_VOID), "void");
	assert_string_equal(trial_state_name(TRIAL_LOST), "lost");
}

static void test_run_round_trip(void **state)
{
	struct fixture *f = *state;
	json_t *job = json_pack("{s:s, s:f}", "name",
		"j\xc3\xb6"
		"b",
		"margin", 0.01);
	json_t *facts = json_pack("{s:i}", "cpus", 4), *target = json_pack("{s:s}", "kind", "vm");
	struct store_run in = { .name = (char *)"n",
		.job_path = (char *)"p",
		.job_text = (char *)"a: 'b'\n",
		.job = job,
		.benchmark_text = (char *)"x: \"y\"\n",
		.seed = UINT64_MAX,
		.baseline_arm = 0,
		.metric = (char *)"m",
		.started_ns = 123,
		.version = (char *)"0.1.0" };
	struct store_run out;
	json_t *levels = json_object(), *verdict = json_pack("{s:b}", "decided", 1);
	struct store_arm arm = { .index = 0, .label = (char *)"only", .levels = levels };
	int64_t id;

	assert_ok(f, store_run_create(f->store, &in, &arm, 1, &id, &f->err));
	assert_ok(f, store_run_get(f->store, id, &out, &f->err));
	assert_int_equal(out.state, RUN_RUNNING);
	assert_string_equal(out.name, "n");
	assert_string_equal(out.job_path, "p");
	assert_string_equal(out.job_text, "a: 'b'\n");
	assert_string_equal(out.benchmark_text, "x: \"y\"\n");
	assert_true(json_equal(out.job, job));
	assert_null(out.facts);
	assert_null(out.target);
	assert_null(out.verdict);
	assert_null(out.error);
	assert_true(out.seed == UINT64_MAX);
	assert_string_equal(out.metric, "m");
	assert_true(out.started_ns == 123 && out.ended_ns == 0);
	assert_string_equal(out.version, "0.1.0");
	store_run_release(&out);

	assert_ok(f, store_run_facts(f->store, id, facts, target, &f->err));
	assert_ok(f, store_run_metric(f->store, id, "learnt", &f->err));
	assert_ok(f, store_run_end(f->store, id, RUN_FINISHED, verdict, NULL, &f->err));
	assert_ok(f, store_run_get(f->store, 0, &out, &f->err));
	assert_int_equal(out.id, id);
	assert_int_equal(out.state, RUN_FINISHED);
	assert_string_equal(out.metric, "learnt");
	assert_true(json_equal(out.facts, facts));
	assert_true(json_equal(out.target, target));
	assert_true(json_equal(out.verdict, verdict));
	assert_true(out.ended_ns > 1600000000ull * 1000000000);
	store_run_release(&out);
	json_decref(job);
	json_decref(facts);
	json_decref(target);
	json_decref(levels);
	json_decref(verdict);
}

static void test_missing_rows(void **state)
{
	struct fixture *f = *state;
	struct store_outcome outcome = { .state = TRIAL_DONE };
	struct store_trial trial = { .arm = 7 };
	struct store_run run;
	int64_t id = make_run(f), none;

	assert_code(f, store_run_get(f->store, 99, &run, &f->err), -ENOENT, "no run 99");
	assert_code(f, store_run_facts(f->store, 99, NULL, NULL, &f->err), -ENOENT, "no run 99");
	assert_code(f, store_run_end(f->store, 99, RUN_FAILED, NULL, "x", &f->err), -ENOENT, "99");
	assert_code(f, store_run_resume(f->store, 99, &f->err), -ENOENT, "no run 99");
	assert_code(f, store_arm_plan(f->store, id, 7, NULL, &f->err), -ENOENT, "no such arm");
	assert_code(f, store_trial_begin(f->store, id, &trial, &none, &f->err), -EINVAL, "FOREIGN");
	assert_code(f, store_trial_finish(f->store, 99, &outcome, &f->err), -ENOENT, "no trial 99");
}

static void test_no_run_yet(void **state)
{
	struct fixture *f = *state;
	struct store_run run, *runs;
	size_t n = 9;

	assert_code(f, store_run_get(f->store, 0, &run, &f->err), -ENOENT, "no run in");
	assert_ok(f, store_runs(f->store, 10, &runs, &n, &f->err));
	assert_int_equal(n, 0);
	free(runs);
}

static void test_runs_newest_first(void **state)
{
	struct fixture *f = *state;
	struct store_run *runs;
	size_t n;

	for (int i = 0; i < 5; i++)
		make_run(f);
	assert_ok(f, store_runs(f->store, 3, &runs, &n, &f->err));
	assert_int_equal(n, 3);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(runs[i].id, 5 - (int)i);
		store_run_release(&runs[i]);
	}
	free(runs);
}

static void test_create_is_all_or_nothing(void **state)
{
	struct fixture *f = *state;
	json_t *job = json_object();
	struct store_run run = { .name = (char *)"x", .job = job };
	struct store_arm twice[2] = { { .levels = job }, { .levels = job } };
	int64_t id = -1;

	assert_code(f, store_run_create(f->store, &run, twice, 2, &id, &f->err), -EEXIST, "arm");
	assert_int_equal(id, -1);
	assert_sql(f->path, "SELECT count(*) FROM run", "0");
	json_decref(job);
	assert_int_equal(make_run(f), 1);
}

static void test_arms(void **state)
{
	struct fixture *f = *state;
	json_t *plan = json_pack("{s:[i,i]}", "cpus", 0, 1);
	int64_t id = make_run(f);
	struct store_arm *arms;
	size_t n;

	make_run(f);
	assert_ok(f, store_arm_plan(f->store, id, 1, plan, &f->err));
	assert_ok(f, store_arms(f->store, id, &arms, &n, &f->err));
	assert_int_equal(n, 2);
	assert_int_equal(arms[0].index, 0);
	assert_string_equal(arms[1].label, "b");
	assert_string_equal(json_string_value(json_object_get(arms[1].levels, "f")), "b");
	assert_null(arms[0].plan);
	assert_true(json_equal(arms[1].plan, plan));
	store_arms_free(arms, n);
	json_decref(plan);
}

static void test_trial_round_trip(void **state)
{
	struct fixture *f = *state;
	struct store_trial in = { .arm = 1,
		.block = 2,
		.position = 3,
		.repeat = 4,
		.attempt = 5,
		.warmup = true,
		.nonce = (char *)"abc",
		.started_ns = 77 };
	json_t *result = json_pack("{s:i}", "exit", 3);
	struct store_outcome outcome = {
		.state = TRIAL_FAILED, .reason = "exit status 3", .elapsed_ns = 55, .result = result
	};
	int64_t run = make_run(f), id;
	struct store_trial *out;
	size_t n;

	assert_ok(f, store_trial_begin(f->store, run, &in, &id, &f->err));
	assert_ok(f, store_trials(f->store, run, &out, &n, &f->err));
	assert_int_equal(n, 1);
	assert_int_equal(out[0].state, TRIAL_STARTED);
	assert_true(out[0].started_ns == 77 && out[0].elapsed_ns == 0);
	assert_null(out[0].result);
	store_trials_free(out, n);

	assert_ok(f, store_trial_finish(f->store, id, &outcome, &f->err));
	assert_ok(f, store_trials(f->store, run, &out, &n, &f->err));
	assert_int_equal(out[0].id, id);
	assert_int_equal(out[0].arm, 1);
	assert_int_equal(out[0].block, 2);
	assert_int_equal(out[0].position, 3);
	assert_int_equal(out[0].repeat, 4);
	assert_int_equal(out[0].attempt, 5);
	assert_true(out[0].warmup);
	assert_int_equal(out[0].state, TRIAL_FAILED);
	assert_string_equal(out[0].reason, "exit status 3");
	assert_string_equal(out[0].nonce, "abc");
	assert_true(out[0].started_ns == 77 && out[0].elapsed_ns == 55);
	assert_true(json_equal(out[0].result, result));
	store_trials_free(out, n);
	json_decref(result);
}

static void test_trial_ends_once(void **state)
{
	struct fixture *f = *state;
	struct store_outcome outcome = { .state = TRIAL_DONE };
	struct store_trial again = { .arm = 0, .block = 0, .attempt = 1 };
	int64_t run = make_run(f), id = begin_trial(f, run, 0, 0, false), other;

	assert_ok(f, store_trial_finish(f->store, id, &outcome, &f->err));
	assert_code(f, store_trial_finish(f->store, id, &outcome, &f->err), -EALREADY, "done");
	again.attempt = 0;
	assert_code(f, store_trial_begin(f->store, run, &again, &other, &f->err), -EEXIST, "trial");
	/* A second attempt may begin, but two cannot both count. */
	again.attempt = 1;
	assert_ok(f, store_trial_begin(f->store, run, &again, &other, &f->err));
	assert_code(f, store_trial_finish(f->store, other, &outcome, &f->err), -EEXIST, "trial");
	outcome.state = TRIAL_VOID;
	assert_ok(f, store_trial_finish(f->store, other, &outcome, &f->err));
}

static void test_resume(void **state)
{
	struct fixture *f = *state;
	int64_t run = make_run(f), other = make_run(f);
	struct store_trial *trials;
	struct store_run row;
	size_t n;

	finish_trial(f, begin_trial(f, run, 0, 0, false), NULL, NULL);
	begin_trial(f, run, 1, 0, false);
	begin_trial(f, run, 0, 1, false);
	begin_trial(f, other, 0, 0, false);
	assert_ok(f, store_run_end(f->store, run, RUN_INTERRUPTED, NULL, "Ctrl-C", &f->err));
	assert_int_equal(store_run_resume(f->store, run, &f->err), 2);
	assert_int_equal(store_run_resume(f->store, run, &f->err), 0); /* as after kill -9 */
	assert_ok(f, store_run_get(f->store, run, &row, &f->err));
	assert_int_equal(row.state, RUN_RUNNING);
	assert_null(row.error);
	assert_true(row.ended_ns == 0);
	store_run_release(&row);
	assert_ok(f, store_trials(f->store, run, &trials, &n, &f->err));
	assert_int_equal(n, 3);
	assert_int_equal(trials[0].state, TRIAL_DONE);
	assert_int_equal(trials[1].state, TRIAL_LOST);
	assert_int_equal(trials[2].state, TRIAL_LOST);
	assert_non_null(trials[2].reason);
	store_trials_free(trials, n);
	assert_sql(f->path, "SELECT state FROM trial WHERE run = 2", "started");
	assert_ok(f, store_run_end(f->store, run, RUN_FINISHED, NULL, NULL, &f->err));
	assert_code(f, store_run_resume(f->store, run, &f->err), -EBUSY, "has finished");
}

static int add_up(void *context, const struct store_figure *figure)
{
	struct strbuf *seen = context;

	strbuf_printf(seen, "%s %d.%d=%g%s/%s ", figure->metric, (int)figure->arm,
		(int)figure->block, figure->value, figure->unit, better_name(figure->better));
	return 0;
}

static int stop(void *context, const struct store_figure *figure)
{
	(void)figure;
	return ++*(int *)context == 2 ? -ECANCELED : 0;
}

static void finish_with_figures(
	struct fixture *f, int64_t trial, double value, enum trial_state how)
{
	struct values samples = VALUES_INIT, figures = VALUES_INIT;
	struct store_outcome outcome = { .state = how, .samples = &samples, .figures = &figures };
	struct value *v;

	for (int i = 0; i < 3; i++) {
		v = values_add(&samples, "rate", "1/s", value + i);
		v->better = BETTER_HIGHER;
		values_label_int(&samples, v, "interval", i + 1);
	}
	v = values_add(&figures, "rate", "1/s", value);
	v->better = BETTER_HIGHER;
	v = values_add(&figures, "p99", "us", value / 2);
	v->better = BETTER_LOWER;
	assert_ok(f, store_trial_finish(f->store, trial, &outcome, &f->err));
	values_release(&samples);
	values_release(&figures);
}

static void test_samples_and_figures(void **state)
{
	struct fixture *f = *state;
	int64_t run = make_run(f), other = make_run(f), first = begin_trial(f, run, 1, 0, false);
	struct values samples = VALUES_INIT;
	struct strbuf seen = STRBUF_INIT;
	int calls = 0;

	finish_with_figures(f, first, 10, TRIAL_DONE);
	finish_with_figures(f, begin_trial(f, run, 0, 0, false), 20, TRIAL_DONE);
	finish_with_figures(f, begin_trial(f, run, 0, 1, true), 30, TRIAL_DONE); /* warm-up */
	finish_with_figures(f, begin_trial(f, run, 0, 2, false), 40, TRIAL_VOID);
	finish_with_figures(f, begin_trial(f, other, 0, 0, false), 50, TRIAL_DONE);

	assert_ok(f, store_samples(f->store, first, &samples, &f->err));
	assert_int_equal(samples.n, 3);
	assert_true(samples.v[2].value == 12);
	assert_string_equal(samples.v[2].name, "rate");
	assert_string_equal(samples.v[2].unit, "1/s");
	assert_int_equal(samples.v[2].better, BETTER_HIGHER);
	assert_string_equal(value_label(&samples.v[2], "interval"), "3");
	values_release(&samples);

	assert_ok(f, store_figures(f->store, run, NULL, add_up, &seen, &f->err));
	assert_string_equal(strbuf_text(&seen), "rate 1.0=101/s/higher p99 1.0=5us/lower "
						"rate 0.0=201/s/higher p99 0.0=10us/lower ");
	strbuf_clear(&seen);
	assert_ok(f, store_figures(f->store, run, "p99", add_up, &seen, &f->err));
	assert_string_equal(strbuf_text(&seen), "p99 1.0=5us/lower p99 0.0=10us/lower ");
	strbuf_release(&seen);
	assert_int_equal(store_figures(f->store, run, NULL, stop, &calls, &f->err), -ECANCELED);
	assert_int_equal(calls, 2);
	assert_ok(f, store_figures(f->store, run, "none", stop, &calls, &f->err));
}

static void test_not_finite_is_refused(void **state)
{
	struct fixture *f = *state;
	int64_t trial = begin_trial(f, make_run(f), 0, 0, false);
	struct values bad = VALUES_INIT;
	struct store_counters counters = { .collector = "c", .values = &bad };
	struct store_outcome outcome = { .state = TRIAL_DONE, .samples = &bad };

	values_add(&bad, "ratio", "", NAN);
	assert_code(f, store_trial_finish(f->store, trial, &outcome, &f->err), -EINVAL, "'ratio'");
	outcome = (struct store_outcome){ .state = TRIAL_DONE, .figures = &bad };
	bad.v[0].value = INFINITY;
	assert_code(f, store_trial_finish(f->store, trial, &outcome, &f->err), -EINVAL, "'ratio'");
	outcome = (struct store_outcome){
		.state = TRIAL_DONE, .counters = &counters, .n_counters = 1
	};
	assert_code(f, store_trial_finish(f->store, trial, &outcome, &f->err), -EINVAL, "'ratio'");
	values_release(&bad);
	assert_sql(f->path, "SELECT state FROM trial", "started");
}

/* A failure in the middle of an outcome leaves nothing of it, nor a stale id of a dictionary. */
static void test_finish_is_all_or_nothing(void **state)
{
	struct fixture *f = *state;
	int64_t trial = begin_trial(f, make_run(f), 0, 0, false);
	struct values values = VALUES_INIT;
	struct store_counters counters = { .collector = "interrupts", .values = &values };
	struct store_raw twice[2] = { { "stdout", "a", 1 }, { "stdout", "b", 1 } };
	struct store_outcome outcome = { .state = TRIAL_DONE,
		.samples = &values,
		.counters = &counters,
		.n_counters = 1,
		.raw = twice,
		.n_raw = 2 };

	values_add(&values, "RES", "", 3);
	assert_code(f, store_trial_finish(f->store, trial, &outcome, &f->err), -EEXIST, "raw");
	assert_sql(f->path,
		"SELECT (SELECT count(*) FROM sample) + (SELECT count(*) FROM counter_key) + "
		"(SELECT count(*) FROM trial_collector) + (SELECT count(*) FROM raw)",
		"0");
	assert_sql(f->path, "SELECT state FROM trial", "started");
	outcome.n_raw = 1;
	assert_ok(f, store_trial_finish(f->store, trial, &outcome, &f->err));
	assert_sql(f->path, "SELECT name || value FROM counter", "RES3");
	values_release(&values);
}

static void assert_raw(
	struct fixture *f, int64_t trial, const char *name, const void *data, size_t len)
{
	char *got;
	size_t got_len;

	assert_ok(f, store_raw_get(f->store, trial, name, &got, &got_len, &f->err));
	assert_int_equal(got_len, len);
	if (len)
		assert_memory_equal(got, data, len);
	assert_int_equal(got[len], 0);
	free(got);
}

static void test_raw(void **state)
{
	struct fixture *f = *state;
	int64_t trial = begin_trial(f, make_run(f), 0, 0, false);
	char *big = xmalloc(300000), *data;
	unsigned char noise[1000];
	json_t *names;
	size_t len;
	struct store_raw raw[] = { { "stdout", "", 0 }, { "empty", NULL, 0 },
		{ "nul", "a\0b\0", 4 }, { "big", big, 300000 }, { "noise", noise, sizeof(noise) },
		{ "one", "x", 1 } };
	struct store_outcome outcome = {
		.state = TRIAL_VOID, .raw = raw, .n_raw = array_size(raw)
	};

	for (size_t i = 0; i < 300000; i++)
		big[i] = i % 70 == 69 ? '\n' : (char)('a' + i / 70 % 26);
	for (size_t i = 0; i < sizeof(noise); i++)
		noise[i] = (unsigned char)((i * 2654435761u) >> 13);
	assert_ok(f, store_trial_finish(f->store, trial, &outcome, &f->err));
	for (size_t i = 0; i < array_size(raw); i++)
		assert_raw(f, trial, raw[i].name, raw[i].data, raw[i].len);
	assert_sql(f->path, "SELECT length(data) < 10000 FROM raw WHERE name = 'big'", "1");
	assert_code(
		f, store_raw_get(f->store, trial, "none", &data, &len, &f->err), -ENOENT, "none");
	assert_ok(f, store_raw_names(f->store, trial, &names, &f->err));
	assert_int_equal(json_array_size(names), array_size(raw));
	assert_string_equal(json_string_value(json_array_get(names, 5)), "one");
	json_decref(names);
	free(big);
}

/* What the manual page says of the sqlite3 shell: the convention of its archive files. */
static void test_damaged_raw(void **state)
{
	struct fixture *f = *state;
	int64_t trial = begin_trial(f, make_run(f), 0, 0, false);
	struct store_raw raw = { "stdout", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
		52 };
	struct store_outcome outcome = { .state = TRIAL_DONE, .raw = &raw, .n_raw = 1 };
	char *data;
	size_t len;

	assert_ok(f, store_trial_finish(f->store, trial, &outcome, &f->err));
	free(sql_text(f->path, "UPDATE raw SET length = 1000000000000"));
	assert_code(f, store_raw_get(f->store, trial, "stdout", &data, &len, &f->err), -EINVAL,
		"damaged");
	free(sql_text(f->path, "UPDATE raw SET length = 51"));
	assert_code(f, store_raw_get(f->store, trial, "stdout", &data, &len, &f->err), -EINVAL,
		"damaged");
	free(sql_text(f->path, "UPDATE raw SET length = 52, data = x'789c00000000'"));
	assert_code(f, store_raw_get(f->store, trial, "stdout", &data, &len, &f->err), -EINVAL,
		"damaged");
}

#define with_store(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		with_store(test_run_round_trip),
		with_store(test_missing_rows),
		with_store(test_no_run_yet),
		with_store(test_runs_newest_first),
		with_store(test_create_is_all_or_nothing),
		with_store(test_arms),
		with_store(test_trial_round_trip),
		with_store(test_trial_ends_once),
		with_store(test_resume),
		with_store(test_samples_and_figures),
		with_store(test_not_finite_is_refused),
		with_store(test_finish_is_all_or_nothing),
		with_store(test_raw),
		with_store(test_damaged_raw),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
