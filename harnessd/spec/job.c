/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "spec/job.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "spec/job_parts.h"
#include "spec/target_file.h"

static const char *const reboot_choices[] = { "never", "block", NULL };

#define D(member) offsetof(struct job_decide, member)
static const struct option_row decide_rows[] = {
	{ .name = "metric",
		.type = OPT_STRING,
		.offset = D(metric),
		.pattern = "\\S.*",
		.takes = "the name of a metric of the benchmark",
		.help = "The metric that decides; the benchmark's primary metric when left out.",
		.example = "switches_per_second" },
	{ .name = "margin",
		.type = OPT_PERCENT,
		.offset = D(margin),
		.max = 0.5,
		.dflt = "1%",
		.help = "Effects smaller than this do not matter: an arm is 'equivalent' when its "
			"effect is within the margin on both sides. 0% seeks no equivalence.",
		.example = "1%" },
	{ .name = "confidence",
		.type = OPT_PERCENT,
		.offset = D(confidence),
		.min = 0.8,
		.max = 0.9999,
		.dflt = "99%",
		.help = "How sure 'better' and 'worse' are: with 99%, at most 1% of runs of equal "
			"arms call one of them different, over all looks and arms together.",
		.example = "99%" },
	{ .name = "equivalence_confidence",
		.type = OPT_PERCENT,
		.offset = D(equivalence_confidence),
		.min = 0.8,
		.max = 0.9999,
		.dflt = "95%",
		.help = "How sure 'equivalent' is.",
		.example = "95%" },
	{ .name = "max_time",
		.type = OPT_DURATION,
		.offset = D(max_time),
		.max = 30 * 86400.0,
		.dflt = "0",
		.help = "End the run after this time, decided or not; 0 for no limit.",
		.example = "20m" },
	{ .name = "max_blocks",
		.type = OPT_INT,
		.offset = D(max_blocks),
		.min = 3,
		.max = 256,
		.dflt = "64",
		.help = "Most blocks; the run ends earlier when every arm is decided.",
		.example = "64" },
	{ 0 },
};
#undef D

static const struct option_table decide_table = {
	.name = "decide",
	.help = "How the verdict is reached, and what is enough.",
	.rows = decide_rows,
	.size = sizeof(struct job_decide),
};

