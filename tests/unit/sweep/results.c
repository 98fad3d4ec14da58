/* SPDX-License-Identifier: MIT */
#include "sweep/results.h"

#include "base/cleanup.h"
#include "base/file.h"
#include "sweep/results_fields.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define SAMPLE T1S_TEST_DATA "/samples/be-iis-t1s-spi-sweep.csv"
#define REFERENCE_HEADER                                                                 \
	"timestamp,status,receiver_host,overlay,spi_requested_hz,spi_requested_mhz,"     \
	"udp_target,received_mbit_s,lost_percent,jitter_ms,packets,lost_packets,"        \
	"test_seconds,omit_seconds,interface,receiver_ip,sender_ip,sender_ssh,note"
#define REFERENCE_ROW                                                                    \
	"2026-07-14T22:09:18+01:00,OK,pi1,BE-IIS-HPP-T1S-I,20000000,20.000,10M,"         \
	"9.538953,4.60914881297047,0.057408192176391565,17270,796,20,3,beiis-t1s0,"      \
	"10.10.10.2,10.10.10.1,pi@192.0.2.130,"

static char folder[64], path[96];
static struct t1s_error error;
static struct t1s_row rows[32];
static int64_t rows_count;

static int set_up(void **state)
{
	(void)state;
	memset(&error, 0, sizeof(error));
	(void)umask(0022);
	(void)snprintf(folder, sizeof(folder), "/tmp/t1s-results-XXXXXX");
	if (!mkdtemp(folder))
		return -1;
	(void)snprintf(path, sizeof(path), "%s/results.csv", folder);
	return 0;
}

static int tear_down(void **state)
{
	char command[96];

	(void)state;
	(void)snprintf(command, sizeof(command), "rm -rf '%s'", folder);
	return system(command); /* NOLINT(cert-env33-c): a path of our own making */
}

static void put_bytes(const char *text, size_t size)
{
	assert_int_equal(t1s_replace_file(path, text, size, 0644, false, &error), 0);
}

static void put(const char *text)
{
	put_bytes(text, strlen(text));
}

static char *content_of(const char *name, size_t *ret_size)
{
	static char copy[200000];
	cleanup_free char *data = NULL;
	size_t size;

	if (t1s_read_file(name, sizeof(copy) - 1, &data, &size, &error) < 0)
		fail_msg("%s", error.text);
	memcpy(copy, data, size + 1);
	if (ret_size)
		*ret_size = size;
	return copy;
}

static char *content(void)
{
	return content_of(path, NULL);
}

static int keep_row(const struct t1s_row *row, void *data)
{
	(void)data;
	if (rows_count < (int64_t)T1S_ELEMENTSOF(rows))
		rows[rows_count] = *row;
	rows_count++;
	return 0;
}

static int64_t read_path(const char *name)
{
	rows_count = 0;
	error.text[0] = '\0';
	return t1s_results_read(name, keep_row, NULL, &error);
}

static void holds_rows(int64_t count)
{
	int64_t n = read_path(path);

	if (n < 0)
		fail_msg("%s", error.text);
	assert_int_equal(n, count);
	assert_int_equal(rows_count, count);
}

static void read_fails_with(const char *expected)
{
	assert_int_equal(read_path(path), -EBADMSG);
	if (!strstr(error.text, expected))
		fail_msg("expected \"%s\" in \"%s\"", expected, error.text);
}

static void text_fails_with(const char *text, const char *expected)
{
	put(text);
	read_fails_with(expected);
}

static struct t1s_row sample_row(void)
{
	struct t1s_row r;

	t1s_row_init(&r);
	r.status = T1S_RUN_OK;
	r.spi_requested_hz = 12500000;
	r.received_mbit_s = 9.5;
	return r;
}

static void append(const struct t1s_row *r)
{
	if (t1s_results_append(path, r, &error) < 0)
		fail_msg("%s", error.text);
}

static void append_fails(int errnum, const char *expected)
{
	struct t1s_row r = sample_row();

	assert_int_equal(t1s_results_append(path, &r, &error), -errnum);
	if (!strstr(error.text, expected))
		fail_msg("expected \"%s\" in \"%s\"", expected, error.text);
}

static bool is_there(const char *suffix)
{
	char name[128];

	(void)snprintf(name, sizeof(name), "%s%s", path, suffix);
	return access(name, F_OK) == 0;
}

/* --- form --- */

/* Every row of the sample written again, with its CRLF line ends taken for LF. */
static void the_reference_file_comes_out_again_byte_for_byte(void **state)
{
	static char sample[8192];
	char *expected, *found, *rest_e, *rest_f;
	size_t lines = 0;

	(void)state;
	assert_int_equal(read_path(SAMPLE), 16);
	for (int i = 0; i < 16; i++)
		append(&rows[i]);
	(void)snprintf(sample, sizeof(sample), "%s", content_of(SAMPLE, NULL));
	found = strtok_r(content(), "\n", &rest_f);
	expected = strtok_r(sample, "\r\n", &rest_e);
	for (; expected && found; lines++) {
		assert_memory_equal(found, expected, strlen(expected));
		assert_int_equal(found[strlen(expected)], ',');
		found = strtok_r(NULL, "\n", &rest_f);
		expected = strtok_r(NULL, "\r\n", &rest_e);
	}
	assert_int_equal(lines, 17);
	assert_null(expected);
	assert_null(found);
}

