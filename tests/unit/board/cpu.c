/* SPDX-License-Identifier: MIT */
#include "board/cpu.h"

#include "tree.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define REST                                                                             \
	"intr 114930548 113199788 3 0 5 263 0 4\nctxt 1990473\nbtime 1062191376\n"       \
	"processes 2915\nprocs_running 1\nsoftirq 229245889 94 60001584 13619\n"

static void write_stat(const struct tree *t, const char *cores)
{
	char text[4096];

	(void)snprintf(text, sizeof(text), "%s" REST, cores);
	tree_write_text(t, "/proc/stat", text);
}

static void compare(const struct tree *t, const char *before, const char *after,
	struct t1s_cpu_loads *ret)
{
	struct t1s_cpu_snapshot a, b;

	write_stat(t, before);
	t1s_cpu_read(t->root, &a);
	write_stat(t, after);
	t1s_cpu_read(t->root, &b);
	t1s_cpu_compare(&a, &b, ret);
}

static void near(double found, double expected)
{
	if (!(fabs(found - expected) < 1e-9))
		fail_msg("found %g, expected %g", found, expected);
}

static void shares_are_of_the_time_between_the_snapshots(void **state)
{
	struct t1s_cpu_loads l;

	compare(*state, "cpu  1000 10 500 9000 50 5 100 0 0 0\n",
		"cpu  1010 20 530 9035 55 10 105 0 0 0\n", &l);
	/* 10 user, 10 nice, 30 system, 35 idle, 5 iowait, 5 irq, 5 softirq of 100 */
	near(l.all.busy, 60);
	near(l.all.system, 35);
	near(l.all.softirq, 5);
}

static void busiest_core_is_the_one_with_most_system_and_softirq(void **state)
{
	char text[T1S_CPU_TEXT_MAX];
	struct t1s_cpu_loads l;

	compare(*state,
		"cpu  0 0 0 0 0 0 0 0 0 0\ncpu0 0 0 0 0 0 0 0 0 0 0\n"
		"cpu1 0 0 0 0 0 0 0 0 0 0\ncpu2 0 0 0 0 0 0 0 0 0 0\n",
		"cpu  100 0 100 91 0 0 9 0 0 0\ncpu0 90 0 5 4 0 0 1 0 0 0\n"
		"cpu1 10 0 40 45 0 0 5 0 0 0\ncpu2 0 0 44 55 0 0 1 0 0 0\n",
		&l);
	assert_int_equal(l.count, 3);
	assert_int_equal(l.busiest, 1);
	near(t1s_cpu_busiest(&l), 45);
	t1s_cpu_text(&l, text);
	assert_string_equal(text, "0:96.0/5.0/1.0 1:55.0/40.0/5.0 2:45.0/44.0/1.0");
}

static void cores_are_matched_by_number_not_by_place(void **state)
{
	struct t1s_cpu_loads l;

	/* core 1 was switched off, core 3 on in between */
	compare(*state,
		"cpu0 0 0 0 0 0 0 0 0\ncpu1 9 9 9 9 0 0 0 0\ncpu2 0 0 0 0 0 0 0 0\n",
		"cpu0 0 0 10 90 0 0 0 0\ncpu2 0 0 70 30 0 0 0 0\ncpu3 0 0 9 0 0 0 0 0\n",
		&l);
	assert_int_equal(l.count, 2);
	assert_int_equal(l.cores[l.busiest].number, 2);
	near(t1s_cpu_busiest(&l), 70);
}

static void idle_that_goes_backwards_counts_as_none(void **state)
{
	struct t1s_cpu_loads l;

	compare(*state, "cpu  0 0 0 1000 100 0 0 0\n", "cpu  50 0 50 999 90 0 0 0\n", &l);
	near(l.all.busy, 100);
	near(l.all.system, 50);
}

