/* SPDX-License-Identifier: MIT */
/* state.json: what is taken is written and read again, and is then the same. */
#include "fuzz.h"

#include "base/cleanup.h"
#include "sweep/state.h"

#include <errno.h>
#include <string.h>

/* What privileged steps rely on. */
static void check_sense(const struct t1s_state *s)
{
	fuzz_require(t1s_phase_name(s->phase));
	fuzz_require(s->plan.count >= 1 && s->point < s->plan.count);
	fuzz_require(s->sweep_id[0] && !strchr(s->sweep_id, '/'));
	fuzz_require(!strchr(s->sweep_id, '.'));
	fuzz_require(s->overlay.path[0] == '/' && !strstr(s->overlay.path, "/../"));
	fuzz_require(t1s_state_may_have_set(s, s->expected_hz));
	fuzz_require(t1s_state_points(s) >= 1);
	(void)t1s_state_ended(s);
}

static void check_round_trip(const struct t1s_state *s)
{
	cleanup_free char *first = NULL, *second = NULL;
	cleanup_(t1s_state_done) struct t1s_state again = {0};
	struct t1s_error e = {{0}};

	fuzz_require(t1s_state_format(s, &first) == 0);
	fuzz_require(strlen(first) <= T1S_STATE_MAX_BYTES);
	fuzz_require(t1s_state_parse(first, strlen(first), &again, &e) == 0);
	fuzz_require(t1s_state_format(&again, &second) == 0);
	fuzz_require(strcmp(first, second) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	cleanup_free char *text = fuzz_exact((struct fuzz_part){data, size});
	static struct t1s_state s;
	struct t1s_error e = {{0}};
	int r;

	fuzz_mark(&s, sizeof(s));
	r = t1s_state_parse(text, size, &s, &e);
	if (r < 0) {
		fuzz_require(r == -EPROTONOSUPPORT || r == -EBADMSG || r == -ENOMEM);
		fuzz_check_failure(r, &e);
		fuzz_require(fuzz_is_untouched(&s, sizeof(s)));
		return 0;
	}
	check_sense(&s);
	check_round_trip(&s);
	t1s_state_done(&s);
	return 0;
}