static void the_reference_file_is_read_as_it_is(void **state)
{
	const struct t1s_row *r = &rows[15];

	(void)state;
	assert_int_equal(read_path(SAMPLE), 16);
	assert_string_equal(r->timestamp, "2026-07-14T22:51:37+01:00");
	assert_int_equal(r->status, T1S_RUN_OK);
	assert_string_equal(r->receiver_host, "pi1");
	assert_string_equal(r->overlay, "BE-IIS-HPP-T1S-I");
	assert_int_equal(r->spi_requested_hz, 5000000);
	assert_string_equal(r->udp_target, "10M");
	assert_true(r->received_mbit_s == 0.000571);
	assert_true(r->lost_percent == 99.9949637389202);
	assert_true(r->jitter_ms == 0.0);
	assert_int_equal(r->packets, 19856);
	assert_int_equal(r->lost_packets, 19855);
	assert_int_equal(r->test_seconds, 20);
	assert_int_equal(r->omit_seconds, 3);
	assert_string_equal(r->interface, "beiis-t1s0");
	assert_string_equal(r->receiver_ip, "10.10.10.2");
	assert_string_equal(r->sender_ip, "10.10.10.1");
	assert_string_equal(r->sender_ssh, "pi@192.0.2.130");
	assert_string_equal(r->note, "");
	/* it has none of our columns */
	assert_string_equal(r->sweep_id, "");
	assert_int_equal(r->point, -1);
	assert_int_equal(r->pass, -1);
	assert_true(isnan(r->offered_mbit_s));
	assert_string_equal(r->raw, "");
}

static void what_is_not_known_is_an_empty_field(void **state)
{
	const char known[] = "\n,NO_DATA";
	char commas[T1S_ROW_LINE_MAX] = "", expected[T1S_ROW_LINE_MAX];
	struct t1s_row r;

	(void)state;
	t1s_row_init(&r);
	r.status = T1S_RUN_NO_DATA;
	append(&r);
	memset(commas, ',', t1s_fields_count - 2);
	(void)snprintf(expected, sizeof(expected), "%s%s\n", known, commas);
	assert_non_null(strstr(content(), expected));
	holds_rows(1);
	assert_memory_equal(rows[0].timestamp, "", 1);
	assert_int_equal(rows[0].spi_requested_hz, 0);
	assert_int_equal(rows[0].packets, -1);
	assert_int_equal(rows[0].clock_synchronised, -1);
	assert_true(isnan(rows[0].received_mbit_s));
	assert_true(isnan(rows[0].duration_s));
}

static void infinities_are_not_written(void **state)
{
	struct t1s_row r = sample_row();

	(void)state;
	r.jitter_ms = INFINITY;
	r.received_mbit_s = -INFINITY;
	append(&r);
	holds_rows(1);
	assert_true(isnan(rows[0].jitter_ms));
	assert_true(isnan(rows[0].received_mbit_s));
}

static void fill_text(char *field, size_t size, char c)
{
	memset(field, c, size - 1);
	field[size - 1] = '\0';
}

/* Every member gets a value of its own; used in both directions below. */
static struct t1s_row full_row(char c)
{
	struct t1s_row r = sample_row();
	int64_t number = 900000000000000000;

	r.status = T1S_RUN_DRIVER_DEAD;
	for (size_t i = 0; i < t1s_fields_count; i++) {
		void *field = (char *)&r + t1s_fields[i].offset;

		switch (t1s_fields[i].type) {
		case T1S_FIELD_TEXT:
			fill_text(field, t1s_fields[i].size, c);
			break;
		case T1S_FIELD_HZ:
			*(uint32_t *)field = UINT32_MAX;
			break;
		case T1S_FIELD_COUNT:
			*(int64_t *)field = number++;
			break;
		case T1S_FIELD_FIXED:
			*(double *)field = (double)i + 0.123456;
			break;
		case T1S_FIELD_SHORTEST:
			*(double *)field = (double)i / 3;
			break;
		default:
			break;
		}
	}
	return r;
}

static void is_equal(const struct t1s_row *a, const struct t1s_row *b)
{
	for (size_t i = 0; i < t1s_fields_count; i++) {
		const char *x = (const char *)a + t1s_fields[i].offset;
		const char *y = (const char *)b + t1s_fields[i].offset;

		if (t1s_fields[i].type == T1S_FIELD_TEXT)
			assert_string_equal(x, y);
		else
			assert_memory_equal(x, y, t1s_fields[i].size);
	}
}

static void every_column_survives_at_its_largest(void **state)
{
	const struct t1s_row plain = full_row('x'), quotes = full_row('"');

	(void)state;
	append(&plain);
	append(&quotes);
	holds_rows(2);
	is_equal(&rows[0], &plain);
	is_equal(&rows[1], &quotes);
}

static void commas_quotes_and_blanks_at_the_ends_survive(void **state)
{
	struct t1s_row r = sample_row();

	(void)state;
	(void)snprintf(r.overlay, sizeof(r.overlay), "a,b \"c\", d");
	(void)snprintf(r.workload, sizeof(r.workload), " front");
	(void)snprintf(r.note, sizeof(r.note), "back ");
	(void)snprintf(r.receiver_host, sizeof(r.receiver_host), "M\xc3\xbcnchen");
	(void)snprintf(r.raw, sizeof(r.raw), " ");
	append(&r);
	assert_non_null(strstr(content(), ",\"a,b \"\"c\"\", d\",12500000,12.500,"));
	assert_non_null(strstr(content(), ",OK,M\xc3\xbcnchen,"));
	holds_rows(1);
	is_equal(&rows[0], &r);
}

