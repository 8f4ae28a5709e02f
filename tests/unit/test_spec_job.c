/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/json.h"
#include "base/rng.h"
#include "base/strbuf.h"
#include "spec/job.h"
#include "spec/target_file.h"
#include "tests/unit/spec_fake.h"

#define FIXTURES "tests/fixtures/spec"

static struct string_list dirs;

static int set_up(void **state)
{
	(void)state;
	string_list_add(&dirs, "/nonexistent");
	string_list_add(&dirs, FIXTURES);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	string_list_release(&dirs);
	return 0;
}

/* A job that must be fine. */
static struct job *good_text(const char *text)
{
	struct diags diags = DIAGS_INIT;
	struct job *job;
	char *findings;

	job_parse("text", text, strlen(text), &fake_registry, &dirs, &job, &diags);
	findings = diags_text(&diags);
	assert_string_equal(findings, "");
	assert_non_null(job);
	free(findings);
	diags_release(&diags);
	return job;
}

static struct job *good_file(const char *name)
{
	struct diags diags = DIAGS_INIT;
	char *path = xasprintf(FIXTURES "/good/%s.yaml", name), *findings;
	struct job *job;

	job_load(path, &fake_registry, &dirs, &job, &diags);
	findings = diags_text(&diags);
	assert_string_equal(findings, "");
	assert_non_null(job);
	assert_string_equal(job->path, path);
	free(findings);
	free(path);
	diags_release(&diags);
	return job;
}

static void bad_text(const char *text, const char *finding)
{
	struct diags diags = DIAGS_INIT;
	struct job *job;
	char *findings;

	assert_int_equal(
		job_parse("text", text, strlen(text), &fake_registry, NULL, &job, &diags), -EINVAL);
	assert_null(job);
	findings = diags_text(&diags);
	if (!strstr(findings, finding))
		assert_string_equal(findings, finding);
	free(findings);
	diags_release(&diags);
}

static void test_minimal(void **state)
{
	struct job *job = good_file("minimal");

	(void)state;
	assert_string_equal(job->name, "minimal");
	assert_null(job->description);
	assert_null(job->params);
	assert_string_equal(job->target, "local");
	assert_null(job->target_options);
	assert_int_equal(job->n_factors + job->n_arms, 0);
	assert_null(job->fixed);
	assert_null(job->baseline);
	/* The default list, as far as this registry goes. */
	assert_int_equal(job->n_collect, 2);
	assert_string_equal(job->collect[0].name, "interrupts");
	assert_int_equal(json_object_size(job->collect[0].options), 0);
	assert_string_equal(json_str(job->collect[1].options, "scope", ""), "cpus");
	assert_null(job->decide.metric);
	assert_true(job->decide.margin == 0.01 && job->decide.confidence == 0.99);
	assert_true(job->decide.equivalence_confidence == 0.95 && job->decide.max_time == 0);
	assert_int_equal(job->decide.max_blocks, 64);
	assert_int_equal(job->trials, 1);
	assert_int_equal(job->warmup, 1);
	assert_int_equal(job->reboot, REBOOT_NEVER);
	assert_int_equal(job->seed, 0);
	assert_true(job->trial_timeout == 0 && job->cooldown == 0);
	assert_null(job->user);
	assert_string_equal(job->text, "name: minimal\nbenchmark: context_switch\n");
	job_free(job);
}

static void check_full(const struct job *job)
{
	const struct fake_vm *vm = job->target_options;

	assert_string_equal(job->description, "Does TTWU_QUEUE pay on one core?\n");
	assert_int_equal(json_int(job->params, "timeout", 0), 5);
	assert_string_equal(json_str(job->params, "version", ""), "1.10");
	assert_true(json_is_null(json_object_get(job->params, "unset")));
	assert_string_equal(job->target, "vm");
	assert_ptr_equal(job->target_table, &fake_vm_table);
	assert_int_equal(vm->cpus, 4);
	assert_int_equal(vm->memory, 512 << 20);
	assert_true(vm->boot_timeout == 120);
	assert_int_equal(job->n_factors, 2);
	assert_string_equal(job->factors[0].name, "features");
	assert_string_equal(job->factors[0].levels[1].label, "NO_TTWU_QUEUE");
	assert_string_equal(job->factors[1].levels[1].label, "0,8");
	assert_int_equal(job->factors[1].levels[1].column, 18);
	assert_string_equal(json_str(job->fixed, "kernel", ""), "6.10");
	assert_ptr_equal(json_object_get(job->baseline, "cpus"), job->factors[1].levels[1].value);
	assert_int_equal(job->n_collect, 2);
	assert_int_equal(json_array_size(json_object_get(job->collect[1].options, "events")), 2);
	assert_string_equal(json_str(job->collect[1].options, "scope", ""), "process");
	assert_string_equal(job->decide.metric, "switches_per_second");
	assert_true(job->decide.confidence == 0.9999 && job->decide.max_time == 1200);
	assert_int_equal(job->decide.max_blocks, 32);
	assert_int_equal(job->trials, 3);
	assert_int_equal(job->warmup, 0);
	assert_int_equal(job->reboot, REBOOT_BLOCK);
	assert_int_equal(job->seed, 9007199254740991);
	assert_true(job->trial_timeout == 90 && job->cooldown == 0.5);
	assert_string_equal(job->user, "nobody");
}

