/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Noise of benchmarks, as models for simulation; all on the log scale, slower is negative. */
#ifndef TESTS_NOISE_H
#define TESTS_NOISE_H

#include <math.h>

#include "base/rng.h"

/**
 * struct noise_model - parts add up; a part left at 0 is absent
 * @run_sd: from run to run; @boot_sd: from boot to boot
 * @boot_mode, @boot_mode_size: chance that a boot is slower by this
 * @run_mode, @run_mode_size: chance that a run is slower by this
 * @drift_sd: slow drift (Ornstein-Uhlenbeck) with a correlation length of 20 runs
 * @step_rate, @step_sd: chance of a lasting change of level before a run, and its size
 * @trend: change of level from run to run
 * @periodic: every second run is slower by this
 * @outliers, @outlier_size: chance of an outlier and its mean size (exponential)
 * @resolution: the metric is printed in steps of this
 */
struct noise_model {
	const char *name;
	double run_sd, boot_sd;
	double boot_mode, boot_mode_size;
	double run_mode, run_mode_size;
	double drift_sd;
	double step_rate, step_sd;
	double trend;
	double periodic;
	double outliers, outlier_size;
	double resolution;
};

static const struct noise_model noise_models[] = {
	{ "iid cv 0.5 %", .run_sd = .005 },
	{ "iid cv 1 %", .run_sd = .01 },
	{ "iid cv 2 %", .run_sd = .02 },
	{ "iid cv 5 %", .run_sd = .05 },
	{ "mode per run", .run_sd = .01, .run_mode = .2, .run_mode_size = .04 },
	{ "mode per boot", .run_sd = .01, .boot_mode = .2, .boot_mode_size = .04 },
	{ "boot 2 %, run 1 %", .run_sd = .01, .boot_sd = .02 },
	{ "drift", .run_sd = .01, .drift_sd = .02 },
	{ "steps", .run_sd = .01, .step_rate = .025, .step_sd = .02 },
	{ "trend", .run_sd = .01, .trend = -.001 },
	{ "periodic", .run_sd = .01, .periodic = .01 },
	{ "outliers", .run_sd = .01, .outliers = .05, .outlier_size = .1 },
	{ "everything", .run_sd = .01, .boot_sd = .01, .boot_mode = .2, .boot_mode_size = .04,
		.drift_sd = .02, .step_rate = .02, .step_sd = .02, .outliers = .03,
		.outlier_size = .1 },
	/* Beyond the 13: numbers with few digits, down to two values. */
	{ "steps of 1 sd", .run_sd = .01, .resolution = .01 },
	{ "two values", .run_sd = .01, .resolution = .05 },
};

enum { NOISE_MODELS = sizeof(noise_models) / sizeof(noise_models[0]) };

/** struct noise - one machine's noise under way */
struct noise {
	const struct noise_model *model;
	struct rng *rng;
	double drift, level, boot;
	unsigned run;
};

/** noise_boot() - the next run is in a fresh boot */
static inline void noise_boot(struct noise *s)
{
	const struct noise_model *m = s->model;

	s->boot = m->boot_sd * rng_normal(s->rng);
	if (rng_double(s->rng) < m->boot_mode)
		s->boot -= m->boot_mode_size;
}

static inline void noise_start(struct noise *s, const struct noise_model *m, struct rng *rng)
{
	*s = (struct noise){ .model = m, .rng = rng };
	s->drift = m->drift_sd * rng_normal(rng);
	s->run = (unsigned)rng_below(rng, 2);
	/* Half a step off the middle, so that the two-valued model has two. */
	s->level = m->resolution / 2;
	noise_boot(s);
}

/** noise_run() - log of what the next run measures, @effect included */
static inline double noise_run(struct noise *s, double effect)
{
	const struct noise_model *m = s->model;
	double keep = exp(-1 / 20.0), y;

	s->drift = keep * s->drift + m->drift_sd * sqrt(1 - keep * keep) * rng_normal(s->rng);
	if (rng_double(s->rng) < m->step_rate)
		s->level += m->step_sd * rng_normal(s->rng);
	y = s->boot + s->drift + s->level + m->trend * s->run + m->run_sd * rng_normal(s->rng);
	if (s->run++ & 1)
		y -= m->periodic;
	if (rng_double(s->rng) < m->run_mode)
		y -= m->run_mode_size;
	if (rng_double(s->rng) < m->outliers)
		y += m->outlier_size * log(rng_double(s->rng));
	y += effect;
	return m->resolution > 0 ? m->resolution * rint(y / m->resolution) : y;
}

#endif
