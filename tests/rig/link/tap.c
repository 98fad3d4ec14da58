/* SPDX-License-Identifier: MIT */
#include "tap.h"

#include "base/cleanup.h"
#include "base/path.h"
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <sched.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#define QUEUE_FRAMES 8192

/* Gives the file descriptor, or a negative errno. */
static int make_tap(const char *name)
{
	struct ifreq ifr = {.ifr_flags = (short)(IFF_TAP | IFF_NO_PI)};
	cleanup_close int sock = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	int fd = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);

	if (sock < 0 || fd < 0)
		return -errno;
	(void)snprintf(ifr.ifr_name, sizeof(ifr.ifr_name), "%s", name);
	int r = ioctl(fd, TUNSETIFF, &ifr);
	ifr.ifr_qlen = QUEUE_FRAMES;
	if (r == 0)
		r = ioctl(sock, SIOCSIFTXQLEN, &ifr);
	if (r < 0) {
		r = -errno;
		(void)close(fd);
		return r;
	}
	return fd;
}

static int adopt(const char *number, int *ret_fd, struct t1s_error *e)
{
	uint64_t fd;

	if (t1s_parse_uint(number, INT_MAX, &fd) < 0)
		return t1s_error_set(e, EINVAL, "\"fd:%s\": expected fd:NUMBER", number);
	int flags = fcntl((int)fd, F_GETFL);
	if (flags < 0 || fcntl((int)fd, F_SETFL, flags | O_NONBLOCK) < 0)
		return t1s_error_set(e, errno, "fd:%s: %m", number);
	*ret_fd = (int)fd;
	return 0;
}

int t1s_tap_open(const char *spec, int *ret_fd, struct t1s_error *e)
{
	if (strncmp(spec, "fd:", 3) == 0)
		return adopt(spec + 3, ret_fd, e);

	const char *colon = strchr(spec, ':');
	char path[PATH_MAX];

	if (!colon || !colon[1] || strlen(colon + 1) >= IFNAMSIZ)
		return t1s_error_set(e, EINVAL, "\"%s\": expected NETNS:IFNAME", spec);
	if (t1s_path(path, "", "/run/netns/%.*s", (int)(colon - spec), spec) < 0)
		return t1s_error_set(e, ENAMETOOLONG, "\"%s\" is too long", spec);

	cleanup_close int home = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	cleanup_close int there = open(path, O_RDONLY | O_CLOEXEC);
	if (home < 0 || there < 0)
		return t1s_error_set(e, errno, "%s: %m", path);
	if (setns(there, CLONE_NEWNET) < 0)
		return t1s_error_set(e, errno, "%s: cannot enter it: %m", path);
	int fd = make_tap(colon + 1);
	if (setns(home, CLONE_NEWNET) < 0)
		return t1s_error_set(
			e, errno, "cannot go back to the first namespace: %m");
	if (fd < 0)
		return t1s_error_set(
			e, -fd, "%s: cannot make the interface: %s", spec, strerror(-fd));
	*ret_fd = fd;
	return 0;
}