static void test_full(void **state)
{
	struct job *job = good_file("full");

	(void)state;
	check_full(job);
	job_free(job);
	job = good_file("bom-crlf");
	check_full(job);
	job_free(job);
}

static void test_norway(void **state)
{
	static const char *const words[] = { "NO", "on", "yes", "true", "1", "0x10", "1.10" };
	struct job *job = good_file("norway");

	(void)state;
	assert_string_equal(job->name, "NO");
	assert_string_equal(job->benchmark, "on");
	assert_int_equal(job->factors[0].n_levels, array_size(words));
	for (size_t i = 0; i < array_size(words); i++)
		assert_string_equal(json_string_value(job->factors[0].levels[i].value), words[i]);
	assert_string_equal(job->factors[1].levels[0].label, "6.1");
	assert_string_equal(job->factors[1].levels[1].label, "6.10");
	assert_string_equal(json_str(job->baseline, "kernel", ""), "6.10");
	job_free(job);
}

static void test_arms(void **state)
{
	struct job *job = good_file("arms");

	(void)state;
	assert_int_equal(job->n_factors, 0);
	assert_int_equal(job->n_arms, 3);
	assert_string_equal(job->arms[1].label, "off");
	assert_string_equal(json_str(job->arms[1].levels, "kernel", ""), "6.10");
	assert_int_equal(json_object_size(job->arms[1].levels), 2);
	assert_int_equal(json_object_size(job->arms[2].levels), 0);
	assert_null(job->arms[2].label);
	assert_int_equal(job->arms[1].line, 6);
	assert_string_equal(json_string_value(job->baseline), "off");
	assert_int_equal(job->n_collect, 0);
	assert_string_equal(job->target, "ssh");
	assert_string_equal(((struct fake_ssh *)job->target_options)->host, "lab.example");
	job_free(job);
	job = good_file("arms-by-level");
	assert_string_equal(json_string_value(job->baseline), "TTWU_QUEUE 0,1");
	job_free(job);
	job = good_file("anchors");
	assert_string_equal(json_str(job->arms[1].levels, "kernel", ""), "v6.6");
	assert_string_equal(json_string_value(job->baseline), "A v6.6");
	job_free(job);
}

static void test_baselines(void **state)
{
	struct job *job = good_file("label");

	(void)state;
	assert_string_equal(json_str(job->baseline, "features", ""), "A");
	assert_ptr_equal(json_object_get(job->baseline, "cpus"), job->factors[1].levels[1].value);
	job_free(job);
	/* What it does not name stands at its first level. */
	job = good_text("name: x\nbenchmark: x\nfactors: {features: [A, B], cpus: [[0, 1], [2]]}\n"
			"baseline: {features: B}\n");
	assert_string_equal(json_str(job->baseline, "features", ""), "B");
	assert_ptr_equal(json_object_get(job->baseline, "cpus"), job->factors[1].levels[0].value);
	job_free(job);
	job = good_text("name: x\nbenchmark: x\nbaseline: default\n");
	assert_int_equal(json_object_size(job->baseline), 0);
	job_free(job);
}

static void test_targets(void **state)
{
	struct job *job = good_text("{name: x, benchmark: x, target: guest}");
	const struct fake_vm *vm = job->target_options;

	(void)state;
	assert_string_equal(job->target, "vm");
	assert_int_equal(vm->cpus, 8);
	assert_int_equal(vm->memory, 1 << 30);
	job_free(job);
	job = good_text("{name: x, benchmark: x, target: " FIXTURES "/targets/lab.yaml}");
	assert_string_equal(job->target, "ssh");
	job_free(job);
	job = good_text("{name: x, benchmark: x, target: {vm: }}");
	assert_int_equal(((const struct fake_vm *)job->target_options)->cpus, 2);
	job_free(job);
	job = good_text("{name: x, benchmark: x, target: {local: {}}}");
	assert_null(job->target_options);
	job_free(job);
	bad_text("{name: x, benchmark: x, target: guest}",
		"text:1:33: unknown target 'guest'; allowed: local, vm, ssh\n");
}

