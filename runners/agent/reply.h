/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What replies are made of. */
#ifndef AGENT_REPLY_H
#define AGENT_REPLY_H

#include <jansson.h>

#include "base/error.h"

/** reply_error() - {"errno", "name", "text"} of a negative errno and its message; new reference. */
json_t *reply_error(int code, const struct error *err);

#endif
