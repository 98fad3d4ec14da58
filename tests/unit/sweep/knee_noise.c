/* SPDX-License-Identifier: MIT */
/* The search on links whose results scatter, beside a bisection by single runs. */
#include "knee_sim.h"

#include "base/cleanup.h"

/* One boot of five is disturbed and carries up to a tenth less. */
static double disturb_one_of_five(struct sim *s, size_t boot, size_t candidate)
{
	(void)boot;
	(void)candidate;
	return sim_uniform(s) < 0.2 ? 1 - 0.1 * sim_uniform(s) : 1;
}

/* What bisection by one run at each point answers. */
static size_t naive_knee(struct sim *s)
{
	size_t knee = 0, below = s->count, at = 0;
	double best = 0;

	while (below - knee > 1 || best <= 0) {
		const double factor = s->boot_factor
					      ? s->boot_factor(s, 0, at)
					      : 1 + s->boot_scatter * sim_normal(s);
		const double rate =
			s->rate[at] * factor * (1 + s->run_scatter * sim_normal(s));

		best = fmax(best, rate);
		if (rate >= s->full_share * best)
			knee = at;
		else
			below = at;
		at = knee + (below - knee) / 2;
	}
	return knee;
}

#define TRIALS 500U

struct noise {
	double boot_scatter, run_scatter;
	double (*boot_factor)(struct sim *s, size_t boot, size_t candidate);
	unsigned int right_min_percent;
};

static void make_noisy(struct sim *s, const struct noise *n, uint64_t seed)
{
	sim_reference(s);
	s->seed = seed;
	s->boot_scatter = n->boot_scatter;
	s->run_scatter = n->run_scatter;
	s->boot_factor = n->boot_factor;
}

/* 12 MHz carries 92.2 % of the best with the line at 93 %: noise of a percent can hide
 * that from any method. The dip's 94.9 % is what fools the simple one. */
static void noise_seldom_changes_the_answer(void **state)
{
	static const struct noise noises[] = {
		{.run_scatter = 0.005, .right_min_percent = 99},
		{.boot_scatter = 0.005, .run_scatter = 0.002, .right_min_percent = 98},
		{.boot_scatter = 0.01, .run_scatter = 0.002, .right_min_percent = 93},
		{.boot_scatter = 0.02, .run_scatter = 0.005, .right_min_percent = 85},
		{.boot_factor = disturb_one_of_five, .right_min_percent = 95},
	};

	(void)state;
	for (size_t i = 0; i < T1S_ELEMENTSOF(noises); i++) {
		unsigned int right = 0, naive_right = 0;
		size_t boots = 0;
		struct sim s;

		for (uint64_t seed = 1; seed <= TRIALS; seed++) {
			make_noisy(&s, &noises[i], seed);
			naive_right += naive_knee(&s) == AT_MHZ(13);
			make_noisy(&s, &noises[i], seed);
			sim_search(&s);
			right += s.end.found && s.end.knee == AT_MHZ(13);
			boots += s.boots_count;
			sim_release(&s);
		}
		print_message("noise %zu: %u of %u right in %.1f boots (by one run "
			      "each: %u)\n",
			i, right, TRIALS, (double)boots / TRIALS, naive_right);
		assert_true(right * 100 >= noises[i].right_min_percent * TRIALS);
		assert_true(right > naive_right);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(noise_seldom_changes_the_answer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
