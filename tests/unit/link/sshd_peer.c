/* SPDX-License-Identifier: MIT */
#include "sshd_peer.h"

#include "base/file.h"
#include "scratch.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netinet/in.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define SSHD "/usr/sbin/sshd"

struct peer peer;

static _Noreturn void skip_all(const char *why)
{
	(void)printf("skipped: %s\n", why);
	exit(SKIPPED);
}

void peer_enter(void)
{
	if (geteuid() != 0)
		skip_all("must be root for namespaces and sshd");
	if (access(SSHD, X_OK) < 0)
		skip_all(SSHD " is missing (apt install openssh-server)");
	if (unshare(CLONE_NEWNS | CLONE_NEWNET) < 0)
		skip_all("no new namespaces may be made here");
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
		mount("tmpfs", "/run", "tmpfs", 0, "mode=755") < 0 ||
		mkdir("/run/sshd", 0755) < 0)
		skip_all("no mounts may be made here");
}

const char *peer_path(const char *format, ...)
{
	static char buffers[8][PATH_MAX];
	static unsigned int next;
	char *buffer = buffers[next++ % 8];
	int n = snprintf(buffer, PATH_MAX, "%s/", peer.folder);
	va_list ap;

	va_start(ap, format);
	(void)vsnprintf(buffer + n, PATH_MAX - (size_t)n, format, ap);
	va_end(ap);
	return buffer;
}

void peer_shell(const char *format, ...)
{
	char command[4096];
	va_list ap;

	va_start(ap, format);
	(void)vsnprintf(command, sizeof(command), format, ap);
	va_end(ap);
	if (system(command) != 0)
		fail_msg("failed: %s", command);
}

void peer_line(char *ret, size_t size, const char *format, ...)
{
	char command[4096];
	va_list ap;
	FILE *f;

	va_start(ap, format);
	(void)vsnprintf(command, sizeof(command), format, ap);
	va_end(ap);
	f = popen(command, "r");
	assert_non_null(f);
	assert_non_null(fgets(ret, (int)size, f));
	assert_int_equal(pclose(f), 0);
	ret[strcspn(ret, "\n")] = '\0';
}

void peer_write(const char *path, const char *text)
{
	assert_int_equal(
		t1s_replace_file(path, text, strlen(text), 0644, false, NULL), 0);
}

void peer_assert_says(const char *text, const char *word)
{
	if (!strstr(text, word))
		fail_msg("\"%s\" does not say \"%s\"", text, word);
}

/* Users of our own: the machine's may be locked, or have a login shell that talks. */
static void make_users(void)
{
	char text[512];

	peer_shell("mkdir -p %s/home/.ssh", peer.folder);
	(void)snprintf(text, sizeof(text),
		"root:x:0:0::%s/home:/bin/sh\n"
		"sshd:x:100:65534::/run/sshd:/usr/sbin/nologin\n",
		peer.folder);
	peer_write(peer_path("passwd"), text);
	peer_write(peer_path("shadow"), "root:*:19000::::::\nsshd:*:19000::::::\n");
	assert_int_equal(
		mount(peer_path("passwd"), "/etc/passwd", NULL, MS_BIND, NULL), 0);
	assert_int_equal(
		mount(peer_path("shadow"), "/etc/shadow", NULL, MS_BIND, NULL), 0);
}

/* Were they read, nothing would work any more: the server has no key of that kind. */
static void make_traps(void)
{
	static const char text[] = "Host *\n\tHostKeyAlgorithms ecdsa-sha2-nistp256\n"
				   "\tProxyCommand false\n\tPort 1\n";

	peer_write(peer_path("home/.ssh/config"), text);
	peer_write(peer_path("ssh_config"), text);
	assert_int_equal(mount(peer_path("ssh_config"), "/etc/ssh/ssh_config", NULL,
				 MS_BIND, NULL),
		0);
	assert_int_equal(setenv("HOME", peer_path("home"), 1), 0);
}

