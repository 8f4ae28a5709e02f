/* SPDX-License-Identifier: GPL-2.0-or-later */
/* No text may break a parser: every fixture damaged at random, cut off at every kind of place, and
 * given to every collector. The sanitizers are the judges; what can be asserted is that an error has
 * a message and no values, that numbers are finite, and that the result can be written as JSON. */
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/rng.h"
#include "collectors_util.h"

enum { MUTATIONS = 25, CROSSED = 2, TEXT_LIMIT = 12000 };

static void check(struct parsed *p)
{
	json_t *json;

	if (p->r) {
		assert_true(p->r < 0);
		assert_non_null(p->err.text);
		assert_int_equal(p->out.n, 0);
	}
	for (size_t i = 0; i < p->out.n; i++)
		assert_true(isfinite(p->out.v[i].value));
	json = values_to_json(&p->out, p->r ? error_text(&p->err) : NULL);
	assert_non_null(json);
	assert_int_equal(json_array_size(json_object_get(json, "values")), p->out.n);
	assert_int_equal(json_array_size(json_object_get(json, "notes")), p->out.n_notes);
	json_decref(json);
	parsed_release(p);
}

/* A copy in memory of its exact size, so that one byte too far is seen. */
static char *exact(const char *text, size_t len)
{
	char *copy = xmalloc(len + 1);

	memcpy(copy, text, len);
	copy[len] = '\0';
	return copy;
}

static void mutate(struct rng *rng, char *text, size_t *len)
{
	static const char bytes[] = { '\0', '\n', ' ', ':', ',', ';', '0', '9', '-', '[', ']', '/',
		'\\', '\xff', '\xe2', 'C', 'a', '.', '(', '{', '"', '<', '%', '+' };
	size_t n = 1 + rng_below(rng, 6);

	while (n-- && *len) {
		size_t at = rng_below(rng, *len), size;

		switch (rng_below(rng, 4)) {
		case 0:
			text[at] = bytes[rng_below(rng, sizeof(bytes))];
			break;
		case 1:
			*len = at;
			break;
		case 2: /* take some bytes out */
			size = rng_below(rng, 40) % (*len - at + 1);
			memmove(text + at, text + at + size, *len - at - size);
			*len -= size;
			break;
		default: /* write some bytes of another place over these */
			size = rng_below(rng, 40) % (*len - at + 1);
			memmove(text + at, text + rng_below(rng, *len - size + 1), size);
		}
	}
}

static void parse_mutant(struct rng *rng, const char *name, const char *text, size_t len)
{
	char *mutant = exact(text, len), *copy;
	struct parsed p;

	mutate(rng, mutant, &len);
	copy = exact(mutant, len);
	p = parse_bytes(name, copy, len, NULL, 0, false);
	check(&p);
	free(copy);
	free(mutant);
}

/* Sound against damaged: differences of everything that still parses. */
static void parse_pair(struct rng *rng, const char *name, const char *text, size_t len)
{
	char *mutant = exact(text, len);
	size_t n = len;
	struct parsed p;

	mutate(rng, mutant, &n);
	p = parse_bytes(name, text, len, mutant, n, true);
	check(&p);
	p = parse_bytes(name, mutant, n, text, len, false);
	check(&p);
	free(mutant);
}

static void check_file(struct rng *rng, const char *path)
{
	char *folder = file_dirname(path), *text;
	const char *name = file_basename(folder);
	size_t len;
	struct parsed p;

	assert_int_equal(file_read(path, 1 << 20, &text, &len, NULL), 0);
	if (len > TEXT_LIMIT) /* the tail of a long text adds time, but no new shapes */
		len = TEXT_LIMIT;
	text[len] = '\0';
	for (int i = 0; i < MUTATIONS; i++)
		parse_mutant(rng, name, text, len);
	for (int i = 0; i < MUTATIONS / 3; i++)
		parse_pair(rng, name, text, len);
	for (const struct collector_ops *const *ops = collectors; *ops; ops++)
		for (int i = 0; i < CROSSED; i++)
			parse_mutant(rng, (*ops)->name, text, len);
	while (len && text[len - 1] == '\n')
		len--;
	p = parse_bytes(name, text, len, NULL, 0, false);
	check(&p);
	free(text);
	free(folder);
}

