/* SPDX-License-Identifier: MIT */
/* The receiver and a stock iperf3 client, on the loopback of a namespace of their own. */
#include "link/iperf.h"
#include "link/receiver.h"

#include "base/clock.h"
#include "base/file.h"
#include "scratch.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <netinet/in.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define SKIPPED 77
#define PORT 5201
#define NOBODY 65534
#define LONG_US (30 * T1S_USEC_PER_SEC)
#define UDP "-u -b 10M -l 1448 "

static char folder[SCRATCH_MAX];
static struct t1s_receiver_config config;
static struct t1s_receiver receiver;
static struct t1s_iperf_result result;
static char sender_error[256];

static int prepare(void **state)
{
	(void)state;
	assert_int_equal(scratch_make(folder), 0);
	config = (struct t1s_receiver_config){.address = "127.0.0.1",
		.interface = "lo",
		.peer = "127.0.0.1",
		.port = PORT,
		.max_bytes = 1 << 20};
	(void)snprintf(config.json_file, sizeof(config.json_file), "%s/r.json", folder);
	return 0;
}

static int clear(void **state)
{
	(void)state;
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	return scratch_remove(folder);
}

static void start(void)
{
	struct t1s_error e = {""};

	if (t1s_receiver_start(&config, t1s_now_us() + LONG_US, &receiver, &e) < 0)
		fail_msg("%s", e.text);
}

/* A client in the background; what it writes goes to NAME.json. */
static pid_t client(const char *name, const char *arguments)
{
	char command[512];
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid > 0)
		return pid;
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	(void)snprintf(command, sizeof(command),
		"exec iperf3 -J -p %d %s >%s/%s.json 2>&1", PORT, arguments, folder,
		name);
	(void)execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	_exit(127);
}