static void make_keys(void)
{
	peer_shell("ssh-keygen -q -t ed25519 -N '' -C '' -f %s/host_key", peer.folder);
	peer_shell("ssh-keygen -q -t ed25519 -N '' -C '' -f %s/key", peer.folder);
	peer_shell(
		"cp %s/key.pub %s/home/.ssh/authorized_keys", peer.folder, peer.folder);
	peer_shell("echo \"[127.0.0.1]:%d $(cat %s/host_key.pub)\" > %s/known_hosts",
		SSHD_PORT, peer.folder, peer.folder);
}

static void wait_listening(unsigned int port)
{
	struct sockaddr_in a = {.sin_family = AF_INET,
		.sin_port = htons((uint16_t)port),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	uint64_t deadline_us = in_ms(20000);

	for (;;) {
		int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
		int r = connect(fd, (struct sockaddr *)&a, sizeof(a));

		(void)close(fd);
		if (r == 0)
			return;
		if (t1s_now_us() >= deadline_us)
			fail_msg(
				"no sshd on port %u; see %s/sshd.log", port, peer.folder);
		t1s_sleep_us(10 * T1S_USEC_PER_MSEC);
	}
}

pid_t peer_sshd(unsigned int port, const char *line)
{
	char text[1024];
	const char *config = peer_path("sshd_config.%u", port);
	const char *log = peer_path("sshd.log");
	pid_t pid;

	(void)snprintf(text, sizeof(text),
		"%s\nPort %u\nListenAddress 127.0.0.1\nListenAddress ::1\n"
		"HostKey %s/host_key\nAuthorizedKeysFile %s/home/.ssh/authorized_keys\n"
		"PidFile none\nUsePAM no\nStrictModes no\nPermitRootLogin yes\n"
		"PasswordAuthentication no\nKbdInteractiveAuthentication no\n"
		"LogLevel VERBOSE\n%s\n",
		line, port, peer.folder, peer.folder,
		strstr(line, "MaxStartups") ? "" : "MaxStartups 100");
	peer_write(config, text);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		/* not by -E: late children of sshd would make the file anew */
		int fd = open(log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);

		(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (dup2(fd, STDERR_FILENO) >= 0)
			(void)execl(SSHD, SSHD, "-D", "-e", "-f", config, (char *)NULL);
		_exit(127);
	}
	wait_listening(port);
	return pid;
}

void peer_end(pid_t pid)
{
	assert_int_equal(kill(pid, SIGTERM), 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

int peer_start(void **state)
{
	(void)state;
	assert_int_equal(scratch_make(peer.folder), 0);
	assert_int_equal(chmod(peer.folder, 0755), 0);
	peer_shell("ip link set lo up");
	make_users();
	make_traps();
	make_keys();
	peer.sshd = peer_sshd(SSHD_PORT, "");
	return 0;
}

int peer_stop(void **state)
{
	(void)state;
	peer_end(peer.sshd);
	(void)umount("/etc/ssh/ssh_config");
	(void)umount("/etc/shadow");
	(void)umount("/etc/passwd");
	return scratch_remove(peer.folder);
}

static unsigned int count_open_files(void)
{
	unsigned int n = 0;
	DIR *d = opendir("/proc/self/fd");

	assert_non_null(d);
	while (readdir(d))
		n++;
	(void)closedir(d);
	return n;
}

int peer_before(void **state)
{
	struct t1s_sender_config *c = &peer.config;

	(void)state;
	*c = (struct t1s_sender_config){
		.host = "127.0.0.1", .user = "root", .port = SSHD_PORT};
	(void)snprintf(c->key_file, sizeof(c->key_file), "%s/key", peer.folder);
	(void)snprintf(
		c->known_hosts, sizeof(c->known_hosts), "%s/known_hosts", peer.folder);
	peer.open_files = count_open_files();
	return 0;
}

int peer_after(void **state)
{
	(void)state;
	assert_int_equal(count_open_files(), peer.open_files);
	/* of the children, only the one sshd is there */
	assert_int_equal(waitpid(-1, NULL, WNOHANG), 0);
	return 0;
}
