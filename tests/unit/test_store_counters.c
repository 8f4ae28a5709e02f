/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counters: labels, zeros, order, errors and notes, a big run; and that queries use their indexes. */
#include "db/store.h"

#include "store_fixture.h"

#include <errno.h>

#include "db/sql_files.h"

/* "interrupts 1.0 LOC{cpu=3,irq=x}=7" for each call. */
static int write_down(void *context, const struct store_counter *counter)
{
	const struct value *v = counter->value;
	struct strbuf *seen = context;

	strbuf_printf(seen, "%s %d.%d %s", counter->collector, (int)counter->arm,
		(int)counter->block, v->name);
	for (size_t i = 0; i < v->n_labels; i++)
		strbuf_printf(seen, "%c%s=%s", i ? ',' : '{', v->labels[i].key, v->labels[i].value);
	strbuf_printf(seen, "%s=%g%s\n", v->n_labels ? "}" : "", v->value, v->unit);
	return 0;
}

static void assert_seen(struct fixture *f, int64_t run, const char *collector, const char *expected)
{
	struct strbuf seen = STRBUF_INIT;

	assert_ok(f, store_counters(f->store, run, collector, write_down, &seen, &f->err));
	assert_string_equal(strbuf_text(&seen), expected);
	strbuf_release(&seen);
}

/* A value with a cpu label between two others, as collectors add them. */
static void add(
	struct values *vs, const char *name, const char *irq, const char *cpu, double number)
{
	struct value *v = values_add(vs, name, "", number);

	if (irq)
		values_label(vs, v, "irq", irq);
	if (cpu)
		values_label(vs, v, "cpu", cpu);
}

static void test_labels_and_order(void **state)
{
	struct fixture *f = *state;
	int64_t run = make_run(f), other = make_run(f);
	struct values values = VALUES_INIT;
	struct value *v;

	add(&values, "delta", "LOC", "0", 5);
	add(&values, "delta", "LOC", "1", 0);
	add(&values, "delta", "LOC", "11", 2);
	add(&values, "delta", "24", "2", 9);
	add(&values, "delta", "ERR", NULL, 1);
	add(&values, "delta", "odd", "all", 3);
	add(&values, "delta", "odd", "07", 4);
	v = values_add(&values, "time", "us", 0.25);
	values_label(&values, v, "cpu", "2");
	values_label(&values, v, "state", "C1 \"x\"");
	finish_trial(f, begin_trial(f, run, 1, 0, false), "interrupts", &values);
	values.v[0].value = 6;
	values.v[2].value = 0;
	finish_trial(f, begin_trial(f, run, 0, 0, false), "interrupts", &values);
	finish_trial(f, begin_trial(f, run, 0, 1, true), "interrupts", &values);
	finish_trial(f, begin_trial(f, other, 0, 0, false), "cpustat", &values);

	assert_seen(f, run, "interrupts",
		"interrupts 1.0 delta{irq=LOC,cpu=0}=5\n"
		"interrupts 0.0 delta{irq=LOC,cpu=0}=6\n"
		"interrupts 1.0 delta{irq=LOC,cpu=11}=2\n"
		"interrupts 1.0 delta{irq=24,cpu=2}=9\n"
		"interrupts 0.0 delta{irq=24,cpu=2}=9\n"
		"interrupts 1.0 delta{irq=ERR}=1\n"
		"interrupts 0.0 delta{irq=ERR}=1\n"
		"interrupts 1.0 delta{irq=odd,cpu=all}=3\n"
		"interrupts 0.0 delta{irq=odd,cpu=all}=3\n"
		"interrupts 1.0 delta{irq=odd,cpu=07}=4\n"
		"interrupts 0.0 delta{irq=odd,cpu=07}=4\n"
		"interrupts 1.0 time{cpu=2,state=C1 \"x\"}=0.25us\n"
		"interrupts 0.0 time{cpu=2,state=C1 \"x\"}=0.25us\n");
	assert_seen(f, run, "cpustat", "");
	assert_seen(f, run, "never heard of", "");
	values_release(&values);
}

static void test_several_collectors(void **state)
{
	struct fixture *f = *state;
	int64_t run = make_run(f), trial = begin_trial(f, run, 0, 0, false);
	struct values one = VALUES_INIT, two = VALUES_INIT;
	struct store_counters counters[] = { { .collector = "softirqs", .values = &one },
		{ .collector = "cpustat", .values = &two }, { .collector = "empty" } };
	struct store_outcome outcome = {
		.state = TRIAL_DONE, .counters = counters, .n_counters = 3
	};

	values_add(&one, "same", "", 1);
	values_add(&two, "same", "", 2);
	assert_ok(f, store_trial_finish(f->store, trial, &outcome, &f->err));
	assert_seen(f, run, NULL, "cpustat 0.0 same=2\nsoftirqs 0.0 same=1\n");
	values_release(&one);
	values_release(&two);
}

