/* SPDX-License-Identifier: MIT */
/*
 * The live tree: records of PATH=VALUE become properties below /proc/device-tree. What is
 * in it comes from the firmware, and from whoever wrote the overlays.
 */
#include "fuzz.h"

#include "base/cleanup.h"
#include "base/path.h"
#include "board/bootconf.h"
#include "board/dtprop.h"
#include "board/livetree.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TREE "/proc/device-tree"
#define RECORDS_MAX 24

/* A path that stays in the tree, and is none that a kernel would not make. */
static bool is_path(const char *path)
{
	size_t n = strlen(path);

	return n > 1 && n < 1000 && path[0] == '/' && path[n - 1] != '/' &&
	       !strstr(path, "//") && !strstr(path, "/.");
}

/* Without the fsyncs of t1s_make_folder(), which take most of the time here. */
static bool make_folder(char *path)
{
	struct stat st;

	for (char *p = path + strlen(fuzz_folder()) + 1; *p; p++) {
		if (*p != '/')
			continue;
		*p = '\0';
		(void)mkdir(path, 0700);
		*p = '/';
	}
	(void)mkdir(path, 0700);
	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static void add_property(struct fuzz_part record)
{
	const uint8_t *equals =
		record.size > 0 ? memchr(record.data, '=', record.size) : NULL;
	size_t n = equals ? (size_t)(equals - record.data) : 0;
	cleanup_free char *name = fuzz_string((struct fuzz_part){record.data, n});
	char path[PATH_MAX], folder[PATH_MAX];
	struct stat st;

	if (!is_path(name) || t1s_path(path, fuzz_folder(), TREE "%s", name) < 0)
		return;
	memcpy(folder, path, sizeof(folder));
	*strrchr(folder, '/') = '\0';
	if (!make_folder(folder) || lstat(path, &st) == 0)
		return;
	/* a name may be too long for the file system */
	if (strlen(strrchr(path, '/')) > 200)
		return;
	fuzz_write(path, (struct fuzz_part){equals + 1, record.size - n - 1});
}

static void check_find(int chip_select)
{
	struct t1s_node_match m = {.compatible = "microchip,lan8650",
		.chip_select = chip_select,
		.property = "spi-max-frequency"};
	struct t1s_live_node node;
	struct t1s_error e = {{0}};
	int r = t1s_live_find(fuzz_folder(), &m, &node, &e);

	if (r < 0) {
		fuzz_require(r > -4096 && e.text[0]);
		return;
	}
	fuzz_require(node.path[0] == '/' || node.path[0] == '\0');
	fuzz_require(chip_select < 0 || node.chip_select == chip_select);
}

static void check_texts(void)
{
	char model[T1S_MODEL_MAX], board[T1S_COMPATIBLE_MAX];

	t1s_live_model(fuzz_folder(), model);
	t1s_live_board(fuzz_folder(), board);
	fuzz_require(strnlen(model, sizeof(model)) < sizeof(model));
	fuzz_require(strnlen(board, sizeof(board)) < sizeof(board));
}

/* Whatever prefixes the tree tells, the overlay lies in the boot folder. */
static void check_overlay_path(void)
{
	char boot[PATH_MAX], path[PATH_MAX];
	struct t1s_error e = {{0}};
	int r = t1s_boot_overlay_path(fuzz_folder(), "lan8650", path, &e);

	if (r < 0) {
		fuzz_require(e.text[0]);
		return;
	}
	fuzz_path(boot, "/boot/firmware/");
	fuzz_require(strncmp(path, boot, strlen(boot)) == 0);
	fuzz_require(!strstr(path, "/../"));
}

/* The same bytes as one property each, in memory. */
static void check_property(struct fuzz_part value)
{
	cleanup_free char *bytes = fuzz_exact(value);
	char first[16], list[T1S_DT_CANDIDATES_MAX] = "";
	int chip_select = t1s_dt_chip_select(bytes, value.size);

	fuzz_require(chip_select >= -1 && chip_select <= 255);
	(void)t1s_dt_has_string(bytes, value.size, "microchip,lan8650");
	t1s_dt_first_string(bytes, value.size, first, sizeof(first));
	fuzz_require(strnlen(first, sizeof(first)) < sizeof(first));
	for (int i = 0; i < 20; i++)
		t1s_dt_add_candidate(
			list, first, first, chip_select, i % 2 ? first : NULL);
	fuzz_require(strnlen(list, sizeof(list)) < sizeof(list));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_part records[RECORDS_MAX];
	size_t n = fuzz_split(data, size, records, RECORDS_MAX);
	char path[PATH_MAX];

	fuzz_path(path, TREE);
	fuzz_require(make_folder(path));
	fuzz_path(path, "/boot/firmware");
	fuzz_require(make_folder(path));
	for (size_t i = 0; i < n; i++)
		add_property(records[i]);
	for (int chip_select = T1S_CHIP_SELECT_ANY; chip_select < 2; chip_select++)
		check_find(chip_select);
	check_texts();
	check_overlay_path();
	check_property((struct fuzz_part){data, size});
	fuzz_remove(TREE);
	return 0;
}
