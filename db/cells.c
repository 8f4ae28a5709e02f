/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "db/cells.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json.h"

/* A gap of so many zeros is shorter than the start of a new stretch: "],"133":[". */
enum { MAX_GAP = 3, MAX_DIGITS = 15 };

static int compare_cells(const void *a, const void *b)
{
	const struct cell *x = a, *y = b;

	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return (x->cpu > y->cpu) - (x->cpu < y->cpu);
}

/* Sorted, each counter once, none 0. Return: how many are left. */
static size_t normalise(struct cell *cells, size_t n)
{
	size_t kept = 0;

	if (n)
		qsort(cells, n, sizeof(*cells), compare_cells);
	for (size_t i = 0; i < n;) {
		struct cell sum = cells[i++];

		while (i < n && compare_cells(&sum, &cells[i]) == 0)
			sum.value += cells[i++].value;
		if (sum.value != 0)
			cells[kept++] = sum;
	}
	return kept;
}

/* Digits by hand: counters are whole numbers nearly always, and there are many. */
static void write_int(int64_t value, struct strbuf *out)
{
	char text[24], *p = text + sizeof(text);
	uint64_t rest = value < 0 ? -(uint64_t)value : (uint64_t)value;

	do
		*--p = (char)('0' + rest % 10);
	while (rest /= 10);
	if (value < 0)
		*--p = '-';
	strbuf_add(out, p, (size_t)(text + sizeof(text) - p));
}

/* By jansson, which knows no locale; 15 digits when they are enough to get the number back. */
static void write_real(double value, struct strbuf *out)
{
	json_t *number = json_real(value), *back;
	char *text = json_dumps(number, JSON_ENCODE_ANY | JSON_REAL_PRECISION(MAX_DIGITS));

	back = json_loads(text, JSON_DECODE_ANY, NULL);
	if (json_number_value(back) != value) {
		free(text);
		text = json_dumps(number, JSON_ENCODE_ANY | JSON_REAL_PRECISION(17));
	}
	strbuf_puts(out, text);
	free(text);
	json_decref(back);
	json_decref(number);
}

static void write_number(double value, struct strbuf *out)
{
	if (fabs(value) < 1e15 && value == trunc(value))
		write_int((int64_t)value, out);
	else
		write_real(value, out);
}

static void write_name(int64_t number, struct strbuf *out)
{
	strbuf_putc(out, '"', 1);
	write_int(number, out);
	strbuf_puts(out, "\":");
}

static bool continues(const struct cell *last, const struct cell *next)
{
	return next->key == last->key && next->cpu - last->cpu <= MAX_GAP + 1;
}

/* One stretch of CPUs of one key. Return: cells used. */
static size_t write_stretch(const struct cell *cells, size_t n, struct strbuf *out)
{
	size_t i = 1;

	write_name(cells[0].cpu, out);
	if (n == 1 || !continues(&cells[0], &cells[1])) {
		write_number(cells[0].value, out);
		return 1;
	}
	strbuf_putc(out, '[', 1);
	write_number(cells[0].value, out);
	for (; i < n && continues(&cells[i - 1], &cells[i]); i++) {
		for (int32_t gap = cells[i - 1].cpu + 1; gap < cells[i].cpu; gap++)
			strbuf_puts(out, ",0");
		strbuf_putc(out, ',', 1);
		write_number(cells[i].value, out);
	}
	strbuf_putc(out, ']', 1);
	return i;
}

/* All of one key: a counter without CPU comes first and alone, as the cpu label is part of the key. */
static size_t write_key(const struct cell *cells, size_t n, struct strbuf *out)
{
	size_t used = 0;

	write_name(cells[0].key, out);
	if (cells[0].cpu == CELL_NO_CPU) {
		write_number(cells[0].value, out);
		return 1;
	}
	while (used < n && cells[used].key == cells[0].key) {
		strbuf_putc(out, used ? ',' : '{', 1);
		used += write_stretch(cells + used, n - used, out);
	}
	strbuf_putc(out, '}', 1);
	return used;
}

void cells_write(struct cell *cells, size_t n, struct strbuf *out)
{
	size_t kept = normalise(cells, n);

	strbuf_putc(out, '{', 1);
	for (size_t i = 0; i < kept;) {
		if (i)
			strbuf_putc(out, ',', 1);
		i += write_key(cells + i, kept - i, out);
	}
	strbuf_putc(out, '}', 1);
}