static void wait_for(pid_t pid)
{
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static char *contents(const char *name, size_t *ret_size)
{
	char path[128], *data;

	(void)snprintf(path, sizeof(path), "%s/%s.json", folder, name);
	assert_int_equal(t1s_read_file(path, 1 << 20, &data, ret_size, NULL), 0);
	return data;
}

static void finish(void)
{
	assert_int_equal(t1s_receiver_finish(&receiver, t1s_now_us() + LONG_US), 0);
}

static void read_result(const struct t1s_iperf_expect *expect)
{
	size_t size;
	char *data = contents("r", &size);

	t1s_iperf_read(data, size, expect, &result);
	free(data);
}

static void add_client(const char *name)
{
	size_t size;
	char *data = contents(name, &size);

	assert_int_equal(t1s_iperf_add_sender(
				 data, size, &result, sender_error, sizeof(sender_error)),
		0);
	free(data);
}

static void assert_status(enum t1s_run_status expected, const char *word)
{
	if (result.status != expected || !strstr(result.reason, word))
		fail_msg("%s: %s", t1s_run_status_name(result.status), result.reason);
}

static void assert_only_the_result_is_in_the_folder(void)
{
	struct dirent *entry;
	DIR *d = opendir(folder);

	assert_non_null(d);
	while ((entry = readdir(d))) {
		if (entry->d_name[0] == '.' && strlen(entry->d_name) > 2)
			fail_msg("%s was left", entry->d_name);
	}
	(void)closedir(d);
}

static void run_whole_test(const char *arguments, const struct t1s_iperf_expect *expect)
{
	start();
	wait_for(client("c", arguments));
	finish();
	assert_int_equal(receiver.status, 0);
	read_result(expect);
	assert_status(T1S_RUN_OK, "");
	add_client("c");
	assert_string_equal(sender_error, "");
	assert_only_the_result_is_in_the_folder();
}

static void udp_at_10_mbit_s_arrives_whole(void **state)
{
	/* no link's rate: what was held up is sent in a burst, and loopback lets it
	 * through */
	const struct t1s_iperf_expect expect = {1448, 2, 0};

	(void)state;
	/* a machine that stands still for a moment loses some: that is not ours */
	for (int i = 0; i < 3; i++) {
		run_whole_test("-c 127.0.0.1 -t 2 -O 1 " UDP, &expect);
		if (result.lost_packets == 0)
			break;
	}
	assert_true(result.udp);
	assert_int_equal(result.lost_packets, 0);
	assert_true(result.lost_percent == 0.0);
	assert_true(fabs(result.offered_bps - 10e6) < 0.02 * 10e6);
	assert_true(fabs(result.received_bps - result.offered_bps) <
		    0.02 * result.offered_bps);
	assert_true(result.packets > 1600 && result.sent_packets > 1600);
	assert_int_equal(result.length_bytes, 1448);
	assert_true(isfinite(result.jitter_ms));
	assert_true(isfinite(result.cpu_local_percent));
	assert_true(isfinite(result.cpu_remote_percent));
}

static void udp_over_ipv6_arrives(void **state)
{
	const struct t1s_iperf_expect expect = {1000, 1, 0};

	(void)state;
	if (access("/proc/net/if_inet6", R_OK) < 0)
		skip();
	(void)snprintf(config.address, sizeof(config.address), "::1");
	(void)snprintf(config.peer, sizeof(config.peer), "::1");
	run_whole_test("-c ::1 -t 1 -u -b 1M -l 1000", &expect);
}

static void tcp_arrives(void **state)
{
	const struct t1s_iperf_expect expect = {1448, 1, 0};

	(void)state;
	run_whole_test("-c 127.0.0.1 -t 1 -b 10M -l 1448", &expect);
	assert_false(result.udp);
	assert_true(isnan(result.lost_percent));
	assert_true(fabs(result.received_bps - 10e6) < 0.1 * 10e6);
}

/* Sends the signal to a client in the middle of a test. */
static void disturb(int signal)
{
	pid_t pid;

	start();
	pid = client("c", "-c 127.0.0.1 -t 20 " UDP);
	t1s_sleep_us(1500 * T1S_USEC_PER_MSEC);
	assert_int_equal(t1s_receiver_ended(&receiver), 0);
	assert_int_equal(kill(pid, signal), 0);
	wait_for(pid);
	finish();
	read_result(NULL);
}

static void client_that_is_killed_gives_failed(void **state)
{
	(void)state;
	disturb(SIGKILL);
	assert_status(T1S_RUN_FAILED, "unexpectedly closed");
}

static void client_that_is_interrupted_gives_failed(void **state)
{
	(void)state;
	disturb(SIGINT);
	assert_status(T1S_RUN_FAILED, "terminated");
	add_client("c");
	assert_true(sender_error[0] != '\0');
}

static void client_that_never_comes_is_waited_for_until_the_deadline(void **state)
{
	(void)state;
	start();
	assert_int_equal(
		t1s_receiver_finish(&receiver, t1s_now_us() + 200 * T1S_USEC_PER_MSEC),
		-ETIMEDOUT);
	assert_int_equal(receiver.pid, 0);
	read_result(NULL);
	assert_status(T1S_RUN_FAILED, "empty");
	/* the port is free again, and the client says why it did not come */
	wait_for(client("c", "-c 127.0.0.1 -t 1 " UDP));
	start();
	assert_int_equal(t1s_receiver_finish(&receiver, 0), -ETIMEDOUT);
}

static void receiver_ended_in_the_middle_of_a_test_leaves_nothing(void **state)
{
	pid_t pid;

	(void)state;
	start();
	pid = client("c", "-c 127.0.0.1 -t 20 " UDP);
	t1s_sleep_us(1000 * T1S_USEC_PER_MSEC);
	assert_int_equal(t1s_receiver_finish(&receiver, 0), -ETIMEDOUT);
	wait_for(pid);
	read_result(NULL);
	assert_status(T1S_RUN_FAILED, "empty");
	assert_only_the_result_is_in_the_folder();
	/* at once again, in spite of connections that are still closing */
	start();
	assert_int_equal(t1s_receiver_finish(&receiver, 0), -ETIMEDOUT);
}

static void second_client_is_sent_away_and_the_first_goes_on(void **state)
{
	pid_t first;

	(void)state;
	start();
	first = client("c", "-c 127.0.0.1 -t 2 " UDP);
	t1s_sleep_us(700 * T1S_USEC_PER_MSEC);
	wait_for(client("d", "-c 127.0.0.1 -t 1 " UDP));
	wait_for(first);
	finish();
	read_result(NULL);
	assert_status(T1S_RUN_OK, "");
	add_client("d");
	assert_non_null(strstr(sender_error, "busy"));
}

static void stranger_that_hangs_up_gives_no_result(void **state)
{
	struct sockaddr_in a = {.sin_family = AF_INET,
		.sin_port = htons(PORT),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	(void)state;
	start();
	assert_int_equal(connect(fd, (struct sockaddr *)&a, sizeof(a)), 0);
	(void)close(fd);
	finish();
	read_result(NULL);
	assert_int_not_equal(result.status, T1S_RUN_OK);
	assert_true(result.reason[0] != '\0');
}

static void another_than_the_peer_is_not_heard_and_disturbs_nothing(void **state)
{
	const struct t1s_iperf_expect expect = {1448, 1, 0};
	pid_t stranger;

	(void)state;
	start();
	stranger =
		client("d", "-c 127.0.0.1 -B 127.0.0.2 -t 1 --connect-timeout 300 " UDP);
	t1s_sleep_us(100 * T1S_USEC_PER_MSEC);
	wait_for(client("c", "-c 127.0.0.1 -t 1 " UDP));
	wait_for(stranger);
	finish();
	read_result(&expect);
	assert_status(T1S_RUN_OK, "");
	add_client("d");
	assert_true(sender_error[0] != '\0');
}

static void another_interface_than_the_configured_one_is_not_heard(void **state)
{
	(void)state;
	if (system("ip link add t1s0 type veth peer name t1s1 && ip link set t1s0 up") !=
		0)
		skip();
	(void)snprintf(config.interface, sizeof(config.interface), "t1s0");
	start();
	wait_for(client("c", "-c 127.0.0.1 -t 1 " UDP)); /* comes in over lo */
	assert_int_equal(t1s_receiver_finish(&receiver, 0), -ETIMEDOUT);
	read_result(NULL);
	add_client("c");
	assert_non_null(strstr(sender_error, "refused"));
}

static void result_does_not_grow_beyond_its_limit(void **state)
{
	size_t size;

	(void)state;
	config.max_bytes = 2000;
	start();
	wait_for(client("c", "-c 127.0.0.1 -t 1 " UDP));
	finish();
	assert_true(WIFSIGNALED(receiver.status) && WTERMSIG(receiver.status) == SIGXFSZ);
	free(contents("r", &size));
	assert_true(size <= 2000);
	read_result(NULL);
	assert_status(T1S_RUN_FAILED, "");
}

static void who_it_is_to_be_is_what_it_is_before_anybody_comes(void **state)
{
	char path[64], *text = NULL;

	(void)state;
	config.uid = config.gid = NOBODY;
	assert_int_equal(chmod(folder, 0777), 0);
	start();
	(void)snprintf(path, sizeof(path), "/proc/%d/status", (int)receiver.pid);
	assert_int_equal(t1s_read_file(path, 65536, &text, NULL, NULL), 0);
	assert_non_null(strstr(text, "\nUid:\t65534\t65534\t65534\t65534\n"));
	assert_non_null(strstr(text, "\nGid:\t65534\t65534\t65534\t65534\n"));
	assert_non_null(strstr(text, "\nGroups:\t \n"));
	assert_non_null(strstr(text, "\nCapEff:\t0000000000000000\n"));
	free(text);
	wait_for(client("c", "-c 127.0.0.1 -t 1 " UDP));
	finish();
	read_result(NULL);
	assert_status(T1S_RUN_OK, "");
}

static void enter_namespace(void)
{
	const char *why = NULL;

	if (geteuid() != 0)
		why = "must be root for a network namespace";
	else if (system("iperf3 --version >/dev/null 2>&1") != 0)
		why = "iperf3 is missing (apt install iperf3)";
	else if (unshare(CLONE_NEWNET) < 0 || system("ip link set lo up") != 0)
		why = "no network namespace may be made here";
	if (!why)
		return;
	(void)printf("skipped: %s\n", why);
	exit(SKIPPED);
}

#define peer_test(f) cmocka_unit_test_setup_teardown(f, prepare, clear)

int main(void)
{
	const struct CMUnitTest tests[] = {
		peer_test(udp_at_10_mbit_s_arrives_whole),
		peer_test(udp_over_ipv6_arrives),
		peer_test(tcp_arrives),
		peer_test(client_that_is_killed_gives_failed),
		peer_test(client_that_is_interrupted_gives_failed),
		peer_test(client_that_never_comes_is_waited_for_until_the_deadline),
		peer_test(receiver_ended_in_the_middle_of_a_test_leaves_nothing),
		peer_test(second_client_is_sent_away_and_the_first_goes_on),
		peer_test(stranger_that_hangs_up_gives_no_result),
		peer_test(who_it_is_to_be_is_what_it_is_before_anybody_comes),
		peer_test(another_than_the_peer_is_not_heard_and_disturbs_nothing),
		peer_test(another_interface_than_the_configured_one_is_not_heard),
		peer_test(result_does_not_grow_beyond_its_limit),
	};

	enter_namespace();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
