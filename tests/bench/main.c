/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bench [PART…]: all parts, or those named; progress on standard error, the table on standard output. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/sysroot.h"
#include "bench.h"
#include "report/table.h"

static const struct part *const parts[] = { &part_trial, &part_quiet, &part_parse, &part_store,
	&part_runs, &part_errors };

static char *cpu_model(const struct sysroot *root)
{
	char *text, *line, *model = NULL;

	if (sysroot_read(root, "proc/cpuinfo", &text, NULL, NULL) < 0)
		return xstrdup("?");
	line = strstr(text, "model name");
	line = line ? strchr(line, ':') : NULL;
	if (line)
		model = xmemdup0(line + 2, strcspn(line + 2, "\n"));
	free(text);
	return model ? model : xstrdup("?");
}

static void machine(struct bench *bench)
{
	struct sysroot root;
	struct utsname kernel;
	char *model, *load = NULL, *now = clock_iso8601(clock_realtime_ns());

	if (sysroot_open(&root, "/", NULL) < 0 || uname(&kernel) < 0)
		abort();
	model = cpu_model(&root);
	if (sysroot_read_line(&root, "proc/loadavg", &load, NULL) < 0)
		load = xstrdup("?");
	strbuf_printf(&bench->out, "harness bench, %s\n%s, %ld CPUs, Linux %s\n", now, model,
		sysconf(_SC_NPROCESSORS_ONLN), kernel.release);
	strbuf_printf(&bench->out,
		"load at the start: %.*s (other work on the machine makes every "
		"time longer)\n",
		(int)strcspn(load, " "), load);
	free(load);
	free(model);
	free(now);
	sysroot_close(&root);
}

static bool wanted(const struct part *part, int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (strcmp(argv[i], part->name) == 0)
			return true;
	return argc == 1;
}

static int run_part(struct bench *bench, const struct part *part)
{
	struct error err = ERROR_INIT;
	int r;

	bench_note("%s: %s", part->name, part->help);
	r = part->run(bench, &err);
	if (r < 0)
		strbuf_printf(&bench->out, "\n%s could not be measured: %s\n", part->name,
			error_text(&err));
	error_release(&err);
	return r;
}

int main(int argc, char **argv)
{
	struct bench bench = { .out = STRBUF_INIT };
	uint64_t start = clock_monotonic_ns();
	char *build = file_self_dir();
	int status = 0;

	alloc_keep(); /* as harness does */
	bench.build = build;
	bench.dir = xasprintf("%s/bench.XXXXXX", build);
	if (!mkdtemp(bench.dir)) {
		fprintf(stderr, "cannot make a folder '%s': %s\n", bench.dir, strerror(errno));
		return 1;
	}
	setenv("HARNESS_BENCH_DIR", bench.dir, 1); /* for shell commands */
	machine(&bench);
	for (size_t i = 0; i < array_size(parts); i++)
		if (wanted(parts[i], argc, argv) && run_part(&bench, parts[i]) < 0)
			status = 1;
	strbuf_printf(&bench.out, "\nmeasured in %.0f s\n", bench_ms(start) / 1000);
	fputs(strbuf_text(&bench.out), stdout);
	file_remove_tree(bench.dir, NULL);
	strbuf_release(&bench.out);
	free(bench.dir);
	free(build);
	return status;
}
