/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "init_setup.h"

#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/file.h"

#define PORT_NAME "harness"
#define MODULES_LIST "modules.list"

enum {
	/* Devices appear within a second; an emulated and loaded machine may need many. */
	PORT_TRIES = 1500,
	PORT_PAUSE_NS = 20000000,
	MODULE_COMPRESSED = 4, /* MODULE_INIT_COMPRESSED_FILE, since Linux 5.17 */
};

void init_say(const char *fmt, ...)
{
	va_list ap;
	char *text;

	va_start(ap, fmt);
	text = xvasprintf(fmt, ap);
	va_end(ap);
	fprintf(stderr, "harness-agent: %s\n", text);
	free(text);
}

/* sysroot-ok: these places are made here, there is no root to stand in for them */
static const struct {
	const char *type, *at, *options;
	bool needed;
} mounts[] = {
	{ "proc", "/proc", NULL, true },	   /* sysroot-ok: see above */
	{ "sysfs", "/sys", NULL, true },	   /* sysroot-ok: see above */
	{ "devtmpfs", "/dev", "mode=0755", true }, /* sysroot-ok: see above */
	{ "devpts", "/dev/pts", "mode=0620", false }, { "tmpfs", "/dev/shm", "mode=1777", false },
	{ "tmpfs", "/tmp", "mode=1777", true }, { "tmpfs", "/run", "mode=0755", true },
	{ "debugfs", "/sys/kernel/debug", NULL, false },   /* sysroot-ok: see above */
	{ "tracefs", "/sys/kernel/tracing", NULL, false }, /* sysroot-ok: see above */
	{ "cgroup2", "/sys/fs/cgroup", NULL, false },	   /* sysroot-ok: see above */
};

int init_mounts(struct error *err)
{
	for (size_t i = 0; i < array_size(mounts); i++) {
		mkdir(mounts[i].at, 0755);
		if (mount(mounts[i].type, mounts[i].at, mounts[i].type, 0, mounts[i].options) ==
				0 ||
			errno == EBUSY)
			continue;
		if (mounts[i].needed)
			return error_sys(err, -errno, "cannot mount %s at '%s'", mounts[i].type,
				mounts[i].at);
		init_say("no %s at %s: %s", mounts[i].type, mounts[i].at, strerror(errno));
	}
	return 0;
}

void init_console(void)
{
	int fd = open("/dev/console", O_RDWR | O_NOCTTY | O_CLOEXEC);

	for (int to = 0; fd >= 0 && to <= 2; to++)
		dup2(fd, to);
	if (fd > 2)
		close(fd);
}

void init_loopback(void)
{
	struct ifreq request = { .ifr_name = "lo" };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return; /* a kernel without a network */
	if (ioctl(fd, SIOCGIFFLAGS, &request) == 0) {
		request.ifr_flags |= IFF_UP;
		ioctl(fd, SIOCSIFFLAGS, &request);
	}
	close(fd);
}

static void load_module(const struct sysroot *machine, const char *path, const char *parameters)
{
	const char *dot = strrchr(path, '.');
	int flags = dot && strcmp(dot, ".ko") != 0 ? MODULE_COMPRESSED : 0;
	int fd = sysroot_openat(machine, path, O_RDONLY);

	if (fd < 0) {
		init_say("cannot open the module '%s': %s", path, strerror(-fd));
		return;
	}
	if (syscall(SYS_finit_module, fd, parameters, flags) < 0 && errno != EEXIST)
		init_say("cannot load the module '%s': %s", path, strerror(errno));
	close(fd);
}

void init_modules(const struct sysroot *machine)
{
	char *list, *save = NULL;

	if (sysroot_read(machine, MODULES_LIST, &list, NULL, NULL) < 0)
		return;
	for (char *line = strtok_r(list, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		char *parameters = line;
		char *path = strsep(&parameters, " \t");

		if (*path && *path != '#')
			load_module(machine, path, parameters ? parameters : "");
	}
	free(list);
}

/* "sys/class/virtio-ports/vport1p1/name" that says "harness" -> "dev/vport1p1", or NULL. */
static char *find_port(const struct sysroot *machine)
{
	char **names, *text, *device = NULL;
	int n = sysroot_glob(machine, "sys/class/virtio-ports/*/name", &names);

	for (int i = 0; i < n && !device; i++) {
		if (sysroot_read_line(machine, names[i], &text, NULL) < 0)
			continue;
		if (strcmp(text, PORT_NAME) == 0) {
			*strrchr(names[i], '/') = '\0';
			device = xasprintf("dev/%s", file_basename(names[i]));
		}
		free(text);
	}
	sysroot_glob_free(names, n);
	return device;
}

int init_port(const struct sysroot *machine, struct error *err)
{
	for (int i = 0; i < PORT_TRIES; i++) {
		char *device = find_port(machine);
		int fd = device ? sysroot_openat(machine, device, O_RDWR) : -ENOENT;

		free(device);
		if (fd >= 0)
			return fd;
		clock_sleep_ns(PORT_PAUSE_NS);
	}
	return error_set(err, -ENODEV,
		"no virtio-serial port named '" PORT_NAME
		"'; are the virtio modules in /" MODULES_LIST "?");
}
