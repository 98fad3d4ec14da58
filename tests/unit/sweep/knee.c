/* SPDX-License-Identifier: MIT */
/* The search on simulated links: what it answers, in how many boots, and that it ends. */
#include "knee_sim.h"

static size_t log2_up(size_t n)
{
	size_t bits = 0;

	while (((size_t)1 << bits) < n)
		bits++;
	return bits;
}

static void reference_sweep_takes_seven_boots_and_gives_13_mhz(void **state)
{
	struct sim s;

	(void)state;
	sim_reference(&s);
	sim_search(&s);
	assert_true(s.end.found);
	assert_int_equal(s.end.knee, AT_MHZ(13));
	assert_int_equal(s.end.below, AT_MHZ(12));
	assert_int_equal(s.end.below_vote, T1S_KNEE_LIMITED);
	assert_int_equal(s.boots_count, 7);
	assert_int_equal(s.runs, 7 * REPEATS_MIN);
	assert_int_equal(s.boots[0].candidate, 0);
	assert_int_equal(sim_boots_at(&s, AT_MHZ(13)), 2);
	assert_int_equal(sim_boots_at(&s, AT_MHZ(12)), 2);
	sim_release(&s);
}

static void any_knee_of_any_number_of_clocks_is_found_in_few_boots(void **state)
{
	(void)state;
	for (size_t count = 1; count <= 40; count++) {
		for (size_t knee = 0; knee < count; knee++) {
			struct sim s;

			sim_step(&s, count, knee);
			sim_search(&s);
			assert_true(s.end.found);
			assert_int_equal(s.end.knee, knee);
			assert_int_equal(s.end.below, knee + 1);
			assert_true(s.boots_count <= 1 + log2_up(count) + 3);
			assert_int_equal(s.runs, s.boots_count * REPEATS_MIN);
			assert_int_equal(sim_boots_at(&s, knee), 2);
			if (knee + 1 < count)
				assert_int_equal(sim_boots_at(&s, knee + 1), 2);
			sim_release(&s);
		}
	}
}

static void what_is_left_is_no_less_than_what_comes(void **state)
{
	(void)state;
	for (size_t knee = 0; knee < 15; knee++) {
		struct sim s, part;

		sim_step(&s, 15, knee);
		sim_search(&s);
		part = s;
		for (part.boots_count = 0; part.boots_count < s.boots_count;
			part.boots_count++) {
			struct t1s_knee_next next = sim_ask(&part);

			assert_int_equal(next.step, T1S_KNEE_MEASURE);
			assert_true(next.boots_left >= s.boots_count - part.boots_count);
			assert_true(part.boots_count + next.boots_left <= 8);
		}
		sim_release(&s);
	}
}

static void one_and_two_clocks_are_not_said_to_take_more_than_they_can(void **state)
{
	struct sim s;

	(void)state;
	sim_step(&s, 1, 0);
	assert_int_equal(sim_ask(&s).boots_left, 2);
	sim_step(&s, 2, 0);
	assert_int_equal(sim_ask(&s).boots_left, 4);
}

static void all_full_gives_the_lowest_and_nothing_below(void **state)
{
	struct sim s;

	(void)state;
	sim_step(&s, 16, 15);
	sim_search(&s);
	assert_int_equal(s.end.knee, 15);
	assert_int_equal(s.end.below, s.count);
	assert_int_equal(sim_boots_at(&s, 15), 2);
	sim_release(&s);
}

static void a_dead_link_has_no_answer(void **state)
{
	struct sim s;

	(void)state;
	sim_reference(&s);
	memset(s.rate, 0, sizeof(s.rate));
	sim_search(&s);
	assert_false(s.end.found);
	/* one run of nothing says it: it has been tried several times by then */
	assert_int_equal(s.runs, s.boots_count);
	sim_release(&s);
}

