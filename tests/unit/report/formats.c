/* SPDX-License-Identifier: MIT */
/* What the formats for reading say, and how gnuplot is kept in bounds. */
#include "points.h"

#include "base/clock.h"
#include "report/gnuplot.h"
#include "report/panels.h"
#include "report/plot_script.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef int (*write_fn)(const struct t1s_report *r, FILE *out);

static char *written(const struct t1s_report *r, write_fn write)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	assert_non_null(f);
	assert_int_equal(write(r, f), 0);
	assert_int_equal(fclose(f), 0);
	return text;
}

static void assert_in(const char *text, const char *words)
{
	if (!strstr(text, words))
		fail_msg("\"%s\" is not in:\n%s", words, text);
}

/* --- in short --- */

static size_t sentences_in(const char *text)
{
	size_t n = 0;

	for (const char *p = text; (p = strchr(p, '.')); p++)
		n += p[1] == ' ' || p[1] == '\0';
	return n;
}

static void assert_short(const struct t1s_report *r, const char *words)
{
	cleanup_free char *text = written(r, t1s_report_in_short);

	assert_in(text, words);
	assert_int_equal(sentences_in(text), 2);
}

static void summary_tells_margin_and_that_one_run_is_not_firm(void **state)
{
	struct t1s_report_point p[] = {
		at(20, WIRE, NULL), at(13, WIRE, NULL), at(12, 8, NULL)};
	cleanup_(judged_done) struct t1s_report r = judged(p, 3);

	(void)state;
	assert_short(&r,
		"everything that the wire allows, 9.54 Mbit/s of payload, down to "
		"an SPI setting of 13 MHz.");
	assert_short(&r,
		"20 MHz, is 1.54 times that and so has a reserve; each setting was "
		"measured only once");
	r.original_hz = 13000000;
	r.margin = 1;
	assert_short(&r, "13 MHz, is just that and has no reserve");
	r.margin = 0.5;
	assert_short(&r, "is lower and costs throughput");
	r.margin = NAN;
	assert_short(&r, "Which setting is in use is not known");
}

static void summary_warns_of_points_that_frequency_does_not_explain(void **state)
{
	struct t1s_report_point p[] = {at(20, WIRE, NULL), at(19, 9.05, NULL),
		at(18, 9.05, NULL), at(17, WIRE, NULL), at(16, 5, NULL)};
	cleanup_(judged_done) struct t1s_report r = judged(p, 5);

	(void)state;
	assert_short(&r,
		"but 2 of the 5 settings gave results that the setting alone does "
		"not explain");
}

static void summary_of_firm_runs_has_no_but(void **state)
{
	double best[] = {9.53, 9.53, 9.54}, low[] = {5, 5, 5.1};
	struct t1s_report_point p[] = {runs_at(20, best, 3), runs_at(10, low, 3)};
	cleanup_(judged_done) struct t1s_report r = judged(p, 2);
	cleanup_free char *text = written(&r, t1s_report_in_short);

	(void)state;
	assert_short(&r, "has no reserve.");
	assert_null(strstr(text, ";"));
}

static void summary_warns_of_drift_and_of_boots_that_differ(void **state)
{
	double best[] = {9.53, 9.53, 9.54}, low[] = {5, 5, 5.1};
	struct t1s_report_point p[] = {runs_at(20, best, 3), runs_at(10, low, 3)};
	cleanup_(judged_done) struct t1s_report r = judged(p, 2);

	(void)state;
	r.opening_mbit_s = 9.53;
	r.closing_mbit_s = 9.3;
	assert_short(&r, "gave another result at the end than at the beginning");
	r.closing_mbit_s = 9.4;
	assert_short(&r, "has no reserve.");
	r.unlike_boots = 1;
	assert_short(&r, "the equipment was not the same throughout");
}

static void summary_without_an_answer_says_so(void **state)
{
	struct t1s_report_point silent[] = {at(20, 0, NULL)},
				none[] = {at(20, NAN, NULL)},
				alone[] = {at(0, 4.5, NULL)};
	cleanup_(judged_done) struct t1s_report a = judged(silent, 1),
						b = judged(none, 1), c = judged(alone, 1);

	(void)state;
	assert_short(&a, "The link carried nothing");
	assert_short(&b, "No measurement of this sweep can be believed");
	assert_short(&c,
		"at an SPI setting that is not known. What holds it there is not "
		"known.");
}

