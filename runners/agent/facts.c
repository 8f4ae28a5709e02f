/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "facts.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "agent.h"
#include "base/alloc.h"
#include "base/json.h"
#include "contain.h"
#include "reply.h"

json_t *fact_line(const struct sysroot *root, const char *path)
{
	char *text;
	json_t *value;

	if (sysroot_read_line(root, path, &text, NULL) < 0)
		return json_null();
	value = json_blob(text, strlen(text));
	free(text);
	return value;
}

json_t *fact_int(const struct sysroot *root, const char *path)
{
	char *text, *end;
	json_t *value = json_null();

	if (sysroot_read_line(root, path, &text, NULL) < 0)
		return value;
	errno = 0;
	long long n = strtoll(text, &end, 10);

	if (end != text && !*end && !errno)
		value = json_integer(n);
	free(text);
	return value;
}

/* "model name	: Intel(R) Xeon(R) ..." and "MemTotal:       24664832 kB" */
json_t *fact_field(const char *text, const char *key)
{
	size_t len = strlen(key);

	for (const char *line = text; line && *line;) {
		const char *eol = strchr(line, '\n'), *p = line + len;

		if (strncmp(line, key, len) == 0 && p[strspn(p, " \t")] == ':') {
			p += strspn(p, " \t") + 1;
			p += strspn(p, " \t");
			return json_blob(p, strcspn(p, "\n"));
		}
		line = eol ? eol + 1 : NULL;
	}
	return json_null();
}

/* An ELF note: name size, descriptor size, type; then both padded to 4 bytes. */
struct note {
	uint32_t name_size, desc_size, type;
};

enum { NOTE_BUILD_ID = 3 };

static size_t padded(size_t n)
{
	return (n + 3) & ~(size_t)3;
}

static json_t *hex(const unsigned char *data, size_t len)
{
	struct strbuf sb = STRBUF_INIT;
	json_t *value;

	for (size_t i = 0; i < len; i++)
		strbuf_printf(&sb, "%02x", data[i]);
	value = json_string(strbuf_text(&sb));
	strbuf_release(&sb);
	return value;
}

static json_t *find_build_id(const char *notes, size_t len)
{
	struct note note;

	for (size_t at = 0; len - at >= sizeof(note);) {
		const char *name = notes + at + sizeof(note), *desc;

		memcpy(&note, notes + at, sizeof(note));
		if (note.name_size > len || note.desc_size > len ||
			at + sizeof(note) + padded(note.name_size) + padded(note.desc_size) > len)
			break;
		desc = name + padded(note.name_size);
		if (note.type == NOTE_BUILD_ID && note.name_size == 4 &&
			memcmp(name, "GNU", 4) == 0)
			return hex((const unsigned char *)desc, note.desc_size);
		at += sizeof(note) + padded(note.name_size) + padded(note.desc_size);
	}
	return json_null();
}

static json_t *kernel_build_id(const struct sysroot *root)
{
	char *notes;
	size_t len;
	json_t *id;

	if (sysroot_read(root, "sys/kernel/notes", &notes, &len, NULL) < 0)
		return json_null();
	id = find_build_id(notes, len);
	free(notes);
	return id;
}

json_t *facts_kernel(const struct sysroot *root)
{
	struct utsname name = { 0 };

	uname(&name);
	return json_pack("{s:o, s:o, s:s, s:o, s:o}", "release",
		fact_line(root, "proc/sys/kernel/osrelease"), "version",
		fact_line(root, "proc/sys/kernel/version"), "machine", name.machine, "build_id",
		kernel_build_id(root), "cmdline", fact_line(root, "proc/cmdline"));
}

static bool is_mounted(const struct sysroot *root, const char *type)
{
	char *text, *needle = xasprintf(" - %s ", type);
	bool found = false;

	if (sysroot_read(root, "proc/self/mountinfo", &text, NULL, NULL) == 0) {
		found = strstr(text, needle) != NULL;
		free(text);
	}
	free(needle);
	return found;
}

/* The file moved in Linux 5.13. */
static const char *const feature_files[] = {
	"sys/kernel/debug/sched/features",
	"sys/kernel/debug/sched_features",
};

static json_t *no_features(const struct sysroot *root, const char *path, int r, struct error *err)
{
	json_t *error;

	if (r == -ENOENT && !is_mounted(root, "debugfs"))
		error_set(err, r,
			"debugfs is not mounted; mount -t debugfs none /sys/kernel/debug"); /* sysroot-ok: a command for a person */
	else if (r == -ENOENT)
		error_set(err, r, "this kernel has no sched features file (CONFIG_SCHED_DEBUG)");
	error = reply_error(r, err);
	json_object_set_new(error, "path", json_string(path));
	return error;
}

