/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "runners/knob/sched_features.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "base/nearest.h"
#include "base/strbuf.h"
#include "runners/knob/knob.h"
#include "runners/knob/level.h"

#define DEBUGFS "sys/kernel/debug"

static const char new_path[] = DEBUGFS "/sched/features"; /* Linux 5.13 and later */
static const char old_path[] = DEBUGFS "/sched_features";

static bool negated(const char *word)
{
	return strncmp(word, "NO_", 3) == 0;
}

static const char *bare(const char *word)
{
	return negated(word) ? word + 3 : word;
}

/* Sample: "GENTLE_FAIR_SLEEPERS NO_NEXT_BUDDY NONTASK_CAPACITY TTWU_QUEUE \n" */

static bool is_feature_word(const char *word, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!isupper((unsigned char)word[i]) && !isdigit((unsigned char)word[i]) &&
			word[i] != '_')
			return false;
	return len && !(len == 3 && negated(word));
}

static int add_feature(
	struct sched_features *features, const char *word, size_t len, struct error *err)
{
	char *name = xmemdup0(word, len);
	struct sched_feature f = { xstrdup(bare(name)), !negated(name) };

	free(name);
	if (sched_features_find(features, f.name)) {
		error_set(
			err, -EINVAL, "no line of scheduler features: '%s' is there twice", f.name);
		free(f.name);
		return -EINVAL;
	}
	array_reserve(features->f, features->n, features->cap);
	features->f[features->n++] = f;
	return 0;
}

/* What "cat" says in place of the text, when someone saved its output from a locked-down machine. */
static int check_complaint(const char *text, size_t len, struct error *err)
{
	static const char complaint[] = ": Operation not permitted";

	if (!memmem(text, len, complaint, sizeof(complaint) - 1))
		return 0;
	return error_set(err, -EPERM,
		"no scheduler features here, only that reading them was not permitted; the kernel "
		"is locked down");
}

int sched_features_parse(
	const char *text, size_t len, struct sched_features *features, struct error *err)
{
	int r = check_complaint(text, len, err);
	size_t at = 0;

	*features = SCHED_FEATURES_INIT;
	while (!r) {
		size_t start;

		while (at < len && isspace((unsigned char)text[at]))
			at++;
		for (start = at; at < len && !isspace((unsigned char)text[at]);)
			at++;
		if (at == start)
			break;
		if (is_feature_word(text + start, at - start))
			r = add_feature(features, text + start, at - start, err);
		else
			r = error_set(err, -EINVAL,
				"no line of scheduler features: '%.*s' is no feature's name",
				(int)(at - start < 40 ? at - start : 40), text + start);
	}
	if (!r && !features->n)
		r = error_set(err, -EINVAL, "no line of scheduler features: the text is empty");
	if (r)
		sched_features_release(features);
	return r;
}

const struct sched_feature *sched_features_find(
	const struct sched_features *features, const char *name)
{
	for (size_t i = 0; i < features->n; i++)
		if (strcmp(features->f[i].name, name) == 0)
			return &features->f[i];
	return NULL;
}

void sched_features_release(struct sched_features *features)
{
	for (size_t i = 0; i < features->n; i++)
		free(features->f[i].name);
	free(features->f);
	*features = SCHED_FEATURES_INIT;
}

static const char *kernel_release(const struct machine *machine)
{
	return json_str(json_object_get(machine->facts, "kernel"), "release", "of this machine");
}

/* An unmounted mount point is an empty folder; debugfs itself never is one. */
static bool debugfs_mounted(const struct machine *machine)
{
	json_t *paths = NULL;
	bool mounted = machine_glob(machine, DEBUGFS "/*", &paths, NULL) == 0 &&
		       json_array_size(paths) > 0;

	json_decref(paths);
	return mounted;
}

/* Sample line of the list of file systems: "nodev\tdebugfs" */
static bool debugfs_known(const struct machine *machine)
{
	char *text;
	bool known;

	if (machine_read(machine, "proc/filesystems", &text, NULL) < 0)
		return true;
	known = strstr(text, "\tdebugfs\n") != NULL;
	free(text);
	return known;
}

