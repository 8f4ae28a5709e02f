/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "serve.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "agent.h"
#include "base/alloc.h"
#include "base/json.h"
#include "contain.h"
#include "protocol.h"

/* The signals that end the agent are read from a descriptor, between one step and the next. */
static int open_signals(struct agent *agent, struct error *err)
{
	sigset_t set;

	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, NULL);
	agent->signals = signalfd(-1, &set, SFD_CLOEXEC);
	return agent->signals < 0 ? error_sys(err, -errno, "cannot watch for signals") : 0;
}

static void init_options(struct agent *agent, const struct serve_options *options)
{
	*agent = (struct agent){ .undo_dir = options->undo_dir,
		.work_dir = options->work_dir,
		.contain = options->contain,
		.guest = options->guest,
		.signals = -1 };
}

static int left_behind(struct agent *agent, json_t *restored, json_t *failed, struct error *err)
{
	contain_left_behind(&agent->machine);
	return undo_left_behind(
		&agent->root, agent->undo_dir, agent->boot_id, restored, failed, err);
}

int serve(const struct serve_options *options, struct error *err)
{
	json_t *restored = json_array(), *failed = json_array();
	struct agent agent;
	size_t stuck;
	int r;

	alloc_keep();
	init_options(&agent, options);
	prctl(PR_SET_NAME, "harness-agent", 0, 0, 0);
	r = agent_init(&agent, options->root, err);
	if (r < 0)
		goto out;
	channel_init(&agent.channel, STDIN_FILENO, STDOUT_FILENO, options->guest);
	r = open_signals(&agent, err);
	if (r == 0) {
		/* What can't be put back now is no reason not to serve: doctor and undo tell of it. */
		left_behind(&agent, restored, failed, NULL);
		protocol_serve(&agent, restored);
		r = agent.signal ? 128 + agent.signal : 0;
	}
	stuck = agent_release(&agent);
	if (r == 0 && stuck)
		r = 1;
out:
	json_decref(restored);
	json_decref(failed);
	return r;
}

static void tell(const json_t *list, const char *what)
{
	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *item = json_array_get(list, i);
		char *value = json_scalar_text(json_object_get(item, "value"));
		const char *text = json_str(item, "text", NULL);

		printf("%s %s: %s%s%s\n", what, json_str(item, "path", ""),
			value ? value : "(bytes)", text ? "; " : "", text ? text : "");
		free(value);
	}
}

int serve_undo(const struct serve_options *options, struct error *err)
{
	json_t *restored = json_array(), *failed = json_array();
	struct agent agent;
	int r;

	init_options(&agent, options);
	r = agent_init(&agent, options->root, err);
	if (r == 0) {
		r = left_behind(&agent, restored, failed, err);
		tell(restored, "put back");
		tell(failed, "could not put back");
		if (r == 0 && !json_array_size(restored))
			printf("nothing to put back\n");
		agent_release(&agent);
	}
	json_decref(restored);
	json_decref(failed);
	return r > 0 ? 1 : r;
}
