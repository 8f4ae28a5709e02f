/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "base/strbuf.h"
#include "spec/yaml.h"

/* The document as JSON, "" when there is none; the findings as text. Both owned by the caller. */
static char *parse(const char *text, size_t len, char **findings)
{
	struct diags diags = DIAGS_INIT;
	struct yaml_file *file = yaml_parse("f.yaml", text, len, &diags);
	json_t *json = file ? yaml_to_json(yaml_root(file)) : NULL;
	char *line = json ? json_line(json) : xstrdup("");

	assert_true(file || diags.n);
	*findings = diags_text(&diags);
	json_decref(json);
	yaml_file_free(file);
	diags_release(&diags);
	return line;
}

static void expect(const char *text, const char *json, const char *findings)
{
	char *found, *line = parse(text, strlen(text), &found);

	assert_string_equal(found, findings);
	assert_string_equal(line, json);
	free(found);
	free(line);
}

static void expect_refusal(const char *text, size_t len, const char *findings)
{
	char *found, *line = parse(text, len, &found);

	assert_string_equal(found, findings);
	assert_string_equal(line, "");
	free(found);
	free(line);
}

static void test_core_schema(void **state)
{
	(void)state;
	expect("[~, null, Null, NULL, '', \"~\", nul]", "[null,null,null,null,\"\",\"~\",\"nul\"]",
		"");
	expect("{a: , b: }", "{\"a\":null,\"b\":null}", "");
	expect("[true, True, TRUE, false, 'true', tRUE]",
		"[true,true,true,false,\"true\",\"tRUE\"]", "");
	expect("[yes, no, on, off, y, n, NO, On]",
		"[\"yes\",\"no\",\"on\",\"off\",\"y\",\"n\",\"NO\",\"On\"]", "");
	expect("[0, -5, +7, 007, 0x1F, 0o17, 1_000, 0b1, --1, 0x, -0x1, '5']",
		"[0,-5,7,7,31,15,\"1_000\",\"0b1\",\"--1\",\"0x\",\"-0x1\",\"5\"]", "");
	expect("[9223372036854775807, 9223372036854775808, -9223372036854775808]",
		"[9223372036854775807,\"9223372036854775808\",-9223372036854775808]", "");
	expect("[0.5, .5, 5., 1e3, -2.5E-1, 1.2.3, 1e, ., e5, 1:30]",
		"[0.5,0.5,5.0,1000.0,-0.25,\"1.2.3\",\"1e\",\".\",\"e5\",\"1:30\"]", "");
	expect("[.inf, -.inf, .nan, 1e999, nan, inf]",
		"[\".inf\",\"-.inf\",\".nan\",\"1e999\",\"nan\",\"inf\"]", "");
	expect("[2026-11-30, |-\n  5\n]", "",
		"f.yaml:1:14: no valid YAML: found character that cannot "
		"start any token, while scanning for the next "
		"token; put a text that begins so into quotes\n");
	expect("a: |\n  5\nb: >-\n  6\n", "{\"a\":\"5\\n\",\"b\":\"6\"}", "");
	expect("{1: a, true: b}", "{\"1\":\"a\",\"true\":\"b\"}", "");
}

static void test_places(void **state)
{
	static const char text[] = "# comment\nname: é x\nlist:\n  - one\n  - {k: [v]}\n";
	struct diags diags = DIAGS_INIT;
	struct yaml_file *file = yaml_parse("p", text, strlen(text), &diags);
	const struct yaml_node *root = yaml_root(file), *list, *deep;

	(void)state;
	assert_non_null(file);
	assert_string_equal(yaml_text(file), text);
	assert_int_equal(root->kind, YAML_MAPPING);
	assert_int_equal(root->line, 2);
	assert_int_equal(root->column, 1);
	assert_string_equal(yaml_get(root, "name")->text, "é x");
	assert_int_equal(yaml_get(root, "name")->column, 7);
	assert_null(yaml_get(root, "nam"));
	list = yaml_get(root, "list");
	assert_int_equal(list->n, 2);
	assert_int_equal(list->item[0]->line, 4);
	assert_int_equal(list->item[0]->column, 5);
	assert_null(yaml_get(list, "name"));
	deep = yaml_get(list->item[1], "k")->item[0];
	assert_int_equal(deep->line, 5);
	assert_int_equal(deep->column, 10);
	assert_string_equal(deep->file, "p");
	assert_string_equal(yaml_kind_name(deep), "text");
	assert_string_equal(yaml_kind_name(list), "list");
	assert_string_equal(yaml_kind_name(root), "mapping");
	yaml_error(deep, &diags, "seen %d", 1);
	assert_string_equal(diags.d[0].text, "seen 1");
	assert_int_equal(diags.d[0].column, 10);
	yaml_file_free(file);
	diags_release(&diags);
}

