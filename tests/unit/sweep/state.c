/* SPDX-License-Identifier: MIT */
/* clang-format off */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
/* clang-format on */

#include "sweep/state.h"
#include "base/cleanup.h"
#include "base/file.h"
#include "base/path.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct fixture {
	char root[64];
	struct t1s_state state;
};

static int set_up(void **data)
{
	struct fixture *f = calloc(1, sizeof(*f));
	struct t1s_state *s = &f->state;
	char folder[PATH_MAX];

	*data = f;
	(void)strcpy(f->root, "/tmp/t1s-state-XXXXXX");
	if (!mkdtemp(f->root) || t1s_state_folder(f->root, folder) < 0 ||
		t1s_make_folder(folder, 0755, NULL) < 0)
		return -1;
	(void)strcpy(s->sweep_id, "20260714T220918-0badcafe");
	s->phase = T1S_PHASE_REBOOTING;
	s->plan.points = calloc(3, sizeof(*s->plan.points));
	s->plan.count = 3;
	s->plan.points[0] = (struct t1s_point){20000000, 0, T1S_POINT_OPENING};
	s->plan.points[1] = (struct t1s_point){10000000, 1, T1S_POINT_SWEEP};
	s->plan.points[2] = (struct t1s_point){20000000, 0, T1S_POINT_CLOSING};
	s->plan.seed = UINT64_C(0x7fffffffffffffff);
	s->point = 1;
	s->expected_hz = 10000000;
	s->original_hz = 20000000;
	(void)strcpy(s->boot_id, "b06e1674-44fd-4eca-b76b-f201004ef87f");
	s->boots = 2;
	s->boots_here = 1;
	s->asks = 2;
	s->boot_times = (struct t1s_boot_times){{40000000, 0, INT64_MAX}, 3};
	(void)strcpy(s->reason, "quotes \" and \\ and ünïcode, too");
	(void)strcpy(s->overlay.name, "A, \"quoted\" name");
	(void)strcpy(s->overlay.path, "/boot/firmware/overlays/with space.dtbo");
	memset(s->overlay.sha256, 'a', 64);
	(void)strcpy(s->overlay.node_path, "/fragment@2/__overlay__/ethernet@0");
	(void)strcpy(s->overlay.match.compatible, "microchip,lan8650");
	(void)strcpy(s->overlay.match.property, "spi-max-frequency");
	s->overlay.match.chip_select = T1S_CHIP_SELECT_ANY;
	return 0;
}

static void remove_tree(const char *path)
{
	char command[256];

	(void)snprintf(command, sizeof(command), "rm -rf '%s'", path);
	assert_int_equal(
		system(command), 0); /* NOLINT(bugprone-command-processor,cert-env33-c) */
}

static int tear_down(void **data)
{
	struct fixture *f = *data;

	remove_tree(f->root);
	t1s_state_done(&f->state);
	free(f);
	return 0;
}

static void assert_same(const struct t1s_state *a, const struct t1s_state *b)
{
	assert_string_equal(a->sweep_id, b->sweep_id);
	assert_int_equal(a->phase, b->phase);
	assert_string_equal(a->reason, b->reason);
	assert_int_equal(a->point, b->point);
	assert_int_equal(a->expected_hz, b->expected_hz);
	assert_int_equal(a->original_hz, b->original_hz);
	assert_string_equal(a->boot_id, b->boot_id);
	assert_int_equal(a->boots, b->boots);
	assert_int_equal(a->asks, b->asks);
	assert_int_equal(a->boot_times.count, b->boot_times.count);
	for (size_t i = 0; i < a->boot_times.count; i++)
		assert_true(a->boot_times.us[i] == b->boot_times.us[i]);
	assert_int_equal(a->plan.count, b->plan.count);
	assert_true(a->plan.seed == b->plan.seed);
	for (size_t i = 0; i < a->plan.count; i++) {
		assert_int_equal(a->plan.points[i].freq_hz, b->plan.points[i].freq_hz);
		assert_int_equal(a->plan.points[i].pass, b->plan.points[i].pass);
		assert_int_equal(a->plan.points[i].kind, b->plan.points[i].kind);
	}
	assert_string_equal(a->overlay.name, b->overlay.name);
	assert_string_equal(a->overlay.path, b->overlay.path);
	assert_string_equal(a->overlay.sha256, b->overlay.sha256);
	assert_int_equal(a->overlay.match.chip_select, b->overlay.match.chip_select);
}

