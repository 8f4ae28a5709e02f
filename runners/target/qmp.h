/* SPDX-License-Identifier: GPL-2.0-or-later */
/* QEMU's control channel (QMP): JSON lines, one request at a time, events between the replies. */
#ifndef RUNNERS_TARGET_QMP_H
#define RUNNERS_TARGET_QMP_H

#include <jansson.h>

#include "base/error.h"

struct qmp;

/** qmp_new() - talk over a connected socket, which stays the caller's; sends nothing yet. */
struct qmp *qmp_new(int fd);
/** qmp_free() - forget it; NULL is fine. */
void qmp_free(struct qmp *qmp);

/**
 * qmp_call() - one command and its reply; the first call takes QEMU's greeting as well
 * @arguments: reference stolen, NULL for none
 * @pass_fd: descriptor handed to QEMU with the command, -1 for none
 * @seconds: how long to wait
 * @result: the reply's "return", new reference; may be NULL
 * Return: 0; -EPIPE when QEMU is gone; -ETIMEDOUT; -EPROTO; -EIO with QEMU's own words.
 */
int qmp_call(struct qmp *qmp, const char *command, json_t *arguments, int pass_fd, double seconds,
	json_t **result, struct error *err);

#endif
