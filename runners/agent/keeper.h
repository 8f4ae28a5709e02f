/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parent of a trial's processes.
 *
 * A keeper is forked for each trial, starts the benchmark, is the subreaper of all that it starts,
 * and kills everything when it is told to, or when the agent is gone, by whatever death. It is in
 * neither the benchmark's cgroup nor the agent's session. */
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
	KEEPER_TERM = 'T',   /* SIGTERM to every process in there */
	KEEPER_STRIKE = 'S', /* SIGKILL to every process in there, without waiting for the end */
	KEEPER_COUNT = 'C',  /* answer how many live in there */
	KEEPER_KILL = 'K',   /* kill all, answer how many there were */
	KEEPER_QUIT = 'Q',   /* kill all, leave the trial's folder to the agent */
};

/** enum keeper_news - what it tells the agent */
enum keeper_news {
	KEEPER_STARTED, /* @pid, or a negative errno in its place */
	KEEPER_EXITED,	/* @status, @usage, @ended_ns of the benchmark's first process */
	KEEPER_COUNTED, /* @count */
	KEEPER_KILLED,	/* @count */
};

/** struct keeper_message - between two processes of one binary; never stored or sent farther */
struct keeper_message {
	enum keeper_news news;
	pid_t pid;
	int status;
	struct rusage usage;
	uint64_t ended_ns;
	size_t count;
};

/**
 * keeper_start() - fork the keeper, which starts the benchmark
 * Its first message is KEEPER_STARTED. The container is the keeper's from here on.
 */
int keeper_start(struct keeper *keeper, const struct spawn *spawn, struct contain *contain,
	struct error *err);
/** keeper_tell() - send an order. Return: 0 or -errno. */
int keeper_tell(struct keeper *keeper, enum keeper_order order);
/** keeper_hear() - wait for a message. Return: 0, or -EPIPE when the keeper is gone. */
int keeper_hear(struct keeper *keeper, struct keeper_message *message);
/** keeper_finish() - end it and wait for that; nothing of the trial is left running. */
void keeper_finish(struct keeper *keeper);

#endif