static void write_state_file(const struct fixture *f, const char *name, const char *text)
{
	char path[PATH_MAX];
	cleanup_fclose FILE *out = NULL;

	assert_int_equal(t1s_path(path, f->root, "/var/lib/t1s-sweep/%s", name), 0);
	out = fopen(path, "we");
	assert_non_null(out);
	assert_true(fputs(text, out) >= 0);
}

static void what_is_saved_is_loaded(void **data)
{
	struct fixture *f = *data;
	struct t1s_error e = {{0}};
	struct t1s_state s;
	bool damaged;

	assert_int_equal(t1s_state_save(f->root, &f->state, &e), 0);
	assert_int_equal(t1s_state_load(f->root, &s, &damaged, &e), 0);
	assert_false(damaged);
	assert_same(&f->state, &s);
	t1s_state_done(&s);
}

static void no_state_is_enoent(void **data)
{
	struct fixture *f = *data;
	struct t1s_state s;
	bool damaged;

	assert_int_equal(t1s_state_load(f->root, &s, &damaged, NULL), -ENOENT);
}

static void a_damaged_state_gives_the_previous_copy(void **data)
{
	static const char *const damages[] = {"", "{", "{}", "null", "[1]", "\xff\xfe"};
	struct fixture *f = *data;
	struct t1s_error e = {{0}};
	struct t1s_state s;
	bool damaged;

	assert_int_equal(t1s_state_save(f->root, &f->state, &e), 0);
	assert_int_equal(t1s_state_save(f->root, &f->state, &e), 0);
	for (size_t i = 0; i < T1S_ELEMENTSOF(damages); i++) {
		write_state_file(f, "state.json", damages[i]);
		assert_int_equal(t1s_state_load(f->root, &s, &damaged, &e), 0);
		assert_true(damaged);
		assert_same(&f->state, &s);
		t1s_state_done(&s);
	}
}

static void both_copies_damaged_never_means_no_sweep(void **data)
{
	struct fixture *f = *data;
	struct t1s_error e = {{0}};
	struct t1s_state s;
	bool damaged;

	write_state_file(f, "state.json", "");
	assert_int_equal(t1s_state_load(f->root, &s, &damaged, &e), -EBADMSG);
	assert_non_null(strstr(e.text, "t1s-sweep restore"));
	write_state_file(f, "state.json.previous", "garbage");
	assert_int_equal(t1s_state_load(f->root, &s, &damaged, &e), -EBADMSG);
}

static void a_newer_schema_is_refused_and_its_previous_copy_not_used(void **data)
{
	struct fixture *f = *data;
	struct t1s_error e = {{0}};
	struct t1s_state s;
	bool damaged;

	assert_int_equal(t1s_state_save(f->root, &f->state, &e), 0);
	assert_int_equal(t1s_state_save(f->root, &f->state, &e), 0);
	write_state_file(f, "state.json", "{\"version\": 2}");
	assert_int_equal(t1s_state_load(f->root, &s, &damaged, &e), -EPROTONOSUPPORT);
	assert_non_null(strstr(e.text, "schema 2"));
}

/* Replaces the first occurrence of @from in the saved text and expects a refusal. */
static void refuses_with(const struct t1s_state *good, const char *from, const char *to)
{
	cleanup_free char *text = NULL;
	cleanup_free char *changed = NULL;
	struct t1s_error e = {{0}};
	struct t1s_state s;
	char *at;

	assert_int_equal(t1s_state_format(good, &text), 0);
	at = strstr(text, from);
	assert_non_null(at);
	assert_true(asprintf(&changed, "%.*s%s%s", (int)(at - text), text, to,
			    at + strlen(from)) > 0);
	assert_int_equal(t1s_state_parse(changed, strlen(changed), &s, &e), -EBADMSG);
	assert_true(e.text[0] != '\0');
}

