/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "base/strbuf.h"
#include "spec/option.h"
#include "spec/yaml.h"

struct inner {
	char *host;
	long port;
};

struct all {
	char *string, *word;
	bool flag;
	long whole, free_whole, least, size;
	double real, percent, duration;
	int choice;
	struct string_list strings;
	json_t *map, *any;
	struct inner inner;
	struct table_list list;
};

static const char *const colours[] = { "red", "green", "blue", NULL };

static char *check_even(const void *member)
{
	return *(const long *)member % 2 ? xstrdup("an odd number; take an even one") : NULL;
}

#define I(member) offsetof(struct inner, member)
static const struct option_row inner_rows[] = {
	{ .name = "host",
		.type = OPT_STRING,
		.offset = I(host),
		.required = true,
		.help = "Where." },
	{ .name = "port",
		.type = OPT_INT,
		.offset = I(port),
		.min = 1,
		.max = 65535,
		.dflt = "22",
		.help = "Which door." },
	{ 0 },
};
#undef I

static const struct option_table inner_table = { .name = "inner",
	.help = "a nested mapping",
	.rows = inner_rows,
	.size = sizeof(struct inner),
	.shorthand = "host" };

#define A(member) offsetof(struct all, member)
static const struct option_row all_rows[] = {
	{ .name = "string", .type = OPT_STRING, .offset = A(string), .help = "Text." },
	{ .name = "word",
		.type = OPT_STRING,
		.offset = A(word),
		.pattern = "[a-z]+",
		.dflt = "abc",
		.help = "Lower case.",
		.example = "word" },
	{ .name = "flag", .type = OPT_BOOL, .offset = A(flag), .dflt = "yes", .help = "Flag." },
	{ .name = "whole",
		.type = OPT_INT,
		.offset = A(whole),
		.min = 2,
		.max = 10,
		.dflt = "4",
		.help = "Number.",
		.check = check_even },
	{ .name = "free_whole", .type = OPT_INT, .offset = A(free_whole), .help = "Number." },
	{ .name = "least",
		.type = OPT_INT,
		.offset = A(least),
		.min = 5,
		.max = -1,
		.dflt = "5",
		.help = "Number." },
	{ .name = "size",
		.type = OPT_SIZE,
		.offset = A(size),
		.min = 1024,
		.max = 1L << 40,
		.dflt = "1M",
		.help = "Bytes." },
	{ .name = "real",
		.type = OPT_REAL,
		.offset = A(real),
		.min = -1,
		.max = 1,
		.dflt = "0.25",
		.help = "Number." },
	{ .name = "percent",
		.type = OPT_PERCENT,
		.offset = A(percent),
		.max = 0.5,
		.dflt = "1%",
		.help = "Share.",
		.example = "1%" },
	{ .name = "duration",
		.type = OPT_DURATION,
		.offset = A(duration),
		.max = 7200,
		.dflt = "20m",
		.help = "Time." },
	{ .name = "choice",
		.type = OPT_ENUM,
		.offset = A(choice),
		.choices = colours,
		.dflt = "green",
		.help = "Colour." },
	{ .name = "strings",
		.type = OPT_STRINGS,
		.offset = A(strings),
		.pattern = "[a-z]*",
		.dflt = "[a, b]",
		.help = "Texts." },
	{ .name = "map", .type = OPT_MAP, .offset = A(map), .help = "Names." },
	{ .name = "any", .type = OPT_JSON, .offset = A(any), .help = "Anything." },
	{ .name = "inner",
		.type = OPT_TABLE,
		.offset = A(inner),
		.table = &inner_table,
		.help = "Nested." },
	{ .name = "list",
		.type = OPT_TABLES,
		.offset = A(list),
		.table = &inner_table,
		.help = "Several." },
	{ .name = "node", .type = OPT_NODE, .takes = "what the caller reads", .help = "Node." },
	{ 0 },
};
#undef A