static void runs_without_a_result_are_bounded_and_undecided(void **state)
{
	struct sim s;

	(void)state;
	sim_reference(&s);
	s.failing_every = 1;
	sim_search(&s);
	assert_false(s.end.found);
	assert_int_equal(s.runs, s.boots_count * REPEATS_MAX);
	sim_release(&s);
}

static void a_run_without_a_result_is_made_up_for(void **state)
{
	struct sim s;

	(void)state;
	sim_reference(&s);
	s.failing_every = 4;
	sim_search(&s);
	assert_int_equal(s.end.knee, AT_MHZ(13));
	for (size_t i = 0; i < s.boots_count; i++)
		assert_int_equal(s.boots[i].mbit_s.count, REPEATS_MIN);
	sim_release(&s);
}

/* A reference faster than the chip bears: nothing there, all well below. */
static void a_reference_that_is_too_fast_does_not_end_the_search(void **state)
{
	struct sim s;

	(void)state;
	sim_reference(&s);
	s.rate[0] = s.rate[1] = s.rate[2] = 0;
	sim_search(&s);
	assert_int_equal(s.end.knee, AT_MHZ(13));
	sim_release(&s);
	sim_reference(&s);
	s.rate[0] = 7;
	sim_search(&s);
	assert_int_equal(s.end.knee, AT_MHZ(13));
	sim_release(&s);
}

/* One boot of three equal runs, as measured before. */
static void add_boot(struct sim *s, size_t candidate, double rate)
{
	struct t1s_knee_boot *b = &s->boots[s->boots_count++];

	*b = (struct t1s_knee_boot){.candidate = candidate};
	for (; b->runs < REPEATS_MIN; b->runs++)
		assert_int_equal(t1s_values_add(&b->mbit_s, rate), 0);
}

static void the_lowest_gap_that_the_clock_does_not_explain_is_first(void **state)
{
	struct t1s_knee_next next;
	struct sim s;

	(void)state;
	sim_reference(&s);
	add_boot(&s, AT_MHZ(20), 9.5);
	add_boot(&s, AT_MHZ(12), 8);
	add_boot(&s, AT_MHZ(16), 8);
	add_boot(&s, AT_MHZ(18), 8);
	next = sim_ask(&s);
	assert_int_equal(next.step, T1S_KNEE_MEASURE);
	assert_int_equal(next.candidate, AT_MHZ(14));
	/* that one, the other half of the bracket, and three to be sure */
	assert_int_equal(next.boots_left, 5);
	sim_release(&s);
}

static void the_clock_that_explains_is_the_predicted_one(void **state)
{
	struct t1s_knee_next next;
	struct sim s;

	(void)state;
	sim_step(&s, 4, 0);
	s.candidates[1] = (struct t1s_candidate){1900000, 1000000};
	s.candidates[2] = (struct t1s_candidate){1800000, 990000};
	s.candidates[3] = (struct t1s_candidate){500000, 980000};
	add_boot(&s, 0, 9.5);
	add_boot(&s, 1, 8);
	add_boot(&s, 3, 7.9);
	next = sim_ask(&s);
	assert_int_equal(next.candidate, 1); /* to be confirmed */
	s.candidates[3].sclk_hz = 500000;
	next = sim_ask(&s);
	assert_int_equal(next.candidate, 2);
	sim_release(&s);
}

static void a_rate_right_at_the_line_is_full(void **state)
{
	(void)state;
	for (unsigned int i = 1; i < 200; i++) {
		struct sim s;

		sim_step(&s, 2, 0);
		add_boot(&s, 0, 9.0 + i * 0.00317);
		add_boot(&s, 1, (9.0 + i * 0.00317) * s.full_share);
		assert_int_equal(sim_ask(&s).last, T1S_KNEE_FULL);
		sim_release(&s);
	}
}

