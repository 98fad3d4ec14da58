/* SPDX-License-Identifier: MIT */
/*
 * Reading config.txt. Of what the firmware does beyond its documentation nothing is
 * known, so whatever cannot be decided counts as "conditional".
 */
#include "board/bootconf.h"

#include "base/cleanup.h"
#include "base/file.h"
#include "base/path.h"

#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#define FILE_MAX_BYTES ((size_t)256 * 1024)
#define LINE_LIMIT 98 /* what the firmware's documentation says it reads of a line */
#define INCLUDE_DEPTH_MAX 8U
#define FILES_MAX 64U

enum surely { NO, MAYBE, YES };

struct reader {
	const char *boot_folder, *board, *name;
	const char (*params)[64];
	size_t count;

	/* filters: those of one kind replace each other, kinds add up, [all] ends all */
	enum surely model;
	bool none, undecided;
	bool maybe_included; /* the include line itself was under an undecided filter */

	/* whom a dtparam= line would go to */
	enum surely scope_ours, scope_hat;

	unsigned int files;
	struct t1s_boot_shadow best, hat;
};

/* Where a line stands, for the finding. */
struct place {
	const char *file;
	unsigned int line;
	const char *text; /* the line as it is in the file */
};

static enum surely lesser(enum surely a, enum surely b)
{
	return a < b ? a : b;
}

/* Whether a line under the present filters applies on this board. */
static enum surely applies(const struct reader *c)
{
	if (c->none || c->model == NO)
		return NO;
	return c->undecided || c->maybe_included ? MAYBE : c->model;
}

/*
 * What a board filter says on a board; -1 if it is no board filter. A Compute Module 3+
 * has the same compatible as a Compute Module 3, so that some cannot be decided.
 */
static int board_filter(const char *filter, const char *board)
{
	static const struct {
		const char *filter, *boards;
		enum surely then;
	} table[] = {
		{"pi0", "raspberrypi,model-zero*", YES},
		{"pi0w", "raspberrypi,model-zero-w", YES},
		{"pi0w", "raspberrypi,model-zero-2*", YES},
		{"pi02", "raspberrypi,model-zero-2*", YES},
		{"pi1", "raspberrypi,model-[ab]*", YES},
		{"pi1", "raspberrypi,compute-module", YES},
		{"cm1", "raspberrypi,compute-module", YES},
		{"pi2", "raspberrypi,2-*", YES},
		{"pi3", "raspberrypi,3-*", YES},
		{"pi3+", "raspberrypi,3-model-[ab]-plus", YES},
		{"pi3+", "raspberrypi,3-compute-module*", MAYBE},
		{"cm3", "raspberrypi,3-compute-module*", MAYBE},
		{"cm3+", "raspberrypi,3-compute-module*", MAYBE},
		{"pi4", "raspberrypi,4*", YES},
		{"pi400", "raspberrypi,400*", YES},
		{"cm4", "raspberrypi,4-compute-module", YES},
		{"cm4s", "raspberrypi,4-compute-module-s", YES},
		{"pi5", "raspberrypi,5*", YES},
		{"pi500", "raspberrypi,500*", YES},
		{"cm5", "raspberrypi,5-compute-module*", YES},
	};
	bool known = false;

	for (size_t i = 0; i < T1S_ELEMENTSOF(table); i++) {
		if (strcmp(filter, table[i].filter) != 0)
			continue;
		known = true;
		if (fnmatch(table[i].boards, board, 0) == 0)
			return (int)table[i].then;
	}
	if (!known)
		return -1;
	return board[0] ? (int)NO : (int)MAYBE;
}

static void take_filter(struct reader *c, char *text)
{
	char *end = strchr(text, ']');
	int model;

	if (end)
		*end = '\0';
	model = board_filter(text, c->board);
	if (strcmp(text, "all") == 0) {
		c->model = YES;
		c->none = c->undecided = false;
	} else if (strcmp(text, "none") == 0) {
		c->none = true;
	} else if (model >= 0) {
		/* whether a board filter ends [none] is not documented */
		c->model = lesser((enum surely)model, c->none ? MAYBE : YES);
		c->none = false;
	} else {
		c->undecided = true;
	}
}

/* Cuts white space from both ends, in place. */
static char *trim(char *text)
{
	size_t n;

	text += strspn(text, " \t\r\n\v\f");
	n = strlen(text);
	while (n > 0 && isspace((unsigned char)text[n - 1]))
		n--;
	text[n] = '\0';
	return text;
}

/* Whether the comma-separated "param=value" list sets one of ours. */
static enum surely sets_ours(const struct reader *c, char *list, const char *line_start)
{
	enum surely found = NO;
	char *save = NULL;

	for (char *item = strtok_r(list, ",", &save); item && found != YES;
		item = strtok_r(NULL, ",", &save)) {
		enum surely read = item - line_start < LINE_LIMIT ? YES : MAYBE;
		char *value = strchr(item, '=');

		if (value)
			*value = '\0';
		item = trim(item);
		for (size_t i = 0; i < c->count; i++) {
			if (strcmp(item, c->params[i]) == 0 && found < read)
				found = read;
		}
	}
	return found;
}

