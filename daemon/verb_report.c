/* SPDX-License-Identifier: MIT */
#include "base/cleanup.h"
#include "base/file.h"
#include "base/path.h"
#include "board/livetree.h"
#include "board/spi.h"
#include "report/report.h"
#include "sweep/state.h"
#include "verb.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The results of the sweep that the state names: under way, or the last one. */
static int latest_results(const char *root, char ret[PATH_MAX], struct t1s_error *e)
{
	char folder[PATH_MAX];
	struct t1s_state s;
	bool damaged;
	int r = t1s_state_load(root, &s, &damaged, e);

	if (r == -ENOENT)
		return t1s_error_set(e, ENOENT,
			"no sweep was ever begun here: name a results.csv, or begin "
			"one (sudo systemctl enable t1s-sweep && sudo reboot)");
	if (r < 0)
		return r;
	r = t1s_results_folder(root, s.sweep_id, folder);
	if (r == 0)
		r = t1s_path(ret, folder, "/results.csv");
	if (r < 0)
		r = t1s_error_set(e, -r, "path too long: %s", root);
	else if (access(ret, F_OK) < 0)
		r = t1s_error_set(e, ENODATA,
			"sweep %s has no row yet: the first is written when the first "
			"point has been measured",
			s.sweep_id);
	t1s_state_done(&s);
	return r;
}

/* What --controller= needs to predict anything: a name that is known, and its clock. */
static int check_controller(
	const struct t1s_args *a, struct t1s_config *c, struct t1s_error *e)
{
	char board[T1S_COMPATIBLE_MAX];

	if (!a->controller)
		return 0;
	if (c->spi_clk_hz == 0) {
		t1s_live_board(a->root, board);
		c->spi_clk_hz = t1s_spi_clk_hz(board);
	}
	if (c->spi_clk_hz == 0)
		return t1s_error_set(e, EINVAL,
			"--controller=%s: its input clock is not known on this board; set "
			"[DeviceTree] SpiClock=",
			a->controller);
	if (t1s_spi_sclk_hz(a->controller, c->spi_clk_hz, c->start_hz) == 0)
		return t1s_error_set(e, EINVAL,
			"--controller=%s: expected brcm,bcm2835-spi or snps,dw-apb-ssi",
			a->controller);
	return 0;
}

static int read_files(const struct t1s_args *a, const struct t1s_config *c,
	struct t1s_report_list *ret, struct t1s_error *e)
{
	char latest[PATH_MAX];
	int r;

	if (a->count == 0) {
		r = latest_results(a->root, latest, e);
		return r < 0 ? r : t1s_report_add(ret, latest, c, a->controller, e);
	}
	for (int i = 0; i < a->count; i++) {
		r = t1s_report_add(ret, a->operands[i], c, a->controller, e);
		if (r < 0)
			return r;
	}
	return 0;
}

static int no_such_format(const char *name, struct t1s_error *e)
{
	const struct t1s_report_format *f = t1s_report_formats;
	int r = t1s_error_set(e, EINVAL, "--format=%s: expected %s", name, f->name);

	while ((++f)->name)
		r = t1s_error_set(
			e, EINVAL, "%s%s%s", e->text, f[1].name ? ", " : " or ", f->name);
	return r;
}

static int choose_format(const struct t1s_args *a, const struct t1s_report_format **ret,
	struct t1s_error *e)
{
	const char *name = a->format ? a->format : a->json ? "json" : "text";

	*ret = t1s_report_format_of(name);
	if (!*ret)
		return no_such_format(name, e);
	if (a->json && strcmp(name, "json") != 0)
		return t1s_error_set(
			e, EINVAL, "--json and --format=%s: which of them?", name);
	return 0;
}

/* A regular file is replaced as a whole, so that nobody reads half of it; anything else
 * (a device, a pipe) is written into. */
static int put_output(
	const char *path, const char *data, size_t size, struct t1s_error *e)
{
	cleanup_close int fd = -1;
	struct stat st;
	int r;

	if (lstat(path, &st) < 0 || S_ISREG(st.st_mode))
		return t1s_replace_file(path, data, size, 0644, false, e);
	fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
	r = fd < 0 ? -errno : t1s_write_all(fd, data, size);
	return r < 0 ? t1s_error_set(e, -r, "cannot write %s: %s", path, strerror(-r))
		     : 0;
}

static int write_to(const char *path, const struct t1s_report_list *l,
	const struct t1s_report_format *format, struct t1s_error *e)
{
	cleanup_free char *data = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&data, &size);
	int r;

	if (!f)
		return -ENOMEM;
	r = t1s_report_write(l, format, f, e);
	if (fclose(f) != 0 && r == 0)
		r = -ENOMEM;
	return r < 0 ? r : put_output(path, data, size, e);
}

static int write_report(const struct t1s_args *a, const struct t1s_report_list *l,
	const struct t1s_report_format *format, struct t1s_error *e)
{
	int r;

	if (a->output)
		return write_to(a->output, l, format, e);
	if (format->binary && isatty(STDOUT_FILENO))
		return t1s_error_set(e, EINVAL,
			"--format=%s is nothing for a terminal: give --output=FILE",
			format->name);
	r = t1s_report_write(l, format, stdout, e);
	if (r == -EIO && e->text[0] == '\0')
		return t1s_error_set(e, EIO, "cannot write the report");
	return r;
}

int verb_report(const struct t1s_args *a)
{
	cleanup_(t1s_report_list_done) struct t1s_report_list list = {0};
	const struct t1s_report_format *format;
	struct t1s_error e = {{0}};
	struct t1s_config c;
	int r = choose_format(a, &format, &e);

	if (r == 0)
		r = t1s_config_load(a->root, a->config, false, &c, &e);
	if (r == 0)
		r = check_controller(a, &c, &e);
	if (r == 0)
		r = read_files(a, &c, &list, &e);
	if (r == 0 && a->workload)
		r = t1s_report_keep_workload(&list, a->workload, &e);
	if (r == 0)
		r = write_report(a, &list, format, &e);
	return r < 0 ? t1s_verb_failed(r, &e) : T1S_EXIT_OK;
}