/* A second program that knows no ids yet finds those of the first. */
static void test_dictionary_is_shared(void **state)
{
	struct fixture *f = *state;
	int64_t run = make_run(f);
	struct values values = VALUES_INIT;
	struct store *first = f->store;

	add(&values, "delta", "LOC", "0", 5);
	finish_trial(f, begin_trial(f, run, 0, 0, false), "interrupts", &values);
	assert_ok(f, store_open(f->path, &f->store, &f->err));
	add(&values, "delta", "RES", "0", 6);
	finish_trial(f, begin_trial(f, run, 0, 1, false), "interrupts", &values);
	store_close(f->store);
	f->store = first;
	finish_trial(f, begin_trial(f, run, 0, 2, false), "interrupts", &values);
	assert_sql(f->path, "SELECT count(*) FROM counter_key", "2");
	assert_sql(f->path, "SELECT count(*) FROM counter", "5");
	values_release(&values);
}

/* What people read with sqlite3 is what the program reads. */
static void test_view(void **state)
{
	struct fixture *f = *state;
	struct values values = VALUES_INIT;

	add(&values, "delta", "LOC", "0", 5);
	add(&values, "delta", "LOC", "2", 7);
	add(&values, "delta", "LOC", "40", 1);
	add(&values, "delta", "ERR", NULL, 2.5);
	finish_trial(f, begin_trial(f, make_run(f), 0, 0, false), "interrupts", &values);
	assert_sql(f->path,
		"SELECT group_concat(collector || name || json_extract(labels, '$.irq') || "
		"coalesce(cpu, '-') || '=' || value, ' ') FROM counter ORDER BY counter_key, cpu",
		"interruptsdeltaLOC0=5 interruptsdeltaLOC2=7 interruptsdeltaLOC40=1 "
		"interruptsdeltaERR-=2.5");
	values_release(&values);
}

static void assert_json(json_t *got, const char *expected)
{
	json_t *want = json_loads(expected, 0, NULL);

	assert_non_null(want);
	if (!json_equal(got, want))
		fail_msg("%s is not %s", json_dumps(got, 0), expected);
	json_decref(want);
	json_decref(got);
}

static void finish_with(struct fixture *f, int64_t trial, struct store_counters *counters)
{
	struct store_outcome outcome = {
		.state = TRIAL_DONE, .counters = counters, .n_counters = 2
	};

	assert_ok(f, store_trial_finish(f->store, trial, &outcome, &f->err));
}

static void test_errors_notes_coverage(void **state)
{
	struct fixture *f = *state;
	int64_t run = make_run(f);
	struct values noted = VALUES_INIT;
	struct store_counters good[] = { { "perf", &noted, NULL }, { "ipi", NULL, "no tracefs" } };
	struct store_counters bad[] = { { "perf", NULL, "EPERM \xff" }, { "ipi", NULL, NULL } };
	json_t *json;

	values_note(&noted, "cycles: not supported");
	values_note(&noted, "bytes \xff\xfe");
	finish_with(f, begin_trial(f, run, 0, 0, false), good);
	finish_with(f, begin_trial(f, run, 1, 0, false), good);
	finish_with(f, begin_trial(f, run, 1, 1, false), bad);
	finish_with(f, begin_trial(f, run, 1, 2, true), bad);
	assert_ok(f, store_collector_errors(f->store, run, &json, &f->err));
	assert_json(json, "[{\"collector\": \"ipi\", \"error\": \"no tracefs\", \"trials\": 2},"
			  " {\"collector\": \"perf\", \"error\": \"EPERM ?\", \"trials\": 1}]");
	assert_ok(f, store_collector_notes(f->store, run, &json, &f->err));
	assert_json(json,
		"[{\"collector\": \"perf\", \"note\": \"cycles: not supported\", \"trials\": 2},"
		" {\"collector\": \"perf\", \"note\": \"bytes ??\", \"trials\": 2}]");
	assert_ok(f, store_collector_coverage(f->store, run, &json, &f->err));
	assert_json(json, "[{\"collector\": \"ipi\", \"arm\": 1, \"trials\": 1},"
			  " {\"collector\": \"perf\", \"arm\": 0, \"trials\": 1},"
			  " {\"collector\": \"perf\", \"arm\": 1, \"trials\": 1}]");
	values_release(&noted);
}

static int stop_at_once(void *context, const struct store_counter *counter)
{
	(void)context;
	(void)counter;
	return -ECANCELED;
}

