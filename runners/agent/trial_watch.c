/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trial.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "protocol.h"

enum {
	/* Helpers of a benchmark that are just about to end are no survivors. */
	STRAGGLER_MS = 250,
	/* All writers are dead: only one that was handed the pipe from outside can keep it open. */
	DRAIN_MS = 1000,
	/* A process that takes this long to die of SIGKILL hangs in the kernel. */
	DEATH_MS = 10000,
	STRIKE_AGAIN_MS = 20,
};

#define NS_PER_MS 1000000ULL

/* What is done next when the time comes. */
enum watch_phase { PHASE_RUN, PHASE_TERM, PHASE_KILL };

struct watch {
	struct trial *trial;
	const struct spawn *spawn;
	enum watch_phase phase;
	uint64_t next_ns, give_up_ns;
	int failure;
	struct error *err;
};

static int ms_until(uint64_t ns)
{
	uint64_t now = clock_monotonic_ns();

	if (ns <= now)
		return 0;
	return (int)((ns - now) / NS_PER_MS > 1000 ? 1000 : (ns - now) / NS_PER_MS + 1);
}

static uint64_t in_ms(int64_t ms)
{
	return clock_monotonic_ns() + (uint64_t)ms * NS_PER_MS;
}

/* Looks at what poll() said of the conversation and of signals. Return: true to end the trial. */
static bool told_to_end(struct trial *trial, bool channel, bool signals)
{
	enum trial_word word = WORD_NONE;

	if (signals)
		protocol_take_signal(trial->agent);
	if (!trial->gone)
		word = protocol_during_trial(trial->agent, channel);
	if (word == WORD_GONE || trial->agent->signal)
		trial->gone = true;
	if (word == WORD_CANCEL || trial->gone)
		trial->cancelled = true;
	return trial->cancelled;
}

int trial_pause(struct trial *trial, int64_t ms, struct error *err)
{
	uint64_t end = in_ms(ms);

	do {
		struct pollfd fds[] = {
			{ .fd = trial->agent->channel.in, .events = POLLIN },
			{ .fd = trial->agent->signals, .events = POLLIN },
		};
		bool told = told_to_end(trial, false, false); /* "run" and "cancel" in one read */

		if (!told && poll(fds, array_size(fds), ms_until(end)) > 0)
			told = told_to_end(trial, fds[0].revents, fds[1].revents);
		if (told)
			return error_set(
				err, -ECANCELED, "cancelled before the benchmark was started");
	} while (ms_until(end));
	return 0;
}

static void send_term(struct watch *w)
{
	w->trial->signalled = true;
	keeper_tell(&w->trial->agent->keeper, KEEPER_TERM);
	w->phase = PHASE_TERM;
	w->next_ns = in_ms(w->trial->request.grace_ms);
}

/* SIGKILL is repeated: a process forked in the very moment of one may have escaped it. */
static void strike(struct watch *w)
{
	if (w->phase != PHASE_KILL)
		w->give_up_ns = in_ms(DEATH_MS);
	keeper_tell(&w->trial->agent->keeper, KEEPER_STRIKE);
	w->phase = PHASE_KILL;
	w->next_ns = in_ms(STRIKE_AGAIN_MS);
}

static void look_at_clock(struct watch *w)
{
	if (ms_until(w->next_ns))
		return;
	if (w->phase == PHASE_RUN) {
		w->trial->timed_out = true;
		send_term(w);
	} else {
		strike(w);
	}
}

static void hear_keeper(struct watch *w)
{
	struct trial *trial = w->trial;
	struct keeper_message m;

	if (keeper_hear(&trial->agent->keeper, &m) < 0) {
		if (trial->contain.dirfd >= 0)
			trial->contain.ops->strike(&trial->contain);
		kill(trial->child, SIGKILL);
		w->failure = error_set(w->err, -EIO, "the trial's keeper process was killed");
		return;
	}
	if (m.news != KEEPER_EXITED)
		return;
	trial->exited = true;
	trial->status = m.status;
	trial->usage = m.usage;
	trial->ended_ns = m.ended_ns;
	trial->left = m.count;
}

