/* SPDX-License-Identifier: MIT */
#include "mounts.h"

#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

int with_own_mounts(int (*fn)(const void *arg), const void *arg)
{
	int status;
	pid_t child = fork();

	if (child < 0)
		return CANNOT_MOUNT;
	if (child == 0) {
		if (unshare(CLONE_NEWNS) < 0 ||
			mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
			_exit(CANNOT_MOUNT);
		_exit(fn(arg));
	}
	if (waitpid(child, &status, 0) != child || !WIFEXITED(status))
		return 76;
	return WEXITSTATUS(status);
}