static const struct option_table all_table = { .name = "all",
	.help = "every type of row there is",
	.rows = all_rows,
	.size = sizeof(struct all) };

/* Settings in force as JSON without what stands at its default, and the findings. */
static char *parse(const char *text, char **findings)
{
	struct diags diags = DIAGS_INIT;
	struct yaml_file *file = yaml_parse("f", text, strlen(text), &diags);
	struct all all, plain;
	json_t *json, *defaults, *value;
	const char *name;
	void *next;
	char *line;
	int r;

	assert_non_null(file);
	memset(&all, 0xa5, sizeof(all));
	r = options_parse(&all_table, yaml_root(file), &all, &diags);
	assert_int_equal(r, diags.n ? -22 : 0);
	yaml_file_free(file);
	options_init(&all_table, &plain);
	json = options_to_json(&all_table, &all);
	defaults = options_to_json(&all_table, &plain);
	json_object_foreach_safe(json, next, name, value)
	{
		if (json_equal(value, json_object_get(defaults, name)))
			json_object_del(json, name);
	}
	line = json_line(json);
	json_decref(json);
	json_decref(defaults);
	options_release(&all_table, &all);
	options_release(&all_table, &all); /* twice is fine */
	options_release(&all_table, &plain);
	*findings = diags_text(&diags);
	diags_release(&diags);
	return line;
}

static void good(const char *text, const char *json)
{
	char *found, *line = parse(text, &found);

	assert_string_equal(found, "");
	assert_string_equal(line, json);
	free(found);
	free(line);
}

static void bad(const char *text, const char *findings)
{
	char *found, *line = parse(text, &found);

	assert_string_equal(found, findings);
	free(found);
	free(line);
}

static void test_defaults(void **state)
{
	struct all all;

	(void)state;
	options_init(&all_table, &all);
	assert_null(all.string);
	assert_string_equal(all.word, "abc");
	assert_true(all.flag);
	assert_int_equal(all.whole, 4);
	assert_int_equal(all.free_whole, 0);
	assert_int_equal(all.size, 1 << 20);
	assert_true(all.real == 0.25 && all.percent == 0.01 && all.duration == 1200);
	assert_int_equal(all.choice, 1);
	assert_int_equal(all.strings.n, 2);
	assert_string_equal(all.strings.s[1], "b");
	assert_null(all.map);
	assert_null(all.inner.host);
	assert_int_equal(all.inner.port, 22);
	assert_int_equal(all.list.n, 0);
	options_release(&all_table, &all);
	good("{}", "{}");
	good("{node: [what, ever]}", "{}");
}

static void test_strings(void **state)
{
	(void)state;
	good("string: NO", "{\"string\":\"NO\"}");
	good("string: 1.10", "{\"string\":\"1.10\"}");
	good("string: ''", "{\"string\":\"\"}");
	good("word: xyz", "{\"word\":\"xyz\"}");
	bad("string: [a]", "f:1:9: 'string' takes a text; got a list\n");
	bad("string: {a: b}", "f:1:9: 'string' takes a text; got a mapping\n");
	bad("string:", "f:1:8: 'string' takes a text; got nothing; leave the line out to leave it "
		       "unset\n");
	bad("word: xyz1", "f:1:7: 'word' takes a text that matches [a-z]+ such as word; got "
			  "'xyz1'\n");
	bad("word: \"a\\n\"",
		"f:1:7: 'word' takes a text that matches [a-z]+ such as word; got 'a '\n");
}

static void test_bools(void **state)
{
	(void)state;
	good("flag: false", "{\"flag\":false}");
	good("flag: no", "{\"flag\":false}");
	good("flag: Off", "{\"flag\":false}");
	good("flag: on", "{}");
	good("flag: 'yes'", "{}");
	bad("flag: 1", "f:1:7: 'flag' takes true or false; got '1'\n");
	bad("flag: ~", "f:1:7: 'flag' takes true or false; got nothing; without this line it is "
		       "yes\n");
}

