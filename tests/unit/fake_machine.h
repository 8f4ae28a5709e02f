/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A struct machine over a folder of fake kernel files (tests/fixtures/sysroots), for unit tests. */
#ifndef TESTS_UNIT_FAKE_MACHINE_H
#define TESTS_UNIT_FAKE_MACHINE_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/cpulist.h"
#include "base/file.h"
#include "base/json.h"
#include "base/strbuf.h"
#include "base/sysroot.h"
#include "runners/knob/knob.h"
#include "runners/machine.h"

/**
 * struct fake_machine - the machine, its folder, and a path that fails
 * @refuse: reading a path that begins like this gives @code; NULL for none
 */
struct fake_machine {
	struct machine machine;
	struct sysroot root;
	char dir[32];
	json_t *facts;
	const char *refuse;
	int code;
};

static inline int fake_read(void *context, const char *path, char **text, struct error *err)
{
	struct fake_machine *m = context;

	if (m->refuse && strncmp(path, m->refuse, strlen(m->refuse)) == 0)
		return error_sys(err, m->code, "cannot read '%s'", path);
	return sysroot_read(&m->root, path, text, NULL, err);
}

static inline int fake_glob(void *context, const char *pattern, json_t **paths, struct error *err)
{
	struct fake_machine *m = context;
	char **found;
	int n = sysroot_glob(&m->root, pattern, &found);

	if (n < 0)
		return error_sys(err, n, "cannot search '%s'", pattern);
	*paths = json_array();
	for (int i = 0; i < n; i++)
		json_array_append_new(*paths, json_string(found[i]));
	sysroot_glob_free(found, n);
	return 0;
}

