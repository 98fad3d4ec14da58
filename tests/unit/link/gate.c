/* SPDX-License-Identifier: MIT */
/* The line that is the gate. What it lets through is shown with a real sshd, in
 * tests/steps/test_pair.py. */
#include "link/gate.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define KEY "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIE"

static const char head[] = "restrict,command=\"exec /bin/sh -c '";
static const char tail[] = "'\" " KEY " t1s-sweep@pi";

static void make_line(char line[T1S_GATE_LINE_MAX])
{
	assert_int_equal(t1s_gate_line("iperf3", KEY, "t1s-sweep@pi", line, NULL), 0);
}

/* What sshd takes out of the quotes of an option: \" is ", all else stands for itself. */
static void dequote(const char *line, char *ret)
{
	const char *p = line + strlen(head);
	const char *end = line + strlen(line) - strlen(tail);

	while (p < end) {
		if (p[0] == '\\' && p[1] == '"')
			p++;
		*ret++ = *p++;
	}
	*ret = '\0';
}

static void the_line_is_one_line_of_a_forced_command_and_the_key(void **state)
{
	char line[T1S_GATE_LINE_MAX], script[T1S_GATE_LINE_MAX];

	(void)state;
	make_line(line);
	assert_null(strpbrk(line, "\n\t\r"));
	assert_int_equal(strncmp(line, head, strlen(head)), 0);
	assert_string_equal(line + strlen(line) - strlen(tail), tail);
	dequote(line, script);
	/* it stands between single quotes */
	assert_null(strchr(script, '\''));
	assert_null(strstr(script, "@I"));
}

static void the_script_runs_in_sh_and_tells_its_id(void **state)
{
	char line[T1S_GATE_LINE_MAX], script[T1S_GATE_LINE_MAX];
	char command[T1S_GATE_LINE_MAX + 64], answer[128] = "";
	char expected[T1S_GATE_ID_MAX], id[T1S_GATE_ID_MAX];
	FILE *p;

	(void)state;
	make_line(line);
	dequote(line, script);
	assert_int_equal(setenv("SSH_ORIGINAL_COMMAND", T1S_GATE_QUESTION, 1), 0);
	(void)snprintf(command, sizeof(command), "exec /bin/sh -c '%s' 2>&1", script);
	/* NOLINTNEXTLINE(cert-env33-c): what the sender's shell is given */
	p = popen(command, "r");
	assert_non_null(p);
	assert_non_null(fgets(answer, sizeof(answer), p));
	assert_int_equal(pclose(p), 0);
	assert_int_equal(t1s_gate_answer(answer, id), 0);
	assert_int_equal(t1s_gate_id("iperf3", expected, NULL), 0);
	assert_string_equal(id, expected);
}

static void the_id_is_that_of_the_rules_and_not_of_the_key(void **state)
{
	char a[T1S_GATE_ID_MAX], b[T1S_GATE_ID_MAX];

	(void)state;
	assert_int_equal(t1s_gate_id("iperf3", a, NULL), 0);
	assert_int_equal(strspn(a, "0123456789abcdef"), T1S_GATE_ID_MAX - 1);
	assert_int_equal(t1s_gate_id("iperf3", b, NULL), 0);
	assert_string_equal(a, b);
	assert_int_equal(t1s_gate_id("/opt/bin/iperf3", b, NULL), 0);
	assert_string_not_equal(a, b);
}

static void a_program_that_a_shell_would_read_otherwise_has_no_gate(void **state)
{
	static const char *const names[] = {"", "-c", "my iperf3", "iperf3;id", "i*",
		"$HOME/iperf3", "iperf3'", "iperf3\"", "iperf\\3", "iperf3\n"};
	char line[T1S_GATE_LINE_MAX], id[T1S_GATE_ID_MAX];
	struct t1s_error e = {0};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		assert_int_equal(t1s_gate_id(names[i], id, &e), -EINVAL);
		assert_int_equal(t1s_gate_line(names[i], KEY, "x", line, NULL), -EINVAL);
	}
	assert_non_null(strstr(e.text, "Iperf3="));
}

static void a_comment_cannot_break_the_line(void **state)
{
	char line[T1S_GATE_LINE_MAX];

	(void)state;
	assert_int_equal(t1s_gate_line("iperf3", KEY, "t1s-sweep@a b\n\"x\" ssh-rsa é",
				 line, NULL),
		0);
	assert_string_equal(strstr(line, KEY) + strlen(KEY), " t1s-sweep@abxssh-rsa");
}

static void what_does_not_fit_is_refused(void **state)
{
	char line[T1S_GATE_LINE_MAX], long_name[T1S_GATE_LINE_MAX], may[16];

	(void)state;
	memset(long_name, 'x', sizeof(long_name) - 1);
	long_name[sizeof(long_name) - 1] = '\0';
	assert_int_equal(t1s_gate_line(long_name, KEY, "x", line, NULL), -ENAMETOOLONG);
	assert_int_equal(
		t1s_gate_line("iperf3", long_name, "x", line, NULL), -ENAMETOOLONG);
	assert_int_equal(t1s_gate_may("uname -r", may, sizeof(may)), -ENAMETOOLONG);
}

static void only_a_gate_s_answer_is_one(void **state)
{
	static const char *const answers[] = {"", "\n", "t1s-sweep gate\n",
		"t1s-sweep gate 0123456789abcdef", "t1s-sweep gate 0123456789abcdefg\n",
		"t1s-sweep gate XYZ\n", "hello\nt1s-sweep gate 0123456789abcdef\n"};
	char id[T1S_GATE_ID_MAX] = "kept";

	(void)state;
	for (size_t i = 0; i < sizeof(answers) / sizeof(answers[0]); i++)
		assert_int_equal(t1s_gate_answer(answers[i], id), -ENOENT);
	assert_string_equal(id, "kept");
	assert_int_equal(t1s_gate_answer("t1s-sweep gate 0123456789abcdef\n", id), 0);
	assert_string_equal(id, "0123456789abcdef");
}

static void each_command_of_several_is_asked_about(void **state)
{
	char question[256];

	(void)state;
	assert_int_equal(t1s_gate_may("uname -r", question, sizeof(question)), 0);
	assert_string_equal(question, "t1s-sweep may uname -r");
	assert_int_equal(
		t1s_gate_may("uname -r; date +%s", question, sizeof(question)), 0);
	assert_string_equal(question, "t1s-sweep may uname -r; t1s-sweep may date +%s");
	assert_true(t1s_gate_allowed("yes\n"));
	assert_true(t1s_gate_allowed("yes\nyes\n"));
	assert_false(t1s_gate_allowed(""));
	assert_false(t1s_gate_allowed("yes\nno\n"));
	assert_false(t1s_gate_allowed("yes"));
	assert_false(t1s_gate_allowed("6.6.31\n"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_line_is_one_line_of_a_forced_command_and_the_key),
		cmocka_unit_test(the_script_runs_in_sh_and_tells_its_id),
		cmocka_unit_test(the_id_is_that_of_the_rules_and_not_of_the_key),
		cmocka_unit_test(a_program_that_a_shell_would_read_otherwise_has_no_gate),
		cmocka_unit_test(a_comment_cannot_break_the_line),
		cmocka_unit_test(what_does_not_fit_is_refused),
		cmocka_unit_test(only_a_gate_s_answer_is_one),
		cmocka_unit_test(each_command_of_several_is_asked_about),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