static void test_walk_ends_and_damage_shows(void **state)
{
	struct fixture *f = *state;
	int64_t run = make_run(f);
	struct values values = VALUES_INIT;
	struct strbuf seen = STRBUF_INIT;

	add(&values, "delta", "LOC", "0", 5);
	finish_trial(f, begin_trial(f, run, 0, 0, false), "interrupts", &values);
	assert_int_equal(
		store_counters(f->store, run, NULL, stop_at_once, NULL, &f->err), -ECANCELED);
	free(sql_text(f->path, "UPDATE trial_collector SET cells = '{\"1\":{\"0\":[5'"));
	assert_code(f, store_counters(f->store, run, NULL, write_down, &seen, &f->err), -EINVAL,
		"trial 1: counters are damaged");
	free(sql_text(f->path, "UPDATE trial_collector SET cells = '{\"77\":1}'"));
	assert_code(f, store_counters(f->store, run, NULL, write_down, &seen, &f->err), -EINVAL,
		"damaged");
	/* The walk that failed has let go of its transaction. */
	finish_trial(f, begin_trial(f, run, 0, 1, false), "interrupts", &values);
	values_release(&values);
	strbuf_release(&seen);
}

static int write_total(void *context, const struct store_total *total)
{
	const struct value *v = total->value;

	strbuf_printf(context, "%s %d %s%s=%g/%d/%g\n", total->collector, (int)total->arm, v->name,
		v->n_labels ? value_label(v, "cpu") : "", v->value, (int)total->trials,
		total->squares);
	return 0;
}

static void test_totals(void **state)
{
	struct fixture *f = *state;
	int64_t run = make_run(f);
	struct values values = VALUES_INIT;
	struct strbuf seen = STRBUF_INIT;

	add(&values, "RES", NULL, "3", 0);
	add(&values, "RES", NULL, "0", 2);
	add(&values, "ERR", NULL, NULL, 0.5);
	finish_trial(f, begin_trial(f, run, 1, 0, false), "interrupts", &values);
	values.v[0].value = 7;
	values.v[1].value = 3;
	finish_trial(f, begin_trial(f, run, 1, 1, false), "interrupts", &values);
	finish_trial(f, begin_trial(f, run, 0, 2, true), "interrupts", &values);
	values.v[1].value = 0;
	finish_trial(f, begin_trial(f, run, 0, 3, false), "interrupts", &values);
	assert_ok(f, store_counter_totals(f->store, run, NULL, write_total, &seen, &f->err));
	assert_string_equal(strbuf_text(&seen), "interrupts 1 RES0=5/2/13\n"
						"interrupts 0 RES3=7/1/49\n"
						"interrupts 1 RES3=7/1/49\n"
						"interrupts 0 ERR=0.5/1/0.25\n"
						"interrupts 1 ERR=1/2/0.5\n");
	values_release(&values);
	strbuf_release(&seen);
}

static int write_table(void *context, const struct store_counter_table *t)
{
	strbuf_printf(context, "%s %s%s labels %zu:", t->collector, t->value->name,
		t->per_cpu ? " by cpu" : "", t->value->n_labels);
	for (int i = 0; i < 4; i++)
		strbuf_printf(context, " %g", t->cell[i]);
	for (size_t i = 0; i < t->n_cpus; i++)
		strbuf_printf(context, "; %d: %g %g", t->cpu[i], t->cpu_sum[2 * i],
			t->cpu_sum[2 * i + 1]);
	strbuf_puts(context, "\n");
	return 0;
}

/* Two arms, two blocks; what is beyond them and warm-ups are left out. */
static void test_tables(void **state)
{
	struct fixture *f = *state;
	int64_t run = make_run(f);
	struct values values = VALUES_INIT;
	struct strbuf seen = STRBUF_INIT;

	add(&values, "RES", "7", "30", 4);
	add(&values, "RES", "7", "0", 2);
	add(&values, "ERR", NULL, NULL, 0.5);
	finish_trial(f, begin_trial(f, run, 1, 0, false), "interrupts", &values);
	values.v[0].value = 0;
	values.v[1].value = 3;
	finish_trial(f, begin_trial(f, run, 0, 1, false), "interrupts", &values);
	finish_trial(f, begin_trial(f, run, 0, 2, false), "interrupts", &values);
	finish_trial(f, begin_trial(f, run, 0, 0, true), "interrupts", &values);
	assert_ok(f, store_counter_tables(f->store, run, 2, 2, write_table, &seen, &f->err));
	assert_string_equal(strbuf_text(&seen),
		"interrupts RES by cpu labels 1: 0 3 6 0; 0: 3 2; 30: 0 4\n"
		"interrupts ERR labels 0: 0 0.5 0.5 0\n");
	values_release(&values);
	strbuf_release(&seen);
}

enum { TRIALS = 2000, ROWS = 30, CPUS = 10 };

/* Nothing in a third of the places; every number tells where it belongs. */
static double number(int trial, int row, int cpu)
{
	return (trial + row + cpu) % 3 == 0 ? 0 : trial * 1000.0 + row * 20 + cpu + 1;
}

