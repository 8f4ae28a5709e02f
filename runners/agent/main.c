/* SPDX-License-Identifier: GPL-2.0-or-later */
/* harness-agent: the one program of the harness on the machine under test. */
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "init.h"
#include "serve.h"

static const char help[] =
	"usage: harness-agent [OPTIONS]         serve on standard input and output\n"
	"       harness-agent undo [OPTIONS]    put back what agents that are gone have left "
	"changed\n"
	"       harness-agent init              be the first process of a guest\n"
	"\n"
	"The harness starts this program on the machine under test and talks to it in JSON, one\n"
	"object a line; docs/agent-protocol.md tells how. Nobody needs to start it by hand, but "
	"it\n"
	"can be tried (it ends, and ends a running benchmark, when its input ends):\n"
	"\n"
	"  (echo '{\"id\":1,\"op\":\"facts\"}'; sleep 1) | harness-agent\n"
	"  (echo "
	"'{\"id\":2,\"op\":\"run\",\"nonce\":\"x\",\"argv\":[\"uname\",\"-a\"],\"timeout_ms\":999}'"
	"; sleep 1) |\n"
	"          harness-agent\n"
	"\n"
	"Whatever it changes is noted in an undo file first and put back at its end, and by a\n"
	"guardian process if it is killed. Only a power loss (or killing both) leaves settings "
	"behind:\n"
	"run \"harness-agent undo\" at boot. It prints what it put back; exit status 1 says that\n"
	"something could not be.\n"
	"\n"
	"  --undo-dir DIR   where undo files are kept (default: undo/ in the state folder, which "
	"is\n"
	"                   $HARNESS_STATE, or /var/lib/harness for root, else\n"
	"                   $XDG_STATE_HOME/harness, ~/.local/state/harness)\n"
	"  --work-dir DIR   where each trial gets a fresh folder (default: $TMPDIR or /tmp)\n"
	"  --contain WAY    how all of a benchmark's processes are found and killed: cgroup,\n"
	"                   subreaper, or auto (default: a cgroup v2 where there is one)\n"
	"  --root DIR       take kernel files from below DIR instead of / (for tests)\n"
	"  --help           this text\n"
	"  --version        the version\n";

enum { EXIT_USAGE = 3, EXIT_CANNOT = 4 };

static char *default_undo_dir(void)
{
	char *state = file_state_dir(), *dir = file_join(state, "undo");

	free(state);
	return dir;
}

/* The benchmark's folder is told to it, and it may change its own: no relative names. */
static char *absolute(const char *path)
{
	char cwd[PATH_MAX];

	if (*path == '/' || !getcwd(cwd, sizeof(cwd)))
		return xstrdup(path);
	return file_join(cwd, path);
}

static const struct option long_options[] = {
	{ "undo-dir", required_argument, NULL, 'u' },
	{ "work-dir", required_argument, NULL, 'w' },
	{ "contain", required_argument, NULL, 'c' },
	{ "root", required_argument, NULL, 'r' },
	{ "help", no_argument, NULL, 'h' },
	{ "version", no_argument, NULL, 'v' },
	{ 0 },
};

/* Return: -1 to go on, or an exit status. */
static int parse_options(int argc, char **argv, struct serve_options *options)
{
	int c;

	while ((c = getopt_long(argc, argv, "hv", long_options, NULL)) != -1) {
		switch (c) {
		case 'u':
			options->undo_dir = optarg;
			break;
		case 'w':
			options->work_dir = optarg;
			break;
		case 'c':
			options->contain = optarg;
			break;
		case 'r':
			options->root = optarg;
			break;
		case 'h':
			fputs(help, stdout);
			return 0;
		case 'v':
			puts("harness-agent " HARNESS_VERSION);
			return 0;
		default:
			fputs("harness-agent: see harness-agent --help\n", stderr);
			return EXIT_USAGE;
		}
	}
	return -1;
}

static int act(const char *mode, struct serve_options *options)
{
	const char *tmp = getenv("TMPDIR");
	char *undo_dir = options->undo_dir ? absolute(options->undo_dir) : default_undo_dir();
	char *work_dir = absolute(options->work_dir ? options->work_dir
				  : tmp && *tmp	    ? tmp
						    : "/tmp");
	struct error err = ERROR_INIT;
	int r;

	options->undo_dir = undo_dir;
	options->work_dir = work_dir;
	r = mode ? serve_undo(options, &err) : serve(options, &err);
	if (r < 0)
		fprintf(stderr, "harness-agent: %s\n", error_text(&err));
	error_release(&err);
	free(undo_dir);
	free(work_dir);
	return r < 0 ? EXIT_CANNOT : r;
}

int main(int argc, char **argv)
{
	struct serve_options options = { .root = "/", .contain = "auto" };
	const char *mode;
	int status;

	/* As /init the kernel hands us words of its command line as arguments: pass over them. */
	if (getpid() == 1 && strcmp(file_basename(argv[0]), "init") == 0)
		init_main();
	status = parse_options(argc, argv, &options);
	if (status >= 0)
		return status;
	mode = argv[optind];
	if (mode && strcmp(mode, "init") == 0 && getpid() == 1)
		init_main();
	if (mode && (strcmp(mode, "undo") != 0 || argv[optind + 1])) {
		fprintf(stderr, "harness-agent: %s\n",
			strcmp(mode, "init") == 0 ? "init is for the first process of a guest only"
						  : "the only word allowed is undo; see --help");
		return EXIT_USAGE;
	}
	return act(mode, &options);
}
