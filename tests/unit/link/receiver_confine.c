/* SPDX-License-Identifier: MIT */
/* What the receiver's process may still do once it has given up the rest. */
#include "link/receiver_confine.h"

#include "scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[SCRATCH_MAX];

/* Runs @attempt in a confined process; what it returns is 0 or a positive errno. */
static int confined(int (*attempt)(void))
{
	int status;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0)
		_exit(t1s_confine_calls() < 0 ? 255 : attempt());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static int outcome(long result)
{
	return result < 0 ? errno : 0;
}

static int open_a_file(void)
{
	return outcome(open("/etc/passwd", O_RDONLY | O_CLOEXEC));
}

static int write_a_file_that_exists(void)
{
	char path[SCRATCH_MAX + 8];

	(void)snprintf(path, sizeof(path), "%s/old", folder);
	return outcome(open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
}

static int list_a_folder(void)
{
	return outcome(open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

static int run_a_program(void)
{
	return outcome(execl("/bin/true", "true", (char *)NULL));
}

static int make_a_process(void)
{
	return outcome(fork());
}

static int signal_the_parent(void)
{
	return outcome(kill(getppid(), 0));
}

static int trace_the_parent(void)
{
	return outcome(ptrace(PTRACE_ATTACH, getppid(), NULL, NULL));
}

static int read_the_parents_memory(void)
{
	return outcome(process_vm_readv(getppid(), NULL, 0, NULL, 0, 0));
}

static int talk_to_a_local_service(void)
{
	return outcome(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
}

static int talk_to_the_kernel(void)
{
	return outcome(socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, 0));
}

static int make_memory_executable(void)
{
	return mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		       0) == MAP_FAILED
		       ? errno
		       : 0;
}

static int rename_a_file(void)
{
	char path[SCRATCH_MAX + 8];

	(void)snprintf(path, sizeof(path), "%s/old", folder);
	return outcome(rename(path, folder));
}

static int widen_a_limit(void)
{
	return outcome(unshare(CLONE_NEWUSER));
}

static void all_else_is_refused(void **state)
{
	static int (*const attempts[])(void) = {open_a_file, write_a_file_that_exists,
		list_a_folder, run_a_program, make_a_process, signal_the_parent,
		trace_the_parent, read_the_parents_memory, talk_to_a_local_service,
		talk_to_the_kernel, make_memory_executable, rename_a_file, widen_a_limit};

	(void)state;
	for (size_t i = 0; i < sizeof(attempts) / sizeof(attempts[0]); i++) {
		int found = confined(attempts[i]);

		if (found != EPERM)
			fail_msg("attempt %zu: %s", i, strerror(found));
	}
}

static int make_a_new_file(void)
{
	char path[SCRATCH_MAX + 8];
	int fd;

	(void)snprintf(path, sizeof(path), "%s/XXXXXX", folder);
	fd = mkstemp(path);
	if (fd < 0 || write(fd, "x", 1) != 1 || ftruncate(fd, 4096) < 0)
		return errno;
	return mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0) == MAP_FAILED
		       ? errno
		       : outcome(unlink(path));
}

static void *end_at_once(void *data)
{
	return data;
}

static int make_a_thread(void)
{
	pthread_t thread;
	int r = pthread_create(&thread, NULL, end_at_once, NULL);

	return r != 0 ? r : pthread_join(thread, NULL);
}

static int open_sockets(void)
{
	return outcome(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) +
	       outcome(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
}

static void what_a_server_does_is_allowed(void **state)
{
	(void)state;
	assert_int_equal(confined(make_a_new_file), 0);
	assert_int_equal(confined(make_a_thread), 0);
	assert_int_equal(confined(open_sockets), 0);
}

static void a_peer_that_is_no_address_is_refused(void **state)
{
	struct t1s_receiver_config config = {.interface = "lo", .peer = "sender.example"};
	struct t1s_door door;

	(void)state;
	assert_int_equal(t1s_door_make(&config, &door), -EINVAL);
}

static struct sockaddr_storage address(const char *text)
{
	struct t1s_receiver_config config = {.interface = "lo"};
	struct t1s_door door;

	(void)snprintf(config.peer, sizeof(config.peer), "%s", text);
	assert_int_equal(t1s_door_make(&config, &door), 0);
	return door.peer;
}

static void only_the_peer_is_known(void **state)
{
	const struct t1s_door four = {.peer = address("192.0.2.1")},
			      six = {.peer = address("2001:db8::1")};
	const struct sockaddr_storage same4 = address("192.0.2.1"),
				      other4 = address("192.0.2.2"),
				      same6 = address("2001:db8::1"),
				      other6 = address("2001:db8::2"), none = {0};

	(void)state;
	assert_true(t1s_door_knows(&four, &same4));
	assert_false(t1s_door_knows(&four, &other4));
	assert_false(t1s_door_knows(&four, &same6));
	assert_true(t1s_door_knows(&six, &same6));
	assert_false(t1s_door_knows(&six, &other6));
	assert_false(t1s_door_knows(&six, &none));
}

static int prepare(void **state)
{
	char path[SCRATCH_MAX + 8];
	int fd;

	(void)state;
	assert_int_equal(scratch_make(folder), 0);
	(void)snprintf(path, sizeof(path), "%s/old", folder);
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	(void)close(fd);
	return fd < 0 ? -1 : 0;
}

static int clear(void **state)
{
	(void)state;
	return scratch_remove(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_else_is_refused),
		cmocka_unit_test(what_a_server_does_is_allowed),
		cmocka_unit_test(a_peer_that_is_no_address_is_refused),
		cmocka_unit_test(only_the_peer_is_known),
	};

	return cmocka_run_group_tests(tests, prepare, clear);
}
