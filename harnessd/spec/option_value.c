/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "spec/option_value.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <assert.h>
#include <errno.h>
#include <math.h>
#include <pcre2.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/alloc.h"
#include "base/json.h"
#include "base/strbuf.h"
#include "spec/yaml.h"

struct unit {
	const char *name;
	double factor;
};

/* From the smallest, so that the last one that divides a value is the best to show it in. */
static const struct unit durations[] = { { "ms", 0.001 }, { "s", 1 }, { "min", 60 }, { "m", 60 },
	{ "h", 3600 }, { "d", 86400 } };
static const struct unit sizes[] = { { "", 1 }, { "K", 0x1p10 }, { "M", 0x1p20 }, { "G", 0x1p30 },
	{ "T", 0x1p40 } };

bool option_is_scalar(const struct option_row *row)
{
	return row->type <= OPT_ENUM;
}

bool option_has_range(const struct option_row *row)
{
	return row->min != 0 || row->max != 0;
}

static bool in_range(const struct option_row *row, double value)
{
	if (!option_has_range(row))
		return true;
	return value >= row->min && (row->max < row->min || value <= row->max);
}

static int set_bool(const char *text, bool *out)
{
	static const char *const words[] = { "false", "true", "no", "yes", "off", "on" };

	for (size_t i = 0; i < array_size(words); i++) {
		if (!strcasecmp(text, words[i])) {
			*out = i % 2;
			return 0;
		}
	}
	return -EINVAL;
}

static int set_int(const struct option_row *row, const char *text, long *out)
{
	const char *digits = text + (*text == '-' || *text == '+');
	long value;

	if (!*digits || digits[strspn(digits, "0123456789")])
		return -EINVAL;
	errno = 0;
	value = strtol(text, NULL, 10);
	if (errno || !in_range(row, (double)value))
		return -ERANGE;
	*out = value;
	return 0;
}

static int store_real(const struct option_row *row, double value, double *out)
{
	if (!in_range(row, value))
		return -ERANGE;
	*out = value;
	return 0;
}

static int set_real(const struct option_row *row, const char *text, double *out)
{
	double value;
	int r = yaml_real(text, &value);

	return r < 0 ? r : store_real(row, value, out);
}

/* "1%": the exponent is moved in the text, so that 99.99% is exactly the double 0.9999. */
static int set_percent(const struct option_row *row, const char *text, double *out)
{
	size_t len = strlen(text);
	double value;
	char *moved;
	int r;

	if (!len || text[len - 1] != '%')
		return set_real(row, text, out);
	while (len > 1 && text[len - 2] == ' ')
		len--;
	if (strspn(text, "+-.0123456789") != len - 1)
		return -EINVAL;
	moved = xasprintf("%.*se-2", (int)(len - 1), text);
	r = yaml_real(moved, &value);
	free(moved);
	return r < 0 ? r : store_real(row, value, out);
}

/* A number without sign or exponent, blanks, and a unit, which may be left out for factor 1. */
static int parse_units(const char *text, const struct unit *units, size_t n, double *out)
{
	size_t len = strspn(text, ".0123456789");
	const char *unit = text + len + strspn(text + len, " ");
	char *number = xmemdup0(text, len);
	int r = yaml_real(number, out);

	free(number);
	if (r < 0 || (!*unit && text[len]))
		return r < 0 ? r : -EINVAL;
	if (!*unit)
		return 0;
	for (size_t i = 0; i < n; i++) {
		if (strcasecmp(unit, units[i].name))
			continue;
		*out *= units[i].factor;
		return isfinite(*out) ? 0 : -ERANGE;
	}
	return -EINVAL;
}

static int set_duration(const struct option_row *row, const char *text, double *out)
{
	double value;
	int r = parse_units(text, durations, array_size(durations), &value);

	return r < 0 ? r : store_real(row, value, out);
}

static int set_size(const struct option_row *row, const char *text, long *out)
{
	double value;
	int r = parse_units(text, sizes, array_size(sizes), &value);

	if (r < 0)
		return r;
	if (value != floor(value))
		return -EINVAL;
	if (value >= 0x1p53 || !in_range(row, value))
		return -ERANGE;
	*out = (long)value;
	return 0;
}

static int set_enum(const struct option_row *row, const char *text, int *out)
{
	for (int i = 0; row->choices[i]; i++) {
		if (!strcmp(row->choices[i], text)) {
			*out = i;
			return 0;
		}
	}
	return -EINVAL;
}

static int set_string(const struct option_row *row, const char *text, char **out)
{
	if (!option_matches(row, text))
		return -EINVAL;
	free(*out);
	*out = xstrdup(text);
	return 0;
}

int option_set(const struct option_row *row, const char *text, void *member)
{
	switch (row->type) {
	case OPT_STRING:
		return set_string(row, text, member);
	case OPT_BOOL:
		return set_bool(text, member);
	case OPT_INT:
		return set_int(row, text, member);
	case OPT_REAL:
		return set_real(row, text, member);
	case OPT_PERCENT:
		return set_percent(row, text, member);
	case OPT_DURATION:
		return set_duration(row, text, member);
	case OPT_SIZE:
		return set_size(row, text, member);
	case OPT_ENUM:
		return set_enum(row, text, member);
	default:
		assert(!"no scalar type");
		return -EINVAL;
	}
}