static void test_bom_and_line_ends(void **state)
{
	(void)state;
	expect("\xef\xbb\xbf"
	       "a: 1\r\nb: [2,\r\n  3]\r\n",
		"{\"a\":1,\"b\":[2,3]}", "");
	expect("a: 1\r\nb: {x: 1, x: 2}\r\n", "{\"a\":1,\"b\":{\"x\":2}}",
		"f.yaml:2:11: key 'x' stands here twice; the first is in line 2\n");
	expect("\xef\xbb\xbf"
	       "b: {x: 1, x: 2}\n",
		"{\"b\":{\"x\":2}}",
		"f.yaml:1:11: key 'x' stands here twice; the first is in line 1\n");
	expect("a: 1", "{\"a\":1}", "");
	expect("%YAML 1.1\n---\na: 1\n...\n", "{\"a\":1}", "");
	expect_refusal("a: \xef\xbb\xbfx", 7,
		"f.yaml:1:4: control character U+FEFF; only tabs and line ends are allowed\n");
}

static void test_duplicates(void **state)
{
	struct diags diags = DIAGS_INIT;
	static const char text[] = "a: {b: [{c: 1, c: 2}]}\nd: 1\n";
	struct yaml_file *file = yaml_parse("f.yaml", text, strlen(text), &diags);

	(void)state;
	assert_int_equal(diags.n, 1);
	assert_true(yaml_root(file)->faulty);
	assert_true(yaml_get(yaml_root(file), "a")->faulty);
	assert_false(yaml_get(yaml_root(file), "d")->faulty);
	yaml_file_free(file);
	diags_release(&diags);
	expect("a: 1\nb: 2\na: 3\n'b': 4\n", "{\"a\":3,\"b\":4}",
		"f.yaml:3:1: key 'a' stands here twice; the first is in line 1\n"
		"f.yaml:4:1: key 'b' stands here twice; the first is in line 2\n");
}

static void test_syntax(void **state)
{
	(void)state;
	expect_refusal("", 0, "f.yaml: the file is empty\n");
	expect_refusal("# only\n\n", 8, "f.yaml: the file is empty\n");
	expect_refusal("a: 1\n---\nb: 2\n", 14,
		"f.yaml:2:1: a second document begins here; one file holds one document\n");
	expect_refusal("a:\n\t- 1\n", 8,
		"f.yaml:2:1: no valid YAML: found character that cannot start any token, while "
		"scanning for the next token; indent with spaces, YAML allows no tabs there\n");
	expect_refusal("a: [1, 2\nb: 3\n", 14,
		"f.yaml:2:2: no valid YAML: did not find expected ',' or ']', while parsing a flow "
		"sequence that begins in line 1; items are parted by commas and end with ']'\n");
	expect_refusal("a: *x\n", 6,
		"f.yaml:1:4: no valid YAML: found undefined alias; an alias *x needs an anchor &x "
		"before it; a text that begins with * goes into quotes\n");
	expect_refusal("a: &x 1\nb: &x 2\n", 16,
		"f.yaml:2:4: an anchor of this name stands in line 1 already\n");
	expect("? [a]\n: 1\n", "{}", "f.yaml:1:3: a key must be a text, not a list or mapping\n");
	expect("a: !!int 5\nb: !x [1]\n", "{\"a\":5,\"b\":[1]}",
		"f.yaml:1:4: tags (!…) have no meaning here; put a text that looks like a number "
		"into quotes\n"
		"f.yaml:2:4: tags (!…) have no meaning here; put a text that looks like a number "
		"into quotes\n");
}

static void test_bytes(void **state)
{
	(void)state;
	expect_refusal("a: b\0c\n", 7, "f.yaml:1:5: a NUL byte; this is no text file\n");
	expect_refusal("a: é\nb: \xe9\n", 10,
		"f.yaml:2:4: byte 0xe9 is no UTF-8; save the file as UTF-8\n");
	expect_refusal(
		"a: \xc0\xaf", 5, "f.yaml:1:4: byte 0xc0 is no UTF-8; save the file as UTF-8\n");
	expect_refusal("a: \xed\xa0\x80", 6,
		"f.yaml:1:4: byte 0xed is no UTF-8; save the file as UTF-8\n");
	expect_refusal("a: \xf4\x90\x80\x80", 7,
		"f.yaml:1:4: byte 0xf4 is no UTF-8; save the file as UTF-8\n");
	expect_refusal(
		"a: \xe2\x82", 5, "f.yaml:1:4: byte 0xe2 is no UTF-8; save the file as UTF-8\n");
	expect_refusal("\xff\xfe"
		       "a\0:\0",
		6, "f.yaml:1:1: byte 0xff is no UTF-8; save the file as UTF-8\n");
	expect_refusal("a: \x7f", 4,
		"f.yaml:1:4: control character U+007F; only tabs and line ends are allowed\n");
	expect("a: \"x\\0y\"\n", "{\"a\":\"x\\u0000y\"}",
		"f.yaml:1:4: text with a NUL character (\\0) in it is not allowed\n");
	expect("a: \xf0\x9f\x90\xa7\n", "{\"a\":\"\xf0\x9f\x90\xa7\"}", "");
}