static void control_characters_are_replaced(void **state)
{
	struct t1s_row r = sample_row();

	(void)state;
	(void)snprintf(r.note, sizeof(r.note), "a\nb\rc\x1b[2Jd\te\xc2\x9bz\x7f");
	append(&r);
	holds_rows(1);
	assert_string_equal(rows[0].note, "a?b?c?[2Jd?e??z?");
}

static void numbers_have_the_forms_of_the_reference(void **state)
{
	struct t1s_row r = sample_row();

	(void)state;
	r.spi_requested_hz = 12345678;
	r.received_mbit_s = 1.0 / 3;
	r.lost_percent = 0.1 + 0.2;
	r.jitter_ms = 100;
	append(&r);
	assert_non_null(strstr(
		content(), ",12345678,12.346,,0.333333,0.30000000000000004,100,,"));
}

/* Compiles a locale with a decimal comma for this test alone. */
static bool use_comma_locale(void)
{
	char command[256];

	(void)snprintf(command, sizeof(command),
		"localedef -i de_DE -f UTF-8 '%s/de_DE.UTF-8' >/dev/null 2>&1", folder);
	/* NOLINTNEXTLINE(cert-env33-c): a path of our own making */
	return system(command) == 0 && setenv("LOCPATH", folder, 1) == 0 &&
	       setlocale(LC_ALL, "de_DE.UTF-8") != NULL;
}

static void a_locale_with_a_decimal_comma_changes_nothing(void **state)
{
	char half[8];

	if (!use_comma_locale()) {
		print_message("no de_DE locale can be made: package \"locales\"\n");
		skip();
	}
	(void)snprintf(half, sizeof(half), "%.1f", 0.5);
	assert_string_equal(half, "0,5"); /* it would matter */
	the_reference_file_comes_out_again_byte_for_byte(state);
	(void)setlocale(LC_ALL, "C");
	(void)unsetenv("LOCPATH");
}

/* --- appending --- */

static void a_missing_file_is_made_with_the_header_line(void **state)
{
	struct t1s_row r = sample_row();
	struct stat st;
	char *text;

	(void)state;
	append(&r);
	append(&r);
	text = content();
	assert_memory_equal(text, REFERENCE_HEADER ",sweep_id,point,pass,",
		strlen(REFERENCE_HEADER ",sweep_id,point,pass,"));
	assert_null(strstr(text + 1, "timestamp"));
	holds_rows(2);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777U, 0644);
	assert_false(is_there(".torn-1"));
}

static void rows_of_one_run_are_written_together(void **state)
{
	struct t1s_row two[3] = {sample_row(), sample_row(), sample_row()};
	size_t whole;

	(void)state;
	(void)strcpy(two[0].direction, "receive");
	(void)strcpy(two[1].direction, "send");
	assert_int_equal(t1s_results_append_run(path, two, 2, &error), 0);
	holds_rows(2);
	assert_string_equal(rows[0].direction, "receive");
	assert_string_equal(rows[1].direction, "send");
	content_of(path, &whole);
	/* a power cut may tear the second: the first stays */
	put_bytes(content(), whole - 5);
	append(&two[2]);
	holds_rows(2);
	assert_true(is_there(".torn-1"));
	/* none of them, if one is no row */
	two[1].status = T1S_RUN_STATUS_INVALID;
	assert_int_equal(t1s_results_append_run(path, two, 2, &error), -EINVAL);
	assert_int_equal(t1s_results_append_run(path, two, 3, &error), -EINVAL);
	assert_int_equal(t1s_results_append_run(path, two, 0, &error), -EINVAL);
	holds_rows(2);
}

static void a_torn_row_is_set_aside_and_the_rows_stay(void **state)
{
	struct t1s_row r = sample_row();
	char whole[4096], torn[128];
	size_t size;

	(void)state;
	append(&r);
	append(&r);
	(void)snprintf(whole, sizeof(whole), "%s", content());
	size = strlen(whole);
	/* however far the writing had come */
	for (size_t cut = 1; cut < 40; cut++) {
		put_bytes(whole, size - cut);
		append(&r);
		holds_rows(2);
		assert_string_equal(content(), whole);
		(void)snprintf(torn, sizeof(torn), "%s.torn-%zu", path, cut);
		content_of(torn, &size);
		assert_memory_equal(
			content_of(torn, NULL), strrchr(whole, 'O') - 1, size - 1);
		size = strlen(whole);
	}
}

static void a_tail_of_zero_bytes_is_set_aside(void **state)
{
	static char text[20000];
	struct t1s_row r = sample_row();
	char torn[128];
	size_t size;

	(void)state;
	append(&r);
	(void)snprintf(text, sizeof(text), "%s", content());
	put_bytes(text, sizeof(text)); /* more than one block */
	append(&r);
	holds_rows(2);
	(void)snprintf(torn, sizeof(torn), "%s.torn-1", path);
	content_of(torn, &size);
	assert_int_equal(size, sizeof(text) - strlen(text));
}

#define SECTOR 512

/* Of header and rows, those are left that end before the hole; what is behind it is of
 * the same write, and does not count. */
