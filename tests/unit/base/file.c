/* SPDX-License-Identifier: MIT */
#include "base/file.h"

#include "base/cleanup.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static char folder[64];
static struct t1s_error error;

static int set_up(void **state)
{
	(void)state;
	(void)umask(0022);
	memset(&error, 0, sizeof(error));
	(void)snprintf(folder, sizeof(folder), "/tmp/t1s-file-XXXXXX");
	return mkdtemp(folder) ? 0 : -1;
}

static int tear_down(void **state)
{
	char command[96];

	(void)state;
	(void)snprintf(command, sizeof(command), "rm -rf '%s'", folder);
	return system(command); /* NOLINT(cert-env33-c): a path of our own making */
}

/* The path of a file in the test's folder; valid until the fourth call after. */
static const char *in_folder(const char *name)
{
	static char path[4][PATH_MAX];
	static unsigned int next;

	next = (next + 1) % 4;
	(void)snprintf(path[next], sizeof(path[next]), "%s/%s", folder, name);
	return path[next];
}

static void put(const char *name, const void *data, size_t size)
{
	FILE *f = fopen(in_folder(name), "we");

	assert_non_null(f);
	assert_int_equal(fwrite(data, 1, size, f), size);
	assert_int_equal(fclose(f), 0);
}

static void holds(const char *name, const char *expected)
{
	cleanup_free char *data = NULL;
	size_t size;

	if (t1s_read_file(in_folder(name), 100000, &data, &size, &error) < 0)
		fail_msg("%s", error.text);
	assert_int_equal(size, strlen(expected));
	assert_string_equal(data, expected);
}

static unsigned int count_files(void)
{
	cleanup_closedir DIR *d = opendir(folder);
	unsigned int count = 0;

	assert_non_null(d);
	for (struct dirent *e = readdir(d); e; e = readdir(d))
		count += e->d_name[0] != '.';
	return count;
}

static void read_fails(const char *name, int errnum, const char *expected)
{
	char *data = (char *)&error; /* must stay as it was */
	size_t size = 77;

	assert_int_equal(
		t1s_read_file(in_folder(name), 10, &data, &size, &error), -errnum);
	assert_ptr_equal(data, &error);
	assert_int_equal(size, 77);
	if (!strstr(error.text, expected))
		fail_msg("expected \"%s\" in \"%s\"", expected, error.text);
}

/* --- reading --- */

static void a_file_is_read_whole_and_ended_by_a_0_byte(void **state)
{
	cleanup_free char *data = NULL;
	size_t size;

	(void)state;
	put("f", "a\0b\n", 4);
	assert_int_equal(t1s_read_file(in_folder("f"), 4, &data, &size, &error), 0);
	assert_int_equal(size, 4);
	assert_memory_equal(data, "a\0b\n\0", 5);
}

static void files_around_the_size_of_a_buffer_are_read(void **state)
{
	static const size_t sizes[] = {0, 1, 4094, 4095, 4096, 4097, 8191, 8192, 50000};
	static char pattern[50000];

	(void)state;
	for (size_t i = 0; i < sizeof(pattern); i++)
		pattern[i] = (char)('a' + i % 23);
	for (size_t i = 0; i < T1S_ELEMENTSOF(sizes); i++) {
		char *data = NULL;
		size_t size;

		put("f", pattern, sizes[i]);
		assert_int_equal(
			t1s_read_file(in_folder("f"), sizes[i], &data, &size, &error), 0);
		assert_int_equal(size, sizes[i]);
		assert_memory_equal(data, pattern, size);
		assert_int_equal(data[size], '\0');
		free(data);
		if (sizes[i] > 0)
			assert_int_equal(t1s_read_file(in_folder("f"), sizes[i] - 1,
						 &data, &size, &error),
				-EFBIG);
	}
}

static void files_of_proc_are_read_though_they_tell_no_size(void **state)
{
	cleanup_free char *data = NULL;

	(void)state;
	assert_int_equal(
		t1s_read_file("/proc/self/status", 100000, &data, NULL, &error), 0);
	assert_non_null(strstr(data, "Pid:"));
}

static void reading_a_file_leaves_its_access_time(void **state)
{
	/* read before it was changed: this is when every mount but noatime notes a
	 * reading */
	const struct timespec times[] = {{.tv_sec = 1000}, {.tv_sec = 2000}};
	struct stat st;

	(void)state;
	put("f", "a", 1);
	assert_int_equal(utimensat(AT_FDCWD, in_folder("f"), times, 0), 0);
	holds("f", "a");
	assert_int_equal(stat(in_folder("f"), &st), 0);
	assert_int_equal(st.st_atim.tv_sec, 1000);
}