static void test_damaged_fixtures(void **state)
{
	struct rng rng;
	glob_t g;

	(void)state;
	rng_seed(&rng, 20261130);
	assert_int_equal(glob("tests/fixtures/system/*/*.txt", 0, NULL, &g), 0);
	for (size_t i = 0; i < g.gl_pathc; i++)
		check_file(&rng, g.gl_pathv[i]);
	globfree(&g);
}

static void test_damaged_counters(void **state)
{
	const char *text =
		"[{\"event\":\"cycles\",\"pmu\":\"cpu\",\"cpu\":1,\"unit\":\"\",\"scale\":1.0,"
		"\"value\":123,\"enabled\":50,\"running\":20,\"error\":null},"
		"{\"event\":\"x\",\"pmu\":\"\",\"cpu\":null,\"error\":\"not here\"}]";
	const char *log =
		"4,12,6000001,-,caller=T1;rcu: INFO: rcu_sched self-detected stall on CPU\n"
		" DEVICE=x\n4,13,6000002,-;rcu: \\x095-....: (1 ticks)\n"
		"4,14,6000003,-;CPU: 5 PID: 9 Comm: x\\x5cy Not tainted 6.1\n# lost: a\n"
		"4,15,6000003,-;WARNING: a/b.c:1 at f+0x1/0x2, CPU#6: x/6/0\n";
	struct rng rng;

	(void)state;
	rng_seed(&rng, 7);
	for (int i = 0; i < 3000; i++) {
		parse_mutant(&rng, "perf", text, strlen(text));
		parse_mutant(&rng, "kernel_log", log, strlen(log));
	}
}

/* Empty, without end of line, NUL alone: the smallest texts, as one and as two. */
static void test_small_texts(void **state)
{
	static const struct {
		const char *text;
		size_t len;
	} texts[] = { { "", 0 }, { "\n", 1 }, { "\0", 1 }, { " ", 1 }, { ":", 1 }, { "\r\n", 2 },
		{ "[", 1 }, { "<", 1 }, { "0", 1 }, { "cpu", 3 }, { "CPU0", 4 }, { "\xff\xfe", 2 },
		{ "# lost:", 7 }, { "1,2,3,-;", 8 }, { "CPU0\n:", 6 }, { "{}", 2 },
		{ "BUG: ", 5 } };

	(void)state;
	for (const struct collector_ops *const *ops = collectors; *ops; ops++)
		for (size_t i = 0; i < array_size(texts); i++) {
			char *a = exact(texts[i].text, texts[i].len);
			struct parsed p =
				parse_bytes((*ops)->name, a, texts[i].len, NULL, 0, false);

			check(&p);
			p = parse_bytes((*ops)->name, NULL, 0, a, texts[i].len, true);
			check(&p);
			p = parse_bytes((*ops)->name, a, texts[i].len, a, texts[i].len, true);
			check(&p);
			free(a);
		}
}

/* 512 CPUs and a hundred thousand bytes in a line: no buffer has a fixed size. */
static void test_long_lines(void **state)
{
	enum { CPUS = 512 };
	size_t cap = CPUS * 24 + 200000, n = 0;
	char *text = xmalloc(cap);
	struct parsed p;

	(void)state;
	for (int i = 0; i < CPUS; i++)
		n += (size_t)sprintf(text + n, " CPU%d", i);
	n += (size_t)sprintf(text + n, "\nRES:");
	for (int i = 0; i < CPUS; i++)
		n += (size_t)sprintf(text + n, " %10d", i);
	text[n++] = ' ';
	memset(text + n, 'x', 100000);
	n += 100000;
	text[n++] = '\n';
	p = parse_bytes("interrupts", text, n, NULL, 0, false);
	assert_int_equal(p.r, 0);
	assert_int_equal(p.out.n, CPUS);
	assert_value(value_of(&p, "interrupts", LABELS("cpu", "511")), 511);
	check(&p);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_damaged_fixtures),
		cmocka_unit_test(test_damaged_counters),
		cmocka_unit_test(test_small_texts),
		cmocka_unit_test(test_long_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
