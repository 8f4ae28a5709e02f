/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "user.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

enum { PASSWD_NAME, PASSWD_UID = 2, PASSWD_GID, PASSWD_HOME = 5, PASSWD_FIELDS = 7 };
enum { GROUP_GID = 2, GROUP_MEMBERS, GROUP_FIELDS };

/* "daemon:x:1:1:daemon:/usr/sbin:/usr/sbin/nologin": cuts the line up in place. */
static size_t split(char *line, char **field, size_t max)
{
	size_t n = 0;

	while (line && n < max)
		field[n++] = strsep(&line, ":");
	return n;
}

static int parse_id(const char *text, const char *end, unsigned int *id)
{
	char *stop;
	unsigned long v;

	if (!isdigit((unsigned char)*text))
		return -EINVAL;
	errno = 0;
	v = strtoul(text, &stop, 10);
	if (stop != end || errno || v >= (unsigned int)-1)
		return -EINVAL;
	*id = (unsigned int)v;
	return 0;
}

static int parse_numbers(const char *text, struct user *user)
{
	const char *colon = strchr(text, ':');
	const char *end = text + strlen(text);

	if (parse_id(text, colon ? colon : end, &user->uid) < 0)
		return -EINVAL;
	user->gid = user->uid;
	if (colon && parse_id(colon + 1, end, &user->gid) < 0)
		return -EINVAL;
	user->home = xstrdup("/");
	return 0;
}

static int find_name(char *passwd, const char *name, struct user *user)
{
	char *save = NULL, *field[PASSWD_FIELDS];

	for (char *line = strtok_r(passwd, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		if (split(line, field, PASSWD_FIELDS) < PASSWD_FIELDS ||
			strcmp(field[PASSWD_NAME], name) != 0)
			continue;
		if (parse_id(field[PASSWD_UID], strchr(field[PASSWD_UID], '\0'), &user->uid) < 0 ||
			parse_id(field[PASSWD_GID], strchr(field[PASSWD_GID], '\0'), &user->gid) <
				0)
			return -EINVAL;
		user->home = xstrdup(field[PASSWD_HOME]);
		return 0;
	}
	return -ENOENT;
}

static bool is_member(char *members, const char *name)
{
	char *save = NULL;

	for (char *m = strtok_r(members, ",", &save); m; m = strtok_r(NULL, ",", &save))
		if (strcmp(m, name) == 0)
			return true;
	return false;
}

static void find_groups(const struct sysroot *root, const char *name, struct user *user)
{
	char *text, *save = NULL, *field[GROUP_FIELDS];
	unsigned int gid;

	user->groups[user->n_groups++] = user->gid;
	if (sysroot_read(root, "etc/group", &text, NULL, NULL) < 0)
		return;
	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		if (user->n_groups == USER_MAX_GROUPS ||
			split(line, field, GROUP_FIELDS) < GROUP_FIELDS ||
			parse_id(field[GROUP_GID], strchr(field[GROUP_GID], '\0'), &gid) < 0 ||
			!is_member(field[GROUP_MEMBERS], name))
			continue;
		user->groups[user->n_groups++] = gid;
	}
	free(text);
}

int user_lookup(const struct sysroot *root, const char *text, struct user *user, struct error *err)
{
	char *passwd;
	int r;

	*user = (struct user){ 0 };
	if (isdigit((unsigned char)*text)) {
		if (parse_numbers(text, user) == 0)
			return 0;
		return error_set(err, -EINVAL, "'%s' is no user; write a name or uid:gid", text);
	}
	r = sysroot_read(root, "etc/passwd", &passwd, NULL, err);
	if (r < 0)
		return r;
	r = find_name(passwd, text, user);
	free(passwd);
	if (r < 0)
		return error_set(err, r,
			"no user '%s' in etc/passwd of that machine; use uid:gid for one of a "
			"directory service",
			text);
	find_groups(root, text, user);
	return 0;
}

void user_release(struct user *user)
{
	free(user->home);
	*user = (struct user){ 0 };
}
