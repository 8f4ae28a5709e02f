/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "trial.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/json.h"
#include "base/strbuf.h"

static json_t *usage_json(const struct rusage *u)
{
	return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "user_us",
		(json_int_t)u->ru_utime.tv_sec * 1000000 + u->ru_utime.tv_usec, "system_us",
		(json_int_t)u->ru_stime.tv_sec * 1000000 + u->ru_stime.tv_usec, "maxrss_kb",
		(json_int_t)u->ru_maxrss, "minflt", (json_int_t)u->ru_minflt, "majflt",
		(json_int_t)u->ru_majflt, "nvcsw", (json_int_t)u->ru_nvcsw, "nivcsw",
		(json_int_t)u->ru_nivcsw);
}

static void set(json_t *object, const char *key, json_t *value)
{
	json_object_set_new(object, key, value);
}

/* Regular files only: the benchmark, perhaps another user's, must not make us read or wait for
 * anything else. A file larger than the limit is cut, and files_total says how large it was. */
static json_t *read_file(int folder, const char *name, size_t limit, json_t *totals)
{
	struct strbuf sb = STRBUF_INIT;
	struct stat st;
	json_t *content = json_null();
	int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0)
		return content;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode)) {
		int r = file_read_fd(fd, &sb, limit);

		if (r == 0 || r == -EFBIG)
			content = json_blob(strbuf_text(&sb), sb.len < limit ? sb.len : limit);
		set(totals, name, json_integer(st.st_size));
	}
	strbuf_release(&sb);
	close(fd);
	return content;
}

static void add_files(const struct trial *trial, json_t *result)
{
	json_t *files = json_object(), *totals = json_object();
	int folder = open(trial->folder, O_PATH | O_DIRECTORY | O_CLOEXEC);

	for (size_t i = 0; i < json_array_size(trial->request.files); i++) {
		const char *name = json_string_value(json_array_get(trial->request.files, i));

		set(files, name, read_file(folder, name, trial->request.max_output, totals));
	}
	if (folder >= 0)
		close(folder);
	set(result, "files", files);
	set(result, "files_total", totals);
}

static void add_stream(json_t *result, const char *name, const struct capture *capture)
{
	set(result, name, json_blob(strbuf_text(&capture->head), capture->head.len));
}

static void add_end(const struct trial *trial, json_t *result)
{
	int status = trial->status;

	set(result, "exit", WIFEXITED(status) ? json_integer(WEXITSTATUS(status)) : json_null());
	set(result, "signal", WIFSIGNALED(status) ? json_integer(WTERMSIG(status)) : json_null());
	set(result, "signalled", json_boolean(trial->signalled));
	set(result, "timed_out", json_boolean(trial->timed_out));
	set(result, "cancelled", json_boolean(trial->cancelled));
	set(result, "survivors", json_integer((json_int_t)trial->survivors));
	set(result, "contained", json_string(trial->contained));
}

json_t *trial_result(const struct trial *trial)
{
	json_t *result = json_object();

	set(result, "nonce", json_string(trial->request.nonce));
	set(result, "started_ns", json_integer((json_int_t)trial->started_ns));
	set(result, "elapsed_ns", json_integer((json_int_t)(trial->ended_ns - trial->go_ns)));
	add_end(trial, result);
	add_stream(result, "stdout", &trial->out);
	add_stream(result, "stderr", &trial->err);
	set(result, "stdout_total", json_integer((json_int_t)trial->out.total));
	set(result, "stderr_total", json_integer((json_int_t)trial->err.total));
	add_files(trial, result);
	set(result, "rusage", usage_json(&trial->usage));
	set(result, "collect", collects_json(&trial->collects));
	/* Last: a reply that was cut or made up by anything else has no end. */
	set(result, "end", json_string(trial->request.nonce));
	return result;
}
