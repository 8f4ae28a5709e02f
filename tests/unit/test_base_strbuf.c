/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A growing string is a string at every moment. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/strbuf.h"

/* What malloc() hands out next was used before, as in a program that has run for a while. */
static void leave_dirt(size_t size)
{
	char *dirt = malloc(size);

	assert_non_null(dirt);
	memset(dirt, '7', size);
	free(dirt);
}

static void reserved_room_is_no_text(void **state)
{
	struct strbuf sb = STRBUF_INIT;

	(void)state;
	leave_dirt(4097);
	strbuf_reserve(&sb, 4096);
	assert_string_equal(strbuf_text(&sb), "");
	strbuf_puts(&sb, "five");
	strbuf_reserve(&sb, 10000);
	assert_string_equal(strbuf_text(&sb), "five");
	strbuf_release(&sb);
}

/* A cgroup without processes: whoever reads its list must not see the list read before. */
static void an_empty_file_reads_as_nothing(void **state)
{
	struct strbuf sb = STRBUF_INIT;
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	char *text;

	(void)state;
	leave_dirt(4097);
	assert_int_equal(file_read_fd(fd, &sb, SIZE_MAX), 0);
	text = strbuf_steal(&sb);
	assert_string_equal(text, "");
	free(text);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reserved_room_is_no_text),
		cmocka_unit_test(an_empty_file_reads_as_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