static void test_numbers(void **state)
{
	static const char *const wrong[] = { "1.5", "1e3", "0x10", "ten", "''", "+", "1 2", "[1]" };

	(void)state;
	good("whole: 10", "{\"whole\":10}");
	good("whole: '2'", "{\"whole\":2}");
	good("free_whole: -9223372036854775808", "{\"free_whole\":-9223372036854775808}");
	good("free_whole: +7", "{\"free_whole\":7}");
	good("least: 9223372036854775807", "{\"least\":9223372036854775807}");
	bad("least: 4", "f:1:8: 'least' takes a whole number of at least 5; got '4'\n");
	bad("whole: 12", "f:1:8: 'whole' takes a whole number from 2 to 10; got '12'\n");
	bad("whole: 5", "f:1:8: 'whole': an odd number; take an even one\n");
	bad("free_whole: 9223372036854775808",
		"f:1:13: 'free_whole' takes a whole number; got '9223372036854775808'\n");
	for (size_t i = 0; i < array_size(wrong); i++) {
		char *text = xasprintf("free_whole: %s", wrong[i]), *found, *line;

		line = parse(text, &found);
		assert_string_equal(line, "{}");
		assert_non_null(strstr(found, "'free_whole' takes a whole number; got "));
		free(found);
		free(line);
		free(text);
	}
	good("real: -1", "{\"real\":-1.0}");
	good("real: 5e-1", "{\"real\":0.5}");
	bad("real: 1.5", "f:1:7: 'real' takes a number from -1 to 1; got '1.5'\n");
	bad("real: .nan", "f:1:7: 'real' takes a number from -1 to 1; got '.nan'\n");
	bad("real: 1e999", "f:1:7: 'real' takes a number from -1 to 1; got '1e999'\n");
	bad("real: 0,5", "f:1:7: 'real' takes a number from -1 to 1; got '0,5'\n");
}

static void test_percents(void **state)
{
	(void)state;
	good("percent: 50%", "{\"percent\":0.5}");
	good("percent: 12.5 %", "{\"percent\":0.125}");
	good("percent: 0.25", "{\"percent\":0.25}");
	good("percent: '1%'", "{}");
	good("percent: 0%", "{\"percent\":0.0}");
	bad("percent: lots",
		"f:1:10: 'percent' takes a percentage from 0% to 50% such as 1%; got 'lots'\n");
	bad("percent: 2", "f:1:10: 'percent' takes a percentage from 0% to 50% such as 1%; got "
			  "'2'; did you mean '2%'?\n");
	bad("percent: 51%",
		"f:1:10: 'percent' takes a percentage from 0% to 50% such as 1%; got '51%'\n");
	bad("percent: -1%",
		"f:1:10: 'percent' takes a percentage from 0% to 50% such as 1%; got '-1%'\n");
	bad("percent: '%'",
		"f:1:10: 'percent' takes a percentage from 0% to 50% such as 1%; got '%'\n");
	bad("percent: 1e1%",
		"f:1:10: 'percent' takes a percentage from 0% to 50% such as 1%; got '1e1%'\n");
}

static void test_durations(void **state)
{
	static const struct {
		const char *text;
		double seconds;
	} cases[] = { { "500ms", 0.5 }, { "5s", 5 }, { "5", 5 }, { "0.5", 0.5 }, { "1.5m", 90 },
		{ "3min", 180 }, { "2h", 7200 }, { "90 s", 90 }, { "0", 0 }, { "0.05d", 4320 } };
	static const char *const wrong[] = { "soon", "5x", "-5s", "5 ", "h", "1h30m", "3h", "1d",
		"1e3s", "1..5s", "5s s", "inf" };

	(void)state;
	for (size_t i = 0; i < array_size(cases); i++) {
		char *text = xasprintf("duration: '%s'", cases[i].text), *found;
		char *line = parse(text, &found);
		json_t *json = json_loads(line, 0, NULL);

		assert_string_equal(found, "");
		assert_true(fabs(json_num(json, "duration", -1) - cases[i].seconds) < 1e-9);
		json_decref(json);
		free(found);
		free(line);
		free(text);
	}
	for (size_t i = 0; i < array_size(wrong); i++) {
		char *text = xasprintf("duration: '%s'", wrong[i]);
		char *findings = xasprintf("f:1:11: 'duration' takes a duration (500ms, 5s, 20m, "
					   "2h) from 0 to 2h; got '%s'\n",
			wrong[i]);

		bad(text, findings);
		free(findings);
		free(text);
	}
}