static void what_does_not_fit_together_is_refused(void **data)
{
	const struct t1s_state *s = &((struct fixture *)*data)->state;

	refuses_with(s, "\"expected_hz\":10000000", "\"expected_hz\":11000000");
	refuses_with(s, "\"point\":1", "\"point\":3");
	refuses_with(s, "\"point\":1", "\"point\":-1");
	refuses_with(s, "\"point\":1", "\"point\":\"1\"");
	refuses_with(s, "\"point\":1", "\"point\":1.5");
	refuses_with(s, "\"phase\":\"rebooting\"", "\"phase\":\"dancing\"");
	refuses_with(s, "\"sweep_id\":\"20260714T", "\"sweep_id\":\"../../etc");
	refuses_with(s, "\"path\":\"/boot", "\"path\":\"boot");
	refuses_with(s, "\"path\":\"/boot/", "\"path\":\"/boot/../");
	refuses_with(s, "\"boots\":2", "\"boots\":99999999999");
	refuses_with(s, "\"boots\":2", "\"boots\":1000001");
	refuses_with(s, "\"hz\":10000000", "\"hz\":0");
	refuses_with(s, "\"original_hz\":20000000", "\"original_hz\":125000001");
	refuses_with(s, "\"stopping\":false", "\"stopping\":0");
	refuses_with(s, "\"points\":[", "\"points\":[7,");
	refuses_with(s, "\"version\":1", "\"version\":true");
	refuses_with(s, "\"boot_times_us\":[", "\"boot_times_us\":[-1,");
	refuses_with(s, "\"boot_times_us\":[", "\"boot_times_us\":[\"\",");
	refuses_with(s, "\"boot_times_us\":[", "\"boot_times_us\":[1,2,3,");
}

/* The program is replaced in mid-sweep: by one that knows members which the other did not
 * write, or that lacks some which it did. */
static void a_state_of_a_neighbouring_version_is_read(void **data)
{
	const struct t1s_state *good = &((struct fixture *)*data)->state;
	static const char *const later[] = {
		"\"asks\"", "\"boot_times_us\"", "\"core_clock_hz\""};
	cleanup_free char *text = NULL;
	struct t1s_error e = {{0}};
	struct t1s_state s;

	assert_int_equal(t1s_state_format(good, &text), 0);
	for (size_t i = 0; i < T1S_ELEMENTSOF(later); i++) {
		char *at = strstr(text, later[i]);

		assert_non_null(at);
		at[1] = 'x'; /* now a member that nobody knows */
	}
	assert_int_equal(t1s_state_parse(text, strlen(text), &s, &e), 0);
	assert_int_equal(s.asks, 0);
	assert_int_equal(s.point, good->point);
	t1s_state_done(&s);
}

static void add_search(struct t1s_state *s)
{
	s->search.candidates = calloc(3, sizeof(*s->search.candidates));
	assert_non_null(s->search.candidates);
	s->search.count = 3;
	s->search.points = 7;
	s->search.candidates[0] = (struct t1s_candidate){20000000, 19230769};
	s->search.candidates[1] = (struct t1s_candidate){10000000, 10000000};
	s->search.candidates[2] = (struct t1s_candidate){5000000, 0};
}

static void a_search_is_saved_and_loaded(void **data)
{
	struct fixture *f = *data;
	struct t1s_error e = {{0}};
	struct t1s_state s;
	bool damaged;

	add_search(&f->state);
	assert_int_equal(t1s_state_save(f->root, &f->state, &e), 0);
	assert_int_equal(t1s_state_load(f->root, &s, &damaged, &e), 0);
	assert_same(&f->state, &s);
	assert_int_equal(s.search.count, 3);
	assert_int_equal(s.search.points, 7);
	assert_memory_equal(s.search.candidates, f->state.search.candidates,
		3 * sizeof(*s.search.candidates));
	assert_int_equal(t1s_state_points(&s), 7);
	t1s_state_done(&s);
}

static void a_state_without_a_search_is_one_of_a_plan(void **data)
{
	const struct t1s_state *good = &((struct fixture *)*data)->state;
	cleanup_free char *text = NULL;
	struct t1s_error e = {{0}};
	struct t1s_state s;

	assert_int_equal(t1s_state_format(good, &text), 0);
	assert_null(strstr(text, "search"));
	assert_int_equal(t1s_state_parse(text, strlen(text), &s, &e), 0);
	assert_int_equal(s.search.count, 0);
	assert_int_equal(t1s_state_points(&s), 3);
	t1s_state_done(&s);
}

static void a_search_that_does_not_fit_the_plan_is_refused(void **data)
{
	struct t1s_state *s = &((struct fixture *)*data)->state;

	add_search(s);
	refuses_with(s, "\"search\":{", "\"search\":7,\"\":{");
	refuses_with(s, "\"candidates\":[", "\"candidates\":[7,");
	refuses_with(s, "\"candidates\":[", "\"candidates\":[],\"\":[");
	refuses_with(s, "\"sclk_hz\":19230769", "\"sclk_hz\":-1");
	refuses_with(s, "\"sclk_hz\":10000000", "\"sclk_hz\":\"unknown\"");
	/* points of the plan are chosen from the candidates */
	s->search.candidates[1].freq_hz = 11000000;
	refuses_with(s, "\"version\":1", "\"version\":1");
}

