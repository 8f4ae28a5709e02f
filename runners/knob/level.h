/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading the forms in which levels are written in a job. */
#ifndef RUNNERS_KNOB_LEVEL_H
#define RUNNERS_KNOB_LEVEL_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "runners/machine.h"

/** level_is_default() - the word "default": leave things as the machine has them. */
bool level_is_default(const json_t *level);

/**
 * level_words() - words of a level written as a blank-separated string or as a list of strings
 * @what: what the words are ("scheduler features"), for the message
 * @words: new array of strings; also words of list members are split at blanks
 * Return: 0 or -EINVAL.
 */
int level_words(const json_t *level, const char *what, json_t **words, struct error *err);

/** level_value_text() - a scalar, or a list of them joined by blanks; NULL for others; caller owns. */
char *level_value_text(const json_t *value);

/**
 * level_check_mapping() - a mapping of names to values
 * @knob: for the message; @example: a well-formed level
 * @lists: a value may be a list of scalars (several words)
 * Return: 0 or -EINVAL.
 */
int level_check_mapping(
	const json_t *level, const char *knob, const char *example, bool lists, struct error *err);

/** level_mapping_label() - "a=1,b=2", "default" for none; the caller owns it. */
char *level_mapping_label(const json_t *level);

/** names_hint() - "; did you mean 'x'? @what: a, b, c" or "; @what: a, b, c"; the caller owns it. */
char *names_hint(const char *word, const char *what, const char *const *names, size_t n);

/**
 * machine_need_root() - can the agent write kernel files at all?
 * Return: 0, or -EACCES with what helps when the facts say that it isn't root.
 */
int machine_need_root(const struct machine *machine, struct error *err);

/**
 * machine_gone() - is it the conversation with the agent that broke, rather than one file?
 * Then nothing that the file's own remedies say would help.
 */
bool machine_gone(int code);

#endif