static void test_sizes(void **state)
{
	static const char *const wrong[] = { "64MB", "512", "2T", "-1K", "1.0001K", "K", "lots",
		"99999999999999999999", "1e6" };

	(void)state;
	good("size: 4096", "{\"size\":4096}");
	good("size: 256K", "{\"size\":262144}");
	good("size: 2g", "{\"size\":2147483648}");
	good("size: 1.5 M", "{\"size\":1572864}");
	good("size: 1T", "{\"size\":1099511627776}");
	for (size_t i = 0; i < array_size(wrong); i++) {
		char *text = xasprintf("size: '%s'", wrong[i]);
		char *findings = xasprintf("f:1:7: 'size' takes a size (4096, 256K, 64M, 2G) from "
					   "1K to 1T; got '%s'\n",
			wrong[i]);

		bad(text, findings);
		free(findings);
		free(text);
	}
}

static void test_choices(void **state)
{
	(void)state;
	good("choice: red", "{\"choice\":\"red\"}");
	good("choice: blue", "{\"choice\":\"blue\"}");
	bad("choice: gren", "f:1:9: 'choice' takes one of red, green, blue; got 'gren'; did you "
			    "mean 'green'?\n");
	bad("choice: Red", "f:1:9: 'choice' takes one of red, green, blue; got 'Red'; did you "
			   "mean 'red'?\n");
	bad("choice: [red]", "f:1:9: 'choice' takes one of red, green, blue; got a list\n");
}

static void test_lists_and_maps(void **state)
{
	(void)state;
	good("strings: one", "{\"strings\":[\"one\"]}");
	good("strings: [no, on]", "{\"strings\":[\"no\",\"on\"]}");
	good("strings: []", "{\"strings\":[]}");
	bad("strings: [a, B, [c], ~, {d: e}]",
		"f:1:14: 'strings' takes a text or a list of texts that matches [a-z]*; got 'B'\n"
		"f:1:17: 'strings' takes a text or a list of texts that matches [a-z]*; got a "
		"list\n"
		"f:1:22: 'strings' takes a text or a list of texts that matches [a-z]*; got "
		"nothing\n"
		"f:1:25: 'strings' takes a text or a list of texts that matches [a-z]*; got a "
		"mapping\n");
	good("map: {a: 1, b: true, c: ~, d: 'x', e: 0.5}",
		"{\"map\":{\"a\":1,\"b\":true,\"c\":null,\"d\":\"x\",\"e\":0.5}}");
	good("map: {}", "{\"map\":{}}");
	bad("map: [a]", "f:1:6: 'map' takes a mapping of names to plain values; got a list\n");
	bad("map: {a: [1]}", "f:1:10: 'a' of 'map' takes a plain value, not a list\n");
	good("any: [1, {a: b}]", "{\"any\":[1,{\"a\":\"b\"}]}");
	good("any: ~", "{\"any\":null}");
}

