/* SPDX-License-Identifier: MIT */
/* Commands on a real sshd: what they write, how they end, and that they do not hang us.
 */
#include "link/sender.h"

#include "sshd_peer.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define MIB ((size_t)1024 * 1024)
#define LONG_MS 30000
#define SHORT_MS 400

static struct t1s_error error;
static struct t1s_sender *session;
static struct t1s_sender_output output;

static int open_first(void **state)
{
	enum t1s_sender_failure failure;

	(void)peer_before(state);
	if (t1s_sender_open(&peer.config, in_ms(LONG_MS), &session, &failure, &error) < 0)
		fail_msg("%s", error.text);
	output = (struct t1s_sender_output){.exit_status = -77};
	error.text[0] = '\0';
	return 0;
}

static int close_last(void **state)
{
	t1s_sender_output_done(&output);
	t1s_sender_close(session);
	session = NULL;
	return peer_after(state);
}

static int run_for(const char *command, size_t max_bytes, uint64_t ms)
{
	t1s_sender_output_done(&output);
	return t1s_sender_run(
		session, command, max_bytes, in_ms(ms), NULL, NULL, &output, &error);
}

static void assert_runs(const char *command)
{
	int r = run_for(command, 2 * MIB, LONG_MS);

	if (r != 0)
		fail_msg("%s: %d: %s", command, r, error.text);
}

/* After a failure: nothing was returned, and the session goes on. */
static void assert_next_command_runs(void)
{
	assert_null(output.out);
	assert_runs("echo next");
	assert_string_equal(output.out, "next\n");
	assert_int_equal(output.exit_status, 0);
}

static void exit_status_is_the_commands(void **state)
{
	(void)state;
	assert_runs("exit 0");
	assert_int_equal(output.exit_status, 0);
	assert_runs("exit 7");
	assert_int_equal(output.exit_status, 7);
	assert_runs("exit 255");
	assert_int_equal(output.exit_status, 255);
	assert_runs("no-such-command");
	assert_int_equal(output.exit_status, 127);
	assert_true(output.err_size > 0);
}

static void death_by_a_signal_has_no_exit_status(void **state)
{
	(void)state;
	assert_runs("echo before; kill -KILL $$");
	assert_int_equal(output.exit_status, -1);
	assert_string_equal(output.out, "before\n");
}

static void streams_are_kept_apart(void **state)
{
	(void)state;
	assert_runs("echo out; echo err >&2; echo more");
	assert_string_equal(output.out, "out\nmore\n");
	assert_int_equal(output.out_size, 9);
	assert_string_equal(output.err, "err\n");
	assert_int_equal(output.err_size, 4);
}

static void empty_output_is_an_empty_text(void **state)
{
	(void)state;
	assert_runs("true");
	assert_string_equal(output.out, "");
	assert_string_equal(output.err, "");
	assert_int_equal(output.out_size, 0);
	assert_int_equal(output.err_size, 0);
}

static void standard_input_is_at_its_end(void **state)
{
	(void)state;
	assert_runs("cat; echo $?");
	assert_string_equal(output.out, "0\n");
}

static void binary_bytes_come_through(void **state)
{
	(void)state;
	assert_runs("printf 'a\\0b\\377\\r\\n\\033'");
	assert_int_equal(output.out_size, 7);
	assert_memory_equal(output.out, "a\0b\377\r\n\033", 8);
}

static void output_of_just_the_limit_comes_through(void **state)
{
	(void)state;
	assert_int_equal(run_for("head -c 1048576 /dev/zero | tr '\\0' x; "
				 "head -c 1048576 /dev/zero >&2",
				 MIB, LONG_MS),
		0);
	assert_int_equal(output.out_size, MIB);
	assert_int_equal(output.err_size, MIB);
	assert_int_equal(output.out[0], 'x');
	assert_int_equal(output.out[MIB - 1], 'x');
	assert_int_equal(output.out[MIB], 0);
	assert_int_equal(output.exit_status, 0);
}

static void one_byte_more_is_emsgsize(void **state)
{
	(void)state;
	assert_int_equal(run_for("head -c 1048577 /dev/zero", MIB, LONG_MS), -EMSGSIZE);
	peer_assert_says(error.text, "1048576 bytes");
	assert_next_command_runs();
}

static void flood_is_emsgsize_and_the_session_goes_on(void **state)
{
	(void)state;
	assert_int_equal(run_for("timeout 20 yes", MIB, LONG_MS), -EMSGSIZE);
	assert_next_command_runs();
	assert_int_equal(run_for("timeout 20 yes >&2", MIB, LONG_MS), -EMSGSIZE);
	t1s_sender_output_done(&output);
	assert_next_command_runs();
}

static void stalled_command_ends_at_the_deadline(void **state)
{
	uint64_t begun_us = t1s_now_us();

	(void)state;
	assert_int_equal(run_for("timeout 20 sleep 20", MIB, SHORT_MS), -ETIMEDOUT);
	assert_true(t1s_now_us() - begun_us >= SHORT_MS * T1S_USEC_PER_MSEC);
	peer_assert_says(error.text, "did not end in time");
	assert_next_command_runs();
}

static void command_that_trickles_ends_at_the_deadline(void **state)
{
	(void)state;
	assert_int_equal(run_for("for i in $(seq 200); do echo $i; sleep 0.05; done", MIB,
				 SHORT_MS),
		-ETIMEDOUT);
	assert_next_command_runs();
}