static void hole_leaves(const char *text, size_t size, size_t from, size_t to)
{
	static char holed[16384];
	struct t1s_row r = sample_row();
	size_t lines = 0, torn_size;
	char torn[128];

	memcpy(holed, text, size);
	memset(holed + from, 0, to - from);
	for (size_t i = 0; i < from; i++)
		lines += text[i] == '\n';
	put_bytes(holed, size);
	assert_int_equal(read_path(path), lines > 0 ? (int64_t)lines - 1 : 0);
	append(&r);
	holds_rows(lines > 0 ? (int64_t)lines : 1);
	(void)snprintf(torn, sizeof(torn), "%s.torn-1", path);
	content_of(torn, &torn_size);
	assert_true(torn_size >= size - from);
	assert_int_equal(unlink(torn), 0);
}

static void a_hole_in_the_last_write_costs_no_row_before_it(void **state)
{
	struct t1s_row r = sample_row();
	char text[16384];
	size_t size, header, sector;

	(void)state;
	append(&r);
	header = (size_t)(strchr(content(), '\n') - content()) + 1;
	for (int i = 0; i < 4; i++)
		append(&r);
	(void)snprintf(text, sizeof(text), "%s", content());
	size = strlen(text);
	sector = (header / SECTOR + 1) * SECTOR;
	hole_leaves(text, size, header, sector);
	hole_leaves(text, size, sector - 1, sector);
	hole_leaves(text, size, size - 20, size);
	hole_leaves(text, size, 0, SECTOR);
}

static void zero_bytes_far_from_the_end_are_damage_that_is_told(void **state)
{
	static char text[200000];
	struct t1s_row r = sample_row();
	size_t used;

	(void)state;
	append(&r);
	(void)snprintf(text, sizeof(text), "%s", content());
	used = strlen(text);
	memset(text + 2 * (used + SECTOR) / SECTOR * SECTOR, '\n',
		sizeof(text) - 2 * (used + SECTOR) / SECTOR * SECTOR);
	put_bytes(text, sizeof(text));
	read_fails_with("results.csv:3: ");
	put_bytes("t\0i\0m\0e\0\n\0", 10); /* another encoding */
	read_fails_with("no column");
}

static void a_torn_header_line_is_set_aside_and_written_anew(void **state)
{
	struct t1s_row r = sample_row();

	(void)state;
	put("timestamp,status,recei");
	append(&r);
	holds_rows(1);
	assert_true(is_there(".torn-1"));
	put("");
	append(&r);
	holds_rows(1);
	assert_false(is_there(".torn-2"));
}

static void torn_lines_are_never_written_over(void **state)
{
	struct t1s_row r = sample_row();
	char torn[128];

	(void)state;
	(void)snprintf(torn, sizeof(torn), "%s.torn-1", path);
	assert_int_equal(t1s_replace_file(torn, "keep", 4, 0644, false, &error), 0);
	put("timest");
	append(&r);
	assert_string_equal(content_of(torn, NULL), "keep");
	torn[strlen(torn) - 1] = '2';
	assert_string_equal(content_of(torn, NULL), "timest");
}

static void a_file_without_the_columns_that_tell_rows_apart_is_not_written_to(
	void **state)
{
	(void)state;
	put(REFERENCE_HEADER "\n" REFERENCE_ROW "\n");
	append_fails(EBADMSG, "results.csv:1: no column sweep_id");
	/* nor is a tail of such a file cut off */
	put(REFERENCE_HEADER "\n" REFERENCE_ROW);
	append_fails(EBADMSG, "results.csv:1: no column sweep_id");
	assert_string_equal(content(), REFERENCE_HEADER "\n" REFERENCE_ROW);
}

static void a_file_that_is_none_of_ours_is_not_written_to(void **state)
{
	static const char *const texts[] = {"timestamp\n", "\n\n",
		REFERENCE_HEADER ",note\n", REFERENCE_HEADER ",\"open\n",
		REFERENCE_HEADER ",\"shut\"x\n"};

	(void)state;
	for (size_t i = 0; i < T1S_ELEMENTSOF(texts); i++) {
		put(texts[i]);
		append_fails(EBADMSG, "results.csv:1: ");
		assert_string_equal(content(), texts[i]);
	}
}

/* As an upgrade leaves it: begun by a version that knew fewer columns, or by one that
 * knew others. */
static void a_file_goes_on_under_its_own_header(void **state)
{
	const char *header = "\xef\xbb\xbf" REFERENCE_HEADER
			     ",sweep_id,\"remark, mine\",attempt,repeat,direction,"
			     "workload,point\r\n";
	char missing[T1S_MISSING_MAX];
	struct t1s_row r = sample_row();

	(void)state;
	put(header);
	r.point = 3;
	r.repeat = 2;
	r.attempt = 1;
	(void)strcpy(r.sweep_id, "20260714T220918-0badcafe");
	(void)strcpy(r.workload, "small");
	assert_int_equal(t1s_results_append(path, &r, &error), 0);
	holds_rows(1);
	assert_string_equal(rows[0].sweep_id, r.sweep_id);
	assert_string_equal(rows[0].workload, "small");
	assert_int_equal(rows[0].point, 3);
	assert_int_equal(rows[0].repeat, 2);
	assert_string_equal(rows[0].boot_id, "");
	assert_int_equal(strncmp(content(), header, strlen(header)), 0);
	assert_non_null(strstr(content(), ",20260714T220918-0badcafe,,1,2,"));
	assert_int_equal(t1s_results_check(path, missing, &error), 0);
	assert_non_null(strstr(missing, "pass, protocol, length_bytes, boot_id, "));
}