static void test_tables(void **state)
{
	(void)state;
	good("inner: {host: a, port: 80}", "{\"inner\":{\"host\":\"a\",\"port\":80}}");
	good("inner: lab", "{\"inner\":{\"host\":\"lab\",\"port\":22}}");
	bad("inner: {port: 0, hosst: a}",
		"f:1:8: inner lacks 'host', which takes a text\n"
		"f:1:15: 'port' takes a whole number from 1 to 65535; got '0'\n"
		"f:1:18: unknown key 'hosst' in inner; allowed: host, port; did you mean "
		"'host'?\n");
	bad("inner: [a]", "f:1:8: 'host' takes a text; got a list\n");
	bad("inner:", "f:1:7: inner lacks 'host', which takes a text\n");
	good("list: [{host: a}, b]",
		"{\"list\":[{\"host\":\"a\",\"port\":22},{\"host\":\"b\",\"port\":22}]}");
	good("list: []", "{}");
	bad("list: a", "f:1:7: 'list' takes a list of mappings of host, port, or the host alone; "
		       "got 'a'\n");
	bad("list: [{host: a}, {}, {prt: 1}]",
		"f:1:19: inner lacks 'host', which takes a text\n"
		"f:1:23: inner lacks 'host', which takes a text\n"
		"f:1:24: unknown key 'prt' in inner; allowed: host, port; did you mean 'port'?\n");
}

static void test_whole_mapping(void **state)
{
	(void)state;
	bad("[a]",
		"f:1:1: all takes a mapping of string, word, flag, whole, free_whole, least, "
		"size, real, percent, duration, choice, strings, map, any, inner, list, node; got "
		"a list\n");
	bad("zzzzzz: 1\nflg: yes\n",
		"f:1:1: unknown key 'zzzzzz' in all; allowed: string, word, flag, whole, "
		"free_whole, least, size, real, percent, duration, choice, strings, map, any, "
		"inner, list, node\n"
		"f:2:1: unknown key 'flg' in all; allowed: string, word, flag, whole, free_whole, "
		"least, size, real, percent, duration, choice, strings, map, any, inner, list, "
		"node; did you mean 'flag'?\n");
	good("~", "{}");
	/* What yaml_parse() noted is a failure here too, although it is told only once. */
	bad("word: a\nword: b\n", "f:2:1: key 'word' stands here twice; the first is in line 1\n");
	bad("any: {x: {a: 1, a: 2}}\n",
		"f:1:17: key 'a' stands here twice; the first is in line 1\n");
	bad("strings: [a]\nstrings: [b]\nlist: [a]\nlist: [b]\ninner: a\ninner: b\nmap: {}\nmap: "
	    "{}\nany: 1\nany: 2\nstring: a\nstring: b\n",
		"f:2:1: key 'strings' stands here twice; the first is in line 1\n"
		"f:4:1: key 'list' stands here twice; the first is in line 3\n"
		"f:6:1: key 'inner' stands here twice; the first is in line 5\n"
		"f:8:1: key 'map' stands here twice; the first is in line 7\n"
		"f:10:1: key 'any' stands here twice; the first is in line 9\n"
		"f:12:1: key 'string' stands here twice; the first is in line 11\n");
}

static void test_exact_percent(void **state)
{
	struct diags diags = DIAGS_INIT;
	struct yaml_file *file = yaml_parse("f", "percent: 33.3%", 14, &diags);
	struct all all;

	(void)state;
	/* 33.3 / 100 is 0.33299999999999996. */
	assert_int_equal(options_parse(&all_table, yaml_root(file), &all, &diags), 0);
	assert_true(all.percent == 0.333);
	options_release(&all_table, &all);
	yaml_file_free(file);
}