bool option_matches(const struct option_row *row, const char *text)
{
	uint32_t how = PCRE2_ANCHORED | PCRE2_ENDANCHORED | PCRE2_UTF;
	pcre2_match_data *match;
	size_t where;
	pcre2_code *code;
	int why, r;

	if (!row->pattern)
		return true;
	code = pcre2_compile(
		(PCRE2_SPTR)row->pattern, PCRE2_ZERO_TERMINATED, how, &why, &where, NULL);
	assert(code);
	match = pcre2_match_data_create_from_pattern(code, NULL);
	r = pcre2_match(code, (PCRE2_SPTR)text, strlen(text), 0, 0, match, NULL);
	pcre2_match_data_free(match);
	pcre2_code_free(code);
	return r >= 0;
}

static char *plain_number(double value)
{
	json_t *json = fabs(value) < 0x1p53 && value == floor(value)
			       ? json_integer((json_int_t)value)
			       : json_real(value);
	char *text = json_scalar_text(json);

	json_decref(json);
	return text;
}

static char *unit_number(double value, const struct unit *units, size_t n)
{
	const struct unit *best = NULL;
	char *number, *text;

	if (value == 0)
		return xstrdup("0");
	for (size_t i = 0; i < n; i++) {
		double count = value / units[i].factor;

		if (!best || (count >= 1 && fabs(count - round(count)) < 1e-9))
			best = &units[i];
	}
	number = plain_number(value / best->factor);
	text = xasprintf("%s%s", number, best->name);
	free(number);
	return text;
}

/* A limit as it would be written in the file. */
static char *limit_text(const struct option_row *row, double value)
{
	char *number, *text;

	if (row->type == OPT_DURATION)
		return unit_number(value, durations, array_size(durations));
	if (row->type == OPT_SIZE)
		return unit_number(value, sizes, array_size(sizes));
	if (row->type != OPT_PERCENT)
		return plain_number(value);
	number = plain_number(round(value * 1e8) / 1e6);
	text = xasprintf("%s%%", number);
	free(number);
	return text;
}

static void add_range(struct strbuf *sb, const struct option_row *row)
{
	char *low = limit_text(row, row->min), *high = limit_text(row, row->max);

	if (option_has_range(row) && row->max < row->min)
		strbuf_printf(sb, " of at least %s", low);
	else if (option_has_range(row))
		strbuf_printf(sb, " from %s to %s", low, high);
	free(low);
	free(high);
}

static void add_choices(struct strbuf *sb, const struct option_row *row)
{
	for (size_t i = 0; row->choices[i]; i++)
		strbuf_printf(sb, "%s%s", i ? ", " : "one of ", row->choices[i]);
}

char *option_names(const struct option_table *table)
{
	struct strbuf sb = STRBUF_INIT;

	for (const struct option_row *row = table->rows; row->name; row++)
		strbuf_printf(&sb, "%s%s", row == table->rows ? "" : ", ", row->name);
	return strbuf_steal(&sb);
}

static void add_table(struct strbuf *sb, const struct option_row *row)
{
	char *names = option_names(row->table);

	strbuf_printf(sb, " of %s", names);
	if (row->table->shorthand)
		strbuf_printf(sb, ", or the %s alone", row->table->shorthand);
	free(names);
}

char *option_takes(const struct option_row *row)
{
	static const char *const words[] = {
		[OPT_STRING] = "a text",
		[OPT_BOOL] = "true or false",
		[OPT_INT] = "a whole number",
		[OPT_REAL] = "a number",
		[OPT_PERCENT] = "a percentage",
		[OPT_DURATION] = "a duration (500ms, 5s, 20m, 2h)",
		[OPT_SIZE] = "a size (4096, 256K, 64M, 2G)",
		[OPT_ENUM] = "",
		[OPT_STRINGS] = "a text or a list of texts",
		[OPT_MAP] = "a mapping of names to plain values",
		[OPT_JSON] = "any value",
		[OPT_TABLE] = "a mapping",
		[OPT_TABLES] = "a list of mappings",
		[OPT_NODE] = "any value",
	};
	struct strbuf sb = STRBUF_INIT;

	strbuf_puts(&sb, row->takes ? row->takes : words[row->type]);
	if (row->type == OPT_ENUM && !row->takes)
		add_choices(&sb, row);
	else if (option_is_scalar(row))
		add_range(&sb, row);
	else if (row->table)
		add_table(&sb, row);
	if (row->pattern && !row->takes)
		strbuf_printf(&sb, " that matches %s", row->pattern);
	return strbuf_steal(&sb);
}

char *option_summary(const struct option_row *row)
{
	char *takes = option_takes(row), *text;
	const char *dflt = row->dflt && !*row->dflt ? "''" : row->dflt;

	text = xasprintf("%s%s%s%s", takes, row->required ? "; required" : "",
		dflt ? "; default " : "", dflt ? dflt : "");
	free(takes);
	return text;
}

json_t *option_text_json(const char *text)
{
	struct diags diags = DIAGS_INIT;
	struct yaml_file *file = yaml_parse("row", text, strlen(text), &diags);
	json_t *json;

	assert(file);
	json = yaml_to_json(yaml_root(file));
	yaml_file_free(file);
	diags_release(&diags);
	return json;
}

const struct option_row *option_find(const struct option_table *table, const char *name)
{
	for (const struct option_row *row = table->rows; row->name; row++)
		if (!strcmp(row->name, name))
			return row;
	return NULL;
}