static void one_run_of_nothing_is_repeated_and_two_decide(void **state)
{
	struct t1s_knee_boot *b;
	struct sim s;

	(void)state;
	sim_step(&s, 2, 0);
	add_boot(&s, 0, 9.5);
	add_boot(&s, 1, 9.5);
	b = &s.boots[1];
	assert_int_equal(t1s_values_add(&b->mbit_s, 0), 0);
	b->runs++;
	assert_int_equal(sim_ask(&s).step, T1S_KNEE_REPEAT);
	assert_int_equal(t1s_values_add(&b->mbit_s, 0), 0);
	b->runs++;
	assert_int_equal(sim_ask(&s).last, T1S_KNEE_LIMITED);
	assert_int_equal(sim_ask(&s).step, T1S_KNEE_MEASURE);
	sim_release(&s);
}

static bool is_first_boot_in_dip(const struct sim *s, size_t boot, size_t candidate)
{
	for (size_t i = 0; i < boot; i++)
		if (s->boots[i].candidate == candidate)
			return false;
	return candidate >= AT_MHZ(19) && candidate <= AT_MHZ(16);
}

static double kill_dip_once(struct sim *s, size_t boot, size_t candidate)
{
	return is_first_boot_in_dip(s, boot, candidate) ? 0 : 1;
}

/* With a stricter line the reference's 16 to 19 MHz are not full, and 13 MHz still is. */
static void a_dip_below_the_line_does_not_hide_the_knee_below_it(void **state)
{
	struct sim s;

	(void)state;
	sim_reference(&s);
	s.full_share = 0.97;
	sim_search(&s);
	assert_int_equal(s.end.knee, AT_MHZ(13));
	/* 16 and 12 MHz differ too little: between them comes next */
	assert_int_equal(s.boots[2].candidate, AT_MHZ(16));
	assert_int_equal(s.boots[3].candidate, AT_MHZ(14));
	assert_int_equal(s.boots_count, 7);
	sim_release(&s);
}

static void a_dead_boot_in_the_dip_does_not_fool_it(void **state)
{
	struct sim s;

	(void)state;
	sim_reference(&s);
	s.boot_factor = kill_dip_once;
	sim_search(&s);
	assert_int_equal(s.end.knee, AT_MHZ(13));
	assert_true(s.boots_count <= 8);
	sim_release(&s);
}

/* Every boot that is the first one in the dip is disturbed and falls below the line. */
static double disturb_dip_once(struct sim *s, size_t boot, size_t candidate)
{
	return is_first_boot_in_dip(s, boot, candidate) ? 0.97 : 1;
}

static void a_disturbed_boot_in_the_dip_does_not_fool_it(void **state)
{
	struct sim s;

	(void)state;
	sim_reference(&s);
	s.boot_factor = disturb_dip_once;
	sim_search(&s);
	assert_int_equal(s.end.knee, AT_MHZ(13));
	assert_true(s.boots_count <= 8);
	sim_release(&s);
}

static double disturb_first_of_knee(struct sim *s, size_t boot, size_t candidate)
{
	for (size_t i = 0; i < boot; i++)
		if (s->boots[i].candidate == candidate)
			return 1;
	return candidate == AT_MHZ(13) ? 0.9 : 1;
}

static void a_contradiction_is_settled_by_a_third_boot(void **state)
{
	struct sim s;

	(void)state;
	sim_reference(&s);
	s.boot_factor = disturb_first_of_knee;
	sim_search(&s);
	assert_int_equal(s.end.knee, AT_MHZ(13));
	assert_int_equal(sim_boots_at(&s, AT_MHZ(13)), 3);
	sim_release(&s);
}

static double flatter_first_of_12(struct sim *s, size_t boot, size_t candidate)
{
	for (size_t i = 0; i < boot; i++)
		if (s->boots[i].candidate == candidate)
			return 1;
	return candidate == AT_MHZ(12) ? 1.05 : 1;
}

static void a_full_one_by_chance_is_taken_back(void **state)
{
	struct sim s;

	(void)state;
	sim_reference(&s);
	s.boot_factor = flatter_first_of_12;
	sim_search(&s);
	assert_int_equal(s.end.knee, AT_MHZ(13));
	assert_int_equal(s.end.below, AT_MHZ(12));
	assert_int_equal(sim_boots_at(&s, AT_MHZ(12)), 3);
	sim_release(&s);
}