static void checking_changes_nothing(void **state)
{
	char missing[T1S_MISSING_MAX];
	struct t1s_row r = sample_row();

	(void)state;
	assert_int_equal(t1s_results_check(path, missing, &error), 0);
	assert_int_equal(access(path, F_OK), -1);
	put("timestamp,sta"); /* a header that was never whole is written anew */
	assert_int_equal(t1s_results_check(path, missing, &error), 0);
	assert_string_equal(content(), "timestamp,sta");
	assert_int_equal(unlink(path), 0);
	assert_int_equal(t1s_results_append(path, &r, &error), 0);
	assert_int_equal(t1s_results_check(path, missing, &error), 0);
	assert_string_equal(missing, "");
	put(REFERENCE_HEADER "\n");
	assert_int_equal(t1s_results_check(path, missing, &error), -EBADMSG);
}

static void a_link_in_its_place_is_refused(void **state)
{
	char other[128];

	(void)state;
	(void)snprintf(other, sizeof(other), "%s/other", folder);
	assert_int_equal(symlink(other, path), 0);
	append_fails(
		ELOOP, "results.csv is a symbolic link, a regular file was expected");
	assert_int_equal(access(other, F_OK), -1);
	assert_int_equal(read_path(path), -ELOOP);
}

static void a_fifo_or_folder_in_its_place_is_refused(void **state)
{
	(void)state;
	assert_int_equal(mkfifo(path, 0644), 0);
	append_fails(EINVAL, "results.csv is not a regular file");
	assert_int_equal(read_path(path), -EINVAL);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(mkdir(path, 0755), 0);
	append_fails(EISDIR, "cannot open");
	assert_int_equal(read_path(path), -EINVAL);
}

static void a_missing_folder_is_an_error(void **state)
{
	(void)state;
	(void)snprintf(path, sizeof(path), "%s/none/results.csv", folder);
	append_fails(ENOENT, "cannot open");
	assert_int_equal(read_path(path), -ENOENT);
}

static void a_second_writer_is_refused(void **state)
{
	struct t1s_row r = sample_row();
	cleanup_close int fd = -1;

	(void)state;
	append(&r);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_int_equal(flock(fd, LOCK_EX), 0);
	append_fails(EBUSY, "another t1s-sweep is writing");
	/* ours keeps everybody out, too */
	assert_int_equal(flock(fd, LOCK_SH), 0);
	append_fails(EBUSY, "another t1s-sweep is writing");
	holds_rows(1);
}

static void a_row_without_a_status_is_refused(void **state)
{
	struct t1s_row r;

	(void)state;
	t1s_row_init(&r);
	assert_int_equal(t1s_results_append(path, &r, &error), -EINVAL);
	assert_false(is_there(""));
}

/* Files of this process may grow to @size only. */
static void limit_file_size(rlim_t size)
{
	struct rlimit l;

	assert_int_equal(getrlimit(RLIMIT_FSIZE, &l), 0);
	l.rlim_cur = size;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &l), 0);
}

static void a_row_that_was_written_in_part_is_taken_back(void **state)
{
	struct t1s_row r = sample_row();
	char before[4096];

	(void)state;
	(void)signal(SIGXFSZ, SIG_IGN);
	append(&r);
	(void)snprintf(before, sizeof(before), "%s", content());
	for (size_t room = 0; room < 20; room++) {
		limit_file_size(strlen(before) + room);
		/* nothing written at all is EFBIG here, a part is like a full disk */
		append_fails(room == 0 ? EFBIG : ENOSPC, "cannot write a row to");
		assert_string_equal(content(), before);
	}
	limit_file_size(RLIM_INFINITY);
	append(&r);
	holds_rows(2);
}

static void a_new_file_that_has_no_room_has_no_half_header(void **state)
{
	(void)state;
	(void)signal(SIGXFSZ, SIG_IGN);
	limit_file_size(100);
	append_fails(ENOSPC, "cannot write a row to");
	limit_file_size(RLIM_INFINITY);
	assert_string_equal(content(), "");
	holds_rows(0);
}

static void a_torn_row_stays_where_there_is_no_room_to_set_it_aside(void **state)
{
	char text[300] = "timestamp";

	(void)state;
	memset(text + 9, 'x', sizeof(text) - 10);
	put(text);
	(void)signal(SIGXFSZ, SIG_IGN);
	limit_file_size(100);
	append_fails(EFBIG, "cannot set the torn last line of");
	limit_file_size(RLIM_INFINITY);
	assert_string_equal(content(), text);
	assert_false(is_there(".torn-1"));
}

/* In a child of its own, on a file system of 16 KiB; its exit status tells what held. */
static int fill_small_disk(void)
{
	struct t1s_row r = sample_row();
	int64_t written = 0;
	int result;

	if (unshare(CLONE_NEWNS) < 0 && unshare(CLONE_NEWUSER | CLONE_NEWNS) < 0)
		return 77;
	if (mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
		mount("t1s", folder, "tmpfs", 0, "size=16k") < 0)
		return 77;
	while ((result = t1s_results_append(path, &r, &error)) == 0)
		written++;
	if (result != -ENOSPC || !strstr(error.text, "No space left on device"))
		return 1;
	return t1s_results_read(path, keep_row, NULL, &error) == written && written > 10
		       ? 0
		       : 2;
}

