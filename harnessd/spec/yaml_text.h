/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The text side of YAML files: what may stand in one, and how a syntax error is told. For yaml.c. */
#ifndef SPEC_YAML_TEXT_H
#define SPEC_YAML_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <yaml.h>

#include "spec/diag.h"

/** yaml_bom_length() - bytes of a byte order mark in front: 3 or 0. */
size_t yaml_bom_length(const char *text, size_t len);
/**
 * yaml_check_text() - size, UTF-8, and no control characters
 * Return: 0, or -EINVAL with the first fault noted at its place.
 */
int yaml_check_text(const char *name, const char *text, size_t len, struct diags *diags);
/** yaml_reader_init() - libyaml's parser on UTF-8 text; yaml_parser_delete() ends it. */
void yaml_reader_init(yaml_parser_t *parser, const char *text, size_t len);
/**
 * yaml_check_events() - syntax and bounds, before libyaml makes a document
 * @text: without byte order mark, NUL-terminated
 * @faulty: set when something was noted that leaves the document readable (tags)
 *
 * libyaml's time is quadratic in the depth of flow collections and in the number of anchors; reading
 * event by event ends at the first one too many.
 * Return: 0, or -EINVAL with what is wrong noted.
 */
int yaml_check_events(
	const char *name, const char *text, size_t len, bool *faulty, struct diags *diags);
/**
 * yaml_syntax_error() - note why libyaml gave up, and what helps
 * @text: what the parser read, NUL-terminated
 */
void yaml_syntax_error(
	const char *name, const char *text, const yaml_parser_t *parser, struct diags *diags);

#endif
