/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "runners/knob/knob.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "base/strbuf.h"
#include "runners/knob/level.h"

/* The words as one line, or NULL when the level is of another form; blanks in "quotes" stay. */
static char *line(const json_t *level)
{
	struct strbuf sb = STRBUF_INIT;
	json_t *item;
	size_t i;

	if (level_is_default(level))
		return xstrdup("");
	if (json_is_string(level))
		return xstrdup(json_string_value(level));
	if (!json_is_array(level))
		return NULL;
	json_array_foreach(level, i, item) {
		if (!json_is_string(item)) {
			strbuf_release(&sb);
			return NULL;
		}
		strbuf_printf(&sb, "%s%s", i ? " " : "", json_string_value(item));
	}
	return strbuf_steal(&sb);
}

static int check_line(const char *text, struct error *err)
{
	size_t quotes = 0;

	for (const char *p = text; *p; p++) {
		if (iscntrl((unsigned char)*p))
			return error_set(err, -EINVAL,
				"a kernel command line can't hold tabs, line breaks or other "
				"control "
				"characters");
		quotes += *p == '"';
	}
	if (quotes % 2)
		return error_set(
			err, -EINVAL, "a quote is left open in the kernel command line '%s'", text);
	return 0;
}

static int cmdline_check(const json_t *level, struct error *err)
{
	char *text = line(level);
	int r;

	if (!text)
		return error_set(err, -EINVAL,
			"cmdline takes words for the kernel's command line, like 'idle=poll "
			"nohz=off', "
			"or a list of words");
	r = check_line(text, err);
	free(text);
	return r;
}

static char *cmdline_label(const json_t *level)
{
	char *text = line(level);

	if (text && *text)
		return text;
	free(text);
	return xstrdup("default");
}

static int cmdline_plan(const json_t *level, const struct machine *machine, struct knob_plan *plan,
	struct error *err)
{
	int r = cmdline_check(level, err);
	char *text, *whole;

	(void)machine;
	if (r < 0)
		return r;
	text = line(level);
	whole = xasprintf("%s%s%s", plan->cmdline, *plan->cmdline && *text ? " " : "", text);
	free(text);
	free(plan->cmdline);
	plan->cmdline = whole;
	return 0;
}

/* Only a machine that we boot can have it, and a doctor looks at one that runs. */
static int cmdline_available(const struct machine *machine, struct error *err)
{
	(void)machine;
	return error_set(err, -EOPNOTSUPP,
		"a running kernel keeps the command line it was booted with; use target: vm");
}

const struct knob_ops knob_cmdline = {
	.name = "cmdline",
	.help = "words for the kernel's command line (target vm)",
	.long_help =
		"A level is text or a list of words that go behind the guest's own command line;\n"
		"'default' (or \"\") adds none. Every level is a boot of its own, so only the\n"
		"target vm has this knob; there it is also how to choose an idle loop.\n"
		"\n"
		"  target: vm\n"
		"  factors:\n"
		"    cmdline: [default, idle=poll, 'nohz=off mitigations=off']\n",
	.schema = "{\"oneOf\":[{\"type\":\"string\"},"
		  "{\"type\":\"array\",\"items\":{\"type\":\"string\"}}]}",
	.label = cmdline_label,
	.check = cmdline_check,
	.plan = cmdline_plan,
	.available = cmdline_available,
};