json_t *facts_sched_features(const struct sysroot *root)
{
	struct error err = ERROR_INIT;
	const char *path = NULL;
	char *text = NULL;
	json_t *fact;
	int r = -ENOENT;

	for (size_t i = 0; i < array_size(feature_files) && r == -ENOENT; i++) {
		path = feature_files[i];
		r = sysroot_read_line(root, path, &text, &err);
	}
	if (r == 0)
		fact = json_pack("{s:s, s:o}", "path", path, "text", json_blob(text, strlen(text)));
	else
		fact = no_features(root, r == -ENOENT ? feature_files[0] : path, r, &err);
	free(text);
	error_release(&err);
	return fact;
}

json_t *facts_tracefs(const struct sysroot *root)
{
	static const char *const places[] = { "sys/kernel/tracing", "sys/kernel/debug/tracing" };

	for (size_t i = 0; i < array_size(places); i++) {
		char *events = xasprintf("%s/events", places[i]);
		bool there = sysroot_exists(root, events);

		free(events);
		if (there)
			return json_string(places[i]);
	}
	return json_null();
}

static json_t *memory_kb(const struct sysroot *root)
{
	char *text;
	json_t *field, *kb = json_null();

	if (sysroot_read(root, "proc/meminfo", &text, NULL, NULL) < 0)
		return kb;
	field = fact_field(text, "MemTotal");
	if (json_is_string(field))
		kb = json_integer(strtoll(json_string_value(field), NULL, 10));
	json_decref(field);
	free(text);
	return kb;
}

/* "350735.47 234388.90" */
static json_t *uptime_s(const struct sysroot *root)
{
	char *text;
	json_t *seconds;

	if (sysroot_read(root, "proc/uptime", &text, NULL, NULL) < 0)
		return json_null();
	seconds = json_integer(strtoll(text, NULL, 10));
	free(text);
	return seconds;
}

static json_t *cgroup_kind(const struct sysroot *root)
{
	char *mount = contain_cgroup_mount(root);
	json_t *kind = json_string(mount ? "v2" : "none");

	free(mount);
	return kind;
}

static void add_small_facts(const struct sysroot *root, json_t *facts)
{
	static const struct {
		const char *name, *path;
	} lines[] = {
		{ "lockdown", "sys/kernel/security/lockdown" },
		{ "clocksource",
			"sys/devices/system/clocksource/clocksource0/current_clocksource" },
		{ "smt", "sys/devices/system/cpu/smt/control" },
		{ "isolated", "sys/devices/system/cpu/isolated" },
		{ "hostname", "proc/sys/kernel/hostname" },
	};

	for (size_t i = 0; i < array_size(lines); i++)
		json_object_set_new(facts, lines[i].name, fact_line(root, lines[i].path));
	json_object_set_new(facts, "cgroup", cgroup_kind(root));
	json_object_set_new(facts, "memory_kb", memory_kb(root));
	json_object_set_new(facts, "uptime_s", uptime_s(root));
	json_object_set_new(
		facts, "irqbalance", json_boolean(process_count_named(root, "irqbalance")));
	json_object_set_new(facts, "uid", json_integer((json_int_t)getuid()));
}

int op_facts(struct agent *agent, const json_t *request, json_t **result, struct error *err)
{
	static const struct {
		const char *name;
		json_t *(*gather)(const struct sysroot *root);
	} parts[] = {
		{ "kernel", facts_kernel },
		{ "cpu", facts_cpu },
		{ "topology", facts_topology },
		{ "mitigations", facts_mitigations },
		{ "sched_features", facts_sched_features },
		{ "cpuidle", facts_cpuidle },
		{ "cpufreq", facts_cpufreq },
		{ "perf", facts_perf },
		{ "tracefs", facts_tracefs },
		{ "virtualisation", facts_virtualisation },
	};
	json_t *facts = json_object();

	(void)request;
	(void)err;
	for (size_t i = 0; i < array_size(parts); i++)
		json_object_set_new(facts, parts[i].name, parts[i].gather(&agent->root));
	add_small_facts(&agent->root, facts);
	json_object_set_new(facts, "boot_id", json_string(agent->boot_id));
	*result = facts;
	return 0;
}