static void a_full_disk_keeps_all_whole_rows_and_nothing_else(void **state)
{
	int status;
	pid_t pid;

	(void)state;
	pid = fork();
	assert_int_not_equal(pid, -1);
	if (pid == 0)
		_exit(fill_small_disk());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == 77) {
		print_message("no mount of our own allowed here\n");
		skip();
	}
	assert_int_equal(WEXITSTATUS(status), 0);
}

/* --- reading --- */

static void columns_may_stand_in_any_order_with_others_between(void **state)
{
	(void)state;
	put("note,operator,sender_ssh,sender_ip,receiver_ip,interface,omit_seconds,"
	    "test_seconds,lost_packets,packets,jitter_ms,lost_percent,received_mbit_s,"
	    "udp_target,spi_requested_mhz,spi_requested_hz,overlay,receiver_host,status,"
	    "timestamp,weather,point\n"
	    "n,o,s,2,1,if,3,20,4,5,0.5,6.5,7.5,10M,8.000,8000000,ov,rh,NO_LINK,ts,\"w,"
	    "\"\"\n"
	    "w\",9\n");
	holds_rows(1);
	assert_string_equal(rows[0].timestamp, "ts");
	assert_int_equal(rows[0].status, T1S_RUN_NO_LINK);
	assert_int_equal(rows[0].spi_requested_hz, 8000000);
	assert_true(rows[0].received_mbit_s == 7.5);
	assert_string_equal(rows[0].note, "n");
	assert_int_equal(rows[0].point, 9);
	assert_int_equal(rows[0].packets, 5);
	assert_int_equal(rows[0].lost_packets, 4);
}

static void lf_crlf_empty_lines_and_a_bom_are_taken(void **state)
{
	(void)state;
	put(REFERENCE_HEADER "\n" REFERENCE_ROW "\n" REFERENCE_ROW "\n");
	holds_rows(2);
	put("\xef\xbb\xbf" REFERENCE_HEADER "\r\n" REFERENCE_ROW "\r\n\r\n" REFERENCE_ROW
	    "\r\n\r\n");
	holds_rows(2);
	assert_string_equal(rows[1].sender_ssh, "pi@192.0.2.130");
	assert_string_equal(rows[1].note, "");
}

/* Whoever appends would cut such a row off as torn. */
static void a_line_does_not_end_in_a_cr_alone(void **state)
{
	(void)state;
	put(REFERENCE_HEADER "\r\n" REFERENCE_ROW "\r\n" REFERENCE_ROW "\r");
	holds_rows(1);
	text_fails_with(REFERENCE_HEADER "\n" REFERENCE_ROW "\r" REFERENCE_ROW "\n",
		"results.csv:2: a carriage return that ends no line");
}

static void a_torn_last_line_is_left_out(void **state)
{
	const char whole[] = REFERENCE_HEADER "\n" REFERENCE_ROW "\n" REFERENCE_ROW "\n";

	(void)state;
	for (size_t cut = 1; cut < strlen(REFERENCE_ROW); cut++) {
		put_bytes(whole, strlen(whole) - cut);
		holds_rows(1);
	}
	put(REFERENCE_HEADER "\n" REFERENCE_ROW "\n\"a quote that is not closed\n\n");
	holds_rows(1);
}

static void a_file_without_a_whole_line_has_no_rows(void **state)
{
	(void)state;
	put("");
	holds_rows(0);
	put("timestamp,stat");
	holds_rows(0);
	put(REFERENCE_HEADER "\n");
	holds_rows(0);
	put_bytes((const char[600]){0}, 600);
	holds_rows(0);
}

static void newlines_in_quotes_are_part_of_the_value_and_counted(void **state)
{
	(void)state;
	text_fails_with(REFERENCE_HEADER "\n" REFERENCE_ROW
					 "\"a\nb\r\nc\"\n" REFERENCE_ROW
					 "\"a\nb\r\nc\"\n" REFERENCE_ROW "\nbad\n",
		"results.csv:9: 1 fields, expected 19");
	assert_int_equal(rows_count, 3);
	assert_string_equal(rows[0].note, "a\nb\r\nc");
	assert_string_equal(rows[1].note, "a\nb\r\nc");
	assert_string_equal(rows[2].note, "");
}

static void a_file_that_is_none_of_ours_is_refused(void **state)
{
	(void)state;
	text_fails_with("a,b,c\n1,2,3\n", "results.csv:1: no column timestamp: expected "
					  "the header line of a results "
					  "file");
	/* a column missing */
	text_fails_with("timestamp,status\n", "results.csv:1: no column receiver_host");
	text_fails_with(REFERENCE_HEADER ",status\n", "results.csv:1: 2 columns status");
	text_fails_with(
		REFERENCE_HEADER ",point,point\n", "results.csv:1: 2 columns point");
	text_fails_with(REFERENCE_ROW "\n", "results.csv:1: no column timestamp");
}

static void as_many_columns_as_a_sheet_may_have_are_taken(void **state)
{
	const int more = 256 - (int)T1S_REFERENCE_FIELDS;
	char commas[300], text[1000];

	(void)state;
	memset(commas, ',', sizeof(commas));
	(void)snprintf(text, sizeof(text), "%s%.*s\n", REFERENCE_HEADER, more, commas);
	put(text);
	holds_rows(0);
	(void)snprintf(
		text, sizeof(text), "%s%.*s\n", REFERENCE_HEADER, more + 1, commas);
	text_fails_with(text, "results.csv:1: 257 columns, expected at most 256");
}

