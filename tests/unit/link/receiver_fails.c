/* SPDX-License-Identifier: MIT */
/* Servers that do not come to listening: a system call of theirs is rigged. */
#include "receiver_case.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

/* From here on in this process and its children, the system call answers as given. */
static int rig_call(uint32_t call, uint32_t answer)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, answer),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {
		.len = sizeof(code) / sizeof(code[0]), .filter = code};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return -errno;
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) < 0 ? -errno : 0;
}

enum { AS_EXPECTED, NO_SECCOMP, OTHERWISE };

/* Starts a receiver whose call answers so, in a process of its own. */
static int start_with_call(
	uint32_t call, uint32_t answer, uint64_t wait_us, int expected, const char *word)
{
	int status;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0) {
		struct t1s_receiver r = {.pid = 0};
		int k, code = AS_EXPECTED;

		if (rig_call(call, answer) < 0)
			_exit(NO_SECCOMP);
		k = t1s_receiver_start(&config, t1s_now_us() + wait_us, &r, &error);
		if (k != expected || r.pid != 0 || !strstr(error.text, word)) {
			(void)fprintf(stderr, "%d: %s\n", k, error.text);
			code = OTHERWISE;
		}
		if (waitpid(-1, NULL, WNOHANG) != -1)
			code = OTHERWISE;
		_exit(code);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == NO_SECCOMP)
		skip();
	return WEXITSTATUS(status);
}

static void server_that_fails_at_once_is_echild_in_its_own_words(void **state)
{
	(void)state;
	assert_int_equal(
		start_with_call(SYS_listen, SECCOMP_RET_ERRNO | EACCES, START_US, -ECHILD,
			"unable to start listener for connections: Permission "
			"denied"),
		AS_EXPECTED);
}

static void server_that_dies_at_once_is_echild_with_the_signal(void **state)
{
	(void)state;
	assert_int_equal(start_with_call(SYS_listen, SECCOMP_RET_KILL_PROCESS, START_US,
				 -ECHILD, "signal 31"),
		AS_EXPECTED);
}

static void server_that_never_listens_is_etimedout_and_ended(void **state)
{
	(void)state;
	/* bind() claims success and does nothing, so that it listens elsewhere */
	assert_int_equal(start_with_call(SYS_bind, SECCOMP_RET_ERRNO,
				 100 * T1S_USEC_PER_MSEC, -ETIMEDOUT, "in time"),
		AS_EXPECTED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		receiver_test(server_that_fails_at_once_is_echild_in_its_own_words),
		receiver_test(server_that_dies_at_once_is_echild_with_the_signal),
		receiver_test(server_that_never_listens_is_etimedout_and_ended),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
