/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kinds of target, for the list in targets.c alone. */
#ifndef RUNNERS_TARGET_KINDS_H
#define RUNNERS_TARGET_KINDS_H

#include "runners/target/target.h"

extern const struct target_ops target_local;
extern const struct target_ops target_vm;

#endif