static void check_target_file(const char *text, const char *findings)
{
	struct diags diags = DIAGS_INIT;
	struct yaml_file *file = yaml_parse("t", text, strlen(text), &diags);
	struct target_choice choice = { 0 };
	int r = target_file_parse(yaml_root(file), &fake_registry, &choice, &diags);
	char *found = diags_text(&diags);

	assert_string_equal(found, findings);
	assert_int_equal(r, diags.n ? -EINVAL : 0);
	free(found);
	target_choice_release(&choice);
	yaml_file_free(file);
	diags_release(&diags);
}

static void test_target_files(void **state)
{
	(void)state;
	check_target_file("kind: local\ndescription: here\n", "");
	check_target_file("kind: local\ncpus: 2\n",
		"t:2:1: unknown key 'cpus' in target file; allowed: kind, description\n");
	check_target_file(
		"cpus: 2\n", "t:1:1: target file lacks 'kind'; allowed: local, vm, ssh\n");
	check_target_file("vm\n", "t:1:1: target file lacks 'kind'; allowed: local, vm, ssh\n");
	check_target_file("kind: vn\n", "t:1:7: unknown kind of target 'vn'; allowed: local, vm, "
					"ssh; did you mean 'vm'?\n");
	check_target_file("kind: [vm]\n",
		"t:1:7: unknown kind of target; got a list; allowed: local, vm, ssh\n");
	check_target_file("kind: ssh\n",
		"t:1:1: target file lacks 'host', which takes a text such as lab.example\n");
}

static int is_yaml(const struct dirent *entry)
{
	const char *dot = strrchr(entry->d_name, '.');

	return dot && !strcmp(dot, ".yaml");
}

static void check_bad(const char *name)
{
	char *path = xasprintf(FIXTURES "/bad/%s", name), *findings, *expected;
	struct diags diags = DIAGS_INIT;
	struct job *job;

	assert_int_equal(job_load(path, &fake_registry, &dirs, &job, &diags), -EINVAL);
	assert_null(job);
	findings = diags_text(&diags);
	free(path);
	path = xasprintf(FIXTURES "/bad/%.*s.expect", (int)strlen(name) - 5, name);
	assert_int_equal(file_read(path, 1 << 20, &expected, NULL, NULL), 0);
	assert_string_equal(findings, expected);
	free(findings);
	free(expected);
	free(path);
	diags_release(&diags);
}