/* --- limits --- */

static int append_line(const char *sentence, void *data)
{
	return fprintf(data, "%s\n", sentence) < 0 ? -EIO : 0;
}

static int write_limits(const struct t1s_report *r, FILE *out)
{
	return t1s_report_limits(r, append_line, out);
}

static void limits_name_what_one_run_per_point_cannot_tell(void **state)
{
	struct t1s_report_point p[] = {at(20, WIRE, NULL), at(10, 7, NULL)};
	cleanup_(judged_done) struct t1s_report r = judged(p, 2);
	cleanup_free char *text = NULL;

	(void)state;
	r.plca_overhead_bits = 32;
	p[0].asked_mbit_s = 10;
	text = written(&r, write_limits);
	assert_in(text, "Each point was measured once");
	assert_in(text, "Tested with UDP datagrams of 1448 bytes at 10 Mbit/s only");
	assert_in(text, "Nothing is known below 10 MHz, above 20 MHz");
	assert_in(text, "Which SCLK the controller made of the requests is not known.");
	assert_in(text, "32 bit times per frame, and the best rate fits that.");
	assert_in(text, "The CPU load was not recorded");
	assert_in(text, "whether anything drifted is not known");
	assert_null(strstr(text, "clock was not synchronised"));
}

static void limits_that_do_not_apply_are_not_named(void **state)
{
	double best[] = {9.53, 9.53, 9.54}, low[] = {5, 5, 5.1};
	struct t1s_report_point p[] = {runs_at(20, best, 3), runs_at(10, low, 3)};
	cleanup_(judged_done) struct t1s_report r = {0};
	cleanup_free char *text = NULL;

	(void)state;
	p[0].sclk_predicted_hz = 20000000;
	p[1].cpu_core_percent = 20;
	r = judged(p, 2);
	r.plca_overhead_bits = 32;
	r.conditions_count = 1;
	r.conditions[0] =
		(struct t1s_condition_line){.name = "PLCA", .value = "on, node 1"};
	r.passes = 3;
	r.seed = 1;
	r.opening_mbit_s = r.closing_mbit_s = 9.5;
	r.clock_synchronised = 0;
	text = written(&r, write_limits);
	assert_null(strstr(text, "measured once"));
	assert_null(strstr(text, "PLCA"));
	assert_null(strstr(text, "CPU"));
	assert_null(strstr(text, "shuffled"));
	assert_null(strstr(text, "drifted"));
	assert_in(text, "The SCLK is predicted");
	assert_in(text, "The clock was not synchronised");
	(void)snprintf(r.conditions[0].value, sizeof(r.conditions[0].value), "off");
	free(text);
	text = written(&r, write_limits);
	assert_in(text, "PLCA is recorded as \"off\"");
}

/* --- panels --- */

static void workloads_have_a_panel_each_and_files_are_laid_over_each_other(void **state)
{
	static const struct {
		size_t file;
		const char *workload;
	} of[] = {{0, "big"}, {0, "small"}, {1, "big"}, {1, "small"}, {2, "small"}};
	struct t1s_report r[5] = {{0}};
	const struct t1s_report_list l = {.reports = r, .count = 5, .files = 3};
	cleanup_free struct t1s_panel *panels = NULL;

	(void)state;
	for (size_t i = 0; i < 5; i++) {
		r[i].file = of[i].file;
		(void)snprintf(
			r[i].workload, sizeof(r[i].workload), "%s", of[i].workload);
	}
	assert_int_equal(t1s_panels_of(&l, &panels), 2);
	assert_int_equal(panels[0].count, 2);
	assert_ptr_equal(panels[0].reports[1], &r[2]);
	assert_int_equal(panels[1].count, 3);
	assert_string_equal(panels[1].title, "small");
}

static void files_with_one_workload_share_a_panel_whatever_its_name(void **state)
{
	struct t1s_report r[2] = {{.file = 0}, {.file = 1, .workload = "default"}};
	const struct t1s_report_list l = {.reports = r, .count = 2, .files = 2};
	cleanup_free struct t1s_panel *panels = NULL;

	(void)state;
	assert_int_equal(t1s_panels_of(&l, &panels), 1);
	assert_int_equal(panels[0].count, 2);
	assert_string_equal(panels[0].title, "");
}

