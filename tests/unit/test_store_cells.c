/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "db/cells.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/rng.h"

struct list {
	struct cell cell[4096];
	size_t n;
};

static int collect(void *context, const struct cell *cell)
{
	struct list *list = context;

	assert_true(list->n < array_size(list->cell));
	list->cell[list->n++] = *cell;
	return 0;
}

static void assert_text(struct cell *cells, size_t n, const char *expected)
{
	struct strbuf text = STRBUF_INIT;

	cells_write(cells, n, &text);
	assert_string_equal(strbuf_text(&text), expected);
	strbuf_release(&text);
}

static void test_text(void **state)
{
	struct cell cells[] = {
		{ 18, CELL_NO_CPU, 12.5 },
		{ 17, 40, 1 },
		{ 17, 3, 3 },
		{ 17, 0, 5 },
		{ 17, 1, 7 },
		{ 19, 2, 0 },
		{ 21, 1, 1 },
		{ 21, 5, 2 },
		{ 21, 10, 3 },
	};

	(void)state;
	assert_text(cells, 0, "{}");
	assert_text(cells, array_size(cells),
		"{\"17\":{\"0\":[5,7,0,3],\"40\":1},\"18\":12.5,"
		"\"21\":{\"1\":[1,0,0,0,2],\"10\":3}}");
}

static void test_equal_counters_add_up(void **state)
{
	struct cell cells[] = { { 1, 0, 2 }, { 2, CELL_NO_CPU, 4 }, { 1, 0, 3 }, { 2, -1, -4 } };

	(void)state;
	assert_text(cells, array_size(cells), "{\"1\":{\"0\":5}}");
}

static void test_numbers(void **state)
{
	static const double numbers[] = { 1, -1, 0.1, 1.0 / 3, 1e300, 5e-324, -2.5,
		9007199254740993.0, 999999999999999.0, 1e15, 18446744073709551616.0,
		123456789.123456789 };
	struct strbuf text = STRBUF_INIT;
	struct list list = { .n = 0 };

	(void)state;
	setlocale(LC_ALL, "de_DE.UTF-8"); /* where it is installed: a comma must not appear */
	for (size_t i = 0; i < array_size(numbers); i++) {
		struct cell cell = { (int64_t)i + 1, (int32_t)i - 1, numbers[i] };

		strbuf_clear(&text);
		cells_write(&cell, 1, &text);
		list.n = 0;
		assert_int_equal(cells_read(text.data, text.len, collect, &list, NULL), 0);
		assert_int_equal(list.n, 1);
		assert_memory_equal(&list.cell[0].value, &numbers[i], sizeof(double));
		assert_int_equal(list.cell[0].cpu, cell.cpu);
	}
	setlocale(LC_ALL, "C");
	strbuf_release(&text);
}

static int compare(const void *a, const void *b)
{
	const struct cell *x = a, *y = b;

	return x->key != y->key ? (x->key < y->key ? -1 : 1) : x->cpu - y->cpu;
}

static void test_round_trip_at_every_density(void **state)
{
	struct cell *cells = xcalloc(4096, sizeof(*cells)), *copy = xcalloc(4096, sizeof(*cells));
	struct list *list = xcalloc(1, sizeof(*list));
	struct strbuf text = STRBUF_INIT;
	struct rng rng;

	(void)state;
	rng_seed(&rng, 1);
	for (int density = 1; density <= 64; density *= 2) {
		size_t n = 0;

		for (int64_t key = 1; key <= 8; key++)
			for (int32_t cpu = 0; cpu < 512; cpu++)
				if (rng_below(&rng, 64) < (uint64_t)density && n < 4096)
					cells[n++] = (struct cell){ key, cpu,
						(double)(1 + rng_below(&rng, 5000)) };
		memcpy(copy, cells, n * sizeof(*cells));
		strbuf_clear(&text);
		cells_write(copy, n, &text);
		list->n = 0;
		assert_int_equal(cells_read(text.data, text.len, collect, list, NULL), 0);
		assert_int_equal(list->n, n);
		qsort(cells, n, sizeof(*cells), compare);
		for (size_t i = 0; i < n; i++) {
			assert_int_equal(list->cell[i].key, cells[i].key);
			assert_int_equal(list->cell[i].cpu, cells[i].cpu);
			assert_true(list->cell[i].value == cells[i].value);
		}
	}
	strbuf_release(&text);
	free(list);
	free(copy);
	free(cells);
}

static void test_damaged_text_is_an_error(void **state)
{
	static const char *const texts[] = { "", "{", "}", "[]", "{\"1\"}", "{\"1\":}", "{\"1\":2",
		"{\"1\":2}x", "{\"\":2}", "{\"a\":2}", "{\"1\":{}}", "{\"1\":[1]}",
		"{\"1\":{\"0\":[]}}", "{\"1\":{\"0\":[1,]}}", "{\"1\":{\"0\":[1}}",
		"{\"1\":{\"99999999999\":1}}", "{\"99999999999999999999\":1}", "{\"1\":1e999}",
		"{\"1\":--1}", "{\"1\":.5}", "{\"1\":{\"0\":1,}}", "{\"1\":2,}" };

	(void)state;
	for (size_t i = 0; i < array_size(texts); i++) {
		struct list list = { .n = 0 };
		struct error err = ERROR_INIT;
		char *exact = malloc(strlen(texts[i]) + 1); /* no byte behind, for the sanitizer */
		int ret;

		memcpy(exact, texts[i], strlen(texts[i]));
		exact = xrealloc_array(exact, strlen(texts[i]) ? strlen(texts[i]) : 1, 1);
		ret = cells_read(exact, strlen(texts[i]), collect, &list, &err);
		if (ret != -EINVAL)
			fail_msg("'%s' gave %d", texts[i], ret);
		assert_non_null(strstr(error_text(&err), "damaged"));
		error_release(&err);
		free(exact);
	}
}

/* Any change of a byte gives an error or other cells, never a read beyond the text. */
static void test_flipped_bytes(void **state)
{
	static const char good[] = "{\"17\":{\"0\":[5,7,0,3],\"40\":1},\"18\":12.5}";
	struct list *list = xcalloc(1, sizeof(*list));

	(void)state;
	for (size_t at = 0; at < strlen(good); at++)
		for (int byte = 0; byte < 256; byte++) {
			char *text = xmemdup0(good, strlen(good));

			text[at] = (char)byte;
			list->n = 0;
			cells_read(text, strlen(good), collect, list, NULL);
			free(text);
		}
	free(list);
}

static int refuse(void *context, const struct cell *cell)
{
	(void)context;
	(void)cell;
	return -ECANCELED;
}

static void test_callback_ends_the_walk(void **state)
{
	(void)state;
	assert_int_equal(cells_read("{\"1\":2}", 7, refuse, NULL, NULL), -ECANCELED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_text),
		cmocka_unit_test(test_equal_counters_add_up),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_round_trip_at_every_density),
		cmocka_unit_test(test_damaged_text_is_an_error),
		cmocka_unit_test(test_flipped_bytes),
		cmocka_unit_test(test_callback_ends_the_walk),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