static void what_a_search_may_have_set_is_known_without_its_last_choice(void **data)
{
	struct t1s_state *s = &((struct fixture *)*data)->state;

	s->original_hz = 18000000;
	assert_true(t1s_state_may_have_set(s, 18000000));
	assert_true(t1s_state_may_have_set(s, 10000000));
	assert_false(t1s_state_may_have_set(s, 5000000));
	add_search(s);
	assert_true(t1s_state_may_have_set(s, 5000000));
	assert_false(t1s_state_may_have_set(s, 5000001));
}

static void a_cut_text_is_refused_wherever_it_is_cut(void **data)
{
	const struct t1s_state *good = &((struct fixture *)*data)->state;
	cleanup_free char *text = NULL;
	struct t1s_state s;
	size_t n;

	assert_int_equal(t1s_state_format(good, &text), 0);
	n = strlen(text);
	for (size_t i = 0; i < n; i++)
		assert_true(t1s_state_parse(text, i, &s, NULL) < 0);
	assert_int_equal(t1s_state_parse(text, n, &s, NULL), 0);
	t1s_state_done(&s);
}

static void nothing_may_stand_behind_the_state(void **data)
{
	static const struct {
		const char *text;
		size_t size;
		int expected;
	} behind[] = {{"\n \t\r\n", 5, 0}, {"}", 1, -EBADMSG}, {"\n{}", 3, -EBADMSG},
		{"\0", 1, -EBADMSG}};
	const struct t1s_state *good = &((struct fixture *)*data)->state;
	cleanup_free char *text = NULL;
	struct t1s_state s;

	assert_int_equal(t1s_state_format(good, &text), 0);
	for (size_t i = 0; i < T1S_ELEMENTSOF(behind); i++) {
		size_t n = strlen(text);
		cleanup_free char *longer = malloc(n + 1 + behind[i].size);

		assert_non_null(longer);
		memcpy(longer, text, n + 1);
		memcpy(longer + n, behind[i].text, behind[i].size);
		assert_int_equal(t1s_state_parse(longer, n + behind[i].size, &s, NULL),
			behind[i].expected);
		if (behind[i].expected == 0)
			t1s_state_done(&s);
	}
}

static void an_unusable_state_is_set_aside_and_kept(void **data)
{
	struct fixture *f = *data;
	struct t1s_error e = {{0}};
	cleanup_free char *kept = NULL;
	char path[PATH_MAX];
	struct t1s_state s;
	bool damaged;

	write_state_file(f, "state.json", "broken");
	assert_int_equal(t1s_state_set_aside(f->root, &e), 0);
	assert_int_equal(t1s_state_load(f->root, &s, &damaged, &e), -ENOENT);
	assert_int_equal(
		t1s_path(path, f->root, "/var/lib/t1s-sweep/state.json.unusable-1"), 0);
	assert_int_equal(t1s_read_file(path, 100, &kept, NULL, &e), 0);
	assert_string_equal(kept, "broken");
}

#define STATE_TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		STATE_TEST(what_is_saved_is_loaded),
		STATE_TEST(no_state_is_enoent),
		STATE_TEST(a_damaged_state_gives_the_previous_copy),
		STATE_TEST(both_copies_damaged_never_means_no_sweep),
		STATE_TEST(a_newer_schema_is_refused_and_its_previous_copy_not_used),
		STATE_TEST(what_does_not_fit_together_is_refused),
		STATE_TEST(a_search_is_saved_and_loaded),
		STATE_TEST(a_state_of_a_neighbouring_version_is_read),
		STATE_TEST(a_state_without_a_search_is_one_of_a_plan),
		STATE_TEST(a_search_that_does_not_fit_the_plan_is_refused),
		STATE_TEST(what_a_search_may_have_set_is_known_without_its_last_choice),
		STATE_TEST(a_cut_text_is_refused_wherever_it_is_cut),
		STATE_TEST(nothing_may_stand_behind_the_state),
		STATE_TEST(an_unusable_state_is_set_aside_and_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
