/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "experiment/doctor.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/json.h"
#include "base/strbuf.h"
#include "runners/knob/knob.h"
#include "runners/knob/sched_features.h"
#include "runners/target/kernel_find.h"

struct exam {
	struct session *session;
	struct machine machine;
	const json_t *facts;
	const char *state_dir, *busy;
	bool flip;
	struct diagnosis *out;
};

static void found(
	struct exam *e, const char *name, enum grade grade, const char *advice, char *text)
{
	struct diagnosis *d = e->out;

	array_reserve(d->finding, d->n, d->cap);
	d->finding[d->n++] = (struct finding){
		.name = name,
		.grade = grade,
		.text = text,
		.advice = xstrdup(advice),
	};
}

/* One line of a kernel file of the machine, or NULL. */
static char *line_of(struct exam *e, const char *path)
{
	char *text = NULL;

	if (machine_read(&e->machine, path, &text, NULL) < 0)
		return NULL;
	text[strcspn(text, "\n")] = '\0';
	return text;
}

static void check_privilege(struct exam *e)
{
	bool root = json_int(e->facts, "uid", -1) == 0;

	found(e, "privilege", root ? GRADE_OK : GRADE_NOTE,
		root ? NULL : "run as root to turn knobs and to count system-wide",
		xstrdup(root ? "the agent runs as root" : "the agent does not run as root"));
}

/* Writes one feature word and lets the agent read it back; puts it back at once. */
static int write_feature(struct exam *e, const char *path, const char *word, struct error *err)
{
	json_t *write =
		json_pack("{s:s, s:s, s:s}", "path", path, "value", word, "kind", "feature");
	json_t *result = NULL;
	int r = session_call(e->session, "set", json_pack("{s:[o]}", "writes", write),
		SESSION_CALL_MS, &result, err);

	json_decref(result);
	if (r == 0)
		r = session_undo(e->session, err);
	return r;
}

static int try_feature(struct exam *e, struct error *err)
{
	struct sched_features features = SCHED_FEATURES_INIT;
	const char *path = NULL;
	char *word;
	int r = sched_features_read(&e->machine, &path, &features, err);

	if (r < 0)
		return r;
	word = xasprintf("%s%s", features.f[0].on != e->flip ? "" : "NO_", features.f[0].name);
	r = write_feature(e, path, word, err);
	free(word);
	sched_features_release(&features);
	return r;
}

static void check_use(struct exam *e)
{
	found(e, "machine", e->busy ? GRADE_NOTE : GRADE_OK,
		e->busy ? "wait for its end: it disturbs, and the knobs are its own until then"
			: NULL,
		xstrdup(e->busy ? e->busy : "nobody measures on it"));
}

static void check_features(struct exam *e)
{
	const struct knob_ops *knob = knob_find("sched_features", NULL);
	struct error err = ERROR_INIT;
	int r = knob->available(&e->machine, &err);

	if (r == 0 && !e->busy)
		r = try_feature(e, &err);
	if (r < 0)
		found(e, "sched_features", GRADE_PROBLEM,
			"vary scheduler features in a guest: target: vm",
			xstrdup(error_text(&err)));
	else if (e->busy)
		found(e, "sched_features", GRADE_NOTE, NULL,
			xstrdup("they are there; not tried while the machine is in use"));
	else
		found(e, "sched_features", GRADE_OK, NULL,
			xstrdup(e->flip ? "a feature was flipped, read back and put back"
					: "a feature can be written and is read back"));
	error_release(&err);
}

static void check_tracefs(struct exam *e, bool tracepoints)
{
	const char *path = json_str(e->facts, "tracefs", NULL);

	if (!path)
		found(e, "tracepoints", GRADE_NOTE,
			"mount tracefs: mount -t tracefs none "
			"/sys/kernel/tracing", /* sysroot-ok: advice */
			xstrdup("tracefs is not mounted"));
	else
		found(e, "tracepoints", tracepoints ? GRADE_OK : GRADE_NOTE, NULL,
			xasprintf("tracefs is at /%s%s", path,
				tracepoints ? "" : ", but perf can't use its tracepoints"));
}

