/* SPDX-License-Identifier: MIT */
#include "base/log.h"

#include "base/cleanup.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static char printed[8192];
static int real_stderr, capture;

/* From here to end_capture() standard error goes into a file in memory. */
static void begin_capture(void)
{
	real_stderr = dup(STDERR_FILENO);
	capture = memfd_create("stderr", MFD_CLOEXEC);
	assert_true(real_stderr >= 0 && capture >= 0);
	assert_true(dup2(capture, STDERR_FILENO) >= 0);
}

static const char *end_capture(void)
{
	ssize_t n;

	(void)fflush(stderr);
	assert_true(dup2(real_stderr, STDERR_FILENO) >= 0);
	n = pread(capture, printed, sizeof(printed) - 1, 0);
	assert_true(n >= 0);
	printed[n] = '\0';
	(void)close(capture);
	(void)close(real_stderr);
	return printed;
}

static void is_shown_as(const char *text, const char *expected)
{
	char copy[64];

	(void)snprintf(copy, sizeof(copy), "%s", text);
	t1s_printable(copy);
	assert_string_equal(copy, expected);
}

static void control_characters_become_question_marks(void **state)
{
	(void)state;
	is_shown_as("", "");
	is_shown_as("plain ~ text", "plain ~ text");
	is_shown_as("a\nb\rc\td\x1b[2Je\x7f", "a?b?c?d?[2Je?");
	is_shown_as("\x01\x1f", "??");
	/* the controls U+0080 to U+009F, such as CSI, and what stands beside them */
	is_shown_as("x\302\200y\302\233z\302\237", "x??y??z??");
	is_shown_as("\302\240", "\302\240");
}

static void what_is_not_utf8_becomes_question_marks(void **state)
{
	(void)state;
	is_shown_as("a\377b\200c", "a?b?c");
	/* cut in the middle of a character */
	is_shown_as("x\302", "x?");
	is_shown_as("x\342\202", "x??");
	is_shown_as("\360\237\230y", "???y");
	/* longer than need be, a surrogate half, beyond the last character */
	is_shown_as("\300\257 \340\200\257 \360\200\200\257", "?? ??? ????");
	is_shown_as("\355\240\200 \364\220\200\200 \365\200\200\200", "??? ???? ????");
}

static void text_in_other_scripts_stays(void **state)
{
	(void)state;
	is_shown_as("M\303\274nchen \342\202\254 \360\237\230\200",
		"M\303\274nchen \342\202\254 \360\237\230\200");
	/* bytes of a longer character that look like a control on their own */
	is_shown_as("\303\233\342\202\233", "\303\233\342\202\233");
}

static void a_line_goes_to_standard_error_without_controls(void **state)
{
	(void)state;
	t1s_log_open(true);
	begin_capture();
	t1s_log(LOG_ERR, "first %d\nsecond\x1b", 7);
	t1s_log_event(LOG_INFO, T1S_MESSAGE_SWEEP_BEGUN, NULL, "event %s", "line");
	assert_string_equal(end_capture(), "first 7?second?\nevent line\n");
}

static void a_long_line_is_cut(void **state)
{
	const char *text;

	(void)state;
	t1s_log_open(true);
	begin_capture();
	t1s_log(LOG_ERR, "%05000d", 0);
	text = end_capture();
	assert_in_range(strlen(text), 1000, 2048);
	assert_int_equal(text[strlen(text) - 1], '\n');
}

static void debug_lines_need_the_variable(void **state)
{
	(void)state;
	t1s_log_open(true);
	(void)unsetenv("DEBUG");
	begin_capture();
	t1s_log(LOG_DEBUG, "hidden");
	(void)setenv("DEBUG", "1", 1);
	t1s_log(LOG_DEBUG, "shown");
	(void)unsetenv("DEBUG");
	assert_string_equal(end_capture(), "shown\n");
}

static void lines_go_to_the_journal_only_if_it_is_the_other_end(void **state)
{
	static const char *const others[] = {"", "1", "1:", "1:2", "x:y", "9:8:7"};

	(void)state;
	for (size_t i = 0; i < T1S_ELEMENTSOF(others); i++) {
		(void)setenv("JOURNAL_STREAM", others[i], 1);
		begin_capture();
		t1s_log_open(false);
		t1s_log(LOG_ERR, "here");
		assert_string_equal(end_capture(), "here\n");
	}
	(void)unsetenv("JOURNAL_STREAM");
	begin_capture();
	t1s_log_open(false);
	t1s_log(LOG_ERR, "here");
	assert_string_equal(end_capture(), "here\n");
}

