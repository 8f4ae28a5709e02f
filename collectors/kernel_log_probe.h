/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel's log of one trial: raw records of the kmsg device printed between prepare() and collect(). */
#ifndef COLLECTORS_KERNEL_LOG_PROBE_H
#define COLLECTORS_KERNEL_LOG_PROBE_H

#include "collectors/probe.h"

/**
 * kernel_log_probe - the probe
 *
 * The text holds the records as the kernel gives them ("6,1234,5678901,-;text", continuation lines
 * with a blank in front). Records lost to a full ring are told in a line "# lost: ..." at the place
 * where they are missing.
 */
extern const struct probe_ops kernel_log_probe;

#endif
