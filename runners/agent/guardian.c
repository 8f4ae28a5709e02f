/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "guardian.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/strbuf.h"
#include "base/file.h"
#include "process.h"
#include "undo_log.h"

static void put_all_back(
	const struct sysroot *root, int undo_fd, const char *undo_file, const char *boot_id)
{
	struct changes changes = CHANGES_INIT;
	struct strbuf text = STRBUF_INIT;
	json_t *ignored = json_array();

	if (lseek(undo_fd, 0, SEEK_SET) == 0 && file_read_fd(undo_fd, &text, SIZE_MAX) == 0)
		undo_log_parse(strbuf_text(&text), text.len, &changes);
	if (changes_restore(root, &changes, boot_id, ignored, ignored) == 0)
		unlink(undo_file);
	json_decref(ignored);
	strbuf_release(&text);
	changes_release(&changes);
}

static void guard(const struct sysroot *root, int pipe_end, int undo_fd, const char *undo_file,
	const char *boot_id)
{
	char word;
	ssize_t n;

	do {
		n = read(pipe_end, &word, 1);
	} while (n < 0 && errno == EINTR);
	if (n == 0)
		put_all_back(root, undo_fd, undo_file, boot_id);
	_exit(0);
}

int guardian_start(struct guardian *guardian, const struct sysroot *root, int undo_fd,
	const char *undo_file, const char *boot_id, struct error *err)
{
	struct sysroot machine;
	int ends[2];

	if (guardian->pipe >= 0 && waitpid(guardian->pid, NULL, WNOHANG) == 0)
		return 0;
	if (guardian->pipe >= 0)
		close(guardian->pipe);
	guardian->pipe = -1;
	if (pipe2(ends, O_CLOEXEC) < 0)
		return error_sys(err, -errno, "cannot make a pipe to the guardian");
	guardian->pid = fork();
	if (guardian->pid < 0) {
		close(ends[0]);
		close(ends[1]);
		return error_sys(err, -errno, "cannot start the guardian");
	}
	if (guardian->pid == 0) {
		process_become_helper("harness-guard", (int[]){ ends[0], undo_fd, root->dirfd }, 3);
		if (sysroot_open(&machine, "/", NULL) == 0)
			process_spare_from_oom(&machine);
		guard(root, ends[0], undo_fd, undo_file, boot_id);
	}
	close(ends[0]);
	guardian->pipe = ends[1];
	return 0;
}

void guardian_dismiss(struct guardian *guardian)
{
	if (guardian->pipe < 0)
		return;
	file_write_all(guardian->pipe, "q", 1);
	close(guardian->pipe);
	waitpid(guardian->pid, NULL, 0);
	*guardian = GUARDIAN_INIT;
}