static void check_perf(struct exam *e)
{
	const json_t *perf = json_object_get(e->facts, "perf");
	bool hardware = json_flag(perf, "hardware", false);

	if (hardware)
		found(e, "perf", GRADE_OK, NULL, xstrdup("hardware and software counters work"));
	else
		found(e, "perf", GRADE_NOTE,
			"software counters and tracepoints still work; hardware ones are reported "
			"as "
			"unsupported",
			xasprintf("no hardware counters: %s",
				json_str(perf, "why", "not supported")));
	check_tracefs(e, json_flag(perf, "tracepoints", false));
}

static void check_lockdown(struct exam *e)
{
	const char *lockdown = json_str(e->facts, "lockdown", NULL);
	bool locked = lockdown && strstr(lockdown, "[none]") == NULL;

	found(e, "lockdown", locked ? GRADE_NOTE : GRADE_OK,
		locked ? "boot with lockdown=none or without secure boot, or use target: vm" : NULL,
		xasprintf("kernel lockdown: %s", lockdown ? lockdown : "none"));
}

static void check_governor(struct exam *e)
{
	const json_t *freq = json_object_get(e->facts, "cpufreq");
	char *governor = line_of(e, "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
	bool steady = governor && strcmp(governor, "performance") == 0;

	if (!governor)
		found(e, "governor", GRADE_OK, NULL,
			xstrdup("no cpufreq: the frequency is not this kernel's to set"));
	else
		found(e, "governor", steady ? GRADE_OK : GRADE_NOTE,
			steady ? NULL : "set the performance governor before measuring",
			xasprintf("governor %s (driver %s)", governor,
				json_str(freq, "driver", "?")));
	free(governor);
}

static void check_turbo(struct exam *e)
{
	char *no_turbo = line_of(e, "sys/devices/system/cpu/intel_pstate/no_turbo");
	char *boost = line_of(e, "sys/devices/system/cpu/cpufreq/boost");
	bool known = no_turbo || boost;
	bool on = (no_turbo && *no_turbo == '0') || (boost && *boost == '1');

	found(e, "turbo", on ? GRADE_NOTE : GRADE_OK,
		on ? "turn turbo off for steadier figures, or record that it is on" : NULL,
		xstrdup(on	? "turbo is on"
			: known ? "turbo is off"
				: "no turbo control"));
	free(no_turbo);
	free(boost);
}

static void check_smt(struct exam *e)
{
	const char *smt = json_str(e->facts, "smt", "notsupported");
	bool on = strcmp(smt, "on") == 0;
	bool none = strcmp(smt, "notsupported") == 0 || strcmp(smt, "notimplemented") == 0;

	found(e, "smt", on ? GRADE_NOTE : GRADE_OK,
		on ? "keep siblings of the benchmark's CPUs idle, or vary placement" : NULL,
		none ? xstrdup("one thread per core") : xasprintf("SMT is %s", smt));
}

static void check_isolation(struct exam *e)
{
	const char *isolated = json_str(e->facts, "isolated", NULL);
	bool some = isolated && *isolated;

	found(e, "isolation", some ? GRADE_OK : GRADE_NOTE,
		some ? NULL
		     : "isolcpus= or a cpuset partition keeps other work off the measured CPUs",
		some ? xasprintf("isolated CPUs: %s", isolated) : xstrdup("no CPU is isolated"));
}

/* Share of steal since boot, from the first line of proc/stat. */
static double steal_share(const char *stat)
{
	unsigned long long v[8] = { 0 }, sum = 0;
	const char *p = strncmp(stat, "cpu ", 4) == 0 ? stat + 4 : "";

	for (size_t i = 0; i < array_size(v); i++) {
		char *end;

		v[i] = strtoull(p, &end, 10);
		sum += v[i];
		p = end;
	}
	return sum ? 100.0 * (double)v[7] / (double)sum : 0;
}

static void check_steal(struct exam *e)
{
	char *stat = line_of(e, "proc/stat");
	double share = stat ? steal_share(stat) : 0;
	bool much = share > 0.5;

	found(e, "steal", much ? GRADE_NOTE : GRADE_OK,
		much ? "other guests take CPU time from this one; prefer a machine of its own"
		     : NULL,
		xasprintf("%.2g %% of CPU time stolen since boot", share));
	free(stat);
}

static void check_irqbalance(struct exam *e)
{
	bool runs = json_flag(e->facts, "irqbalance", false);

	found(e, "irqbalance", runs ? GRADE_NOTE : GRADE_OK,
		runs ? "stop it while measuring: it moves interrupts between CPUs" : NULL,
		xstrdup(runs ? "irqbalance is running" : "irqbalance is not running"));
}

static void check_clock(struct exam *e)
{
	const char *clock = json_str(e->facts, "clocksource", "unknown");
	bool slow = strcmp(clock, "hpet") == 0 || strcmp(clock, "acpi_pm") == 0;

	found(e, "clocksource", slow ? GRADE_NOTE : GRADE_OK,
		slow ? "reading the clock is slow; see why the TSC was given up in the kernel log"
		     : NULL,
		xasprintf("clocksource %s", clock));
}

static void check_idle(struct exam *e)
{
	const json_t *idle = json_object_get(e->facts, "cpuidle");
	const char *driver = json_str(idle, "driver", NULL);
	bool none = !driver || strcmp(driver, "none") == 0;

	found(e, "cpuidle", none ? GRADE_NOTE : GRADE_OK,
		none ? "idle states can't be varied or counted here" : NULL,
		none ? xstrdup("no cpuidle driver")
		     : xasprintf("cpuidle driver %s, governor %s", driver,
			       json_str(idle, "governor", "?")));
}

static void check_virtualisation(struct exam *e)
{
	const char *virt = json_str(e->facts, "virtualisation", NULL);

	found(e, "virtualisation", virt ? GRADE_NOTE : GRADE_OK,
		virt ? "the host can disturb what is measured here; compare arms only within blocks"
		     : NULL,
		virt ? xasprintf("this machine is a guest (%s)", virt) : xstrdup("bare metal"));
}

static void check_kernel(struct exam *e)
{
	struct guest_kernel kernel = { 0 };
	struct sysroot host = SYSROOT_INIT;
	struct error err = ERROR_INIT;
	int r = sysroot_open(&host, NULL, &err);

	if (r == 0)
		r = kernel_find(&host, e->state_dir, NULL, NULL, &kernel, &err);
	if (r == 0)
		found(e, "guest kernel", GRADE_OK, NULL,
			xasprintf("%s (%s)", kernel.release, kernel.path));
	else
		found(e, "guest kernel", GRADE_NOTE, "harness vm fetch-kernel",
			xstrdup(error_text(&err)));
	error_release(&err);
	kernel_release(&kernel);
	sysroot_close(&host);
}

static void check_vm(struct exam *e)
{
	char *qemu = file_find_program("qemu-system-x86_64");
	bool kvm = access("/dev/kvm", R_OK | W_OK) == 0;

	found(e, "qemu", qemu ? GRADE_OK : GRADE_NOTE,
		qemu ? NULL : "install qemu-system-x86 to run experiments in guests",
		xstrdup(qemu ? qemu : "qemu-system-x86_64 is not installed"));
	/* Only a boot proves it: the first run with target vm tries, and its report tells. */
	found(e, "kvm", kvm ? GRADE_OK : GRADE_NOTE,
		kvm ? NULL : "guests are emulated: read their event counts, not their times",
		xstrdup(kvm ? "/dev/kvm can be opened" : "/dev/kvm can't be opened"));
	check_kernel(e);
	free(qemu);
}

void doctor_examine(struct session *session, const char *state_dir, bool flip, const char *busy,
	struct diagnosis *diagnosis)
{
	static void (*const checks[])(struct exam *) = { check_use, check_privilege, check_features,
		check_lockdown, check_perf, check_idle, check_governor, check_turbo, check_smt,
		check_isolation, check_steal, check_irqbalance, check_clock, check_virtualisation,
		check_vm };
	struct exam e = {
		.session = session,
		.machine = session_machine(session),
		.facts = session->facts,
		.state_dir = state_dir,
		.busy = busy,
		.flip = flip,
		.out = diagnosis,
	};

	*diagnosis = (struct diagnosis){ 0 };
	for (size_t i = 0; i < array_size(checks); i++)
		checks[i](&e);
}

void diagnosis_release(struct diagnosis *diagnosis)
{
	for (size_t i = 0; i < diagnosis->n; i++) {
		free(diagnosis->finding[i].text);
		free(diagnosis->finding[i].advice);
	}
	free(diagnosis->finding);
	*diagnosis = (struct diagnosis){ 0 };
}

const char *grade_name(enum grade grade)
{
	static const char *const names[] = { "ok", "note", "problem" };

	return names[grade];
}