static void repeat(struct strbuf *sb, const char *text, size_t n)
{
	while (n--)
		strbuf_puts(sb, text);
}

static void refuse_bomb(struct strbuf *sb, const char *findings)
{
	expect_refusal(strbuf_text(sb), sb->len, findings);
	strbuf_release(sb);
}

static void test_depth(void **state)
{
	struct strbuf sb = STRBUF_INIT;

	(void)state;
	repeat(&sb, "[", YAML_MAX_DEPTH);
	repeat(&sb, "]", YAML_MAX_DEPTH);
	assert_int_equal(sb.len, 2 * YAML_MAX_DEPTH);
	{
		char *found, *line = parse(strbuf_text(&sb), sb.len, &found);

		assert_string_equal(found, "");
		assert_string_equal(line, strbuf_text(&sb));
		free(found);
		free(line);
	}
	strbuf_release(&sb);
	repeat(&sb, "[", 500000);
	refuse_bomb(&sb, "f.yaml:1:33: nested more than 32 deep\n");
	repeat(&sb, "{a: ", 250000);
	refuse_bomb(&sb, "f.yaml:1:129: nested more than 32 deep\n");
	repeat(&sb, "- ", 500000);
	refuse_bomb(&sb, "f.yaml:1:65: nested more than 32 deep\n");
	repeat(&sb, "? ", 500000);
	refuse_bomb(&sb, "f.yaml:1:65: nested more than 32 deep\n");
	/* Aliases go deeper than the text does. */
	strbuf_puts(&sb, "- &a0 [x]\n");
	for (int i = 1; i < 60; i++)
		strbuf_printf(&sb, "- &a%d [*a%d]\n", i, i - 1);
	refuse_bomb(&sb, "f.yaml:1:8: nested more than 32 deep\n");
}

static void test_alias_bombs(void **state)
{
	struct strbuf sb = STRBUF_INIT;

	(void)state;
	strbuf_puts(&sb, "a0: &a0 [x, x, x, x, x, x, x, x, x]\n");
	for (int i = 1; i < 30; i++) {
		strbuf_printf(&sb, "a%d: &a%d [", i, i);
		for (int k = 0; k < 9; k++)
			strbuf_printf(&sb, "*a%d, ", i - 1);
		strbuf_puts(&sb, "]\n");
	}
	refuse_bomb(&sb, "f.yaml:1:25: more than 50000 values in one document, counting those "
			 "that aliases repeat\n");
	strbuf_puts(&sb, "a: &a ");
	repeat(&sb, "x", 500000);
	strbuf_puts(&sb, "\nb: [");
	repeat(&sb, "*a, ", 9000);
	strbuf_puts(&sb, "]\n");
	refuse_bomb(&sb, "f.yaml:1:4: aliases make the document larger than 2097152 bytes\n");
	repeat(&sb, "- &x y\n", 1);
	for (int i = 0; i < 70000; i++)
		strbuf_printf(&sb, "- &a%d b\n", i);
	refuse_bomb(&sb, "f.yaml:1001:3: more than 1000 anchors in one document\n");
	expect_refusal(
		"a: &a [*a]\n", 11, "f.yaml:1:4: what begins here holds itself through an alias\n");
	expect_refusal("a: &a {b: {c: *a}}\n", 19,
		"f.yaml:1:4: what begins here holds itself through an alias\n");
	expect("a: &a [1]\nb: [*a, *a]\n", "{\"a\":[1],\"b\":[[1],[1]]}", "");
	expect("&a a: 1\nb: *a\n", "{\"a\":1,\"b\":\"a\"}", "");
}

