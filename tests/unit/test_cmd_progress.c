/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a run shows on a terminal, and where there is none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <math.h>
#include <pty.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/strbuf.h"
#include "cmd/progress.h"

enum { COLUMNS = 40 };

static struct job job = { .decide = { .max_blocks = 64 } };
static struct arm arms[] = { { .label = (char *)"a" },
	{ .label = (char *)"an arm whose label is longer than the terminal is wide" } };
static const struct design design = { .arms = arms, .n = 2 };

/* Standard error goes to @fd while a run of two blocks is shown: undecided, then better. */
static void show_run(int fd, bool quiet)
{
	struct comparison comparisons[2] = { { .n = 1 },
		{ .n = 1, .estimate = 1.05, .low = 0, .high = INFINITY } };
	struct decision decision = { .n_arms = 2, .arm = comparisons };
	struct figures figures = { .metric = (char *)"rps", .n_blocks = 1, .n_arms = 2 };
	struct look look = { &job, &design, &decision, &figures, 125 };
	struct run_step step = { .job = &job, .design = &design, .arm = 1, .position = 1 };
	int before = dup(STDERR_FILENO);
	struct progress p;

	fflush(stderr);
	assert_true(dup2(fd, STDERR_FILENO) >= 0);
	progress_init(&p, quiet);
	p.ops.trial(p.ops.context, &step);
	p.ops.done(p.ops.context, &step, NAN, "it slept");
	p.ops.look(p.ops.context, &look);
	step.block = 1;
	p.ops.trial(p.ops.context, &step);
	p.ops.done(p.ops.context, &step, 5, NULL);
	comparisons[1] = (struct comparison){
		.n = 2, .estimate = 1.05, .low = 1.04, .high = 1.06, .verdict = VERDICT_BETTER
	};
	decision.stopped = true;
	figures.n_blocks = 2;
	p.ops.look(p.ops.context, &look);
	progress_end(&p);
	fflush(stderr);
	assert_true(dup2(before, STDERR_FILENO) >= 0);
	close(before);
}

static char *read_all(int fd)
{
	struct strbuf sb = STRBUF_INIT;
	char buf[4096];
	ssize_t n;

	assert_int_equal(fcntl(fd, F_SETFL, O_NONBLOCK), 0);
	while ((n = read(fd, buf, sizeof(buf))) > 0)
		strbuf_add(&sb, buf, (size_t)n);
	return strbuf_steal(&sb);
}

static char *on_terminal(bool quiet)
{
	struct winsize size = { .ws_col = COLUMNS, .ws_row = 20 };
	int master, slave;
	char *text;

	assert_int_equal(openpty(&master, &slave, NULL, NULL, &size), 0);
	show_run(slave, quiet);
	text = read_all(master);
	close(master);
	close(slave);
	return text;
}

static char *on_pipe(bool quiet)
{
	int ends[2];
	char *text;

	assert_int_equal(pipe(ends), 0);
	show_run(ends[1], quiet);
	text = read_all(ends[0]);
	close(ends[0]);
	close(ends[1]);
	return text;
}

static void assert_text(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("'%s' is not in '%s'", part, text);
}

/* A changing line that wrapped could not be taken back: its beginning would stay. */
static void the_changing_line_fits_the_terminal(void **state)
{
	char *text = on_terminal(false);

	(void)state;
	for (const char *p = strstr(text, "\033[K"); p; p = strstr(p, "\033[K")) {
		size_t len = strcspn(p += 3, "\r\n");

		/* Lines that stay may wrap; those that are cleared must not. */
		if (strncmp(p + len, "\r\033[K", 4) == 0 && len >= COLUMNS)
			fail_msg("'%.*s' is cleared, but was wrapped", (int)len, p);
	}
	assert_text(text, "block 1 of at most 64");
	assert_text(text, "block 2 of at most 64, at most 2 min");
	assert_text(text, "does not count: it slept");
	assert_text(text, "rps +5.00 % [+4.00 %, +6.00 %] better");
	assert_null(strstr(text, "undecided"));
	free(text);
}

static void without_a_terminal_each_block_is_a_line(void **state)
{
	char *text = on_pipe(false);

	(void)state;
	assert_null(strchr(text, '\033'));
	assert_text(text, "rps +5.00 % undecided\n");
	assert_text(text, "block 1 of at most 64, at most 2 min 5 s left\n");
	assert_text(text, "better\nblock 2 of at most 64\n");
	free(text);
}

static void quiet_says_what_needs_attention(void **state)
{
	char *text = on_pipe(true);

	(void)state;
	assert_string_equal(text,
		"block 1, an arm whose label is longer than the terminal is wide, "
		"attempt 1 does not count: it slept\n");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_changing_line_fits_the_terminal),
		cmocka_unit_test(without_a_terminal_each_block_is_a_line),
		cmocka_unit_test(quiet_says_what_needs_attention),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
