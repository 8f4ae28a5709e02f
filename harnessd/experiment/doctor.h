/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The machine read as an experimenter would: what works, what disturbs, and what to do about it. */
#ifndef EXPERIMENT_DOCTOR_H
#define EXPERIMENT_DOCTOR_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "experiment/session.h"

/** enum grade - ok; note: it may disturb or is missing; problem: experiments of that kind can't run */
enum grade { GRADE_OK, GRADE_NOTE, GRADE_PROBLEM };

/** struct finding - one check's result; strings owned, @advice NULL when there is nothing to do */
struct finding {
	const char *name;
	enum grade grade;
	char *text;
	char *advice;
};

/** struct diagnosis - all of them, in a fixed order */
struct diagnosis {
	struct finding *finding;
	size_t n, cap;
};

/**
 * doctor_examine() - every check on the machine of an entered session
 * @state_dir: for the kernels that guests could boot
 * @flip: really flip a scheduler feature and put it back; otherwise the value in force is written
 * @busy: who measures on the machine now, whose knobs are not touched; NULL for nobody
 */
void doctor_examine(struct session *session, const char *state_dir, bool flip, const char *busy,
	struct diagnosis *diagnosis);
/** diagnosis_release() - free it. */
void diagnosis_release(struct diagnosis *diagnosis);
/** grade_name() - "ok", "note", "problem". */
const char *grade_name(enum grade grade);

#endif