static void output_held_open_by_another_process_ends_at_the_deadline(void **state)
{
	(void)state;
	assert_int_equal(
		run_for("timeout 5 sleep 5 & echo done", MIB, SHORT_MS), -ETIMEDOUT);
	assert_next_command_runs();
}

static void deadline_that_has_passed_is_etimedout(void **state)
{
	(void)state;
	assert_int_equal(run_for("echo", MIB, 0), -ETIMEDOUT);
	assert_next_command_runs();
}

struct ticks {
	unsigned int count;
	int verdict;
};

static int count_tick(void *data)
{
	struct ticks *t = data;

	t->count++;
	return t->verdict;
}

static void caller_has_its_turn_while_waiting(void **state)
{
	struct ticks t = {0};

	(void)state;
	assert_int_equal(t1s_sender_run(session, "sleep 1", MIB, in_ms(LONG_MS),
				 count_tick, &t, &output, &error),
		0);
	/* ten are due; a busy machine may let some pass */
	assert_true(t.count >= 3);
}

static void caller_can_give_up(void **state)
{
	struct ticks t = {.verdict = -ECANCELED};

	(void)state;
	assert_int_equal(t1s_sender_run(session, "timeout 20 sleep 20", MIB,
				 in_ms(LONG_MS), count_tick, &t, &output, &error),
		-ECANCELED);
	assert_int_equal(t.count, 1);
	assert_next_command_runs();
}

static int kill_session(void *data)
{
	pid_t *pid = data;

	if (*pid > 0)
		(void)kill(*pid, SIGKILL);
	*pid = 0;
	return 0;
}

static void cut_session_is_econnreset(void **state)
{
	pid_t pid;

	(void)state;
	/* the parent of the command is the session's own sshd */
	assert_runs("echo $PPID");
	pid = (pid_t)strtol(output.out, NULL, 10);
	assert_true(pid > 1);
	t1s_sender_output_done(&output);
	assert_int_equal(t1s_sender_run(session, "timeout 5 sleep 5", MIB, in_ms(LONG_MS),
				 kill_session, &pid, &output, &error),
		-ECONNRESET);
	peer_assert_says(error.text, "was cut");
	assert_null(output.out);
	assert_int_equal(run_for("echo", MIB, LONG_MS), -ECONNRESET);
}

static void sender_that_lets_no_command_run_is_eproto(void **state)
{
	pid_t pid = peer_sshd(SSHD_PORT + 2, "MaxSessions 0");
	enum t1s_sender_failure failure;
	struct t1s_sender *s = NULL;

	(void)state;
	peer.config.port = SSHD_PORT + 2;
	peer_shell("sed 's/:%d/:%d/' %s/known_hosts > %s/no_sessions", SSHD_PORT,
		SSHD_PORT + 2, peer.folder, peer.folder);
	(void)snprintf(peer.config.known_hosts, sizeof(peer.config.known_hosts), "%s",
		peer_path("no_sessions"));
	assert_int_equal(
		t1s_sender_open(&peer.config, in_ms(LONG_MS), &s, &failure, &error), 0);
	assert_int_equal(t1s_sender_run(s, "echo", MIB, in_ms(LONG_MS), NULL, NULL,
				 &output, &error),
		-EPROTO);
	peer_assert_says(error.text, "cannot open a channel");
	t1s_sender_close(s);
	peer_end(pid);
}

static void many_commands_run_in_one_session(void **state)
{
	(void)state;
	for (int i = 0; i < 50; i++)
		assert_runs("echo x");
}

static void quoted_words_arrive_as_they_are(void **state)
{
	static const char *const words[] = {"a b", "$HOME `id` \"x\" \\ * ; &", "it's",
		"''", "", "-n", "line\nbreak"};

	(void)state;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		char quoted[128], command[160];

		assert_int_equal(t1s_shell_quote(words[i], quoted, sizeof(quoted)), 0);
		(void)snprintf(command, sizeof(command), "printf '<%%s>' %s", quoted);
		assert_runs(command);
		(void)snprintf(command, sizeof(command), "<%s>", words[i]);
		assert_string_equal(output.out, command);
	}
}

static void closing_nothing_is_fine(void **state)
{
	(void)state;
	t1s_sender_close(NULL);
}

#define in_session(f) cmocka_unit_test_setup_teardown(f, open_first, close_last)

int main(void)
{
	const struct CMUnitTest tests[] = {
		in_session(exit_status_is_the_commands),
		in_session(death_by_a_signal_has_no_exit_status),
		in_session(streams_are_kept_apart),
		in_session(empty_output_is_an_empty_text),
		in_session(standard_input_is_at_its_end),
		in_session(binary_bytes_come_through),
		in_session(output_of_just_the_limit_comes_through),
		in_session(one_byte_more_is_emsgsize),
		in_session(flood_is_emsgsize_and_the_session_goes_on),
		in_session(stalled_command_ends_at_the_deadline),
		in_session(command_that_trickles_ends_at_the_deadline),
		in_session(output_held_open_by_another_process_ends_at_the_deadline),
		in_session(deadline_that_has_passed_is_etimedout),
		in_session(caller_has_its_turn_while_waiting),
		in_session(caller_can_give_up),
		in_session(cut_session_is_econnreset),
		in_session(sender_that_lets_no_command_run_is_eproto),
		in_session(many_commands_run_in_one_session),
		in_session(quoted_words_arrive_as_they_are),
		cmocka_unit_test(closing_nothing_is_fine),
	};

	peer_enter();
	return cmocka_run_group_tests(tests, peer_start, peer_stop);
}