static void test_size(void **state)
{
	struct strbuf sb = STRBUF_INIT;

	(void)state;
	repeat(&sb, "# 0123456789\n", 200000);
	refuse_bomb(&sb, "f.yaml: the file has 2600000 bytes, more than the 1048576 allowed\n");
	strbuf_puts(&sb, "a: [");
	repeat(&sb, "1,", 60000);
	strbuf_puts(&sb, "]");
	refuse_bomb(&sb, "f.yaml:1:99999: more than 50000 values in one document\n");
	for (int i = 0; i < 24000; i++)
		strbuf_printf(&sb, "key%d: %d\n", i, i);
	{
		char *found, *line = parse(strbuf_text(&sb), sb.len, &found);

		assert_string_equal(found, "");
		free(found);
		free(line);
	}
	strbuf_release(&sb);
}

static void test_load(void **state)
{
	struct diags diags = DIAGS_INIT;
	char *text;

	(void)state;
	assert_null(yaml_load("tests/fixtures/spec/none.yaml", &diags));
	assert_null(yaml_load("tests/fixtures/spec", &diags));
	text = diags_text(&diags);
	assert_string_equal(text,
		"tests/fixtures/spec/none.yaml: cannot read the file: No such file or directory\n"
		"tests/fixtures/spec: cannot read the file: Is a directory\n");
	free(text);
	diags_release(&diags);
}

static void expect_excerpt(const char *text, const char *excerpt)
{
	struct diags diags = DIAGS_INIT;
	struct yaml_file *file = yaml_parse("x", text, strlen(text), &diags);
	char *got = yaml_excerpt(yaml_root(file));

	assert_string_equal(got, excerpt);
	free(got);
	yaml_file_free(file);
}

static void test_excerpt(void **state)
{
	(void)state;
	expect_excerpt("lots", "'lots'");
	expect_excerpt("[1]", "a list");
	expect_excerpt("{a: 1}", "a mapping");
	expect_excerpt("~", "nothing");
	expect_excerpt("''", "''");
	expect_excerpt("\"a\\nb\\tc\"", "'a b c'");
	expect_excerpt("0123456789012345678901234567890123456789012345678",
		"'012345678901234567890123456789012345678901234567…'");
	/* Cut between characters, not within one. */
	expect_excerpt("aééééééééééééééééééééééééééééé", "'aééééééééééééééééééééééé…'");
}

static void test_real_in_any_locale(void **state)
{
	double value = 0;

	(void)state;
	assert_int_equal(yaml_real("2.5", &value), 0);
	assert_true(value == 2.5);
	assert_int_equal(yaml_real("2,5", &value), -22);
	assert_int_equal(yaml_real("", &value), -22);
	assert_int_equal(yaml_real("0x10", &value), -22);
	assert_int_equal(yaml_real("1e400", &value), -34);
	if (!setlocale(LC_ALL, "de_DE.UTF-8")) {
		print_message("skipped: no locale with a decimal comma is installed\n");
		skip();
	}
	assert_int_equal(yaml_real("2.5", &value), 0);
	assert_true(value == 2.5);
	setlocale(LC_ALL, "C");
}

static void test_diags(void **state)
{
	struct diags diags = DIAGS_INIT;
	char *text;
	json_t *json;

	(void)state;
	text = diags_text(&diags);
	assert_string_equal(text, "");
	free(text);
	diags_add(&diags, "b", 3, 1, "one");
	diags_add(&diags, "a", 2, 1, "two");
	diags_add(&diags, "b", 2, 9, "three %s", "x");
	diags_add(&diags, "b", 2, 9, "four");
	diags_add(&diags, "a", 0, 0, "five");
	diags_add(&diags, NULL, 0, 0, "six");
	diags_add(&diags, "b", 2, 0, "seven");
	diags_sort(&diags);
	text = diags_text(&diags);
	assert_string_equal(text, "b:2: seven\nb:2:9: three x\nb:2:9: four\nb:3:1: one\n"
				  "a: five\na:2:1: two\nsix\n");
	free(text);
	json = diags_json(&diags);
	assert_int_equal(json_array_size(json), 7);
	assert_string_equal(json_str(json_array_get(json, 1), "text", ""), "three x");
	assert_int_equal(json_int(json_array_get(json, 1), "column", 0), 9);
	json_decref(json);
	diags_release(&diags);
	assert_int_equal(diags.n, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_core_schema),
		cmocka_unit_test(test_places),
		cmocka_unit_test(test_bom_and_line_ends),
		cmocka_unit_test(test_duplicates),
		cmocka_unit_test(test_syntax),
		cmocka_unit_test(test_bytes),
		cmocka_unit_test(test_depth),
		cmocka_unit_test(test_alias_bombs),
		cmocka_unit_test(test_size),
		cmocka_unit_test(test_load),
		cmocka_unit_test(test_excerpt),
		cmocka_unit_test(test_real_in_any_locale),
		cmocka_unit_test(test_diags),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
