/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where a job runs: a kind of target with its settings, in the job or in a file of their own. */
#ifndef SPEC_TARGET_FILE_H
#define SPEC_TARGET_FILE_H

#include "spec/diag.h"
#include "spec/option.h"
#include "spec/registry.h"
#include "spec/yaml.h"

/**
 * struct target_choice - a kind and its settings
 * @kind: owned; NULL when nothing could be chosen
 * @options: struct filled by the kind's rows, owned; NULL when it has none
 * @table: those rows, borrowed from the registry
 */
struct target_choice {
	char *kind;
	void *options;
	const struct option_table *table;
};

/**
 * target_parse() - what "target:" of a job names
 * @node: name of a kind, name or path of a target file, or a mapping of one kind to its settings
 * @config_dirs: NAME is looked for as DIR/targets/NAME.yaml in each; may be NULL
 * @choice: to be released by target_choice_release(), after errors too
 * Return: 0, or -EINVAL with everything wrong noted.
 */
int target_parse(const struct yaml_node *node, const struct registry *registry,
	const struct string_list *config_dirs, struct target_choice *choice, struct diags *diags);
/** target_default() - a kind without any settings written down. Return: 0 or -EINVAL. */
int target_default(const struct yaml_node *place, const struct registry_entry *kind,
	struct target_choice *choice, struct diags *diags);
/** target_file_parse() - a target file's mapping: "kind", "description" and the kind's rows. */
int target_file_parse(const struct yaml_node *root, const struct registry *registry,
	struct target_choice *choice, struct diags *diags);
/** target_file_check() - the settings of a target file of a known kind. Return: 0 or -EINVAL. */
int target_file_check(
	const struct yaml_node *root, const struct registry_entry *kind, struct diags *diags);
/** target_choice_release() - free it and make it reusable. */
void target_choice_release(struct target_choice *choice);
/** target_choice_json() - as it could stand in a job: "local" or {"vm": {…}}; new reference. */
json_t *target_choice_json(const struct target_choice *choice);

#endif