static void more_than_the_limit_is_refused(void **state)
{
	(void)state;
	put("f", "12345678901", 11);
	read_fails("f", EFBIG, "larger than the 10 bytes");
}

static void what_is_no_regular_file_is_refused_without_waiting(void **state)
{
	struct sockaddr_un a = {.sun_family = AF_UNIX};
	cleanup_close int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	(void)state;
	read_fails("none", ENOENT, "/none: No such file or directory");
	assert_int_equal(mkdir(in_folder("d"), 0755), 0);
	read_fails("d", EINVAL, "/d is not a regular file");
	assert_int_equal(mkfifo(in_folder("fifo"), 0644), 0);
	read_fails("fifo", EINVAL, "/fifo is not a regular file");
	put("f", "x", 1);
	assert_int_equal(symlink(in_folder("f"), in_folder("link")), 0);
	read_fails(
		"link", ELOOP, "/link is a symbolic link, a regular file was expected");
	(void)snprintf(a.sun_path, sizeof(a.sun_path), "%s", in_folder("socket"));
	assert_int_equal(bind(fd, (struct sockaddr *)&a, sizeof(a)), 0);
	read_fails("socket", ENXIO, "/socket: ");
	assert_int_equal(t1s_open_regular("/dev/null", &error), -EINVAL);
}

static void errors_may_be_dropped(void **state)
{
	char *data;

	(void)state;
	assert_int_equal(t1s_read_file(in_folder("none"), 1, &data, NULL, NULL), -ENOENT);
}

static void a_one_line_file_loses_its_end_of_line(void **state)
{
	static const struct {
		const char *text;
		size_t size;
		const char *expected;
	} cases[] = {
		{"value\n", 6, "value"},
		{"value", 5, "value"},
		{"two words \r\n\n", 13, "two words"},
		{"okay\0", 5, "okay"}, /* as in the device tree */
		{" front", 6, " front"},
		{"\n", 1, ""},
		{"", 0, ""},
	};
	char line[16];

	(void)state;
	for (size_t i = 0; i < T1S_ELEMENTSOF(cases); i++) {
		put("f", cases[i].text, cases[i].size);
		assert_int_equal(
			t1s_read_line_file(in_folder("f"), line, sizeof(line), &error),
			0);
		assert_string_equal(line, cases[i].expected);
	}
}

static void a_one_line_file_that_does_not_fit_is_refused(void **state)
{
	char line[4] = "xyz";

	(void)state;
	put("f", "abc", 3);
	assert_int_equal(
		t1s_read_line_file(in_folder("f"), line, sizeof(line), &error), 0);
	assert_string_equal(line, "abc");
	put("f", "abcd", 4);
	assert_int_equal(
		t1s_read_line_file(in_folder("f"), line, sizeof(line), &error), -EFBIG);
	assert_string_equal(line, "abc");
	assert_int_equal(
		t1s_read_line_file(in_folder("none"), line, sizeof(line), &error),
		-ENOENT);
}

/* --- replacing --- */

static void replace(const char *name, const char *text, bool keep_previous)
{
	if (t1s_replace_file(
		    in_folder(name), text, strlen(text), 0640, keep_previous, &error) < 0)
		fail_msg("%s", error.text);
}

static void a_file_is_made_with_its_mode_and_nothing_beside_it(void **state)
{
	struct stat st;

	(void)state;
	(void)umask(0077);
	replace("f", "one", true);
	holds("f", "one");
	assert_int_equal(stat(in_folder("f"), &st), 0);
	assert_int_equal(st.st_mode & 07777U, 0640);
	assert_int_equal(count_files(), 1);
}

static void the_previous_content_is_kept_where_it_is_wanted(void **state)
{
	(void)state;
	replace("f", "one", false);
	replace("f", "two", false);
	holds("f", "two");
	assert_int_equal(count_files(), 1);
	replace("f", "three", true);
	holds("f", "three");
	holds("f.previous", "two");
	replace("f", "four", true);
	holds("f.previous", "three");
	replace("f", "", false);
	holds("f", "");
	holds("f.previous", "three");
	assert_int_equal(count_files(), 2);
}

