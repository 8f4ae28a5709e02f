/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "experiment/figures.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "stat/summary.h"

/* All rows are read first: the number of blocks is known only at the end. */
struct rows {
	struct row {
		size_t arm, block;
		double value;
	} * row;
	size_t n, cap, n_blocks, n_arms;
	struct figures *figures;
};

static int add_row(void *context, const struct store_figure *f)
{
	struct rows *rows = context;

	if (f->arm < 0 || f->block < 0 || (size_t)f->arm >= rows->n_arms)
		return 0;
	array_reserve(rows->row, rows->n, rows->cap);
	rows->row[rows->n++] = (struct row){
		.arm = (size_t)f->arm,
		.block = (size_t)f->block,
		.value = f->value,
	};
	if ((size_t)f->block >= rows->n_blocks)
		rows->n_blocks = (size_t)f->block + 1;
	if (!rows->figures->unit) {
		rows->figures->unit = xstrdup(f->unit);
		rows->figures->better = f->better;
	}
	return 0;
}

static int by_cell(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (x->arm != y->arm)
		return x->arm < y->arm ? -1 : 1;
	return (x->block > y->block) - (x->block < y->block);
}

static bool same_cell(const struct row *a, const struct row *b)
{
	return a->arm == b->arm && a->block == b->block;
}

/* Rows of one cell stand together once sorted; cells without rows are NaN. */
static void fill_cells(struct rows *rows, struct figures *figures)
{
	double *values = xcalloc(rows->n, sizeof(*values));

	for (size_t i = 0; i < rows->n_arms * rows->n_blocks; i++)
		figures->cell[i] = NAN;
	qsort(rows->row, rows->n, sizeof(*rows->row), by_cell);
	for (size_t i = 0, n; i < rows->n; i += n) {
		const struct row *row = &rows->row[i];

		for (n = 0; i + n < rows->n && same_cell(row, &rows->row[i + n]); n++)
			values[n] = rows->row[i + n].value;
		figures->cell[row->arm * rows->n_blocks + row->block] = summary_median(values, n);
	}
	free(values);
}

static void tabulate(struct rows *rows, struct figures *figures)
{
	figures->n_blocks = rows->n_blocks;
	figures->cell = xcalloc(rows->n_arms * rows->n_blocks, sizeof(*figures->cell));
	figures->trial = xcalloc(rows->n_arms, sizeof(*figures->trial));
	figures->n_trials = xcalloc(rows->n_arms, sizeof(*figures->n_trials));
	for (size_t i = 0; i < rows->n; i++)
		figures->n_trials[rows->row[i].arm]++;
	for (size_t arm = 0; arm < rows->n_arms; arm++) {
		figures->trial[arm] = xcalloc(figures->n_trials[arm], sizeof(**figures->trial));
		figures->n_trials[arm] = 0;
	}
	for (size_t i = 0; i < rows->n; i++) {
		size_t arm = rows->row[i].arm;

		figures->trial[arm][figures->n_trials[arm]++] = rows->row[i].value;
	}
	fill_cells(rows, figures);
}

int figures_load(struct store *store, int64_t run, size_t n_arms, const char *metric,
	struct figures *figures, struct error *err)
{
	struct rows rows = { .n_arms = n_arms, .figures = figures };
	int r;

	*figures = (struct figures){ .metric = xstrdup(metric), .n_arms = n_arms };
	r = store_figures(store, run, metric, add_row, &rows, err);
	if (r == 0 && rows.n == 0)
		r = error_set(err, -ENODATA, "no trial that counts has the metric '%s'", metric);
	if (r == 0)
		tabulate(&rows, figures);
	else
		figures_release(figures);
	free(rows.row);
	return r;
}

double figures_cell(const struct figures *figures, size_t arm, size_t block)
{
	return figures->cell[arm * figures->n_blocks + block];
}

size_t figures_ratios(const struct figures *figures, size_t arm, size_t baseline, double *d)
{
	size_t n = 0;

	for (size_t block = 0; block < figures->n_blocks; block++) {
		double a = figures_cell(figures, arm, block);
		double b = figures_cell(figures, baseline, block);

		/* A ratio needs two positive figures; NaN compares false. */
		if (a > 0 && b > 0)
			d[n++] = log(a / b);
	}
	return n;
}

void figures_release(struct figures *figures)
{
	for (size_t arm = 0; figures->trial && arm < figures->n_arms; arm++)
		free(figures->trial[arm]);
	free(figures->trial);
	free(figures->n_trials);
	free(figures->cell);
	free(figures->metric);
	free(figures->unit);
	*figures = (struct figures){ 0 };
}

static int add_name(void *context, const struct store_figure *f)
{
	json_t *names = context;
	size_t i;
	json_t *name;

	json_array_foreach(names, i, name) {
		if (strcmp(json_string_value(name), f->metric) == 0)
			return 0;
	}
	json_array_append_new(names, json_string(f->metric));
	return 0;
}

int figures_metrics(struct store *store, int64_t run, json_t **names, struct error *err)
{
	int r;

	*names = json_array();
	r = store_figures(store, run, NULL, add_name, *names, err);
	if (r < 0) {
		json_decref(*names);
		*names = NULL;
	}
	return r;
}
