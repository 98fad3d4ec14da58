/* SPDX-License-Identifier: MIT */
#include "fault.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/text.h"

#include <errno.h>
#include <string.h>

#define FAULT_BYTES_MAX 4096

static int parse_count(const char *text, uint32_t *ret)
{
	uint64_t value;

	int r = t1s_parse_uint(text, UINT32_MAX, &value);
	if (r == 0)
		*ret = (uint32_t)value;
	return r;
}

static int parse_silent(const char *value, struct t1s_faults *f)
{
	bool both = !strcmp(value, "both");

	f->silent_ab = both || !strcmp(value, "ab");
	f->silent_ba = both || !strcmp(value, "ba");
	return f->silent_ab || f->silent_ba ? 0 : -EINVAL;
}

static int parse_flap(char *value, struct t1s_faults *f)
{
	char *comma = strchr(value, ',');

	if (!comma)
		return -EINVAL;
	*comma = '\0';
	int r = parse_count(value, &f->flap_up_ms);
	return r < 0 ? r : parse_count(comma + 1, &f->flap_down_ms);
}

static int parse_line(char *line, struct t1s_faults *f)
{
	char *value = strchr(line, '=');

	if (!value)
		return -EINVAL;
	*value++ = '\0';
	if (!strcmp(line, "silent"))
		return parse_silent(value, f);
	if (!strcmp(line, "flap"))
		return parse_flap(value, f);
	if (!strcmp(line, "duplicate"))
		return parse_count(value, &f->duplicate);
	if (!strcmp(line, "reorder"))
		return parse_count(value, &f->reorder);
	if (!strcmp(line, "corrupt"))
		return parse_count(value, &f->corrupt);
	return -EINVAL;
}

int t1s_faults_load(const char *path, struct t1s_faults *ret, struct t1s_error *e)
{
	cleanup_free char *text = NULL;
	struct t1s_faults f = {0};
	char *rest, *line;

	int r = t1s_read_file(path, FAULT_BYTES_MAX, &text, NULL, e);
	if (r < 0 && r != -ENOENT)
		return r;
	rest = text;
	while ((line = strsep(&rest, "\n"))) {
		if (*line && parse_line(line, &f) < 0)
			return t1s_error_set(e, EINVAL,
				"%s: no such fault, or not with this value: \"%s\"", path,
				line);
	}
	*ret = f;
	return 0;
}

bool t1s_faults_silent(const struct t1s_faults *f, bool from_a, uint64_t now_us)
{
	uint64_t period_ms = (uint64_t)f->flap_up_ms + f->flap_down_ms;

	if (from_a ? f->silent_ab : f->silent_ba)
		return true;
	return f->flap_down_ms && now_us / T1S_USEC_PER_MSEC % period_ms >= f->flap_up_ms;
}