static void what_a_power_cut_left_is_in_nobodys_way(void **state)
{
	(void)state;
	put("f", "one", 3);
	put("f.new", "torn and longer than what follows", 33);
	put("f.previous.new", "torn", 4);
	replace("f", "two", true);
	holds("f", "two");
	holds("f.previous", "one");
	assert_int_equal(count_files(), 2);
}

static void links_are_replaced_not_followed(void **state)
{
	struct stat st;

	(void)state;
	put("other", "untouched", 9);
	assert_int_equal(symlink(in_folder("other"), in_folder("f")), 0);
	assert_int_equal(symlink(in_folder("other"), in_folder("f.new")), 0);
	replace("f", "one", false);
	assert_int_equal(lstat(in_folder("f"), &st), 0);
	assert_true(S_ISREG(st.st_mode));
	holds("f", "one");
	holds("other", "untouched");
}

static void replace_fails(const char *name, int errnum)
{
	unsigned int before = count_files();

	assert_int_equal(
		t1s_replace_file(in_folder(name), "0123456789", 10, 0644, true, &error),
		-errnum);
	assert_non_null(strstr(error.text, "cannot write "));
	assert_non_null(strstr(error.text, strerror(errnum)));
	assert_int_equal(count_files(), before);
}

static void a_failed_replacement_leaves_everything_as_it_was(void **state)
{
	struct rlimit l;

	(void)state;
	replace_fails("none/f", ENOENT);
	assert_int_equal(mkdir(in_folder("d"), 0755), 0);
	assert_int_equal(
		t1s_replace_file(in_folder("d"), "x", 1, 0644, false, &error), -EISDIR);
	assert_int_equal(count_files(), 1);
	replace("f", "one", false);
	assert_int_equal(mkdir(in_folder("f.new"), 0755), 0);
	replace_fails("f", EEXIST);
	assert_int_equal(rmdir(in_folder("f.new")), 0);
	/* as on a full disk, in the middle of the content */
	(void)signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &l), 0);
	l.rlim_cur = 5;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &l), 0);
	replace_fails("f", EFBIG);
	l.rlim_cur = RLIM_INFINITY;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &l), 0);
	holds("f", "one");
}

static void a_previous_copy_that_cannot_be_kept_stops_the_replacement(void **state)
{
	(void)state;
	replace("f", "one", false);
	assert_int_equal(mkdir(in_folder("f.previous"), 0755), 0);
	replace_fails("f", EISDIR);
	holds("f", "one");
}

static void a_path_that_is_too_long_is_refused(void **state)
{
	char path[PATH_MAX + 10] = "";

	(void)state;
	(void)snprintf(path, sizeof(path), "/%0*d", PATH_MAX - 4, 0);
	assert_int_equal(
		t1s_replace_file(path, "", 0, 0644, false, &error), -ENAMETOOLONG);
	(void)snprintf(path, sizeof(path), "/%0*d", PATH_MAX, 0);
	assert_int_equal(t1s_make_folder(path, 0755, &error), -ENAMETOOLONG);
	path[PATH_MAX + 1] = '/';
	assert_int_equal(t1s_sync_parent(path, &error), -ENAMETOOLONG);
}

/* --- the rest --- */

static void everything_is_written_or_it_is_an_error(void **state)
{
	static char large[300000];
	int fds[2];

	(void)state;
	assert_int_equal(pipe2(fds, O_CLOEXEC | O_NONBLOCK), 0);
	assert_int_equal(t1s_write_all(fds[1], "abc", 3), 0);
	assert_int_equal(t1s_write_all(fds[1], NULL, 0), 0);
	/* more than the pipe takes: a part is written, then it would block */
	assert_int_equal(t1s_write_all(fds[1], large, sizeof(large)), -EAGAIN);
	(void)signal(SIGPIPE, SIG_IGN);
	(void)close(fds[0]);
	assert_int_equal(t1s_write_all(fds[1], "abc", 3), -EPIPE);
	(void)close(fds[1]);
	assert_int_equal(t1s_write_all(-1, "abc", 3), -EBADF);
}

static void the_folder_of_a_path_is_synced(void **state)
{
	(void)state;
	assert_int_equal(t1s_sync_parent(in_folder("any"), &error), 0);
	assert_int_equal(t1s_sync_parent("/any", &error), 0);
	assert_int_equal(t1s_sync_parent("any", &error), 0);
	assert_int_equal(t1s_sync_parent(in_folder("none/any"), &error), -ENOENT);
	assert_non_null(strstr(error.text, "cannot sync folder "));
	put("f", "", 0);
	assert_int_equal(t1s_sync_parent(in_folder("f/any"), &error), -ENOTDIR);
}