static void test_round_trip(void **state)
{
	static const char text[] = "{string: '', word: z, flag: off, whole: 8, size: 2G, percent: "
				   "33.3%, duration: 90s, choice: red, strings: [], map: {a: ~}, "
				   "any: [1.5], inner: lab, list: [x, {host: y, port: 1}]}";
	struct diags diags = DIAGS_INIT;
	struct yaml_file *file = yaml_parse("f", text, strlen(text), &diags);
	json_t *json[2];
	char *line;

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct all all;

		assert_int_equal(options_parse(&all_table, yaml_root(file), &all, &diags), 0);
		json[i] = options_to_json(&all_table, &all);
		options_release(&all_table, &all);
		yaml_file_free(file);
		line = json_line(json[i]);
		file = yaml_parse("f", line, strlen(line), &diags);
		free(line);
	}
	assert_true(json_equal(json[0], json[1]));
	json_decref(json[0]);
	json_decref(json[1]);
	yaml_file_free(file);
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
	json_t *schema = options_schema(&all_table);

	(void)state;
	assert_string_equal(json_string_value(at(schema, "type")), "object");
	assert_true(json_is_false(at(schema, "additionalProperties")));
	assert_int_equal(json_object_size(at(schema, "properties")), array_size(all_rows) - 1);
	assert_null(json_object_get(schema, "required"));
	assert_string_equal(
		json_string_value(at(schema, "properties/word/pattern")), "^(?:[a-z]+)$");
	assert_string_equal(json_string_value(at(schema, "properties/word/default")), "abc");
	assert_string_equal(json_string_value(at(schema, "properties/word/examples/0")), "word");
	assert_string_equal(
		json_string_value(at(schema, "properties/word/description")), "Lower case.");
	assert_int_equal(json_integer_value(at(schema, "properties/whole/minimum")), 2);
	assert_int_equal(json_integer_value(at(schema, "properties/whole/maximum")), 10);
	assert_int_equal(json_integer_value(at(schema, "properties/whole/default")), 4);
	assert_null(json_object_get(at(schema, "properties/least"), "maximum"));
	assert_true(json_number_value(at(schema, "properties/percent/anyOf/0/maximum")) == 0.5);
	assert_string_equal(
		json_string_value(at(schema, "properties/percent/anyOf/1/type")), "string");
	assert_string_equal(json_string_value(at(schema, "properties/choice/enum/2")), "blue");
	assert_string_equal(json_string_value(at(schema, "properties/strings/default/1")), "b");
	assert_string_equal(
		json_string_value(at(schema, "properties/inner/anyOf/0/required/0")), "host");
	assert_string_equal(
		json_string_value(at(schema, "properties/inner/anyOf/1/type/0")), "string");
	assert_string_equal(
		json_string_value(at(schema, "properties/list/items/anyOf/0/title")), "inner");
	json_decref(schema);
}

static void test_help(void **state)
{
	struct strbuf sb = STRBUF_INIT;
	char *line, *rest, *copy;

	(void)state;
	options_help(&all_table, &sb);
	for (const struct option_row *row = all_rows; row->name; row++) {
		char *heading = xasprintf("\n  %s ", row->name);

		assert_non_null(strstr(strbuf_text(&sb), heading));
		assert_non_null(strstr(strbuf_text(&sb), row->help));
		free(heading);
	}
	assert_non_null(strstr(strbuf_text(&sb), "a percentage from 0% to 50%; default 1%\n"));
	assert_non_null(strstr(strbuf_text(&sb), "\nall, below 'inner': a nested mapping\n"));
	assert_non_null(strstr(strbuf_text(&sb), "\nall, each of 'list': a nested mapping\n"));
	assert_non_null(strstr(strbuf_text(&sb), "a text; required\n"));
	assert_non_null(strstr(strbuf_text(&sb), "sets 'host'.\n"));
	rest = copy = strbuf_steal(&sb);
	while ((line = strsep(&rest, "\n")))
		assert_true(strlen(line) <= 80);
	free(copy);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_defaults),
		cmocka_unit_test(test_strings),
		cmocka_unit_test(test_bools),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_percents),
		cmocka_unit_test(test_durations),
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_choices),
		cmocka_unit_test(test_lists_and_maps),
		cmocka_unit_test(test_tables),
		cmocka_unit_test(test_whole_mapping),
		cmocka_unit_test(test_exact_percent),
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_schema),
		cmocka_unit_test(test_help),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