static int explain_absence(const struct machine *machine, struct error *err)
{
	if (debugfs_mounted(machine))
		return error_set(err, -ENOENT,
			"kernel %s shows no scheduler features: debugfs is mounted, but '/%s' and "
			"'/%s' are absent; up to 6.14 they need CONFIG_SCHED_DEBUG=y",
			kernel_release(machine), new_path, old_path);
	if (debugfs_known(machine))
		return error_set(err, -ENODEV,
			"debugfs is not mounted, and the scheduler's features are in it; run "
			"'mount -t "
			"debugfs none /%s' as root",
			DEBUGFS);
	return error_set(err, -ENODEV,
		"kernel %s has no debugfs, and the scheduler's features are in it; it needs "
		"CONFIG_DEBUG_FS=y and must not be booted with debugfs=off",
		kernel_release(machine));
}

/* "none [integrity] confidentiality", or the mode alone; the result is the caller's. */
static char *lockdown_mode(const struct machine *machine)
{
	const char *text = json_str(machine->facts, "lockdown", "");
	const char *open = strchr(text, '['), *close = open ? strchr(open, ']') : NULL;

	return close ? xmemdup0(open + 1, (size_t)(close - open - 1)) : xstrdup(text);
}

static int explain_refusal(
	const struct machine *machine, const char *path, int code, struct error *err)
{
	char *mode;

	if (code == -EACCES)
		return error_set(err, code,
			"cannot read '/%s': Permission denied; debugfs is root's, run as root or "
			"try "
			"target: vm",
			path);
	mode = lockdown_mode(machine);
	if (*mode && strcmp(mode, "none") != 0)
		error_set(err, code,
			"cannot read '/%s': Operation not permitted; the kernel is locked down "
			"(lockdown=%s), try target: vm",
			path, mode);
	else
		error_set(err, code,
			"cannot read '/%s': Operation not permitted, as of a locked-down kernel "
			"though "
			"none is reported; try target: vm",
			path);
	free(mode);
	return code;
}

static int read_file(
	const struct machine *machine, const char **path, char **text, struct error *err)
{
	int r;

	*path = new_path;
	r = machine_read(machine, new_path, text, NULL);
	if (r != -ENOENT)
		goto out;
	*path = old_path;
	r = machine_read(machine, old_path, text, NULL);
	if (r == -ENOENT)
		return explain_absence(machine, err);
out:
	if (r == -EPERM || r == -EACCES)
		return explain_refusal(machine, *path, r, err);
	return r < 0 ? error_sys(err, r, "cannot read '/%s'", *path) : 0;
}

int sched_features_read(const struct machine *machine, const char **path,
	struct sched_features *features, struct error *err)
{
	char *text;
	int r;

	*features = SCHED_FEATURES_INIT;
	r = read_file(machine, path, &text, err);
	if (r < 0)
		return r;
	r = sched_features_parse(text, strlen(text), features, err);
	free(text);
	return r;
}

/* Against the words before it. */
static int check_word(const json_t *words, size_t at, struct error *err)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				      "0123456789_";
	const char *word = json_string_value(json_array_get(words, at));

	if (word[strspn(word, letters)] || !*bare(word))
		return error_set(err, -EINVAL,
			"'%s' is no name of a scheduler feature; write TTWU_QUEUE, or "
			"NO_TTWU_QUEUE to "
			"turn it off",
			word);
	for (size_t i = 0; i < at; i++) {
		const char *other = json_string_value(json_array_get(words, i));

		if (strcmp(bare(other), bare(word)) == 0 && negated(other) != negated(word))
			return error_set(err, -EINVAL,
				"'%s' and '%s' contradict each other; make them two levels", other,
				word);
	}
	return 0;
}

static int features_check(const json_t *level, struct error *err)
{
	json_t *words;
	int r;

	if (level_is_default(level))
		return 0;
	r = level_words(level, "scheduler features", &words, err);
	if (r < 0)
		return r;
	for (size_t i = 0; i < json_array_size(words) && !r; i++)
		r = check_word(words, i, err);
	json_decref(words);
	return r;
}

static char *features_label(const json_t *level)
{
	struct strbuf sb = STRBUF_INIT;
	json_t *words, *item;
	size_t i;

	if (level_words(level, "scheduler features", &words, NULL) < 0)
		return json_line(level);
	json_array_foreach(words, i, item)
		strbuf_printf(&sb, "%s%s", i ? " " : "", json_string_value(item));
	json_decref(words);
	return strbuf_steal(&sb);
}