static void folders_are_made_with_those_above_them(void **state)
{
	struct stat st;

	(void)state;
	assert_int_equal(t1s_make_folder(in_folder("a/b c/d"), 0750, &error), 0);
	assert_int_equal(stat(in_folder("a/b c/d"), &st), 0);
	assert_true(S_ISDIR(st.st_mode));
	assert_int_equal(st.st_mode & 07777U, 0750);
	assert_int_equal(t1s_make_folder(in_folder("a/b c/d"), 0700, &error), 0);
	assert_int_equal(t1s_make_folder(in_folder("a/e/"), 0750, &error), 0);
	assert_int_equal(stat(in_folder("a/e"), &st), 0);
	/* through a link, as /var may be one */
	assert_int_equal(symlink("a", in_folder("link")), 0);
	assert_int_equal(t1s_make_folder(in_folder("link/f"), 0750, &error), 0);
	assert_int_equal(stat(in_folder("a/f"), &st), 0);
}

static void a_file_in_the_place_of_a_folder_is_an_error(void **state)
{
	(void)state;
	put("f", "", 0);
	assert_int_equal(t1s_make_folder(in_folder("f"), 0755, &error), -EEXIST);
	assert_non_null(strstr(error.text, "cannot make folder "));
	assert_int_equal(t1s_make_folder(in_folder("f/x"), 0755, &error), -EEXIST);
	assert_int_equal(symlink("nowhere", in_folder("link")), 0);
	assert_int_equal(t1s_make_folder(in_folder("link"), 0755, &error), -EEXIST);
	assert_int_equal(t1s_make_folder("/proc/none", 0755, &error), -ENOENT);
}

static void a_lock_is_held_by_one(void **state)
{
	cleanup_close int first = -1;
	cleanup_close int again = -1;
	int second = -1;

	(void)state;
	assert_int_equal(t1s_lock_file(in_folder("lock"), &first, &error), 0);
	assert_true(first >= 0);
	assert_int_equal(t1s_lock_file(in_folder("lock"), &second, &error), -EBUSY);
	assert_int_equal(second, -1);
	assert_non_null(strstr(error.text, "another t1s-sweep is at work"));
	(void)close(first);
	first = -1;
	assert_int_equal(t1s_lock_file(in_folder("lock"), &again, &error), 0);
}

static void a_lock_is_no_link_and_has_a_folder(void **state)
{
	int fd = -1;

	(void)state;
	assert_int_equal(t1s_lock_file(in_folder("none/lock"), &fd, &error), -ENOENT);
	assert_int_equal(symlink("target", in_folder("link")), 0);
	assert_int_equal(t1s_lock_file(in_folder("link"), &fd, &error), -ELOOP);
	assert_int_equal(access(in_folder("target"), F_OK), -1);
	assert_int_equal(fd, -1);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_file_is_read_whole_and_ended_by_a_0_byte),
		TEST(files_around_the_size_of_a_buffer_are_read),
		TEST(files_of_proc_are_read_though_they_tell_no_size),
		TEST(reading_a_file_leaves_its_access_time),
		TEST(more_than_the_limit_is_refused),
		TEST(what_is_no_regular_file_is_refused_without_waiting),
		TEST(errors_may_be_dropped),
		TEST(a_one_line_file_loses_its_end_of_line),
		TEST(a_one_line_file_that_does_not_fit_is_refused),
		TEST(a_file_is_made_with_its_mode_and_nothing_beside_it),
		TEST(the_previous_content_is_kept_where_it_is_wanted),
		TEST(what_a_power_cut_left_is_in_nobodys_way),
		TEST(links_are_replaced_not_followed),
		TEST(a_failed_replacement_leaves_everything_as_it_was),
		TEST(a_previous_copy_that_cannot_be_kept_stops_the_replacement),
		TEST(a_path_that_is_too_long_is_refused),
		TEST(everything_is_written_or_it_is_an_error),
		TEST(the_folder_of_a_path_is_synced),
		TEST(folders_are_made_with_those_above_them),
		TEST(a_file_in_the_place_of_a_folder_is_an_error),
		TEST(a_lock_is_held_by_one),
		TEST(a_lock_is_no_link_and_has_a_folder),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
