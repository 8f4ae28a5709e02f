/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "stat/boundaries.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_integration.h>
#include <math.h>

/* Gauss-Legendre nodes on the half line. The most serve the narrowest kernel that can occur, one
 * block after 255 (narrow_steps in test_stat_boundaries); GSL has rules of these sizes ready. */
enum { LEAST_NODES = 32, MOST_NODES = 128 };

/*
 * struct continuing - distribution of the score (sum of standardised differences) after a look,
 * over the paths that have not crossed a boundary yet
 *
 * It is even, so node i stands for +x[i] and -x[i] together; mass[i] is weight times density of
 * both. Before the first look it is one point at 0.
 */
struct continuing {
	size_t n;
	double x[MOST_NODES], mass[MOST_NODES];
};

/* Probability that a path goes on now and is beyond ±b after a step of standard deviation sd. */
static double crossing(const struct continuing *c, double b, double sd)
{
	double scale = M_SQRT1_2 / sd, sum = 0;

	for (size_t i = 0; i < c->n; i++)
		sum += c->mass[i] * (erfc((b - c->x[i]) * scale) + erfc((b + c->x[i]) * scale)) / 2;
	return sum;
}

/* The z for which crossing() is target. The unconditional tail is larger than the target's, which
 * gives the upper end of the search. */
static double solve_z(const struct continuing *c, double n, double sd, double target)
{
	double low = 0, high = gsl_cdf_ugaussian_Qinv(target / 2) + 1e-9;

	for (int i = 0; i < 50; i++) {
		double z = (low + high) / 2;

		if (crossing(c, z * sqrt(n), sd) > target)
			low = z;
		else
			high = z;
	}
	return (low + high) / 2;
}

static size_t nodes_for(double b, double narrowest)
{
	size_t n = LEAST_NODES;

	while (n < MOST_NODES && (double)n < 3 * b / narrowest)
		n *= 2;
	return n;
}

/* One step of the recursion (Armitage, McPherson & Rowe, JRSS A 132, 1969): convolve with the
 * normal increment, cut at ±b. sd_next: of the step that comes after. */
static void advance(struct continuing *c, double b, double sd, double sd_next)
{
	struct continuing next = { .n = nodes_for(b, fmin(sd, sd_next)) };
	gsl_integration_glfixed_table *rule = gsl_integration_glfixed_table_alloc(next.n);

	for (size_t j = 0; j < next.n; j++) {
		double density = 0, y, weight;

		gsl_integration_glfixed_point(0, b, j, &y, &weight, rule);
		for (size_t i = 0; i < c->n; i++) {
			double near = (y - c->x[i]) / sd, far = (y + c->x[i]) / sd;

			density += c->mass[i] * (exp(-near * near / 2) + exp(-far * far / 2));
		}
		next.x[j] = y;
		next.mass[j] = weight * density / (sd * sqrt(2 * M_PI));
	}
	gsl_integration_glfixed_table_free(rule);
	*c = next;
}

void boundaries_linear(const int *looks, size_t n, int total, double alpha, double *p)
{
	struct continuing c = { .n = 1, .x = { 0 }, .mass = { 1 } };
	int before = 0;

	for (size_t k = 0; k < n; k++) {
		double step = looks[k] - before, sd = sqrt(step);
		double z = solve_z(&c, looks[k], sd, alpha * step / total);

		p[k] = 2 * gsl_cdf_ugaussian_Q(z);
		if (k + 1 < n)
			advance(&c, z * sqrt(looks[k]), sd, sqrt(looks[k + 1] - looks[k]));
		before = looks[k];
	}
}