static void make_values(struct values *values)
{
	for (int row = 0; row < ROWS; row++)
		for (int cpu = 0; cpu < CPUS; cpu++) {
			char irq[16], text[16];

			snprintf(irq, sizeof(irq), "irq%d", row);
			snprintf(text, sizeof(text), "%d", cpu);
			add(values, "delta", irq, text, 0);
		}
}

/* Every counter of every trial in its place: row, CPU and trial are reckoned from the order alone. */
struct expected {
	int row, cpu, trial;
	size_t calls;
};

static int check_number(void *context, const struct store_counter *counter)
{
	struct expected *e = context;
	int row = atoi(value_label(counter->value, "irq") + 3);
	int cpu = atoi(value_label(counter->value, "cpu"));
	int trial = (int)counter->block;

	assert_true(row > e->row || (row == e->row && cpu > e->cpu) ||
		    (row == e->row && cpu == e->cpu && trial > e->trial));
	*e = (struct expected){ row, cpu, trial, e->calls + 1 };
	if (counter->value->value != number(trial, row, cpu))
		fail_msg("trial %d row %d cpu %d: %g", trial, row, cpu, counter->value->value);
	assert_true(counter->elapsed_s == 2);
	return 0;
}

static void test_big_run(void **state)
{
	struct fixture *f = *state;
	struct values values = VALUES_INIT;
	struct expected expected = { .row = -1 };
	int64_t run = make_run(f);
	size_t cells = 0;

	make_values(&values);
	for (int trial = 0; trial < TRIALS; trial++) {
		int64_t id = begin_trial(f, run, 0, trial, false);

		for (int row = 0; row < ROWS; row++)
			for (int cpu = 0; cpu < CPUS; cpu++) {
				struct value *v = &values.v[row * CPUS + cpu];

				v->value = number(trial, row, cpu);
				cells += v->value != 0;
			}
		finish_trial(f, id, "interrupts", &values);
	}
	assert_ok(f, store_counters(f->store, run, NULL, check_number, &expected, &f->err));
	assert_int_equal(expected.calls, cells);
	values_release(&values);
}

/* Tables that grow with the number of trials are reached by an index or their key, never walked. */
static const char *const big_tables[] = { "trial", "sample", "figure", "trial_collector", "raw",
	"counter_key", "arm", "metric" };

static void check_plan(sqlite3 *db, const struct sql_file *file)
{
	char *sql = xasprintf("EXPLAIN QUERY PLAN %s",
		strstr(file->text, "SELECT") ? strstr(file->text, "SELECT") : "SELECT 1");
	sqlite3_stmt *stmt;

	if (sqlite3_prepare_v2(db, sql, -1, &stmt, NULL) != SQLITE_OK)
		fail_msg("%s: %s", file->name, sqlite3_errmsg(db));
	while (sqlite3_step(stmt) == SQLITE_ROW) {
		const char *detail = (const char *)sqlite3_column_text(stmt, 3);

		for (size_t i = 0; i < array_size(big_tables); i++) {
			char *scan = xasprintf("SCAN %s", big_tables[i]);
			size_t len = strlen(scan);

			if (strncmp(detail, scan, len) == 0 && strchr(" ", detail[len]))
				fail_msg("%s: %s", file->name, detail);
			free(scan);
		}
		/* Ordering thousands of rows comes from the index too. */
		if (strcmp(file->name, "queries/trials") == 0 ||
			strcmp(file->name, "queries/figures") == 0 ||
			strcmp(file->name, "queries/counters") == 0)
			assert_null(strstr(detail, "TEMP B-TREE FOR ORDER"));
	}
	sqlite3_finalize(stmt);
	free(sql);
}

static void test_queries_use_indexes(void **state)
{
	struct fixture *f = *state;
	size_t checked = 0;
	sqlite3 *db;

	assert_int_equal(sqlite3_open(f->path, &db), SQLITE_OK);
	for (size_t i = 0; i < sql_files_n; i++)
		if (strncmp(sql_files[i].name, "queries/", 8) == 0 &&
			strstr(sql_files[i].text, "SELECT") &&
			!strstr(sql_files[i].text, "INSERT")) {
			check_plan(db, &sql_files[i]);
			checked++;
		}
	assert_true(checked > 15);
	sqlite3_close(db);
}

#define with_store(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		with_store(test_labels_and_order),
		with_store(test_several_collectors),
		with_store(test_dictionary_is_shared),
		with_store(test_view),
		with_store(test_errors_notes_coverage),
		with_store(test_walk_ends_and_damage_shows),
		with_store(test_totals),
		with_store(test_tables),
		with_store(test_big_run),
		with_store(test_queries_use_indexes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