/* --- gnuplot --- */

static char folder[64], path_before[4096];

/* A program of the test's in the place of gnuplot. */
static int set_up(void **state)
{
	(void)state;
	(void)snprintf(folder, sizeof(folder), "/tmp/t1s-gnuplot-XXXXXX");
	if (!mkdtemp(folder))
		return -1;
	(void)snprintf(path_before, sizeof(path_before), "%s",
		getenv("PATH") ? getenv("PATH") : "");
	return setenv("PATH", folder, 1);
}

static int tear_down(void **state)
{
	char path[96];

	(void)state;
	(void)snprintf(path, sizeof(path), "%s/gnuplot", folder);
	(void)unlink(path);
	(void)rmdir(folder);
	return setenv("PATH", path_before, 1);
}

static void put_gnuplot(const char *script)
{
	char path[96];
	FILE *f;

	(void)snprintf(path, sizeof(path), "%s/gnuplot", folder);
	f = fopen(path, "we");
	assert_non_null(f);
	(void)fprintf(f, "#!/bin/sh\nPATH=/usr/bin:/bin\n%s\n", script);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(chmod(path, 0755), 0);
}

static int draw(uint64_t patience_us, char **ret, struct t1s_error *e)
{
	static const char script[] = "plot x\n";
	size_t size;

	return t1s_gnuplot(script, strlen(script), patience_us, ret, &size, e);
}

static void assert_drawing_fails(uint64_t patience_us, int errnum, const char *words)
{
	struct t1s_error e = {{0}};
	char *picture = NULL;

	assert_int_equal(draw(patience_us, &picture, &e), -errnum);
	assert_null(picture);
	assert_in(e.text, words);
}

static void gnuplot_gets_the_script_and_gives_the_picture(void **state)
{
	cleanup_free char *picture = NULL;
	struct t1s_error e = {{0}};

	(void)state;
	put_gnuplot("echo \"$1\"; cat; echo \"home $HOME, term $GNUTERM\"");
	assert_int_equal(setenv("GNUTERM", "x11", 1), 0);
	assert_int_equal(draw(60 * T1S_USEC_PER_SEC, &picture, &e), 0);
	assert_string_equal(picture, "--default-settings\nplot x\nhome /, term \n");
}

static void gnuplot_that_is_missing_is_told_with_its_package(void **state)
{
	(void)state;
	assert_drawing_fails(T1S_USEC_PER_SEC, ENOENT, "apt install gnuplot-nox");
}

static void gnuplot_that_does_not_end_is_ended(void **state)
{
	(void)state;
	put_gnuplot("exec sleep 1000");
	assert_drawing_fails(200 * T1S_USEC_PER_MSEC, ETIMEDOUT, "not done after 0.2 s");
	put_gnuplot("echo picture; exec >&-; exec sleep 1000");
	assert_drawing_fails(200 * T1S_USEC_PER_MSEC, ETIMEDOUT, "not done after 0.2 s");
}

static void gnuplot_that_fails_is_quoted_without_its_control_characters(void **state)
{
	(void)state;
	put_gnuplot("printf 'line 3:\\033[31m wrong' >&2; echo half; exit 1");
	assert_drawing_fails(
		60 * T1S_USEC_PER_SEC, EIO, "gnuplot failed: line 3:?[31m wrong");
	put_gnuplot("exit 0");
	assert_drawing_fails(60 * T1S_USEC_PER_SEC, EIO, "gnuplot wrote nothing");
}

static void gnuplot_that_writes_without_end_is_ended(void **state)
{
	(void)state;
	put_gnuplot("exec yes");
	assert_drawing_fails(60 * T1S_USEC_PER_SEC, EFBIG, "wrote more than");
}

static char *script_of(const struct t1s_report_list *l, const struct t1s_plot_options *o)
{
	cleanup_free struct t1s_panel *panels = NULL;
	char *script = NULL;
	size_t size;
	FILE *f = open_memstream(&script, &size);

	assert_non_null(f);
	assert_int_equal(t1s_panels_of(l, &panels), 1);
	t1s_plot_script(l, panels, 1, o, f);
	assert_int_equal(fclose(f), 0);
	return script;
}

