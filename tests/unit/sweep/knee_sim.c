/* SPDX-License-Identifier: MIT */
#include "knee_sim.h"

/* The reference sweep's rates, 20 to 5 MHz (tests/data/samples). */
static const double reference[] = {9.539, 9.053, 9.056, 9.054, 9.054, 9.539, 9.539, 9.539,
	8.798, 7.114, 7.112, 4.023, 2.784, 0.206, 0.014, 0.0005};

void sim_release(struct sim *s)
{
	for (size_t i = 0; i < s->boots_count; i++)
		t1s_values_done(&s->boots[i].mbit_s);
	s->boots_count = 0;
}

double sim_uniform(struct sim *s)
{
	s->seed = s->seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return ((double)(s->seed >> 11) + 1) / 9007199254740993.0;
}

/* Normal, by Box and Muller. */
double sim_normal(struct sim *s)
{
	const double u = sim_uniform(s), v = sim_uniform(s);

	return sqrt(-2 * log(u)) * cos(6.283185307179586 * v);
}

struct t1s_knee_next sim_ask(const struct sim *s)
{
	const struct t1s_knee k = {
		.candidates = s->candidates,
		.count = s->count,
		.boots = s->boots,
		.boots_count = s->boots_count,
		.full_share = s->full_share,
		.repeats_min = REPEATS_MIN,
		.repeats_max = REPEATS_MAX,
	};
	struct t1s_knee_next next;

	assert_int_equal(t1s_knee_ask(&k, &next), 0);
	return next;
}

static void run_once(struct sim *s, double factor)
{
	struct t1s_knee_boot *b = &s->boots[s->boots_count - 1];
	const double rate =
		s->rate[b->candidate] * factor * (1 + s->run_scatter * sim_normal(s));

	s->runs++;
	b->runs++;
	assert_true(b->runs <= REPEATS_MAX);
	if (s->failing_every == 0 || s->runs % s->failing_every != 0)
		assert_int_equal(t1s_values_add(&b->mbit_s, fmax(rate, 0)), 0);
}

void sim_search(struct sim *s)
{
	double factor = 1;

	sim_release(s);
	s->runs = 0;
	for (unsigned int i = 0; i < (REPEATS_MAX + 1) * BOOTS_MAX; i++) {
		s->end = sim_ask(s);
		switch (s->end.step) {
		case T1S_KNEE_DONE:
			assert_true(s->boots_count <= T1S_KNEE_BOOTS_MAX * s->count);
			return;
		case T1S_KNEE_REPEAT:
			assert_true(s->boots_count > 0);
			run_once(s, factor);
			break;
		default:
			assert_true(s->end.candidate < s->count);
			assert_true(s->boots_count < BOOTS_MAX);
			s->boots[s->boots_count] =
				(struct t1s_knee_boot){.candidate = s->end.candidate};
			factor = s->boot_factor ? s->boot_factor(s, s->boots_count,
							  s->end.candidate)
						: 1 + s->boot_scatter * sim_normal(s);
			s->boots_count++;
		}
	}
	fail_msg("no end");
}

size_t sim_boots_at(const struct sim *s, size_t candidate)
{
	size_t n = 0;

	for (size_t i = 0; i < s->boots_count; i++)
		n += s->boots[i].candidate == candidate;
	return n;
}

void sim_reference(struct sim *s)
{
	*s = (struct sim){.count = 16, .full_share = 0.93, .seed = 1};
	for (size_t i = 0; i < s->count; i++) {
		s->candidates[i].freq_hz = (uint32_t)(20 - i) * 1000000;
		s->rate[i] = reference[i];
	}
}

void sim_step(struct sim *s, size_t count, size_t knee)
{
	*s = (struct sim){.count = count, .full_share = 0.93, .seed = 1};
	for (size_t i = 0; i < count; i++) {
		s->candidates[i].freq_hz = (uint32_t)(count - i) * 500000;
		s->candidates[i].sclk_hz = (uint32_t)(count - i) * 400000;
		s->rate[i] = i <= knee ? 9.54
				       : 9.54 * 0.9 * (double)(count - i) /
						 (double)(count - knee);
	}
}