static int unknown_feature(const struct machine *machine, const struct sched_features *features,
	const char *word, struct error *err)
{
	const char **names = xcalloc(features->n, sizeof(*names)), *nearest;
	struct strbuf sb = STRBUF_INIT;

	for (size_t i = 0; i < features->n; i++)
		names[i] = features->f[i].name;
	nearest = nearest_name(bare(word), names, features->n);
	strbuf_printf(&sb, "kernel %s has no scheduler feature '%s'", kernel_release(machine),
		bare(word));
	if (nearest)
		strbuf_printf(&sb, "; did you mean '%s%s'? ", negated(word) ? "NO_" : "", nearest);
	else
		strbuf_puts(&sb, "; ");
	strbuf_puts(&sb, "it has:");
	for (size_t i = 0; i < features->n; i++)
		strbuf_printf(&sb, " %s", names[i]);
	error_set(err, -EINVAL, "%s", strbuf_text(&sb));
	strbuf_release(&sb);
	free(names);
	return -EINVAL;
}

static int plan_words(const json_t *words, const struct machine *machine, struct knob_plan *plan,
	struct error *err)
{
	struct sched_features features;
	const char *path;
	json_t *item;
	size_t i;
	int r = sched_features_read(machine, &path, &features, err);

	if (r < 0)
		return r;
	json_array_foreach(words, i, item) {
		const char *word = json_string_value(item);

		r = sched_features_find(&features, bare(word))
			    ? knob_plan_set(plan, path, word, WRITE_FEATURE, err)
			    : unknown_feature(machine, &features, word, err);
		if (r < 0)
			break;
	}
	sched_features_release(&features);
	return r;
}

static int features_plan(const json_t *level, const struct machine *machine, struct knob_plan *plan,
	struct error *err)
{
	json_t *words;
	int r = features_check(level, err);

	if (r < 0 || level_is_default(level))
		return r;
	r = level_words(level, "scheduler features", &words, err);
	if (r < 0)
		return r;
	r = plan_words(words, machine, plan, err);
	json_decref(words);
	return r;
}

static int features_available(const struct machine *machine, struct error *err)
{
	struct sched_features features;
	const char *path;
	int r = sched_features_read(machine, &path, &features, err);

	sched_features_release(&features);
	return r < 0 ? r : machine_need_root(machine, err);
}

const struct knob_ops knob_sched_features = {
	.name = "sched_features",
	.help = "features of the scheduler, on or off (NO_ in front)",
	.long_help =
		"A level is a feature's name, or several: blank-separated or as a list. NO_ in\n"
		"front turns a feature off; features not named stay as the machine has them,\n"
		"and 'default' leaves all of them so.\n"
		"\n"
		"  factors:\n"
		"    sched_features: [TTWU_QUEUE, NO_TTWU_QUEUE]\n"
		"  factors:\n"
		"    sched_features: [default, [NO_TTWU_QUEUE, NO_DELAY_DEQUEUE]]\n"
		"\n"
		"Which features there are depends on the kernel, down to the stable release; a\n"
		"name that the kernel lacks is an error that lists those it has. The name counts\n"
		"as written: NONTASK_CAPACITY is a feature that is on, NO_NONTASK_CAPACITY\n"
		"turns it off.\n"
		"\n"
		"The file is sched/features in debugfs (sched_features before Linux 5.13). It\n"
		"needs debugfs mounted, CONFIG_SCHED_DEBUG up to 6.14, root, and a kernel that\n"
		"is not locked down; where the host forbids it, use target: vm. What is written\n"
		"is read back: a feature that did not take ends the trial with an error.\n",
	.schema = "{\"oneOf\":[{\"type\":\"string\",\"pattern\":"
		  "\"^(default|[A-Z0-9_]+( +[A-Z0-9_]+)*)$\"},"
		  "{\"type\":\"array\",\"minItems\":1,\"items\":"
		  "{\"type\":\"string\",\"pattern\":\"^[A-Z0-9_]+$\"}}]}",
	.label = features_label,
	.check = features_check,
	.plan = features_plan,
	.available = features_available,
};
