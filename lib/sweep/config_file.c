/* SPDX-License-Identifier: MIT */
#include "base/cleanup.h"
#include "base/file.h"
#include "sweep/config_keys.h"

#include <ctype.h>
#include <errno.h>
#include <ini.h>
#include <stdio.h>
#include <string.h>

#define FILE_MAX_BYTES ((size_t)1 << 20)
#define LINE_MAX_BYTES 8192

/* Debian's inih lets the longest line be chosen when it runs; where it does not, and its
 * header does not declare this, a longer line is an error that names the limit. */
#pragma weak ini_max_line
extern int ini_max_line; /* NOLINT(readability-redundant-declaration) */

struct source {
	struct t1s_config_target *target;
	struct t1s_config defaults;
	struct t1s_workload workload_defaults;
	const char *shown; /* path as the person knows it */
	const char *next, *end;
	unsigned int line;
	char title[80];                /* the section as it is written */
	const char *section;           /* of the key table; NULL: none or unknown */
	bool in_section;               /* after any header, unknown ones included */
	struct t1s_workload *workload; /* of a Workload section */
	char expected[80];             /* start of a line that must give a key */
	/* line where a key was set in this file; workloads count separately */
	unsigned int seen[1 + T1S_WORKLOADS_MAX][T1S_CONFIG_KEYS_MAX];
};

static void unknown(struct source *s, const char *section, const char *found)
{
	char names[512], hint[64];

	t1s_config_list_names(section, names, sizeof(names));
	t1s_config_hint(section, found, hint, sizeof(hint));
	if (section)
		t1s_config_problem(&s->target->problems,
			"%s:%u: [%s] %.64s=: unknown key%s Expected one of %s", s->shown,
			s->line, s->title, found, hint, names);
	else
		t1s_config_problem(&s->target->problems,
			"%s:%u: [%.64s]: unknown section%s Expected one of %s", s->shown,
			s->line, found, hint, names);
}

static void begin_workload(struct source *s, const char *name)
{
	struct t1s_config *c = &s->target->config;

	if (!t1s_is_label(name, T1S_NAME_MAX)) {
		t1s_config_problem(&s->target->problems,
			"%s:%u: [Workload %.80s]: expected [Workload NAME] with a name "
			"of "
			"1 to %d characters, no '/' and no '.' in front",
			s->shown, s->line, name, T1S_NAME_MAX - 1);
		return;
	}
	/* the first section takes the place of the built-in workload */
	if (!s->target->has_workloads)
		c->workloads_count = 0;
	s->target->has_workloads = true;
	for (unsigned int i = 0; i < c->workloads_count; i++)
		if (strcmp(c->workloads[i].name, name) == 0)
			s->workload = &c->workloads[i];
	if (!s->workload && c->workloads_count == T1S_WORKLOADS_MAX) {
		t1s_config_problem(&s->target->problems,
			"%s:%u: [Workload %s]: expected at most %d workloads", s->shown,
			s->line, name, T1S_WORKLOADS_MAX);
		return;
	}
	if (!s->workload) {
		s->workload = &c->workloads[c->workloads_count++];
		t1s_workload_defaults(name, s->workload);
	}
	s->section = T1S_WORKLOAD_SECTION;
}

static void begin_section(struct source *s, char *name)
{
	const size_t n = strlen(T1S_WORKLOAD_SECTION);

	s->in_section = true;
	s->section = NULL;
	s->workload = NULL;
	(void)snprintf(s->title, sizeof(s->title), "%s", name);
	if (strncmp(name, T1S_WORKLOAD_SECTION, n) == 0 &&
		(name[n] == '\0' || isspace((unsigned char)name[n]))) {
		name += n;
		begin_workload(s, name + strspn(name, " \t"));
		return;
	}
	for (size_t i = 0; i < t1s_config_keys_count; i++)
		if (strcmp(t1s_config_keys[i].section, name) == 0)
			s->section = t1s_config_keys[i].section;
	if (!s->section)
		unknown(s, NULL, name);
}

/*
 * Sections are taken here, since inih tells of none without a key, cuts long names and
 * passes over what follows the bracket.
 */
static void read_header(struct source *s, const char *line)
{
	char name[LINE_MAX_BYTES];
	const char *close = strchr(line, ']');
	size_t n;

	if (!close || close[1 + strspn(close + 1, " \t")] != '\0') {
		t1s_config_problem(&s->target->problems,
			"%s:%u: %.64s: expected a section as in [Sweep], and nothing "
			"behind it on its line",
			s->shown, s->line, line);
		/* its keys would only be told as errors of another section */
		s->in_section = true;
		s->section = NULL;
		return;
	}
	line++;
	line += strspn(line, " \t");
	for (n = (size_t)(close - line); n > 0 && isspace((unsigned char)line[n - 1]);)
		n--;
	memcpy(name, line, n);
	name[n] = '\0';
	begin_section(s, name);
}

static void report_line_without_key(struct source *s)
{
	if (s->expected[0])
		t1s_config_problem(&s->target->problems,
			"%s:%u: %s: expected Key=Value, a [Section] or a comment that "
			"begins with # or ;",
			s->shown, s->line, s->expected);
	s->expected[0] = '\0';
}

