/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One QEMU process: its start, its channels, its saved states, its end. */
#ifndef RUNNERS_TARGET_GUEST_H
#define RUNNERS_TARGET_GUEST_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "spec/option.h"

struct guest;

/**
 * struct guest_start - how a guest is started
 * @args: QEMU and its arguments, without those for the channels and the console
 * @console: the file for the guest's console
 * @log: the file for what QEMU itself has to say
 * @state_fd: a saved state to go on from, -1 for a boot; stays the caller's
 * @cancelled: asked while a line of the agent is waited for: true ends that with -EINTR; may be NULL
 */
struct guest_start {
	const struct string_list *args;
	const char *console;
	const char *log;
	int state_fd;
	bool (*cancelled)(void *context);
	void *context;
};

/**
 * guest_new() - start QEMU
 *
 * It dies with the thread that called this, whatever way that ends, and does not get the terminal's
 * signals. Its channels are socket pairs: no files, and the host's end is there from the first
 * instant on, so that a guest that goes on from a saved state sees no interruption.
 */
int guest_new(const struct guest_start *start, struct guest **guest, struct error *err);
/** guest_fd() - the host's end of the agent's channel; the guest's own. */
int guest_fd(const struct guest *guest);
/** guest_alive() - true while QEMU runs. */
bool guest_alive(struct guest *guest);

/**
 * guest_read_line() - a line that the agent wrote, without its newline
 * @seconds: how long to wait for the whole line
 * Return: 0 with *line owned by the caller; -ETIMEDOUT; -EINTR; -EPIPE when QEMU ended.
 */
int guest_read_line(struct guest *guest, double seconds, char **line);
/** guest_write_line() - a line for the agent. Return: 0 or -errno. */
int guest_write_line(struct guest *guest, const char *line);
/**
 * guest_hand_over() - the channel is the caller's to read from now on
 * @hello: the agent's first line, put back in front of what it will write next; so a conversation
 *	begins with it also where the guest said it before its state was saved
 */
int guest_hand_over(struct guest *guest, const char *hello, struct error *err);

/** guest_save() - write the state of the running guest to a file; the guest is over after it. */
int guest_save(struct guest *guest, int fd, double seconds, struct error *err);
/** guest_wait_running() - wait until the agent of a guest started from a saved state answers. */
int guest_wait_running(struct guest *guest, double seconds, struct error *err);
/** guest_pin() - bind each virtual CPU's thread to a CPU of its own, if there are enough. */
int guest_pin(struct guest *guest, struct error *err);

/**
 * guest_kill() - end it now
 * Return: what happened to it, for a message: a panic's first line, how QEMU ended, its last words and
 * the console's last lines; owned by the caller.
 */
char *guest_kill(struct guest *guest);
/** guest_free() - ask QEMU to quit, kill it after @seconds, forget it; NULL is fine. */
void guest_free(struct guest *guest, double seconds);

#endif