/* Write a kernel file, with its folders. */
static inline void fake_write(struct fake_machine *m, const char *path, const char *text)
{
	char *whole = xasprintf("%s/%s", m->dir, path), *folder = file_dirname(whole);
	int fd;

	assert_return_code(file_make_dirs(folder, 0755, NULL), 0);
	fd = open(whole, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	assert_return_code(fd, errno);
	assert_int_equal(file_write_all(fd, text, strlen(text)), 0);
	close(fd);
	free(folder);
	free(whole);
}

static inline char *fake_unescape(const char *text)
{
	struct strbuf sb = STRBUF_INIT;

	for (; *text; text++) {
		if (text[0] == '\\' && (text[1] == 'n' || text[1] == 't'))
			strbuf_putc(&sb, *++text == 'n' ? '\n' : '\t', 1);
		else
			strbuf_putc(&sb, *text, 1);
	}
	strbuf_putc(&sb, '\n', 1);
	return strbuf_steal(&sb);
}

/* "cpu{0-3,8}/..." is written once for each number; a path may have several such lists. */
static inline void fake_write_all(struct fake_machine *m, const char *path, const char *text)
{
	const char *open = strchr(path, '{'), *close = open ? strchr(open, '}') : NULL;
	struct cpulist list;
	char *numbers;

	if (!close) {
		fake_write(m, path, text);
		return;
	}
	numbers = xmemdup0(open + 1, (size_t)(close - open - 1));
	assert_int_equal(cpulist_parse(numbers, &list, NULL), 0);
	for (size_t i = 0; i < list.n; i++) {
		char *one = xasprintf("%.*s%d%s", (int)(open - path), path, list.cpu[i], close + 1);

		fake_write_all(m, one, text);
		free(one);
	}
	cpulist_release(&list);
	free(numbers);
}

static inline void fake_unpack(struct fake_machine *m, char *dump)
{
	char *save = NULL;

	for (char *line = strtok_r(dump, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		char *colon = strstr(line, ": "), *text;

		assert_non_null(colon);
		*colon = '\0';
		text = fake_unescape(colon + 2);
		fake_write_all(m, line, text);
		free(text);
	}
}

/* Make the machine NAME of tests/fixtures/sysroots; end it with fake_machine_free(). */
static inline struct fake_machine *fake_machine_new(const char *name)
{
	struct fake_machine *m = xcalloc(1, sizeof(*m));
	char *path = xasprintf("tests/fixtures/sysroots/%s.facts.json", name), *dump;
	json_error_t why;

	m->facts = json_load_file(path, JSON_REJECT_DUPLICATES, &why);
	assert_non_null(m->facts);
	free(path);
	strcpy(m->dir, "/tmp/fake-machine-XXXXXX");
	assert_non_null(mkdtemp(m->dir));
	assert_int_equal(sysroot_open(&m->root, m->dir, NULL), 0);
	path = xasprintf("tests/fixtures/sysroots/%s.dump", name);
	assert_int_equal(file_read(path, 1 << 20, &dump, NULL, NULL), 0);
	free(path);
	fake_unpack(m, dump);
	free(dump);
	m->machine = (struct machine){ m->facts, fake_read, fake_glob, m };
	return m;
}

static inline void fake_machine_free(struct fake_machine *m)
{
	sysroot_close(&m->root);
	assert_int_equal(file_remove_tree(m->dir, NULL), 0);
	json_decref(m->facts);
	free(m);
}

/* A level from JSON with ' in place of ". */
static inline json_t *fake_level(const char *text)
{
	char *copy = xstrdup(text);
	json_error_t why;
	json_t *level;

	for (char *p = copy; *p; p++)
		if (*p == '\'')
			*p = '"';
	level = json_loads(copy, JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, &why);
	if (!level)
		fail_msg("level %s: %s", text, why.text);
	free(copy);
	return level;
}

/* What a plan asks for: a line for each write, CPUs, variables, parameters and words. */
static inline char *fake_plan_text(const struct knob_plan *plan)
{
	static const char *const kinds[] = { "", " (feature)", " (choice)" };
	struct strbuf sb = STRBUF_INIT;
	char *text;

	for (size_t i = 0; i < plan->n_writes; i++)
		strbuf_printf(&sb, "%s = %s%s\n", plan->writes[i].path, plan->writes[i].value,
			kinds[plan->writes[i].kind]);
	text = cpulist_format(&plan->cpus);
	if (plan->cpus.n)
		strbuf_printf(&sb, "cpus %s\n", text);
	free(text);
	text = json_line(plan->env);
	if (json_object_size(plan->env))
		strbuf_printf(&sb, "env %s\n", text);
	free(text);
	text = json_line(plan->params);
	if (json_object_size(plan->params))
		strbuf_printf(&sb, "params %s\n", text);
	free(text);
	if (*plan->cmdline)
		strbuf_printf(&sb, "cmdline %s\n", plan->cmdline);
	return strbuf_steal(&sb);
}

/* Plan a level on a machine and compare what it asks for. */
static inline void expect_plan(const struct knob_ops *knob, const struct fake_machine *m,
	const char *level_text, const char *expected)
{
	json_t *level = fake_level(level_text);
	struct error err = ERROR_INIT;
	struct knob_plan plan;
	char *text;
	int r;

	knob_plan_init(&plan);
	r = knob->check(level, &err);
	if (!r)
		r = knob->plan(level, &m->machine, &plan, &err);
	if (r)
		fail_msg("%s: %s", level_text, error_text(&err));
	assert_null(err.text);
	text = fake_plan_text(&plan);
	assert_string_equal(text, expected);
	free(text);
	knob_plan_release(&plan);
	json_decref(level);
}

/* Plan a level on a machine and compare the error. */
static inline void expect_plan_error(const struct knob_ops *knob, const struct fake_machine *m,
	const char *level_text, int code, const char *message)
{
	json_t *level = fake_level(level_text);
	struct error err = ERROR_INIT;
	struct knob_plan plan;

	knob_plan_init(&plan);
	assert_int_equal(knob->check(level, &err), 0);
	assert_int_equal(knob->plan(level, &m->machine, &plan, &err), code);
	assert_string_equal(error_text(&err), message);
	error_release(&err);
	knob_plan_release(&plan);
	json_decref(level);
}

/* A level that is refused without looking at a machine, by plan() as well. */
static inline void expect_check_error(
	const struct knob_ops *knob, const char *level_text, const char *message)
{
	json_t *level = fake_level(level_text);
	struct machine nowhere = { 0 };
	struct error err = ERROR_INIT;
	struct knob_plan plan;

	assert_int_equal(knob->check(level, &err), -EINVAL);
	assert_string_equal(error_text(&err), message);
	error_release(&err);
	assert_int_equal(knob->check(level, NULL), -EINVAL);
	knob_plan_init(&plan);
	assert_int_equal(knob->plan(level, &nowhere, &plan, NULL), -EINVAL);
	knob_plan_release(&plan);
	json_decref(level);
}

static inline void expect_available(
	const struct knob_ops *knob, const struct fake_machine *m, int code, const char *message)
{
	struct error err = ERROR_INIT;

	assert_int_equal(knob->available(&m->machine, &err), code);
	if (code)
		assert_string_equal(error_text(&err), message);
	error_release(&err);
}

static inline void expect_label(
	const struct knob_ops *knob, const char *level_text, const char *label)
{
	json_t *level = fake_level(level_text);
	char *text = knob->label(level);

	assert_string_equal(text, label);
	free(text);
	json_decref(level);
}

#endif