static void a_row_of_another_width_is_refused(void **state)
{
	(void)state;
	text_fails_with(REFERENCE_HEADER "\n" REFERENCE_ROW "\n" REFERENCE_ROW ",\n",
		"results.csv:3: 20 fields, expected 19 as in the header line");
	text_fails_with(REFERENCE_HEADER "\r\n" REFERENCE_ROW "\r\n\r\nts,OK\r\n",
		"results.csv:4: 2 fields, expected 19");
	/* a row glued to a torn one */
	text_fails_with(REFERENCE_HEADER "\n2026-07-14T22:09:18+01:00,OK,p" REFERENCE_ROW
					 "\n",
		"results.csv:2: column spi_requested_hz: found \"pi1\"");
}

/* The sample's row with another value in the place of @old. */
static void value_fails_with(const char *old, const char *fresh, const char *expected)
{
	char row[1024];
	const char *at = strstr(REFERENCE_ROW, old);

	assert_non_null(at);
	(void)snprintf(row, sizeof(row),
		REFERENCE_HEADER "\n" REFERENCE_ROW "\n%.*s%s%s\n",
		(int)(at - REFERENCE_ROW), REFERENCE_ROW, fresh, at + strlen(old));
	text_fails_with(row, expected);
	assert_int_equal(rows_count, 1);
}

static void a_bad_value_is_told_with_line_and_column(void **state)
{
	(void)state;
	value_fails_with(",OK,", ",FINE,",
		"results.csv:3: column status: found \"FINE\", expected a status such as "
		"OK");
	value_fails_with(",OK,", ",,", ":3: column status: found \"\", expected");
	value_fails_with(",OK,", ",OK ?,", ":3: column status: found \"OK ?\", expected");
	value_fails_with(",20000000,", ",20M,",
		":3: column spi_requested_hz: found \"20M\", expected a frequency in Hz");
	value_fails_with(
		",20000000,", ",4294967296,", ":3: column spi_requested_hz: found");
	value_fails_with(",20000000,", ",-1,", ":3: column spi_requested_hz: found");
	value_fails_with(",20.000,", ",20 MHz,", ":3: column spi_requested_mhz: found");
	value_fails_with(",9.538953,", ",\"9,538953\",",
		":3: column received_mbit_s: found \"9,538953\", expected a number with "
		"a "
		"decimal point");
	value_fails_with(
		",9.538953,", ",nan,", ":3: column received_mbit_s: found \"nan\"");
	value_fails_with(",9.538953,", ",0x1p3,", ":3: column received_mbit_s: found");
	value_fails_with(",9.538953,", ",1e999,", ":3: column received_mbit_s: found");
	value_fails_with(
		",9.538953,", ",9.5 Mbit/s,", ":3: column received_mbit_s: found");
	value_fails_with(",17270,", ",17270.0,",
		":3: column packets: found \"17270.0\", expected a whole number, or "
		"nothing");
	value_fails_with(",17270,", ",-3,", ":3: column packets: found \"-3\"");
	value_fails_with(
		",17270,", ",18446744073709550774,", ":3: column packets: found");
	value_fails_with(",796,", ",0x10,", ":3: column lost_packets: found");
	value_fails_with(",beiis-t1s0,", ",sixteen-letters-,",
		":3: column interface: found \"sixteen-letters-\", expected a text of at "
		"most "
		"15 bytes");
	value_fails_with(",10.10.10.2,",
		",\x1b[2J\x1b[2J00000000000000000000000000000000000"
		"00000000000000000000000,",
		":3: column receiver_ip: found \"?[2J?[2J");
}

static void zero_bytes_in_a_row_are_refused(void **state)
{
	const char text[] = REFERENCE_HEADER "\n" REFERENCE_ROW "a\0b\n";
	const char number[] =
		REFERENCE_HEADER "\n"
				 "t,OK,h,o,1,1\0,10M,1,1,1,1,1,1,1,i,r,s,s,n\n";
	const char status[] =
		REFERENCE_HEADER "\n"
				 "t,OK\0,h,o,1,1,10M,1,1,1,1,1,1,1,i,r,s,s,n\n";

	(void)state;
	put_bytes(text, sizeof(text) - 1);
	read_fails_with("results.csv:2: column note");
	put_bytes(number, sizeof(number) - 1);
	read_fails_with("results.csv:2: column spi_requested_mhz");
	put_bytes(status, sizeof(status) - 1);
	read_fails_with("results.csv:2: column status");
}

static void a_quote_that_is_never_closed_does_not_fill_the_memory(void **state)
{
	static char text[150000];
	size_t n = (size_t)sprintf(text, "%s", REFERENCE_HEADER "\n\"");

	(void)state;
	memset(text + n, 'x', sizeof(text) - n);
	put_bytes(text, sizeof(text));
	read_fails_with("results.csv:2: a field of more than 65536 bytes: is a quote not "
			"closed?");
}

static int stop_at_second(const struct t1s_row *row, void *data)
{
	(void)row;
	return ++*(int *)data == 2 ? -ECANCELED : 0;
}