static int rank(const struct t1s_boot_shadow *s)
{
	return (s->named || s->shadowed ? 1 : 0) + (s->shadowed ? 2 : 0) +
	       (s->conditional ? 0 : 1);
}

/* Keeps a finding if it weighs more than the one kept so far. */
static void keep(struct t1s_boot_shadow *kept, const struct place *p, bool named,
	bool shadowed, enum surely sure)
{
	struct t1s_boot_shadow s = {.named = named || kept->named,
		.shadowed = shadowed,
		.conditional = sure != YES,
		.line = p->line};

	if ((kept->named || kept->shadowed) && rank(&s) <= rank(kept)) {
		kept->named = s.named;
		return;
	}
	(void)snprintf(s.file, sizeof(s.file), "%s", p->file);
	(void)snprintf(s.text, sizeof(s.text), "%s", p->text);
	*kept = s;
}

/* @value: behind "dtoverlay=". */
static void take_overlay(
	struct reader *c, const struct place *p, char *value, const char *line_start)
{
	enum surely here = applies(c);
	char *params = value + strcspn(value, ",:");
	enum surely sets;
	bool ours;

	if (*params)
		*params++ = '\0';
	ours = strcmp(trim(value), c->name) == 0;
	if (here == YES) {
		c->scope_ours = ours ? YES : NO;
		c->scope_hat = NO;
	} else {
		c->scope_ours = ours && c->scope_ours == NO     ? MAYBE
				: !ours && c->scope_ours == YES ? MAYBE
								: c->scope_ours;
	}
	if (!ours)
		return;
	sets = sets_ours(c, params, line_start);
	if (sets == NO)
		keep(&c->best, p, true, false, here);
	else
		keep(&c->best, p, true, true, lesser(here, sets));
}

/* @value: behind "dtparam=". */
static void take_param(
	struct reader *c, const struct place *p, char *value, const char *line_start)
{
	enum surely sets = lesser(applies(c), sets_ours(c, value, line_start));

	if (sets == NO)
		return;
	if (c->scope_ours != NO)
		keep(&c->best, p, true, true, lesser(sets, c->scope_ours));
	else if (c->scope_hat != NO)
		keep(&c->hat, p, false, true, MAYBE);
}

static char *after(char *line, const char *word)
{
	size_t n = strlen(word);

	return strncmp(line, word, n) == 0 ? line + n : NULL;
}

static int read_config(
	struct reader *c, const char *file, unsigned int depth, struct t1s_error *e);

static int take_include(
	struct reader *c, const char *file, unsigned int depth, struct t1s_error *e)
{
	bool before = c->maybe_included;
	int r;

	if (file[0] == '\0' || strstr(file, ".."))
		return 0;
	c->maybe_included = before || applies(c) == MAYBE;
	r = read_config(c, file, depth + 1, e);
	c->maybe_included = before;
	return r == -ENOENT ? 0 : r;
}

static int take_line(struct reader *c, const char *file, unsigned int number, char *raw,
	unsigned int depth, struct t1s_error *e)
{
	char text[256];
	struct place p = {.file = file, .line = number, .text = text};
	char *line = trim(raw);
	char *value;

	(void)snprintf(text, sizeof(text), "%s", line);
	if (line[0] == '[') {
		take_filter(c, line + 1);
		return 0;
	}
	if (applies(c) == NO)
		return 0;
	value = after(line, "include ");
	if (value)
		return take_include(c, trim(value), depth, e);
	value = after(line, "dtoverlay=");
	if (value)
		take_overlay(c, &p, value, raw);
	value = after(line, "dtparam=");
	if (value)
		take_param(c, &p, value, raw);
	return 0;
}

static int read_config(
	struct reader *c, const char *file, unsigned int depth, struct t1s_error *e)
{
	cleanup_free char *data = NULL;
	char path[PATH_MAX];
	char *next, *line;
	unsigned int number = 0;
	int r = t1s_path(path, c->boot_folder, "/%s", file);

	if (r < 0)
		return t1s_error_set(e, -r, "path too long: %s", file);
	if (depth > INCLUDE_DEPTH_MAX || ++c->files > FILES_MAX)
		return t1s_error_set(e, ELOOP,
			"the include lines of config.txt nest deeper than %u or name "
			"more "
			"than %u files (at %s): does a file include itself?",
			INCLUDE_DEPTH_MAX, FILES_MAX, path);
	r = t1s_read_file(path, FILE_MAX_BYTES, &data, NULL, e);
	if (r < 0)
		return r;
	next = data;
	while ((line = strsep(&next, "\n"))) {
		r = take_line(c, file, ++number, line, depth, e);
		if (r < 0)
			return r;
	}
	return 0;
}

int t1s_boot_shadow(const char *boot_folder, const char *board, const char *name,
	const char params[][64], size_t count, struct t1s_boot_shadow *ret,
	struct t1s_error *e)
{
	struct reader c = {.boot_folder = boot_folder,
		.board = board,
		.name = name,
		.params = params,
		.count = count,
		.model = YES,
		.scope_hat = MAYBE};
	int r = read_config(&c, "config.txt", 0, e);

	if (r < 0 && r != -ENOENT)
		return r;
	*ret = c.best.named ? c.best : c.hat;
	return 0;
}