static void columns_of_an_old_kernel_are_enough(void **state)
{
	struct t1s_cpu_loads l;

	compare(*state, "cpu  0 0 0 0\ncpu0 0 0 0 0\n", "cpu  1 0 1 2\ncpu0 1 0 1 2\n",
		&l);
	near(l.all.busy, 50);
	near(l.cores[0].load.system, 25);
}

static void no_time_between_the_snapshots_is_unknown(void **state)
{
	char text[T1S_CPU_TEXT_MAX];
	struct t1s_cpu_loads l;

	compare(*state, "cpu  1 2 3 4\ncpu0 1 2 3 4\n", "cpu  1 2 3 4\ncpu0 1 2 3 4\n",
		&l);
	assert_true(isnan(l.all.busy) && isnan(l.all.system) && isnan(l.all.softirq));
	assert_int_equal(l.count, 0);
	assert_true(isnan(t1s_cpu_busiest(&l)));
	t1s_cpu_text(&l, text);
	assert_string_equal(text, "");
}

static void a_missing_file_is_unknown(void **state)
{
	const struct tree *t = *state;
	struct t1s_cpu_snapshot s;
	struct t1s_cpu_loads l;

	t1s_cpu_read(t->root, &s);
	assert_int_equal(s.count, 0);
	t1s_cpu_compare(&s, &s, &l);
	assert_true(isnan(l.all.busy));
	assert_int_equal(l.busiest, -1);
}

static void lines_that_make_no_sense_are_passed_over(void **state)
{
	const struct tree *t = *state;
	struct t1s_cpu_snapshot s;

	write_stat(t,
		"cpu  1 2 3\ncpu\ncpux 1 2 3 4\ncpu0\ncpu1 1 2 x 4\ncpu2 1 2 3 4x\n"
		"cpu3 99999999999999999999999 0 0 0\ncpu4-1 2 3 4 5\ncpu5 -1 2 3 4\n"
		"cpu6 1 2 3 4\n\n cpu7 1 2 3 4\n");
	t1s_cpu_read(t->root, &s);
	assert_int_equal(s.count, 1);
	assert_int_equal(s.cores[0].number, 6);
	assert_int_equal(s.all.ticks[T1S_CPU_USER], 0);
}

static void more_cores_than_room_are_left_out(void **state)
{
	const struct tree *t = *state;
	char text[8192] = "";
	struct t1s_cpu_snapshot s;

	for (unsigned int i = 0; i < 2 * T1S_CPUS_MAX; i++) {
		const size_t n = strlen(text);

		(void)snprintf(text + n, sizeof(text) - n, "cpu%u 1 2 3 4\n", i);
	}
	tree_write_text(t, "/proc/stat", text);
	t1s_cpu_read(t->root, &s);
	assert_int_equal(s.count, T1S_CPUS_MAX);
}

static void text_of_all_cores_at_full_load_fits(void **state)
{
	struct t1s_cpu_loads l = {.count = T1S_CPUS_MAX};
	char text[T1S_CPU_TEXT_MAX];

	(void)state;
	for (unsigned int i = 0; i < T1S_CPUS_MAX; i++) {
		l.cores[i].number = i;
		l.cores[i].load = (struct t1s_cpu_load){100, 50, 50};
	}
	t1s_cpu_text(&l, text);
	assert_non_null(strstr(text, " 15:100.0/50.0/50.0"));
}

#define IN_TREE(f) cmocka_unit_test_setup_teardown(f, tree_setup, tree_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_TREE(shares_are_of_the_time_between_the_snapshots),
		IN_TREE(busiest_core_is_the_one_with_most_system_and_softirq),
		IN_TREE(cores_are_matched_by_number_not_by_place),
		IN_TREE(idle_that_goes_backwards_counts_as_none),
		IN_TREE(columns_of_an_old_kernel_are_enough),
		IN_TREE(no_time_between_the_snapshots_is_unknown),
		IN_TREE(a_missing_file_is_unknown),
		IN_TREE(lines_that_make_no_sense_are_passed_over),
		IN_TREE(more_cores_than_room_are_left_out),
		cmocka_unit_test(text_of_all_cores_at_full_load_fits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