static void runs_are_repeated_while_the_interval_holds_the_line(void **state)
{
	struct sim s;

	(void)state;
	sim_step(&s, 2, 0);
	s.rate[1] = s.rate[0] * s.full_share;
	s.run_scatter = 0.02;
	sim_search(&s);
	assert_int_equal(s.boots[1].candidate, 1);
	assert_true(s.boots[0].runs < s.boots[1].runs);
	sim_release(&s);
}

static void what_stays_undecided_is_not_full_and_is_called_so(void **state)
{
	struct sim s;
	unsigned int undecided = 0;

	(void)state;
	for (uint64_t seed = 1; seed <= 50; seed++) {
		sim_step(&s, 2, 0);
		s.rate[1] = s.rate[0] * s.full_share;
		s.run_scatter = 0.05;
		s.seed = seed;
		sim_search(&s);
		if (s.end.below == 1 && s.end.below_vote == T1S_KNEE_UNDECIDED) {
			assert_int_equal(s.end.knee, 0);
			assert_true(sim_boots_at(&s, 1) >= 2);
			undecided++;
		}
		sim_release(&s);
	}
	assert_true(undecided > 25);
}

/* Whatever comes: sim_search() itself asserts the bounds. */
static void it_ends_whatever_is_measured(void **state)
{
	struct sim s;

	(void)state;
	for (uint64_t seed = 1; seed <= 500; seed++) {
		sim_step(&s, 1 + seed % 33, 0);
		s.seed = seed;
		for (size_t i = 0; i < s.count; i++)
			s.rate[i] = sim_uniform(&s) < 0.2 ? 0 : 10 * sim_uniform(&s);
		s.boot_scatter = seed % 3 == 0 ? 0.3 : 0;
		s.run_scatter = seed % 5 == 0 ? 0.3 : 0;
		s.failing_every = seed % 7 == 0 ? 3 : 0;
		sim_search(&s);
		sim_release(&s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reference_sweep_takes_seven_boots_and_gives_13_mhz),
		cmocka_unit_test(any_knee_of_any_number_of_clocks_is_found_in_few_boots),
		cmocka_unit_test(what_is_left_is_no_less_than_what_comes),
		cmocka_unit_test(
			one_and_two_clocks_are_not_said_to_take_more_than_they_can),
		cmocka_unit_test(all_full_gives_the_lowest_and_nothing_below),
		cmocka_unit_test(a_dead_link_has_no_answer),
		cmocka_unit_test(runs_without_a_result_are_bounded_and_undecided),
		cmocka_unit_test(a_run_without_a_result_is_made_up_for),
		cmocka_unit_test(a_reference_that_is_too_fast_does_not_end_the_search),
		cmocka_unit_test(a_dip_below_the_line_does_not_hide_the_knee_below_it),
		cmocka_unit_test(the_lowest_gap_that_the_clock_does_not_explain_is_first),
		cmocka_unit_test(the_clock_that_explains_is_the_predicted_one),
		cmocka_unit_test(a_rate_right_at_the_line_is_full),
		cmocka_unit_test(one_run_of_nothing_is_repeated_and_two_decide),
		cmocka_unit_test(a_dead_boot_in_the_dip_does_not_fool_it),
		cmocka_unit_test(a_disturbed_boot_in_the_dip_does_not_fool_it),
		cmocka_unit_test(a_contradiction_is_settled_by_a_third_boot),
		cmocka_unit_test(a_full_one_by_chance_is_taken_back),
		cmocka_unit_test(runs_are_repeated_while_the_interval_holds_the_line),
		cmocka_unit_test(what_stays_undecided_is_not_full_and_is_called_so),
		cmocka_unit_test(it_ends_whatever_is_measured),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