static void test_bad_files(void **state)
{
	struct dirent **entries;
	int n = scandir(FIXTURES "/bad", &entries, is_yaml, alphasort);

	(void)state;
	assert_true(n > 40);
	for (int i = 0; i < n; i++) {
		check_bad(entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
}

/* All findings of a file with a fault in nearly every line, in the order of the file. */
static void test_all_in_order(void **state)
{
	struct diags diags = DIAGS_INIT;
	struct job *job;

	(void)state;
	job_load(FIXTURES "/bad/many.yaml", &fake_registry, &dirs, &job, &diags);
	assert_int_equal(diags.n, 23);
	for (size_t i = 1; i < diags.n; i++) {
		const struct diag *a = &diags.d[i - 1], *b = &diags.d[i];

		assert_true(a->line < b->line || (a->line == b->line && a->column <= b->column));
	}
	diags_release(&diags);
}

static void test_arm_limit(void **state)
{
	struct strbuf sb = STRBUF_INIT;
	struct job *job;

	(void)state;
	strbuf_puts(&sb, "name: x\nbenchmark: x\nfactors:\n  kernel: [");
	for (int i = 0; i < 256; i++)
		strbuf_printf(&sb, "k%d, ", i);
	strbuf_puts(&sb, "]\nbaseline: k255\n");
	job = good_text(strbuf_text(&sb));
	assert_string_equal(json_str(job->baseline, "kernel", ""), "k255");
	job_free(job);
	strbuf_release(&sb);
	strbuf_puts(&sb, "name: x\nbenchmark: x\narms:\n");
	for (int i = 0; i < 257; i++)
		strbuf_printf(&sb, "- kernel: k%d\n", i);
	bad_text(strbuf_text(&sb), "text:4:1: 'arms' lists 257 arms, more than 256\n");
	strbuf_release(&sb);
	/* Combinations are counted, not made; and a long list of arms is cut in messages. */
	strbuf_puts(&sb, "name: x\nbenchmark: x\nfactors:\n");
	for (int f = 0; f < 2; f++) {
		strbuf_puts(&sb, f ? "  features: [" : "  kernel: [");
		for (int i = 0; i < 300; i++)
			strbuf_printf(&sb, "k%d, ", i);
		strbuf_puts(&sb, "]\n");
	}
	bad_text(strbuf_text(&sb), "text:4:3: the factors make 90000 arms, more than 256");
	strbuf_release(&sb);
	strbuf_puts(&sb, "name: x\nbenchmark: x\nfactors:\n  kernel: [");
	for (int i = 0; i < 100; i++)
		strbuf_printf(&sb, "k%d, ", i);
	strbuf_puts(&sb, "]\nbaseline: none\n");
	bad_text(strbuf_text(&sb), "k38, k39, … (100 in all)\n");
	strbuf_release(&sb);
}

/* The job in force, written down, is the same job. */
static void check_round_trip(const char *name)
{
	struct diags diags = DIAGS_INIT;
	char *path = xasprintf(FIXTURES "/good/%s", name), *line;
	struct job *job, *again;
	json_t *first, *second;

	assert_int_equal(job_load(path, &fake_registry, &dirs, &job, &diags), 0);
	first = job_to_json(job);
	line = json_line(first);
	again = good_text(line);
	second = job_to_json(again);
	assert_true(json_equal(first, second));
	json_decref(first);
	json_decref(second);
	free(line);
	free(path);
	job_free(job);
	job_free(again);
}

static void test_round_trip(void **state)
{
	struct dirent **entries;
	int n = scandir(FIXTURES "/good", &entries, is_yaml, alphasort);

	(void)state;
	assert_true(n >= 8);
	for (int i = 0; i < n; i++) {
		check_round_trip(entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
}

static const json_t *at(const json_t *json, const char *path)
{
	char *copy = xstrdup(path), *rest = copy, *part;

	while (json && (part = strsep(&rest, "/")))
		json = json_is_array(json) ? json_array_get(json, (size_t)atoi(part))
					   : json_object_get(json, part);
	free(copy);
	assert_non_null(json);
	return json;
}

static void test_schema(void **state)
{
	json_t *schema = job_schema(&fake_registry);
	const json_t *p = at(schema, "properties");

	(void)state;
	assert_string_equal(
		json_str(schema, "$schema", ""), "https://json-schema.org/draft/2020-12/schema");
	assert_int_equal(json_array_size(at(schema, "required")), 2);
	assert_string_equal(json_string_value(at(schema, "not/required/1")), "arms");
	assert_int_equal(json_object_size(at(p, "factors/properties")), 3);
	assert_true(json_is_false(at(p, "factors/additionalProperties")));
	assert_int_equal(json_integer_value(at(p, "factors/properties/cpus/minItems")), 1);
	assert_string_equal(
		json_string_value(at(p, "factors/properties/cpus/items/items/type")), "integer");
	assert_non_null(at(p, "factors/examples/0"));
	assert_string_equal(json_string_value(at(p, "arms/items/properties/label/type")), "string");
	assert_string_equal(json_string_value(at(p, "fixed/properties/kernel/type")), "string");
	assert_string_equal(json_string_value(at(p, "target/anyOf/0/examples/1")), "vm");
	assert_int_equal(json_integer_value(at(p, "target/anyOf/1/maxProperties")), 1);
	assert_int_equal(
		json_integer_value(at(p, "target/anyOf/1/properties/vm/anyOf/0/properties/cpus/"
					 "maximum")),
		64);
	assert_string_equal(
		json_string_value(at(p, "target/anyOf/1/properties/ssh/anyOf/2/type/0")), "string");
	assert_string_equal(json_string_value(at(p, "collect/items/anyOf/0/enum/1")), "perf");
	assert_non_null(at(p, "collect/items/anyOf/1/properties/perf/anyOf/0/properties/scope"));
	assert_int_equal(json_array_size(at(p, "collect/default")), 6);
	assert_string_equal(json_string_value(at(p, "decide/properties/margin/default")), "1%");
	json_decref(schema);
}

static void test_help(void **state)
{
	struct strbuf sb = STRBUF_INIT;

	(void)state;
	for (size_t i = 0; job_tables()[i]; i++)
		options_help(job_tables()[i], &sb);
	assert_non_null(strstr(strbuf_text(&sb), "\n  baseline "));
	assert_non_null(strstr(strbuf_text(&sb), "\n  max_blocks "));
	strbuf_release(&sb);
}

static void insert(struct strbuf *text, size_t where, const char *what, size_t len)
{
	char *copy = xmemdup0(strbuf_text(text), text->len);
	size_t total = text->len;

	strbuf_clear(text);
	strbuf_add(text, copy, where);
	strbuf_add(text, what, len);
	strbuf_add(text, copy + where, total - where);
	free(copy);
}

static void mutate(struct rng *rng, struct strbuf *text)
{
	static const char *const tokens[] = { "&a ", "*a", "[", "]", "{", "}", ": ", "- ", "\n",
		"\t", "!x ", "? ", "|\n", "'", "\"", "%", "#", "~", "\\0", "\xff", "\xc3\xa9",
		"<<: *a", "---\n", "...\n", "1e999", "features", "label", "[[[[[[[[" };
	size_t where = rng_below(rng, text->len + 1), len;
	const char *token = tokens[rng_below(rng, array_size(tokens))];
	char *slice;

	switch (rng_below(rng, 4)) {
	case 0:
		insert(text, where, token, strlen(token));
		break;
	case 1:
		if (where < text->len)
			text->data[where] = (char)rng_below(rng, 256);
		break;
	case 2: /* a piece twice */
		len = rng_below(rng, text->len - where + 1);
		slice = xmemdup0(strbuf_text(text) + where, len);
		insert(text, rng_below(rng, text->len + 1), slice, len);
		free(slice);
		break;
	default: /* a piece gone */
		len = rng_below(rng, (text->len - where) / 4 + 1);
		memmove(text->data + where, text->data + where + len, text->len - where - len);
		text->len -= len;
		text->data[text->len] = '\0';
	}
}

static void parse_mutant(const struct strbuf *text)
{
	struct diags diags = DIAGS_INIT;
	struct job *job;
	json_t *json;
	int r = job_parse(
		"mutant", strbuf_text(text), text->len, &fake_registry, &dirs, &job, &diags);

	assert_true((r == 0) == (job != NULL));
	assert_true((r == 0) == (diags.n == 0));
	for (size_t i = 0; i < diags.n; i++)
		assert_true(diags.d[i].line >= 0 && *diags.d[i].text);
	json = diags_json(&diags);
	assert_int_equal(json_array_size(json), diags.n);
	json_decref(json);
	if (job)
		json_decref(job_to_json(job));
	job_free(job);
	diags_release(&diags);
}

static void mutate_file(struct rng *rng, const char *name, int rounds)
{
	char *path = xasprintf(FIXTURES "/good/%s", name), *original;
	struct strbuf text = STRBUF_INIT;
	size_t len;

	assert_int_equal(file_read(path, 1 << 20, &original, &len, NULL), 0);
	for (int i = 0; i < rounds; i++) {
		strbuf_clear(&text);
		strbuf_add(&text, original, len);
		for (uint64_t k = 0, n = 1 + rng_below(rng, 6); k < n; k++)
			mutate(rng, &text);
		parse_mutant(&text);
	}
	strbuf_release(&text);
	free(original);
	free(path);
}

static void test_mutants(void **state)
{
	struct dirent **entries;
	int n = scandir(FIXTURES "/good", &entries, is_yaml, alphasort);
	const char *rounds = getenv("SPEC_MUTANTS");
	struct rng rng;

	(void)state;
	rng_seed(&rng, 2);
	for (int i = 0; i < n; i++) {
		mutate_file(&rng, entries[i]->d_name, rounds ? atoi(rounds) : 300);
		free(entries[i]);
	}
	free(entries);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_minimal),
		cmocka_unit_test(test_full),
		cmocka_unit_test(test_norway),
		cmocka_unit_test(test_arms),
		cmocka_unit_test(test_baselines),
		cmocka_unit_test(test_targets),
		cmocka_unit_test(test_target_files),
		cmocka_unit_test(test_bad_files),
		cmocka_unit_test(test_all_in_order),
		cmocka_unit_test(test_arm_limit),
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_schema),
		cmocka_unit_test(test_help),
		cmocka_unit_test(test_mutants),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
