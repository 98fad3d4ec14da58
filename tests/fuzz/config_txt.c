/* SPDX-License-Identifier: MIT */
/* config.txt: the input's parts are config.txt, a.txt and b.txt, for include lines. */
#include "fuzz.h"

#include "board/bootconf.h"

#include <string.h>

static const char *const names[] = {"/config.txt", "/a.txt", "/b.txt"};

static void check(const char *board)
{
	static const char params[][64] = {"speed", "spi0-0-speed"};
	struct t1s_boot_shadow s;
	struct t1s_error e = {{0}};
	int r = t1s_boot_shadow(fuzz_folder(), board, "lan8650", params, 2, &s, &e);

	if (r < 0) {
		fuzz_check_failure(r, &e);
		return;
	}
	fuzz_require(strnlen(s.file, sizeof(s.file)) < sizeof(s.file));
	fuzz_require(strnlen(s.text, sizeof(s.text)) < sizeof(s.text));
	if (s.named || s.shadowed)
		fuzz_require(s.line > 0 && s.file[0] && s.text[0]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_part parts[3] = {{0}};

	(void)fuzz_split(data, size, parts, 3);
	for (size_t i = 0; i < 3; i++) {
		char path[PATH_MAX];

		fuzz_path(path, names[i]);
		fuzz_write(path, parts[i]);
	}
	check("");
	check("raspberrypi,4-model-b");
	return 0;
}