/* Where reading stands; text has no NUL of its own to stop at. */
struct reader {
	const char *at, *end;
	int (*each)(void *context, const struct cell *cell);
	void *context;
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool take(struct reader *r, char c)
{
	if (r->at == r->end || *r->at != c)
		return false;
	r->at++;
	return true;
}

/* "17": with 17 up to @max. */
static int read_name(struct reader *r, int64_t max, int64_t *number)
{
	int64_t n = 0;
	const char *start;

	if (!take(r, '"'))
		return -EINVAL;
	for (start = r->at; r->at < r->end && is_digit(*r->at); r->at++) {
		n = n * 10 + (*r->at - '0');
		if (n > max)
			return -EINVAL;
	}
	if (r->at == start || !take(r, '"') || !take(r, ':'))
		return -EINVAL;
	*number = n;
	return 0;
}

static int read_real(const char *text, size_t len, double *value)
{
	json_t *number;
	int ret = json_parse(text, len, &number, NULL);

	if (ret < 0)
		return ret;
	*value = json_number_value(number);
	ret = json_is_number(number) ? 0 : -EINVAL;
	json_decref(number);
	return ret;
}

/* Whole numbers by hand, for speed. */
static int read_number(struct reader *r, double *value)
{
	const char *start = r->at;
	int64_t whole = 0;

	for (; r->at < r->end && is_digit(*r->at); r->at++)
		if (r->at - start < MAX_DIGITS)
			whole = whole * 10 + (*r->at - '0');
	if (r->at > start && r->at - start <= MAX_DIGITS &&
		(r->at == r->end || (*r->at != '.' && *r->at != 'e' && *r->at != 'E'))) {
		*value = (double)whole;
		return 0;
	}
	while (r->at < r->end && (is_digit(*r->at) || memchr("+-.eE", *r->at, 5)))
		r->at++;
	return read_real(start, (size_t)(r->at - start), value);
}

static int read_cell(struct reader *r, struct cell *cell)
{
	int ret = read_number(r, &cell->value);

	if (ret < 0 || cell->value == 0)
		return ret;
	return r->each(r->context, cell);
}

/* A number, or [a, b, …] on CPUs one after the other. */
static int read_stretch(struct reader *r, struct cell *cell)
{
	int ret;

	if (!take(r, '['))
		return read_cell(r, cell);
	do {
		ret = read_cell(r, cell);
		cell->cpu++;
	} while (ret >= 0 && take(r, ','));
	if (ret >= 0 && !take(r, ']'))
		ret = -EINVAL;
	return ret;
}

/* A number, or an object of stretches. */
static int read_entry(struct reader *r, struct cell *cell)
{
	int64_t cpu;
	int ret;

	cell->cpu = CELL_NO_CPU;
	if (!take(r, '{'))
		return read_cell(r, cell);
	do {
		ret = read_name(r, INT32_MAX / 2, &cpu);
		cell->cpu = (int32_t)cpu;
		if (ret >= 0)
			ret = read_stretch(r, cell);
	} while (ret >= 0 && take(r, ','));
	if (ret >= 0 && !take(r, '}'))
		ret = -EINVAL;
	return ret;
}

static int read_entries(struct reader *r)
{
	struct cell cell = { 0 };
	int ret;

	if (!take(r, '{'))
		return -EINVAL;
	if (take(r, '}'))
		return 0;
	do {
		ret = read_name(r, INT64_MAX / 100, &cell.key);
		if (ret >= 0)
			ret = read_entry(r, &cell);
	} while (ret >= 0 && take(r, ','));
	if (ret >= 0 && !take(r, '}'))
		ret = -EINVAL;
	return ret;
}

int cells_read(const char *text, size_t len, int (*each)(void *context, const struct cell *cell),
	void *context, struct error *err)
{
	struct reader r = { .at = text, .end = text + len, .each = each, .context = context };
	int ret = read_entries(&r);

	if (ret >= 0 && r.at != r.end)
		ret = -EINVAL;
	if (ret == -EINVAL)
		return error_set(err, ret, "counters are damaged near byte %td", r.at - text);
	return ret < 0 ? ret : 0;
}