#define J(member) offsetof(struct job, member)
static const struct option_row job_rows[] = {
	{ .name = "name",
		.type = OPT_STRING,
		.offset = J(name),
		.required = true,
		.pattern = "[A-Za-z0-9][A-Za-z0-9._-]{0,99}",
		.takes = "a name of letters, digits, '.', '_' and '-' (100 at most, no sign first)",
		.help = "Name of the job, in lists and reports.",
		.example = "ttwu-queue" },
	{ .name = "description",
		.type = OPT_STRING,
		.offset = J(description),
		.help = "What the job is to find out; printed above its report." },
	{ .name = "benchmark",
		.type = OPT_STRING,
		.offset = J(benchmark),
		.required = true,
		.pattern = "\\S.*",
		.takes = "the name of a benchmark, or the path of its file",
		.help = "What is run in each trial: NAME is looked for as benchmarks/NAME.yaml in "
			"the configuration folders.",
		.example = "context_switch" },
	{ .name = "params",
		.type = OPT_MAP,
		.offset = J(params),
		.help = "Parameters of the benchmark, in place of its defaults. Put a value whose "
			"spelling matters into quotes ('1.10').",
		.example = "{timeout: 5}" },
	{ .name = "target",
		.type = OPT_NODE,
		.dflt = "local",
		.takes = "a kind of target, the name or path of a target file, or a mapping of a "
			 "kind to its settings",
		.help = "Where trials run: NAME is a kind, or is looked for as targets/NAME.yaml "
			"in "
			"the configuration folders.",
		.example = "{vm: {cpus: 4}}" },
	{ .name = "factors",
		.type = OPT_NODE,
		.takes = "a mapping of knobs to lists of levels",
		.help = "What is varied; every combination of the levels is an arm, 256 at most. "
			"'harness help knob' lists the knobs.",
		.example = "{sched_features: [TTWU_QUEUE, NO_TTWU_QUEUE]}" },
	{ .name = "arms",
		.type = OPT_NODE,
		.takes = "a list of mappings of knobs to levels",
		.help = "The arms listed by hand, each with a 'label' if you like, in place of "
			"factors.",
		.example = "[{label: plain, cmdline: ''}, {label: no-mitigations, cmdline: "
			   "mitigations=off}]" },
	{ .name = "fixed",
		.type = OPT_NODE,
		.takes = "a mapping of knobs to levels",
		.help = "Knobs that are set alike for every arm.",
		.example = "{idle_states: {disable: [C6]}}" },
	{ .name = "baseline",
		.type = OPT_NODE,
		.takes = "a mapping of factors to levels, or the label of an arm",
		.help = "The arm that the others are compared with; a factor that is not named "
			"stands at its first level. The first arm when left out.",
		.example = "{sched_features: TTWU_QUEUE}" },
	{ .name = "collect",
		.type = OPT_NODE,
		.dflt = "[interrupts, softirqs, cpuidle, cpustat, perf, kernel_log]",
		.takes = "a list of collectors, each with its settings if you like",
		.help = "What is looked at around each trial; [] for nothing. 'harness help "
			"collect' lists the collectors.",
		.example = "[interrupts, perf: {events: [cycles]}]" },
	{ .name = "decide",
		.type = OPT_TABLE,
		.offset = J(decide),
		.table = &decide_table,
		.help = "How the verdict is reached.",
		.example = "{margin: 1%, max_time: 20m}" },
	{ .name = "trials",
		.type = OPT_INT,
		.offset = J(trials),
		.min = 1,
		.max = 100,
		.dflt = "1",
		.help = "Trials of each arm within a block that count; their median is the block's "
			"figure.",
		.example = "3" },
	{ .name = "warmup",
		.type = OPT_INT,
		.offset = J(warmup),
		.max = 100,
		.dflt = "1",
		.help = "Trials of each arm before those, which do not count.",
		.example = "1" },
	{ .name = "reboot",
		.type = OPT_ENUM,
		.offset = J(reboot),
		.choices = reboot_choices,
		.dflt = "never",
		.help = "When the target is booted anew, if it can be: never, or before each "
			"block.",
		.example = "block" },
	{ .name = "seed",
		.type = OPT_INT,
		.offset = J(seed),
		.max = 0x1p53 - 1,
		.dflt = "0",
		.help = "Seed of the order of arms within blocks; 0 for a fresh one, which the run "
			"records.",
		.example = "42" },
	{ .name = "trial_timeout",
		.type = OPT_DURATION,
		.offset = J(trial_timeout),
		.max = 7 * 86400.0,
		.dflt = "0",
		.help = "A trial that takes longer is ended and failed; 0 for the benchmark's own "
			"limit.",
		.example = "60s" },
	{ .name = "cooldown",
		.type = OPT_DURATION,
		.offset = J(cooldown),
		.max = 3600,
		.dflt = "0",
		.help = "Rest before each trial.",
		.example = "5s" },
	{ .name = "user",
		.type = OPT_STRING,
		.offset = J(user),
		.pattern = "[A-Za-z_][A-Za-z0-9_.-]{0,63}|[0-9]{1,9}",
		.takes = "a user's name or number",
		.help = "Run the benchmark as this user; as the agent runs when left out.",
		.example = "nobody" },
	{ 0 },
};
#undef J

const struct option_table job_table = {
	.name = "job",
	.help = "What is run, what is varied, and how the verdict is reached.",
	.rows = job_rows,
	.size = sizeof(struct job),
};

const struct option_table *const *job_tables(void)
{
	static const struct option_table *const tables[] = { &job_table, NULL };

	return tables;
}

static void read_target(struct job_reader *reader)
{
	const struct yaml_node *node = yaml_get(reader->root, "target");
	const struct registry_entry *local =
		registry_find(reader->registry->targets, reader->registry->n_targets, "local");
	struct target_choice choice = { 0 };

	if (node)
		target_parse(node, reader->registry, reader->config_dirs, &choice, reader->diags);
	else if (local)
		target_default(reader->root, local, &choice, reader->diags);
	else
		yaml_error(reader->root, reader->diags, "job lacks 'target'");
	reader->job->target = choice.kind;
	reader->job->target_options = choice.options;
	reader->job->target_table = choice.table;
}