static void axis_has_a_tic_at_each_point_and_no_numbers_that_touch(void **state)
{
	struct t1s_report_point p[] = {
		at(30, WIRE, NULL), at(13, 9, NULL), at(12, 8, NULL), at(11, 7, NULL)};
	struct t1s_report r = report_of(p, 4);
	const struct t1s_report_list l = {.reports = &r, .count = 1, .files = 1};
	const struct t1s_plot_options wide = {0}, narrow = {.narrow = true};
	cleanup_free char *on_a_page = script_of(&l, &wide),
			  *on_a_phone = script_of(&l, &narrow);

	(void)state;
	assert_in(on_a_page, "xtics nomirror (30.000000, 13.000000, 12.000000, 11.0");
	assert_in(on_a_phone, "xtics nomirror (30.000000, 13.000000, '' 12.000000, 11.0");
}

static void axis_reaches_as_far_as_a_sweep_that_is_laid_over(void **state)
{
	struct t1s_report_point p[] = {at(20, WIRE, NULL), at(19, WIRE, NULL)};
	struct t1s_report_point q[] = {at(25, WIRE, NULL), at(19, WIRE, NULL)};
	struct t1s_report r[2] = {report_of(p, 2), report_of(q, 2)};
	const struct t1s_report_list l = {.reports = r, .count = 2, .files = 2};
	const struct t1s_plot_options o = {0};
	cleanup_free char *script = NULL;

	(void)state;
	r[1].file = 1;
	script = script_of(&l, &o);
	assert_in(script, "set xtics nomirror autofreq");
}

/* Between single quotes gnuplot takes all but the quote as it is. */
static void names_stay_within_their_quotes(void **state)
{
	struct t1s_report_point p[] = {at(20, WIRE, NULL)};
	struct t1s_report r[2] = {report_of(p, 1), report_of(p, 1)};
	const struct t1s_report_list l = {.reports = r, .count = 2, .files = 2};
	const struct t1s_plot_options o = {.titled = true};
	cleanup_free char *script = NULL;
	size_t quotes = 0;

	(void)state;
	r[1].file = 1;
	(void)snprintf(
		r[0].file_name, sizeof(r[0].file_name), "a'b`c$d@e{f}g\\h\"i&j<k;l ²");
	(void)snprintf(r[0].overlay, sizeof(r[0].overlay), "o'verlay");
	script = script_of(&l, &o);
	assert_in(script, "'a?b?c?d?e?f?g?h?i?j?k?l ²'");
	assert_in(script, "'o?verlay and others: ");
	for (const char *c = script; *c; c++)
		quotes += *c == '\'';
	assert_int_equal(quotes % 2, 0);
}

#define WITH_GNUPLOT(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(summary_tells_margin_and_that_one_run_is_not_firm),
		cmocka_unit_test(summary_warns_of_points_that_frequency_does_not_explain),
		cmocka_unit_test(summary_of_firm_runs_has_no_but),
		cmocka_unit_test(summary_warns_of_drift_and_of_boots_that_differ),
		cmocka_unit_test(summary_without_an_answer_says_so),
		cmocka_unit_test(limits_name_what_one_run_per_point_cannot_tell),
		cmocka_unit_test(limits_that_do_not_apply_are_not_named),
		cmocka_unit_test(
			workloads_have_a_panel_each_and_files_are_laid_over_each_other),
		cmocka_unit_test(files_with_one_workload_share_a_panel_whatever_its_name),
		WITH_GNUPLOT(gnuplot_gets_the_script_and_gives_the_picture),
		WITH_GNUPLOT(gnuplot_that_is_missing_is_told_with_its_package),
		WITH_GNUPLOT(gnuplot_that_does_not_end_is_ended),
		WITH_GNUPLOT(gnuplot_that_fails_is_quoted_without_its_control_characters),
		WITH_GNUPLOT(gnuplot_that_writes_without_end_is_ended),
		cmocka_unit_test(axis_has_a_tic_at_each_point_and_no_numbers_that_touch),
		cmocka_unit_test(axis_reaches_as_far_as_a_sweep_that_is_laid_over),
		cmocka_unit_test(names_stay_within_their_quotes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
