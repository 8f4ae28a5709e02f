/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parent of a trial's processes.
 *
 * A keeper is forked before the first trial and lives as long as its agent. It starts the benchmark,
 * is the subreaper of all that it starts, and kills everything when it is told to, or when the agent
 * is gone, by whatever death. It is in neither the benchmark's cgroup nor the agent's session. */
#ifndef AGENT_KEEPER_H
#define AGENT_KEEPER_H

#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "base/error.h"
#include "contain.h"
#include "spawn.h"

/** struct keeper - the agent's hold on it; @socket -1 when there is none */
struct keeper {
	pid_t pid;
	int socket;
};

#define KEEPER_INIT ((struct keeper){ .socket = -1 })

/** enum keeper_order - what the agent tells it */
enum keeper_order {
	KEEPER_SPAWN = 'B',  /* start a benchmark: keeper_spawn() */
	KEEPER_TERM = 'T',   /* SIGTERM to every process in there */
	KEEPER_STRIKE = 'S', /* SIGKILL to every process in there, without waiting for the end */
	KEEPER_COUNT = 'C',  /* answer how many live in there */
	KEEPER_CLEAR = 'K',  /* kill all, answer how many there were */
	KEEPER_LEAVE = 'L',  /* remove the container, which is empty, and the trial's folder */
};

/** enum keeper_news - what it tells the agent */
enum keeper_news {
	KEEPER_EXITED,	/* @status, @usage, @ended_ns of the benchmark's first process; @count */
	KEEPER_COUNTED, /* @count: how many live */
	KEEPER_CLEARED, /* @count: how many had to be killed */
};

/** struct keeper_message - between two processes of one binary; never stored or sent farther */
struct keeper_message {
	enum keeper_news news;
	int status;
	struct rusage usage;
	uint64_t ended_ns;
	size_t count;
};

/** keeper_ready() - have a keeper: fork the first one, replace one that was killed. */
int keeper_ready(struct keeper *keeper, const struct sysroot *machine, struct error *err);
/**
 * keeper_spawn() - have it start a benchmark
 * The benchmark's process answers itself, at the other end of spawn->report. Until it calls exec, or
 * ends because the other end of spawn->go was closed, the keeper obeys no order.
 */
int keeper_spawn(struct keeper *keeper, const struct spawn *spawn, const struct contain *contain,
	struct error *err);
/** keeper_tell() - send an order. Return: 0 or -errno. */
int keeper_tell(struct keeper *keeper, enum keeper_order order);
/** keeper_hear() - wait for a message. Return: 0, or -EPIPE when the keeper is gone. */
int keeper_hear(struct keeper *keeper, struct keeper_message *message);
/**
 * keeper_ask() - send an order and wait for its answer; other news are passed over
 * Return: 0, or -EPIPE when the keeper is gone.
 */
int keeper_ask(
	struct keeper *keeper, enum keeper_order order, enum keeper_news answer, size_t *count);
/** keeper_dismiss() - end it and wait for that; nothing of a trial is left running. */
void keeper_dismiss(struct keeper *keeper);

#endif
