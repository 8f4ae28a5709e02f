/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "runners/bench/bench.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "spec/template.h"

static const struct bench_metric *metric_at(const struct benchmark *bench, size_t i)
{
	return (const struct bench_metric *)bench->metrics.item + i;
}

/* Could the template have given this name? Each {group} stands for one character or more. */
static bool fits(const char *template, const char *name)
{
	struct template_piece piece;
	int r = template_next(&template, &piece, NULL);

	if (r <= 0)
		return r == 0 && !*name;
	if (!piece.is_name)
		return !strncmp(name, piece.text, piece.len) && fits(template, name + piece.len);
	while (*name++)
		if (fits(template, name))
			return true;
	return false;
}

const struct bench_metric *bench_metric_of(const struct benchmark *bench, const char *name)
{
	size_t i;

	for (i = 0; i < bench->metrics.n; i++)
		if (!template_has_names(metric_at(bench, i)->name) &&
			fits(metric_at(bench, i)->name, name))
			return metric_at(bench, i);
	for (i = 0; i < bench->metrics.n; i++)
		if (template_has_names(metric_at(bench, i)->name) &&
			fits(metric_at(bench, i)->name, name))
			return metric_at(bench, i);
	return NULL;
}

const char *bench_primary(const struct benchmark *bench, const struct values *samples)
{
	size_t i, k;

	for (i = 0; i < bench->metrics.n; i++) {
		if (!metric_at(bench, i)->primary)
			continue;
		for (k = 0; k < samples->n; k++)
			if (bench_metric_of(bench, samples->v[k].name) == metric_at(bench, i))
				return samples->v[k].name;
	}
	return NULL;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *v, size_t n)
{
	qsort(v, n, sizeof(*v), compare);
	return n % 2 ? v[n / 2] : v[n / 2 - 1] / 2 + v[n / 2] / 2;
}

static double sum(const double *v, size_t n)
{
	double total = 0;

	for (size_t i = 0; i < n; i++)
		total += v[i];
	return total;
}

/* @v has n > 0 values, in the order of the output; the order is lost. */
static double take_figure(int take, double *v, size_t n)
{
	switch (take) {
	case TAKE_FIRST:
		return v[0];
	case TAKE_MEDIAN:
		return median(v, n);
	case TAKE_MEDIAN_AFTER_FIRST:
		return n > 1 ? median(v + 1, n - 1) : v[0];
	case TAKE_MEAN:
		return sum(v, n) / (double)n;
	case TAKE_SUM:
		return sum(v, n);
	case TAKE_MIN:
		qsort(v, n, sizeof(*v), compare);
		return v[0];
	case TAKE_MAX:
		qsort(v, n, sizeof(*v), compare);
		return v[n - 1];
	default:
		return v[n - 1];
	}
}

int bench_figure(const struct benchmark *bench, const struct values *samples, const char *name,
	double *figure, struct error *err)
{
	const struct bench_metric *metric = bench_metric_of(bench, name);
	double *v = xcalloc(samples->n + 1, sizeof(*v));
	size_t n = 0, i;

	for (i = 0; metric && i < samples->n; i++)
		if (!strcmp(samples->v[i].name, name))
			v[n++] = samples->v[i].value;
	if (n)
		*figure = take_figure(metric->take, v, n);
	free(v);
	return n ? 0 : error_set(err, -ENOENT, "there is no sample of '%s'", name);
}