/*
 * inih's source of lines (as fgets). Blanks in front are cut here, since inih would take
 * an indented line for more of the value above; and lines are counted here, since inih
 * does not tell the number of the line a key is on.
 */
static char *next_line(char *ret, int size, void *data)
{
	struct source *s = data;
	const char *newline;
	size_t n;

	report_line_without_key(s);
	if (s->next == s->end)
		return NULL;
	s->line++;
	newline = memchr(s->next, '\n', (size_t)(s->end - s->next));
	n = (size_t)((newline ? newline : s->end) - s->next);
	for (; n > 0 && isspace((unsigned char)*s->next); n--)
		s->next++;
	while (n > 0 && isspace((unsigned char)s->next[n - 1]))
		n--;
	ret[0] = '\0';
	if (n + 3 > (size_t)size) {
		t1s_config_problem(&s->target->problems,
			"%s:%u: a line of %zu characters: expected at most %d", s->shown,
			s->line, n, size - 3);
	} else if (memchr(s->next, '\0', n)) {
		t1s_config_problem(&s->target->problems,
			"%s:%u: a byte of value 0: expected text", s->shown, s->line);
	} else {
		memcpy(ret, s->next, n);
		ret[n] = '\0';
	}
	s->next = newline ? newline + 1 : s->end;
	if (ret[0] == '[') {
		read_header(s, ret);
		ret[0] = '\0';
	} else if (ret[0] && !strchr(";#", ret[0])) {
		(void)snprintf(s->expected, sizeof(s->expected), "%.64s", ret);
	}
	return ret;
}

static const struct t1s_config_key *find_key(const char *section, const char *key)
{
	for (size_t i = 0; i < t1s_config_keys_count; i++)
		if (strcmp(t1s_config_keys[i].section, section) == 0 &&
			strcmp(t1s_config_keys[i].key, key) == 0)
			return &t1s_config_keys[i];
	return NULL;
}

/* Where this key of this section was set in this file; 0: not yet. */
static unsigned int *seen_line(struct source *s, const struct t1s_config_key *k)
{
	size_t group =
		s->workload ? 1 + (size_t)(s->workload - s->target->config.workloads) : 0;

	return &s->seen[group][k - t1s_config_keys];
}

static void set_key(struct source *s, const struct t1s_config_key *k, const char *value)
{
	struct t1s_config_problems *p = &s->target->problems;
	unsigned int *line = seen_line(s, k);
	int r;

	if (*line > 0) {
		t1s_config_problem(p,
			"%s:%u: [%s] %s=%.64s: already set in line %u, expected once",
			s->shown, s->line, s->title, k->key, value, *line);
		return;
	}
	*line = s->line;
	if (s->workload)
		r = t1s_config_key_set(k, value, s->workload, &s->workload_defaults);
	else
		r = t1s_config_key_set(k, value, &s->target->config, &s->defaults);
	if (r < 0)
		t1s_config_problem(p, "%s:%u: [%s] %s=%.200s: expected %s", s->shown,
			s->line, s->title, k->key, value, k->allowed);
}

/* inih's handler; its own idea of the section is not used, see read_header(). */
static int on_key(void *user, const char *section, const char *key, const char *value)
{
	struct source *s = user;
	const struct t1s_config_key *k;

	(void)section;
	s->expected[0] = '\0';
	if (!s->in_section) {
		t1s_config_problem(&s->target->problems,
			"%s:%u: %.64s=%.64s: a key outside a section, expected a line "
			"such as [Sweep] before it",
			s->shown, s->line, key, value);
		return 1;
	}
	if (!s->section)
		return 1; /* the section was the error */
	k = find_key(s->section, key);
	if (k)
		set_key(s, k, value);
	else
		unknown(s, s->section, key);
	return 1;
}

/* Parses with lines as long as a path or a list of points may be. */
static int parse(struct source *s)
{
	int r, before = 0;

	if (&ini_max_line) {
		before = ini_max_line;
		ini_max_line = LINE_MAX_BYTES;
	}
	r = ini_parse_stream(next_line, s, on_key, s);
	if (&ini_max_line)
		ini_max_line = before;
	return r;
}

int t1s_config_read_file(const char *path, const char *shown, struct t1s_config_target *t,
	struct t1s_error *e)
{
	cleanup_free char *data = NULL;
	struct source s = {.target = t, .shown = shown};
	const char bom[] = "\xef\xbb\xbf";
	size_t size = 0;
	int r = t1s_read_file(path, FILE_MAX_BYTES, &data, &size, e);

	if (r < 0)
		return r;
	t1s_config_unresolved(&s.defaults);
	t1s_workload_defaults("", &s.workload_defaults);
	s.next = data;
	s.end = data + size;
	if (size >= strlen(bom) && memcmp(data, bom, strlen(bom)) == 0)
		s.next += strlen(bom);
	r = parse(&s);
	if (r != 0 && t->problems.count == 0)
		t1s_config_problem(&t->problems,
			"%s:%d: cannot be read as a configuration", shown, r);
	return 0;
}
