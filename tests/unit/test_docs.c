/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "base/alloc.h"
#include "base/strbuf.h"
#include "base/wrap.h"
#include "collectors/collector.h"
#include "runners/target/target.h"
#include "spec/benchmark.h"
#include "spec/job.h"
#include "spec/option_man.h"
#include "spec/roff.h"

static void expect_escaped(const char *text, const char *want)
{
	struct strbuf out = STRBUF_INIT;

	roff_escape(&out, text, strlen(text));
	assert_string_equal(strbuf_text(&out), want);
	strbuf_release(&out);
}

static void test_escape_signs(void **state)
{
	(void)state;
	expect_escaped("", "");
	expect_escaped("plain text, 5%", "plain text, 5%");
	expect_escaped("'^Time: (\\S+)$'", "\\(aq\\(haTime: (\\(rsS+)$\\(aq");
	expect_escaped("--file `a` ~b \"c\"", "\\-\\-file \\(gaa\\(ga \\(tib \\(dqc\\(dq");
}

/* A dot is a request only where a line begins; an apostrophe has a name anyway. */
static void test_escape_requests(void **state)
{
	struct strbuf out = STRBUF_INIT;

	(void)state;
	expect_escaped(".so /x", "\\&.so /x");
	expect_escaped("a\n.br\n'br", "a\n\\&.br\n\\(aqbr");
	expect_escaped("a .b", "a .b");
	strbuf_puts(&out, ".B ");
	roff_escape(&out, "...", 3);
	assert_string_equal(strbuf_text(&out), ".B ...");
	strbuf_release(&out);
}

static void test_escape_utf8(void **state)
{
	(void)state;
	expect_escaped("a\xe2\x80\xa6z", "a\\[u2026]z");
	expect_escaped("\xc3\xa4\xf0\x9f\x90\xa7", "\\[u00E4]\\[u1F427]");
	expect_escaped("\xff-", "\\[uFFFD]\\-");
	expect_escaped("\xc3", "\\[uFFFD]");		  /* cut off */
	expect_escaped("\xc0\xaf", "\\[uFFFD]\\[uFFFD]"); /* longer than need be */
	expect_escaped("\xe0\x80\xaf", "\\[uFFFD]\\[uFFFD]\\[uFFFD]");
	expect_escaped("\xed\xa0\x80", "\\[uFFFD]\\[uFFFD]\\[uFFFD]"); /* half of a pair */
	expect_escaped("\xf4\x90\x80\x80", "\\[uFFFD]\\[uFFFD]\\[uFFFD]\\[uFFFD]");
}

static void expect_prose(const char *text, const char *want)
{
	struct strbuf out = STRBUF_INIT;

	roff_prose(&out, text);
	assert_string_equal(strbuf_text(&out), want);
	strbuf_release(&out);
}

static void test_prose_paragraphs(void **state)
{
	(void)state;
	expect_prose("", "");
	expect_prose("\n\n", "");
	expect_prose("one\ntwo  three\n\nfour", ".PP\none\ntwo three\n.PP\nfour\n");
}

static void test_prose_list(void **state)
{
	(void)state;
	expect_prose("Words\n  --seed N   the order\n             of arms\n  -q  quiet\nend\n",
		".PP\nWords\n.TP\n.B \\-\\-seed N\nthe order\nof arms\n.TP\n.B \\-q\nquiet\n"
		".PP\nend\n");
	/* Blanks at the end make no item. */
	expect_prose("  name  \n", ".RS 4\n.nf\nname  \n.fi\n.RE\n");
}

static void test_prose_kept(void **state)
{
	(void)state;
	expect_prose("For example\n\n  factors:\n    x: [1,  2]\n\nand\n",
		".PP\nFor example\n.PP\n.RS 4\n.nf\nfactors:\n  x: [1,  2]\n.fi\n.RE\n.PP\nand\n");
	expect_prose("Usage: harness a\n       harness b\n\nText\n",
		".RS 4\n.nf\nharness a\nharness b\n.fi\n.RE\n.PP\nText\n");
}

struct thing {
	char *word;
	long number;
	struct table_list parts;
};

static const struct option_row part_rows[] = {
	{ .name = "word", .type = OPT_STRING, .required = true, .help = ".dotted" },
	{ 0 },
};

static const struct option_table part_table = { .name = "part",
	.help = "One part.",
	.rows = part_rows,
	.size = sizeof(struct thing),
	.shorthand = "word" };

