/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Group-sequential boundaries: how small p must be at each look so that all looks together keep
 * the error that was promised. */
#ifndef STAT_BOUNDARIES_H
#define STAT_BOUNDARIES_H

#include <stddef.h>

/**
 * boundaries_linear() - two-sided nominal p of each look, error spent in proportion to the blocks
 * @looks: blocks at each look, rising, at least 1; @n of them
 * @total: blocks at which all of @alpha is spent; at least the last of @looks
 * @alpha: error over all looks, in (0, 1)
 * @p: n results
 *
 * Looks need not be those that were planned: the boundary of a look depends only on the looks up to
 * it (Lan & DeMets, Biometrika 70, 1983), so an unscheduled look is one more entry.
 */
void boundaries_linear(const int *looks, size_t n, int total, double alpha, double *p);

#endif