/* The end of this pipe without a word is the good news: exec has closed it. */
static void hear_report(struct watch *w)
{
	struct spawn_report report;
	ssize_t n = read(w->trial->report, &report, sizeof(report));

	if (n < 0 && errno == EINTR)
		return;
	if (n == sizeof(report))
		w->failure = spawn_failure(w->spawn, &report, w->err);
	close(w->trial->report);
	w->trial->report = -1;
}

static void watch_once(struct watch *w)
{
	struct trial *t = w->trial;
	struct pollfd fds[] = {
		{ .fd = t->agent->keeper.socket, .events = POLLIN },
		{ .fd = t->report, .events = POLLIN },
		{ .fd = t->out.read_end, .events = POLLIN },
		{ .fd = t->err.read_end, .events = POLLIN },
		{ .fd = t->agent->signals, .events = POLLIN },
		{ .fd = t->gone ? -1 : t->agent->channel.in, .events = POLLIN },
	};

	if (poll(fds, array_size(fds), ms_until(w->next_ns)) > 0) {
		if (fds[2].revents)
			capture_read(&t->out);
		if (fds[3].revents)
			capture_read(&t->err);
		if (fds[1].revents)
			hear_report(w);
		if (fds[0].revents)
			hear_keeper(w);
		if ((fds[4].revents || fds[5].revents) &&
			told_to_end(t, fds[5].revents, fds[4].revents) && w->phase == PHASE_RUN)
			send_term(w);
	}
	if (!t->exited && !w->failure)
		look_at_clock(w);
}

int trial_watch(struct trial *trial, const struct spawn *spawn, struct error *err)
{
	struct watch w = { .trial = trial,
		.spawn = spawn,
		.next_ns = trial->go_ns + (uint64_t)trial->request.timeout_ms * NS_PER_MS,
		.err = err };

	while (!trial->exited && !w.failure) {
		watch_once(&w);
		if (w.phase == PHASE_KILL && !trial->exited && !ms_until(w.give_up_ns))
			w.failure = error_set(err, -EIO,
				"the benchmark hangs in the kernel: SIGKILL has not ended it");
	}
	/* exec may have failed in the same moment as the exit was told */
	if (!w.failure && trial->report >= 0)
		hear_report(&w);
	return w.failure;
}

/* Return: true when both streams have ended. */
static bool drain(struct trial *trial)
{
	capture_read(&trial->out);
	capture_read(&trial->err);
	return trial->out.read_end < 0 && trial->err.read_end < 0;
}

/* Streams that have ended are passed over by poll(): then this is a pause. */
static void await_streams(struct trial *trial, int ms)
{
	struct pollfd fds[] = {
		{ .fd = trial->out.read_end, .events = POLLIN },
		{ .fd = trial->err.read_end, .events = POLLIN },
	};

	poll(fds, array_size(fds), ms);
}

static bool is_empty(struct trial *trial)
{
	if (trial->left)
		keeper_ask(&trial->agent->keeper, KEEPER_COUNT, KEEPER_COUNTED, &trial->left);
	return trial->left == 0;
}

void trial_clear(struct trial *trial)
{
	keeper_ask(&trial->agent->keeper, KEEPER_CLEAR, KEEPER_CLEARED, &trial->survivors);
	trial->left = 0;
}

void trial_settle(struct trial *trial)
{
	uint64_t end = in_ms(STRAGGLER_MS);

	while (!trial->signalled && ms_until(end) && !(drain(trial) && is_empty(trial)))
		await_streams(trial, 5);
	if (trial->left)
		trial_clear(trial);
	end = in_ms(DRAIN_MS);
	while (!drain(trial) && ms_until(end))
		await_streams(trial, 10);
}