static void a_forced_standard_error_is_kept_even_under_the_journal(void **state)
{
	char stream[64];
	struct stat st;

	(void)state;
	begin_capture();
	assert_int_equal(fstat(STDERR_FILENO, &st), 0);
	(void)snprintf(stream, sizeof(stream), "%ju:%ju", (uintmax_t)st.st_dev,
		(uintmax_t)st.st_ino);
	(void)setenv("JOURNAL_STREAM", stream, 1);
	/* for sd_journal_sendv the lines would go elsewhere: nothing is written here */
	t1s_log_open(false);
	t1s_log(LOG_DEBUG, "never shown");
	t1s_log_open(true);
	t1s_log(LOG_ERR, "here");
	(void)unsetenv("JOURNAL_STREAM");
	assert_string_equal(end_capture(), "here\n");
}

static void fields_are_kept_cut_and_counted(void **state)
{
	struct t1s_log_fields f = {0};

	(void)state;
	t1s_log_field(&f, "T1S_POINT=%d", 5);
	t1s_log_field(&f, "T1S_NOTE=%s", "a\nb");
	t1s_log_field(&f, "T1S_LONG=%0200d", 0);
	assert_int_equal(f.count, 3);
	assert_string_equal(f.text[0], "T1S_POINT=5");
	assert_string_equal(f.text[1], "T1S_NOTE=a?b");
	assert_int_equal(strlen(f.text[2]), sizeof(f.text[2]) - 1);
	for (int i = 0; i < 30; i++)
		t1s_log_field(&f, "T1S_N=%d", i);
	assert_int_equal(f.count, T1S_LOG_FIELDS_MAX);
	assert_string_equal(f.text[T1S_LOG_FIELDS_MAX - 1], "T1S_N=20");
}

/* Plays the service manager. */
static int listen_as_manager(char name[64])
{
	struct sockaddr_un a = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	(void)snprintf(name, 64, "/tmp/t1s-notify-%d", (int)getpid());
	(void)unlink(name);
	(void)snprintf(a.sun_path, sizeof(a.sun_path), "%s", name);
	assert_int_equal(bind(fd, (struct sockaddr *)&a, sizeof(a)), 0);
	return fd;
}

static void is_told(int fd, const char *expected)
{
	char text[4096];
	ssize_t n = recv(fd, text, sizeof(text) - 1, 0);

	assert_true(n >= 0);
	text[n] = '\0';
	assert_string_equal(text, expected);
}

static void the_service_manager_is_told_status_and_longer_time(void **state)
{
	char name[64];
	cleanup_close int fd = listen_as_manager(name);

	(void)state;
	(void)setenv("NOTIFY_SOCKET", name, 1);
	t1s_notify(0, "point %d of %d", 5, 16);
	t1s_notify(30, "a\nEXTEND_TIMEOUT_USEC=1");
	(void)unsetenv("NOTIFY_SOCKET");
	is_told(fd, "STATUS=point 5 of 16");
	/* a text from elsewhere must not become an instruction */
	is_told(fd, "STATUS=a?EXTEND_TIMEOUT_USEC=1\nEXTEND_TIMEOUT_USEC=30000000");
	t1s_notify(1, "nobody listens");
	assert_int_equal(recv(fd, name, sizeof(name), 0), -1);
	assert_int_equal(errno, EAGAIN);
	(void)unlink(name);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(control_characters_become_question_marks),
		cmocka_unit_test(what_is_not_utf8_becomes_question_marks),
		cmocka_unit_test(text_in_other_scripts_stays),
		cmocka_unit_test(a_line_goes_to_standard_error_without_controls),
		cmocka_unit_test(a_long_line_is_cut),
		cmocka_unit_test(debug_lines_need_the_variable),
		cmocka_unit_test(lines_go_to_the_journal_only_if_it_is_the_other_end),
		cmocka_unit_test(a_forced_standard_error_is_kept_even_under_the_journal),
		cmocka_unit_test(fields_are_kept_cut_and_counted),
		cmocka_unit_test(the_service_manager_is_told_status_and_longer_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
