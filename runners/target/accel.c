/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "runners/target/accel.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/json.h"

enum { MAX_FILE = 1 << 20 };

/* {"boot_id": "...", "answers": {KEY: "" when it works, else why it does not}} */
static json_t *load(const char *path, const char *boot_id)
{
	json_t *kept = NULL;
	char *text = NULL;
	size_t len = 0;

	if (file_read(path, MAX_FILE, &text, &len, NULL) == 0)
		json_parse(text, len, &kept, NULL);
	free(text);
	if (kept && strcmp(json_str(kept, "boot_id", ""), boot_id) == 0 &&
		json_is_object(json_object_get(kept, "answers")))
		return kept;
	json_decref(kept);
	return json_pack("{s:s, s:{}}", "boot_id", boot_id, "answers");
}

/* An answer that can't be kept is sought again, that is all. */
static void store(const char *path, const json_t *kept)
{
	char *text = json_line(kept);

	file_replace(path, text, strlen(text), 0644, NULL);
	free(text);
}

static char *first_line(const char *text)
{
	return xmemdup0(text, strcspn(text, "\n"));
}

static char *ask(const struct accel_probe *probe)
{
	char *path = file_join(probe->state_dir, "kvm-probe.json"), *answer;
	json_t *kept = load(path, probe->boot_id), *answers = json_object_get(kept, "answers");
	const char *known = json_str(answers, probe->key, NULL);
	struct error err = ERROR_INIT;

	if (known) {
		answer = xstrdup(known);
	} else {
		answer = probe->try_boot(probe->context, &err) == 0 ? xstrdup("")
								    : first_line(error_text(&err));
		json_object_set_new(answers, probe->key, json_string(answer));
		store(path, kept);
	}
	error_release(&err);
	json_decref(kept);
	free(path);
	return answer;
}

bool accel_kvm_works(const struct accel_probe *probe, char **why_not)
{
	int fd = open(probe->device, O_RDWR | O_CLOEXEC);
	char *answer;

	if (fd < 0) {
		*why_not = xasprintf("cannot open '%s': %s", probe->device, strerror(errno));
		return false;
	}
	close(fd);
	answer = ask(probe);
	if (*answer == '\0') {
		free(answer);
		return true;
	}
	*why_not = xasprintf("a trial boot with KVM failed: %s", answer);
	free(answer);
	return false;
}
