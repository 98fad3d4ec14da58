/* SPDX-License-Identifier: MIT */
/* A report of any results.csv: text that a terminal bears, JSON that can be read. */
#include "fuzz.h"

#include "base/cleanup.h"
#include "report/report.h"

#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

typedef int (*writer_fn)(const struct t1s_report_list *l, FILE *out);

/* What a writer writes; to be freed. */
static char *written(const struct t1s_report_list *l, writer_fn writer)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	fuzz_require(out);
	fuzz_require(writer(l, out) == 0);
	fuzz_require(fclose(out) == 0);
	fuzz_require(strlen(text) == size);
	return text;
}

static void check_text(const struct t1s_report_list *l)
{
	cleanup_free char *text = written(l, t1s_report_write_text);

	for (char *line, *next = text; (line = strsep(&next, "\n")) != NULL;)
		fuzz_require(fuzz_is_shown(line));
}

static void check_json(const struct t1s_report_list *l)
{
	cleanup_free char *text = written(l, t1s_report_write_json);
	json_object *o = json_tokener_parse(text);

	fuzz_require(json_object_is_type(o, json_type_object));
	json_object_put(o);
}

/* What other programs read line by line. */
static void check_lines(const struct t1s_report_list *l)
{
	cleanup_free char *metrics = written(l, t1s_report_write_openmetrics);
	cleanup_free char *junit = written(l, t1s_report_write_junit);
	cleanup_free char *lava = written(l, t1s_report_write_lava);

	fuzz_require(strlen(metrics) > strlen("# EOF\n"));
	fuzz_require(
		strcmp(metrics + strlen(metrics) - strlen("# EOF\n"), "# EOF\n") == 0);
	for (char *line, *next = metrics; (line = strsep(&next, "\n")) != NULL;)
		fuzz_require(fuzz_is_shown(line));
	for (char *line, *next = junit; (line = strsep(&next, "\n")) != NULL;) {
		const char *open = strchr(line, '<');

		/* no text of a file opens a tag */
		fuzz_require(fuzz_is_shown(line));
		fuzz_require(!open || open == line + strspn(line, " "));
	}
	for (char *line, *next = lava; (line = strsep(&next, "\n")) != NULL;)
		fuzz_require(
			fuzz_is_shown(line) && (line[0] == '<') == !!strchr(line, '<'));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct t1s_config c;
	cleanup_(t1s_report_list_done) struct t1s_report_list list = {0};
	struct t1s_error e = {{0}};
	char path[PATH_MAX];
	int r;

	t1s_config_defaults(&c);
	c.spi_clk_hz = 500000000;
	fuzz_path(path, "/results.csv");
	fuzz_write(path, (struct fuzz_part){data, size});
	r = t1s_report_add(&list, path, &c, "brcm,bcm2711-spi", &e);
	if (r < 0) {
		fuzz_check_failure(r, &e);
		return 0;
	}
	/* as if there were two, laid over each other */
	fuzz_require(t1s_report_add(&list, path, &c, "brcm,bcm2711-spi", &e) == 0);
	check_text(&list);
	check_json(&list);
	check_lines(&list);
	return 0;
}