static void the_callers_function_can_end_the_reading(void **state)
{
	int calls = 0;

	(void)state;
	assert_int_equal(
		t1s_results_read(SAMPLE, stop_at_second, &calls, &error), -ECANCELED);
	assert_int_equal(calls, 2);
}

static void many_rows_are_read_across_blocks(void **state)
{
	FILE *f = fopen(path, "we");

	(void)state;
	assert_non_null(f);
	(void)fputs(REFERENCE_HEADER "\n", f);
	for (int i = 0; i < 5000; i++)
		(void)fprintf(f,
			"t%d,OK,h,o,%d,1.000,10M,%d.5,1,1,%d,1,1,1,i,r,s,s,\"n,%d\"\n", i,
			i + 1, i, i, i);
	assert_int_equal(fclose(f), 0);
	holds_rows(5000);
	for (int i = 0; i < (int)T1S_ELEMENTSOF(rows); i++) {
		char note[16];

		(void)snprintf(note, sizeof(note), "n,%d", i);
		assert_int_equal(rows[i].spi_requested_hz, i + 1);
		assert_int_equal(rows[i].packets, i);
		assert_true(rows[i].received_mbit_s == i + 0.5);
		assert_string_equal(rows[i].note, note);
	}
}

static void columns_that_are_not_wanted_are_neither_read_nor_checked(void **state)
{
	static const size_t wanted[] = {offsetof(struct t1s_row, received_mbit_s),
		offsetof(struct t1s_row, spi_requested_hz)};
	static const char bad[] = "t,FINE,h,o,8000000,-,10M,1.5,x,y,-3,x,x,x,i,r,s,s,";
	char text[1024];

	(void)state;
	(void)snprintf(text, sizeof(text),
		REFERENCE_HEADER "\n%s\"a\nb\"\n%s\n"
				 "t,OK,h,o,8000000,-,10M,fast,,,,,,,,,,,\n",
		bad, bad);
	put(text);
	rows_count = 0;
	assert_int_equal(
		t1s_results_read_some(path, wanted, 2, keep_row, NULL, &error), -EBADMSG);
	assert_int_equal(rows_count, 2);
	assert_int_equal(rows[0].spi_requested_hz, 8000000);
	assert_true(rows[1].received_mbit_s == 1.5);
	assert_int_equal(rows[0].status, T1S_RUN_STATUS_INVALID);
	assert_string_equal(rows[0].note, "");
	assert_int_equal(rows[0].packets, -1);
	assert_non_null(strstr(error.text, "results.csv:5: column received_mbit_s"));
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_reference_file_comes_out_again_byte_for_byte),
		TEST(the_reference_file_is_read_as_it_is),
		TEST(what_is_not_known_is_an_empty_field),
		TEST(infinities_are_not_written),
		TEST(every_column_survives_at_its_largest),
		TEST(commas_quotes_and_blanks_at_the_ends_survive),
		TEST(control_characters_are_replaced),
		TEST(numbers_have_the_forms_of_the_reference),
		TEST(a_locale_with_a_decimal_comma_changes_nothing),
		TEST(a_missing_file_is_made_with_the_header_line),
		TEST(rows_of_one_run_are_written_together),
		TEST(a_torn_row_is_set_aside_and_the_rows_stay),
		TEST(a_tail_of_zero_bytes_is_set_aside),
		TEST(a_hole_in_the_last_write_costs_no_row_before_it),
		TEST(zero_bytes_far_from_the_end_are_damage_that_is_told),
		TEST(a_torn_header_line_is_set_aside_and_written_anew),
		TEST(torn_lines_are_never_written_over),
		TEST(a_file_without_the_columns_that_tell_rows_apart_is_not_written_to),
		TEST(a_file_that_is_none_of_ours_is_not_written_to),
		TEST(a_file_goes_on_under_its_own_header),
		TEST(checking_changes_nothing),
		TEST(a_link_in_its_place_is_refused),
		TEST(a_fifo_or_folder_in_its_place_is_refused),
		TEST(a_missing_folder_is_an_error),
		TEST(a_second_writer_is_refused),
		TEST(a_row_without_a_status_is_refused),
		TEST(a_row_that_was_written_in_part_is_taken_back),
		TEST(a_new_file_that_has_no_room_has_no_half_header),
		TEST(a_torn_row_stays_where_there_is_no_room_to_set_it_aside),
		TEST(a_full_disk_keeps_all_whole_rows_and_nothing_else),
		TEST(columns_may_stand_in_any_order_with_others_between),
		TEST(lf_crlf_empty_lines_and_a_bom_are_taken),
		TEST(a_line_does_not_end_in_a_cr_alone),
		TEST(a_torn_last_line_is_left_out),
		TEST(a_file_without_a_whole_line_has_no_rows),
		TEST(newlines_in_quotes_are_part_of_the_value_and_counted),
		TEST(a_file_that_is_none_of_ours_is_refused),
		TEST(as_many_columns_as_a_sheet_may_have_are_taken),
		TEST(a_row_of_another_width_is_refused),
		TEST(a_bad_value_is_told_with_line_and_column),
		TEST(zero_bytes_in_a_row_are_refused),
		TEST(a_quote_that_is_never_closed_does_not_fill_the_memory),
		TEST(the_callers_function_can_end_the_reading),
		TEST(many_rows_are_read_across_blocks),
		TEST(columns_that_are_not_wanted_are_neither_read_nor_checked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