static const struct option_row thing_rows[] = {
	{ .name = "number",
		.type = OPT_INT,
		.offset = offsetof(struct thing, number),
		.min = 1,
		.max = 9,
		.dflt = "3",
		.help = "How many.",
		.example = "-4" },
	{ .name = "unit", .type = OPT_STRING, .dflt = "" },
	{ .name = "parts",
		.type = OPT_TABLES,
		.offset = offsetof(struct thing, parts),
		.table = &part_table,
		.help = "Its parts." },
	{ 0 },
};

static const struct option_table thing_table = {
	.name = "thing", .help = "A thing.", .rows = thing_rows, .size = sizeof(struct thing)
};

static void test_options_man(void **state)
{
	struct strbuf out = STRBUF_INIT;

	(void)state;
	options_man(&thing_table, &out);
	assert_string_equal(strbuf_text(&out),
		"A thing.\n"
		".TP\n.B number\na whole number from 1 to 9; default 3\n.br\nHow many.\n"
		".br\nexample:\n.B number: \\-4\n"
		".TP\n.B unit\na text; default \\(aq\\(aq\n"
		".TP\n.B parts\na list of mappings of word, or the word alone\n.br\nIts parts.\n"
		".SS Each of \\(aqparts\\(aq\nOne part.\n"
		"A plain value in place of the mapping sets \\(aqword\\(aq.\n"
		".TP\n.B word\na text; required\n.br\n\\&.dotted\n");
	strbuf_release(&out);
}

static void expect_rows(const struct option_table *table, const char *page)
{
	for (const struct option_row *row = table->rows; row->name; row++) {
		struct strbuf tag = STRBUF_INIT;

		strbuf_puts(&tag, "\n.B ");
		roff_escape(&tag, row->name, strlen(row->name));
		strbuf_putc(&tag, '\n', 1);
		assert_non_null(strstr(page, strbuf_text(&tag)));
		strbuf_release(&tag);
		if (row->table)
			expect_rows(row->table, page);
	}
}

/* Every row of a real table is there, and no line is a request that roff does not know from us. */
static void expect_page(const struct option_table *table)
{
	static const char *const known[] = { ".TP\n", ".B ", ".br\n", ".SS " };
	struct strbuf out = STRBUF_INIT;

	options_man(table, &out);
	expect_rows(table, strbuf_text(&out));
	for (const char *line = strbuf_text(&out); *line; line = strchr(line, '\n') + 1) {
		bool fine = *line != '.' && *line != '\'';

		for (size_t i = 0; i < array_size(known); i++)
			fine |= strncmp(line, known[i], strlen(known[i])) == 0;
		assert_true(fine);
	}
	strbuf_release(&out);
}

static void test_every_row(void **state)
{
	(void)state;
	for (const struct option_table *const *t = job_tables(); *t; t++)
		expect_page(*t);
	expect_page(&benchmark_table);
	for (size_t i = 0; targets[i]; i++)
		if (targets[i]->options)
			expect_page(targets[i]->options);
	for (size_t i = 0; collectors[i]; i++)
		if (collectors[i]->options)
			expect_page(collectors[i]->options);
}

static void test_wrap(void **state)
{
	struct strbuf out = STRBUF_INIT, text = STRBUF_INIT;

	(void)state;
	wrap_words(&out, "  a\nb  ", 0, 4);
	assert_string_equal(strbuf_text(&out), "a b\n");
	strbuf_clear(&out);
	/* A word longer than the line has it for itself. */
	strbuf_putc(&text, 'x', 100);
	strbuf_puts(&text, " y");
	wrap_paragraph(&out, strbuf_text(&text), 2);
	assert_int_equal(strcspn(strbuf_text(&out), "\n"), 102);
	assert_string_equal(strbuf_text(&out) + 102, "\n  y\n");
	strbuf_clear(&out);
	strbuf_clear(&text);
	/* 40 words of one character fill 79 columns, in bytes 119 as each has two. */
	for (int i = 0; i < 41; i++)
		strbuf_puts(&text, "\xc3\xa4 ");
	wrap_words(&out, strbuf_text(&text), 0, 0);
	assert_int_equal(strcspn(strbuf_text(&out), "\n"), 119);
	strbuf_release(&out);
	strbuf_release(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_escape_signs),
		cmocka_unit_test(test_escape_requests),
		cmocka_unit_test(test_escape_utf8),
		cmocka_unit_test(test_prose_paragraphs),
		cmocka_unit_test(test_prose_list),
		cmocka_unit_test(test_prose_kept),
		cmocka_unit_test(test_options_man),
		cmocka_unit_test(test_every_row),
		cmocka_unit_test(test_wrap),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