static int read_job(const struct yaml_file *file, struct job_reader *reader)
{
	size_t before = reader->diags->n;
	int r = options_parse(&job_table, reader->root, reader->job, reader->diags);

	reader->job->path = xstrdup(reader->root->file);
	reader->job->text = xstrdup(yaml_text(file));
	if (reader->root->kind == YAML_MAPPING) {
		read_target(reader);
		job_read_arms(reader);
		job_read_collect(reader);
	}
	diags_sort(reader->diags);
	return r < 0 || reader->diags->n > before ? -EINVAL : 0;
}

static int job_from_file(struct yaml_file *file, const struct registry *registry,
	const struct string_list *config_dirs, struct job **job, struct diags *diags)
{
	struct job_reader reader = {
		.registry = registry, .config_dirs = config_dirs, .diags = diags
	};
	int r;

	*job = NULL;
	if (!file)
		return -EINVAL;
	reader.root = yaml_root(file);
	reader.job = xcalloc(1, sizeof(*reader.job));
	r = read_job(file, &reader);
	yaml_file_free(file);
	if (r < 0)
		job_free(reader.job);
	else
		*job = reader.job;
	return r;
}

int job_parse(const char *name, const char *text, size_t len, const struct registry *registry,
	const struct string_list *config_dirs, struct job **job, struct diags *diags)
{
	return job_from_file(yaml_parse(name, text, len, diags), registry, config_dirs, job, diags);
}

int job_load(const char *path, const struct registry *registry,
	const struct string_list *config_dirs, struct job **job, struct diags *diags)
{
	return job_from_file(yaml_load(path, diags), registry, config_dirs, job, diags);
}

static void free_factors(struct job *job)
{
	for (size_t i = 0; i < job->n_factors; i++) {
		struct job_factor *factor = &job->factors[i];

		for (size_t k = 0; k < factor->n_levels; k++) {
			free(factor->levels[k].label);
			json_decref(factor->levels[k].value);
		}
		free(factor->levels);
		free(factor->name);
	}
	free(job->factors);
}

void job_free(struct job *job)
{
	struct target_choice target;

	if (!job)
		return;
	free_factors(job);
	for (size_t i = 0; i < job->n_arms; i++) {
		free(job->arms[i].label);
		json_decref(job->arms[i].levels);
	}
	for (size_t i = 0; i < job->n_collect; i++) {
		free(job->collect[i].name);
		json_decref(job->collect[i].options);
	}
	target = (struct target_choice){ job->target, job->target_options, job->target_table };
	target_choice_release(&target);
	free(job->arms);
	free(job->collect);
	json_decref(job->fixed);
	json_decref(job->baseline);
	free(job->path);
	free(job->text);
	options_release(&job_table, job);
	free(job);
}

static json_t *factors_json(const struct job *job)
{
	json_t *factors = json_object();

	for (size_t i = 0; i < job->n_factors; i++) {
		json_t *levels = json_array();

		for (size_t k = 0; k < job->factors[i].n_levels; k++)
			json_array_append(levels, job->factors[i].levels[k].value);
		json_object_set_new(factors, job->factors[i].name, levels);
	}
	return factors;
}

static json_t *arms_json(const struct job *job)
{
	json_t *arms = json_array();

	for (size_t i = 0; i < job->n_arms; i++) {
		json_t *arm = json_copy(job->arms[i].levels);

		if (job->arms[i].label)
			json_object_set_new(arm, "label", json_string(job->arms[i].label));
		json_array_append_new(arms, arm);
	}
	return arms;
}

static json_t *collect_json(const struct job *job)
{
	json_t *list = json_array();

	for (size_t i = 0; i < job->n_collect; i++) {
		const struct job_collect *collect = &job->collect[i];

		json_array_append_new(
			list, json_object_size(collect->options)
				      ? json_pack("{s:O}", collect->name, collect->options)
				      : json_string(collect->name));
	}
	return list;
}

json_t *job_to_json(const struct job *job)
{
	struct target_choice target = { job->target, job->target_options, job->target_table };
	json_t *json = options_to_json(&job_table, job);

	json_object_set_new(json, "target", target_choice_json(&target));
	if (job->n_factors)
		json_object_set_new(json, "factors", factors_json(job));
	if (job->n_arms)
		json_object_set_new(json, "arms", arms_json(job));
	if (job->fixed)
		json_object_set(json, "fixed", job->fixed);
	if (job->baseline)
		json_object_set(json, "baseline", job->baseline);
	json_object_set_new(json, "collect", collect_json(job));
	return json;
}
