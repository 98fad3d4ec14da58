/* SPDX-License-Identifier: MIT */
#include "sweep/config.h"

#include "base/cleanup.h"
#include "base/file.h"
#include "sweep/config_keys.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAME "/etc/t1s-sweep/t1s-sweep.conf"
#define COMPLETE "[Sender]\nHost=pi2\nUser=pi\n"

static char root[PATH_MAX];
static struct t1s_config config;
static struct t1s_error error;

static int set_up(void **state)
{
	(void)state;
	(void)snprintf(root, sizeof(root), "/tmp/t1s-config-XXXXXX");
	memset(&config, 0, sizeof(config));
	memset(&error, 0, sizeof(error));
	return mkdtemp(root) ? 0 : -1;
}

static int tear_down(void **state)
{
	char command[PATH_MAX + 16];

	(void)state;
	(void)snprintf(command, sizeof(command), "rm -rf '%s'", root);
	return system(command); /* NOLINT(cert-env33-c): a path of our own making */
}

static void put_bytes(const char *name, const char *data, size_t size)
{
	char path[PATH_MAX + 64], folder[PATH_MAX + 64];

	(void)snprintf(path, sizeof(path), "%s%s", root, name);
	(void)snprintf(folder, sizeof(folder), "%s", path);
	*strrchr(folder, '/') = '\0';
	assert_int_equal(t1s_make_folder(folder, 0755, &error), 0);
	assert_int_equal(t1s_replace_file(path, data, size, 0644, false, &error), 0);
}

static void put(const char *name, const char *text)
{
	put_bytes(name, text, strlen(text));
}

static void load_fails_with(const char *expected)
{
	static struct t1s_config before;

	memset(&config, 0x5a, sizeof(config));
	before = config;
	if (t1s_config_load(root, NULL, false, &config, &error) != -EINVAL)
		fail_msg("not refused: expected \"%s\"", expected);
	if (!strstr(error.text, expected))
		fail_msg("expected \"%s\" in \"%s\"", expected, error.text);
	assert_memory_equal(&config, &before, sizeof(config));
}

static void text_fails_with(const char *text, const char *expected)
{
	put(NAME, text);
	load_fails_with(expected);
}

static void text_is_taken(const char *text)
{
	put(NAME, text);
	if (t1s_config_load(root, NULL, false, &config, &error) < 0)
		fail_msg("%s", error.text);
}

static void incomplete_because(const char *text, const char *expected)
{
	put(NAME, text);
	assert_int_equal(t1s_config_load(root, NULL, true, &config, &error), -EINVAL);
	if (!strstr(error.text, expected))
		fail_msg("expected \"%s\" in \"%s\"", expected, error.text);
	/* what only matters for a sweep must not keep a report from being made */
	assert_int_equal(t1s_config_load(root, NULL, false, &config, &error), 0);
}

static void no_file_at_all_gives_the_defaults(void **state)
{
	struct t1s_config defaults;

	(void)state;
	t1s_config_defaults(&defaults);
	assert_int_equal(t1s_config_load(root, NULL, false, &config, &error), 0);
	assert_memory_equal(&config, &defaults, sizeof(config));
	assert_int_equal(config.start_hz, 20000000);
	assert_int_equal(config.workloads_count, 1);
	assert_string_equal(config.workloads[0].name, "default");
}

/* Takes the # from each "#Key=", and the remarks off. */
static void uncomment(char *text)
{
	for (char *p = text; *p; p = strchr(p, '\n') + 1)
		if (p[0] == '#' && isupper((unsigned char)p[1]))
			*p = ' ';
}

static void the_annotated_file_shows_every_key_with_its_default(void **state)
{
	cleanup_free char *text = NULL;
	struct t1s_config defaults;

	(void)state;
	assert_int_equal(t1s_read_file(T1S_TEST_DATA "/../../conf/t1s-sweep.conf", 100000,
				 &text, NULL, &error),
		0);
	text_is_taken(text);
	for (size_t i = 0; i < t1s_config_keys_count; i++) {
		char line[64];

		(void)snprintf(line, sizeof(line), "\n#%s=", t1s_config_keys[i].key);
		if (!strstr(text, line))
			fail_msg("%s= is not described", t1s_config_keys[i].key);
	}
	uncomment(text);
	text_is_taken(text);
	t1s_config_defaults(&defaults);
	assert_memory_equal(&config, &defaults, sizeof(config));
}

static void every_key_of_the_annotated_file_is_one_of_its_section(void **state)
{
	cleanup_free char *text = NULL;
	size_t keys = 0;

	(void)state;
	assert_int_equal(t1s_read_file(T1S_TEST_DATA "/../../conf/t1s-sweep.conf", 100000,
				 &text, NULL, &error),
		0);
	for (char *p = text; *p; p = strchr(p, '\n') + 1)
		keys += p[0] == '#' && isupper((unsigned char)p[1]);
	/* that each exists in its section is shown by loading them, above */
	assert_int_equal(keys, t1s_config_keys_count);
}

static void the_thorough_example_is_taken_whole(void **state)
{
	static const enum t1s_direction directions[] = {T1S_DIRECTION_RECEIVE,
		T1S_DIRECTION_SEND, T1S_DIRECTION_RECEIVE, T1S_DIRECTION_SEND,
		T1S_DIRECTION_RECEIVE, T1S_DIRECTION_SEND, T1S_DIRECTION_BOTH};
	static const uint32_t lengths[] = {1448, 1448, 64, 64, 1448, 1448, 1448};
	cleanup_free char *text = NULL;

	(void)state;
	assert_int_equal(t1s_read_file(T1S_TEST_DATA "/../../conf/examples/thorough.conf",
				 100000, &text, NULL, &error),
		0);
	put(NAME, COMPLETE);
	put(NAME ".d/thorough.conf", text);
	if (t1s_config_load(root, NULL, true, &config, &error) < 0)
		fail_msg("%s", error.text);
	assert_int_equal(config.order, T1S_ORDER_SHUFFLED);
	assert_int_equal(config.passes, 3);
	assert_int_equal(config.workloads_count, T1S_ELEMENTSOF(directions));
	for (size_t i = 0; i < T1S_ELEMENTSOF(directions); i++) {
		const struct t1s_workload *w = &config.workloads[i];
		const bool tcp = i == 4 || i == 5;

		assert_int_equal(w->direction, directions[i]);
		assert_int_equal(w->length_bytes, lengths[i]);
		assert_int_equal(w->protocol, tcp ? T1S_PROTOCOL_TCP : T1S_PROTOCOL_UDP);
		assert_int_equal(w->rate_bps == 0, tcp);
	}
}

static void every_key_is_read(void **state)
{
	const struct t1s_config *c = &config;
	const struct t1s_workload *w = c->workloads;

	(void)state;
	text_is_taken(
		"[Sender]\nHost=fe80::1%eth0\nUser=a.b-c_d\nPort=2222\n"
		"Interface=t1s0\nAddress=192.0.2.1\nIperf3=/opt/my, \"iperf\"/iperf3\n"
		"[Receiver]\nInterface=t1s1\nAddress=192.0.2.2\nPort=5999\n"
		"[Link]\nPlcaNodeId=0\nPlcaNodeCount=8\nSenderPlcaNodeId=1\n"
		"[DeviceTree]\nOverlay=my lan8651, cs1\n"
		"OverlayFile=/boot/my overlays/a,b \"c\".dtbo\n"
		"Compatible=microchip,lan8651\nChipSelect=any\nProperty=speed\n"
		"SpiClock=500M\n"
		"[Sweep]\nStart=25MHz\nMinimum=12.5M\nStep=500k\n"
		"Points=20M, 15M 12500000\nOrder=shuffled\nPasses=3\n"
		"SkipEqualClock=yes\nSearch=knee\nCollapseBelow=0\nCollapsePoints=2\n"
		"SettleTime=500ms\nRebootDelay=1min\nAttempts=5\nClosingBaseline=no\n"
		"[Workload a, \"b\"]\nProtocol=tcp\nRate=9500k\nLength=64\n"
		"Duration=1min\nOmit=0\nRepeats=7\nDirection=both\n"
		"[Report]\nLinkRate=100M\nPlcaOverhead=64\nFull=95%\nSevere=12.5 %\n");
	assert_string_equal(c->sender_host, "fe80::1%eth0");
	assert_string_equal(c->sender_user, "a.b-c_d");
	assert_int_equal(c->sender_port, 2222);
	assert_string_equal(c->sender_interface, "t1s0");
	assert_string_equal(c->sender_address, "192.0.2.1");
	assert_string_equal(c->sender_iperf3, "/opt/my, \"iperf\"/iperf3");
	assert_string_equal(c->receiver_interface, "t1s1");
	assert_string_equal(c->receiver_address, "192.0.2.2");
	assert_int_equal(c->receiver_port, 5999);
	assert_int_equal(c->plca_node_id, 0);
	assert_int_equal(c->plca_node_count, 8);
	assert_int_equal(c->sender_plca_node_id, 1);
	assert_string_equal(c->overlay, "my lan8651, cs1");
	assert_string_equal(c->overlay_file, "/boot/my overlays/a,b \"c\".dtbo");
	assert_string_equal(c->match.compatible, "microchip,lan8651");
	assert_int_equal(c->match.chip_select, T1S_CHIP_SELECT_ANY);
	assert_string_equal(c->match.property, "speed");
	assert_int_equal(c->spi_clk_hz, 500000000);
	assert_int_equal(c->start_hz, 25000000);
	assert_int_equal(c->minimum_hz, 12500000);
	assert_int_equal(c->step_hz, 500000);
	assert_int_equal(c->points_count, 3);
	assert_int_equal(c->points_hz[0], 20000000);
	assert_int_equal(c->points_hz[1], 15000000);
	assert_int_equal(c->points_hz[2], 12500000);
	assert_int_equal(c->order, T1S_ORDER_SHUFFLED);
	assert_int_equal(c->passes, 3);
	assert_true(c->skip_equal_clock);
	assert_int_equal(c->search, T1S_SEARCH_KNEE);
	assert_true(c->collapse_below == 0.0);
	assert_int_equal(c->collapse_points, 2);
	assert_int_equal(c->settle_us, 500000);
	assert_int_equal(c->reboot_delay_us, 60000000);
	assert_int_equal(c->attempts, 5);
	assert_false(c->closing_baseline);
	assert_int_equal(c->workloads_count, 1);
	assert_string_equal(w->name, "a, \"b\"");
	assert_int_equal(w->protocol, T1S_PROTOCOL_TCP);
	assert_int_equal(w->direction, T1S_DIRECTION_BOTH);
	assert_string_equal(w->rate_text, "9500k");
	assert_int_equal(w->rate_bps, 9500000);
	assert_int_equal(w->length_bytes, 64);
	assert_int_equal(w->duration_s, 60);
	assert_int_equal(w->omit_s, 0);
	assert_int_equal(w->repeats, 7);
	assert_true(c->link_rate_bps == 100e6);
	assert_int_equal(c->plca_overhead_bits, 64);
	assert_true(c->full_share == 0.95);
	assert_true(c->severe_share == 0.125);
}

static void a_bad_value_is_told_with_file_line_and_what_is_allowed(void **state)
{
	(void)state;
	text_fails_with("\n# a remark\n[Sweep]\nStart=20M\nStep=1X\n",
		"/etc/t1s-sweep/t1s-sweep.conf:5: [Sweep] Step=1X: expected a frequency "
		"such as 1M or 500k, 1 kHz to 125 MHz");
	assert_null(strstr(error.text, root));
}

static void each_kind_of_bad_value_is_refused(void **state)
{
	static const char *const bad[] = {
		"[Sender]\nHost=a b\n",
		"[Sender]\nHost=-oProxyCommand=x\n",
		"[Sender]\nHost=$(reboot)\n",
		"[Sender]\nUser=a;b\n",
		"[Sender]\nUser=-l\n",
		"[Sender]\nPort=0\n",
		"[Sender]\nPort=65536\n",
		"[Sender]\nPort=22x\n",
		"[Sender]\nPort=\n",
		"[Sender]\nPort=-1\n",
		"[Sender]\nInterface=sixteen-letters-\n",
		"[Sender]\nInterface=../x\n",
		"[Sender]\nAddress=10.10.10\n",
		"[Sender]\nAddress=\n",
		"[Sender]\nAddress=pi2\n",
		"[Sender]\nIperf3=\n",
		"[Sender]\nIperf3=-x\n",
		"[Sender]\nIperf3=a\001b\n",
		"[Sender]\nIperf3=a\302\233b\n",
		"[Receiver]\nInterface=a b\n",
		"[Receiver]\nInterface=a/b\n",
		"[Receiver]\nInterface=.\n",
		"[Receiver]\nInterface=\n",
		"[Link]\nPlcaNodeId=255\n",
		"[Link]\nPlcaNodeCount=0\n",
		"[Link]\nPlcaNodeCount=256\n",
		"[DeviceTree]\nOverlay=\n",
		"[DeviceTree]\nOverlay=../x\n",
		"[DeviceTree]\nOverlay=.x\n",
		"[DeviceTree]\nOverlay=a\tb\n",
		"[DeviceTree]\nOverlayFile=x.dtbo\n",
		"[DeviceTree]\nCompatible=a b\n",
		"[DeviceTree]\nCompatible=\n",
		"[DeviceTree]\nChipSelect=256\n",
		"[DeviceTree]\nChipSelect=all\n",
		"[DeviceTree]\nProperty=a/b\n",
		"[DeviceTree]\nSpiClock=999999\n",
		"[Sweep]\nStart=999\n",
		"[Sweep]\nStart=125000001\n",
		"[Sweep]\nStart=4295M\n",
		"[Sweep]\nMinimum=0\n",
		"[Sweep]\nMinimum=-5M\n",
		"[Sweep]\nStep=0\n",
		"[Sweep]\nStep=1M # one\n",
		"[Sweep]\nStep=1.5\n",
		"[Sweep]\nPoints=,\n",
		"[Sweep]\nPoints=20M 999\n",
		"[Sweep]\nPoints=20M;15M\n",
		"[Sweep]\nPoints=20M 15M 20000000\n",
		"[Sweep]\nPoints=200000000000000000000000000\n",
		"[Sweep]\nOrder=Descending\n",
		"[Sweep]\nOrder=\n",
		"[Sweep]\nPasses=0\n",
		"[Sweep]\nPasses=1001\n",
		"[Sweep]\nPasses=1.0\n",
		"[Sweep]\nSkipEqualClock=maybe\n",
		"[Sweep]\nSearch=some\n",
		"[Sweep]\nCollapseBelow=101%\n",
		"[Sweep]\nCollapseBelow=5\n",
		"[Sweep]\nCollapsePoints=513\n",
		"[Sweep]\nSettleTime=2h\n",
		"[Sweep]\nSettleTime=10 apples\n",
		"[Sweep]\nRebootDelay=0\n",
		"[Sweep]\nRebootDelay=999ms\n",
		"[Sweep]\nAttempts=0\n",
		"[Sweep]\nClosingBaseline=\n",
		"[Workload x]\nProtocol=sctp\n",
		"[Workload x]\nRate=0\n",
		"[Workload x]\nRate=10Mbit\n",
		"[Workload x]\nRate=00000000000000000000010M\n",
		"[Workload x]\nLength=15\n",
		"[Workload x]\nLength=1048577\n",
		"[Workload x]\nDuration=0\n",
		"[Workload x]\nDuration=1500ms\n",
		"[Workload x]\nOmit=601\n",
		"[Workload x]\nRepeats=0\n",
		"[Workload x]\nDirection=up\n",
		"[Report]\nLinkRate=0\n",
		"[Report]\nPlcaOverhead=10001\n",
		"[Report]\nFull=nan%\n",
		"[Report]\nSevere=-1%\n",
	};

	(void)state;
	for (size_t i = 0; i < T1S_ELEMENTSOF(bad); i++) {
		char expected[128];
		const char *close = strchr(bad[i], ']');
		const char *key = close + 2;

		(void)snprintf(expected, sizeof(expected),
			".conf:2: %.*s %.*s=", (int)(close + 1 - bad[i]), bad[i],
			(int)strcspn(key, "="), key);
		text_fails_with(bad[i], expected);
		if (!strstr(error.text, ": expected "))
			fail_msg("no \"expected\" in \"%s\"", error.text);
	}
}

static void texts_that_do_not_fit_are_refused_not_cut(void **state)
{
	char text[600];

	(void)state;
	(void)snprintf(text, sizeof(text), "[Sender]\nIperf3=%0255d\n", 0);
	text_is_taken(text);
	assert_int_equal(strlen(config.sender_iperf3), 255);
	(void)snprintf(text, sizeof(text), "[Sender]\nIperf3=%0256d\n", 0);
	text_fails_with(text, ":2: [Sender] Iperf3=");
	(void)snprintf(text, sizeof(text), "[DeviceTree]\nOverlay=%0128d\n", 0);
	text_fails_with(text, ":2: [DeviceTree] Overlay=");
}

static void an_unknown_key_is_told_with_the_near_one_and_all_there_are(void **state)
{
	(void)state;
	text_fails_with("[Sweep]\nStpe=1M\n",
		":2: [Sweep] Stpe=: unknown key; did you mean Step=? Expected one of "
		"Start=, Minimum=, Step=,");
	text_fails_with("[Sweep]\nstart=1M\n", "did you mean Start=?");
	text_fails_with("[Sweep]\nColapsBelow=1M\n", "did you mean CollapseBelow=?");
	text_fails_with("[Sweep]\nWidth=1M\n",
		":2: [Sweep] Width=: unknown key. Expected one of Start=,");
	text_fails_with("[Sender]\nStep=1M\n",
		":2: [Sender] Step=: unknown key here, it belongs to [Sweep]. Expected");
	text_fails_with("[Workload x]\nDurations=1\n", "did you mean Duration=?");
	text_fails_with("[Sweep]\n=1M\n", ":2: [Sweep] =: unknown key. Expected");
}

static void an_unknown_section_is_told_with_the_near_one_and_all_there_are(void **state)
{
	(void)state;
	text_fails_with("\n[Sweeps]\nStep=1M\n",
		":2: [Sweeps]: unknown section; did you mean [Sweep]? Expected one of "
		"[Sender], [Receiver], [Link], [DeviceTree], [Sweep], [Workload NAME], "
		"[Report]");
	text_fails_with("[Nonsense]\n", ":1: [Nonsense]: unknown section. Expected");
	/* its keys are not told once more */
	assert_null(strstr(error.text, "more)"));
	text_fails_with("[]\n", ":1: []: unknown section. Expected");
	text_fails_with("[sweep]\n", "did you mean [Sweep]?");
}

static void a_line_that_is_none_is_refused(void **state)
{
	(void)state;
	text_fails_with("[Sweep]\nStep\n",
		":2: Step: expected Key=Value, a [Section] or a comment");
	text_fails_with("[Sweep]\nStep", ":2: Step: expected Key=Value");
	text_fails_with("[Sweep\nStep=1M\n", ":1: [Sweep: expected a section");
	text_fails_with("[Sweep] Step=1M\n", ":1: [Sweep] Step=1M: expected a section");
	text_fails_with("Step=1M\n", ":1: Step=1M: a key outside a section");
}

static void an_indented_line_is_a_line_of_its_own(void **state)
{
	(void)state;
	text_is_taken(
		"  [Sweep]\n\tStart=21M\n   Step=2M\n\n\n  ; remark\n  Minimum=7M\n");
	assert_int_equal(config.start_hz, 21000000);
	assert_int_equal(config.step_hz, 2000000);
	assert_int_equal(config.minimum_hz, 7000000);
	text_fails_with(
		"[Sweep]\nStart=21M\n  Stop=2M\n", ":3: [Sweep] Stop=: unknown key");
	text_fails_with("[Sweep]\nStart=21M\n  22M\n", ":3: 22M: expected Key=Value");
}

static void crlf_blanks_bom_and_a_missing_last_newline_are_taken(void **state)
{
	(void)state;
	text_is_taken("\xef\xbb\xbf[Sweep]\r\nStart = 21M \r\n[ Report ]\r\nFull=90%");
	assert_int_equal(config.start_hz, 21000000);
	assert_true(config.full_share == 0.9);
}

static void a_byte_of_value_0_is_refused(void **state)
{
	const char text[] = "[Sweep]\nStart=2\0M\n";

	(void)state;
	put_bytes(NAME, text, sizeof(text) - 1);
	load_fails_with(":2: a byte of value 0");
}

static void a_long_line_is_taken_whole_or_refused(void **state)
{
	static char text[20000];
	size_t n;

	(void)state;
	n = (size_t)sprintf(text, "[Sweep]\nPoints=");
	for (int i = 0; i < T1S_POINTS_MAX; i++)
		n += (size_t)sprintf(text + n, "%d ", 20000000 - i);
	text_is_taken(text);
	assert_int_equal(config.points_count, T1S_POINTS_MAX);
	assert_int_equal(config.points_hz[T1S_POINTS_MAX - 1], 20000000 - 511);
	(void)sprintf(text + n, "1M\n");
	text_fails_with(text, ":2: [Sweep] Points=20000000");
	n = (size_t)sprintf(text, "[DeviceTree]\nOverlayFile=/");
	(void)sprintf(text + n, "%0*d\n", PATH_MAX - 2, 0);
	text_is_taken(text);
	assert_int_equal(strlen(config.overlay_file), PATH_MAX - 1);
	(void)sprintf(text + n, "%09000d\n", 0);
	text_fails_with(text, ":2: a line of 9013 characters: expected at most 8189");
}

static void a_key_twice_in_one_file_is_refused(void **state)
{
	(void)state;
	text_fails_with("[Sweep]\nStep=1M\nStart=2M\nStep=2M\n",
		":4: [Sweep] Step=2M: already set in line 2");
	text_fails_with(
		"[Sweep]\nStep=1M\n[Report]\n[Sweep]\nStep=1M\n", "set in line 2");
	text_fails_with(
		"[Workload a]\nRate=1M\n[Workload b]\nRate=1M\n[Workload a]\nRate=1M\n",
		":6: [Workload a] Rate=1M: already set in line 2");
}

static void the_first_error_is_told_and_the_others_are_counted(void **state)
{
	(void)state;
	text_fails_with("[Sweep]\nStep=1X\nStart=1X\n[Foo]\nbar\n",
		":2: [Sweep] Step=1X: expected a frequency such as 1M or 500k, 1 kHz to "
		"125 MHz (and 3 more)");
}

static void drop_ins_override_in_the_order_of_their_names(void **state)
{
	(void)state;
	put(NAME, "[Sweep]\nStart=20M\nStep=1M\nMinimum=5M\n[Workload "
		  "a]\nRate=1M\nLength=100\n");
	put(NAME ".d/20-b.conf", "[Sweep]\nStep=3M\n[Workload a]\nRate=3M\n");
	put(NAME ".d/10-a.conf", "[Sweep]\nStep=2M\nMinimum=6M\n");
	put(NAME ".d/B.conf", "[Sweep]\nMinimum=7M\n");
	put(NAME ".d/a.conf", "[Sweep]\nMinimum=8M\n");
	put(NAME ".d/zz.conf.old", "[Nonsense]\n");
	put(NAME ".d/.zz.conf", "[Nonsense]\n");
	put(NAME ".d/.conf", "[Nonsense]\n");
	if (t1s_config_load(root, NULL, false, &config, &error) < 0)
		fail_msg("%s", error.text);
	assert_int_equal(config.start_hz, 20000000);
	assert_int_equal(config.step_hz, 3000000);
	assert_int_equal(config.minimum_hz, 8000000);
	assert_int_equal(config.workloads_count, 1);
	assert_int_equal(config.workloads[0].rate_bps, 3000000);
	assert_int_equal(config.workloads[0].length_bytes, 100);
}

static void drop_ins_hold_without_a_main_file(void **state)
{
	(void)state;
	put(NAME ".d/10-a.conf", "[Sweep]\nStep=2M\n");
	assert_int_equal(t1s_config_load(root, NULL, false, &config, &error), 0);
	assert_int_equal(config.step_hz, 2000000);
}

static void an_error_in_a_drop_in_names_that_file(void **state)
{
	(void)state;
	put(NAME, "[Sweep]\nStep=1M\n");
	put(NAME ".d/10 a.conf", "[Sweep]\nStep=bad\n");
	load_fails_with("/etc/t1s-sweep/t1s-sweep.conf.d/10 a.conf:2: [Sweep] Step=bad");
}

static void an_empty_value_takes_back_what_was_set_before(void **state)
{
	(void)state;
	put(NAME, "[Sweep]\nPoints=20M 10M\n[DeviceTree]\nSpiClock=1M\nOverlayFile=/x\n"
		  "[Link]\nPlcaNodeId=3\n");
	put(NAME ".d/a.conf", "[Sweep]\nPoints=\n[DeviceTree]\nSpiClock=\nOverlayFile=\n"
			      "[Link]\nPlcaNodeId=\n");
	no_file_at_all_gives_the_defaults(state);
}

static void a_link_or_folder_in_place_of_a_file_is_refused(void **state)
{
	char path[PATH_MAX + 64];

	(void)state;
	put(NAME, "");
	put(NAME ".d/a.conf", "");
	(void)snprintf(path, sizeof(path), "%s" NAME ".d/b.conf", root);
	assert_int_equal(symlink("/dev/null", path), 0);
	assert_int_equal(t1s_config_load(root, NULL, false, &config, &error), -EINVAL);
	assert_non_null(strstr(error.text, "b.conf is a symbolic link"));
	assert_int_equal(unlink(path), 0);
	assert_int_equal(mkdir(path, 0755), 0);
	assert_int_equal(t1s_config_load(root, NULL, false, &config, &error), -EINVAL);
	assert_non_null(strstr(error.text, "b.conf is not a regular file"));
	assert_int_equal(rmdir(path), 0);
	assert_int_equal(mkfifo(path, 0644), 0);
	assert_int_equal(t1s_config_load(root, NULL, false, &config, &error), -EINVAL);
	assert_non_null(strstr(error.text, "b.conf is not a regular file"));
}

static void a_file_that_was_named_must_be_there(void **state)
{
	char path[PATH_MAX + 64];

	(void)state;
	(void)snprintf(path, sizeof(path), "%s/my.conf", root);
	assert_int_equal(t1s_config_load("", path, false, &config, &error), -EINVAL);
	assert_non_null(strstr(error.text, "my.conf: No such file"));
	put("/my.conf", "[Sweep]\nStep=2M\n");
	put("/my.conf.d/1.conf", "[Sweep]\nStart=22M\n");
	assert_int_equal(t1s_config_load("", path, false, &config, &error), 0);
	assert_int_equal(config.step_hz, 2000000);
	assert_int_equal(config.start_hz, 22000000);
	/* and is taken as it is, whatever the root */
	assert_int_equal(t1s_config_load("/nowhere", path, false, &config, &error), 0);
}

static void too_large_a_file_and_too_long_a_path_are_refused(void **state)
{
	static char big[(1 << 20) + 1];
	static char path[2 * PATH_MAX];

	(void)state;
	memset(big, '\n', (1 << 20) + 1);
	put_bytes(NAME, big, (1 << 20) + 1);
	assert_int_equal(t1s_config_load(root, NULL, false, &config, &error), -EINVAL);
	(void)sprintf(path, "/%0*d", PATH_MAX - 2, 0);
	assert_int_equal(t1s_config_load("", path, false, &config, &error), -EINVAL);
	(void)sprintf(path, "/%0*d", PATH_MAX, 0);
	assert_int_equal(
		t1s_config_load("", path, false, &config, &error), -ENAMETOOLONG);
	assert_int_equal(
		t1s_config_load(path, NULL, false, &config, &error), -ENAMETOOLONG);
}

static void workload_sections_take_the_place_of_the_built_in_one(void **state)
{
	(void)state;
	text_is_taken(
		"[Workload one]\n[Workload two]\nRate=2M\n[Workload one]\nRate=1M\n");
	assert_int_equal(config.workloads_count, 2);
	assert_string_equal(config.workloads[0].name, "one");
	assert_int_equal(config.workloads[0].rate_bps, 1000000);
	assert_int_equal(config.workloads[0].length_bytes, 1448);
	assert_string_equal(config.workloads[1].name, "two");
	assert_string_equal(config.workloads[1].rate_text, "2M");
	assert_int_equal(config.workloads[1].duration_s, 20);
}

static void a_workload_needs_a_usable_name_and_there_are_at_most_eight(void **state)
{
	char text[1000];
	size_t n = 0;

	(void)state;
	text_fails_with(
		"[Workload]\nRate=1M\n", ":1: [Workload ]: expected [Workload NAME]");
	text_fails_with(
		"[Workload ../x]\n", ":1: [Workload ../x]: expected [Workload NAME]");
	text_fails_with(
		"[Workload a/b]\n", ":1: [Workload a/b]: expected [Workload NAME]");
	text_fails_with("[Workloads]\n", "did you mean [Workload NAME]?");
	(void)snprintf(text, sizeof(text), "[Workload %063d]\n", 0);
	text_is_taken(text);
	(void)snprintf(text, sizeof(text), "[Workload %064d]\n", 0);
	text_fails_with(text, ": expected [Workload NAME]");
	for (int i = 0; i < T1S_WORKLOADS_MAX; i++)
		n += (size_t)sprintf(text + n, "[Workload %d]\n", i);
	text_is_taken(text);
	assert_int_equal(config.workloads_count, T1S_WORKLOADS_MAX);
	(void)sprintf(text + n, "[Workload ninth]\n");
	text_fails_with(text, ":9: [Workload ninth]: expected at most 8 workloads");
}

static void a_sweep_needs_the_senders_host_and_user(void **state)
{
	(void)state;
	put(NAME, COMPLETE);
	assert_int_equal(t1s_config_load(root, NULL, true, &config, &error), 0);
	incomplete_because("[Sender]\nUser=pi\n",
		"/etc/t1s-sweep/t1s-sweep.conf: [Sender] Host= is not set");
	incomplete_because("[Sender]\nHost=pi2\n", "[Sender] User= is not set");
	incomplete_because("", "[Sender] Host= is not set");
}

static void rate_and_plca_of_the_link_are_the_chip_s_where_not_set(void **state)
{
	(void)state;
	text_is_taken("[DeviceTree]\nCompatible=wiznet,w5500\n");
	assert_true(config.link_rate_bps == 100e6);
	assert_int_equal(config.plca_overhead_bits, 0);
	text_is_taken("[DeviceTree]\nCompatible=microchip,lan8651\n");
	assert_true(config.link_rate_bps == 10e6);
	assert_int_equal(config.plca_overhead_bits, 32);
	/* what is set holds, wherever it stands, and what is empty is not set */
	text_is_taken("[Report]\nLinkRate=5M\nPlcaOverhead=0\n"
		      "[DeviceTree]\nCompatible=microchip,lan8650\n");
	assert_true(config.link_rate_bps == 5e6);
	assert_int_equal(config.plca_overhead_bits, 0);
	text_is_taken("[Report]\nLinkRate=\nPlcaOverhead=\n"
		      "[DeviceTree]\nCompatible=adi,adin1110\n");
	assert_true(config.link_rate_bps == 10e6);
	assert_int_equal(config.plca_overhead_bits, 0);
}

static void a_chip_that_is_not_known_needs_its_link_rate(void **state)
{
	(void)state;
	incomplete_because(COMPLETE "[DeviceTree]\nCompatible=vendor,other\n",
		"[DeviceTree] Compatible=vendor,other is no chip whose link rate is "
		"known here: expected [Report] LinkRate= to be set");
	assert_true(config.link_rate_bps == 0); /* what is not known is no wire limit */
	assert_int_equal(config.plca_overhead_bits, 0);
}

static void a_sweep_needs_keys_that_fit_together(void **state)
{
	(void)state;
	incomplete_because(COMPLETE "Address=10.10.10.2\n",
		"[Sender] Address=10.10.10.2 is also [Receiver] Address=");
	incomplete_because(
		COMPLETE "Address=fd00::1\n", "expected both IPv4 or both IPv6");
	incomplete_because(COMPLETE "[Link]\nPlcaNodeId=1\nSenderPlcaNodeId=1\n",
		"[Link] PlcaNodeId=1 is also SenderPlcaNodeId=");
	incomplete_because(COMPLETE "[Link]\nPlcaNodeCount=2\nSenderPlcaNodeId=2\n",
		"[Link] PlcaNodeCount=2: expected more than the highest node id");
	incomplete_because(COMPLETE "[Link]\nPlcaNodeCount=2\nPlcaNodeId=2\n",
		"[Link] PlcaNodeCount=2: expected more than the highest node id");
	incomplete_because(COMPLETE "[Link]\nPlcaNodeCount=2\n",
		"[Link] PlcaNodeCount=2 has no effect alone");
	incomplete_because(COMPLETE "[Sweep]\nStart=4M\n",
		"[Sweep] Start=4000000 Hz is below Minimum=5000000 Hz");
	incomplete_because(COMPLETE "[Report]\nSevere=93%\n",
		"[Report] Severe=93% with Full=93%: expected Severe= to be less");
	incomplete_because(COMPLETE "[Sweep]\nCollapseBelow=51%\n",
		"[Sweep] CollapseBelow=51% with [Report] Severe=50%");
}

static void start_below_minimum_does_not_matter_where_points_are_given(void **state)
{
	(void)state;
	put(NAME, COMPLETE "[Sweep]\nStart=4M\nPoints=20M 2M\n");
	assert_int_equal(t1s_config_load(root, NULL, true, &config, &error), 0);
}

static void rate_of_udp_has_a_default_and_tcp_takes_what_it_gets(void **state)
{
	(void)state;
	text_is_taken("[Workload udp]\n[Workload tcp]\nProtocol=tcp\n"
		      "[Workload held]\nRate=2M\nProtocol=tcp\n"
		      "[Workload empty]\nRate=\nProtocol=tcp\n");
	assert_int_equal(config.workloads_count, 4);
	assert_int_equal(config.workloads[0].rate_bps, 10000000);
	assert_string_equal(config.workloads[0].rate_text, "10M");
	assert_int_equal(config.workloads[1].rate_bps, 0);
	assert_string_equal(config.workloads[1].rate_text, "");
	assert_int_equal(config.workloads[2].rate_bps, 2000000);
	assert_int_equal(config.workloads[3].rate_bps, 0);
}

static void a_drop_in_can_take_a_rate_back(void **state)
{
	(void)state;
	put(NAME, "[Workload a]\nProtocol=tcp\nRate=2M\n[Workload b]\nRate=3M\n");
	put(NAME ".d/10-a.conf", "[Workload a]\nRate=\n[Workload b]\nRate=\n");
	assert_int_equal(t1s_config_load(root, NULL, false, &config, &error), 0);
	assert_int_equal(config.workloads[0].rate_bps, 0);
	assert_string_equal(config.workloads[0].rate_text, "");
	assert_int_equal(config.workloads[1].rate_bps, 10000000);
}

static void a_datagram_must_fit_into_a_packet_a_write_need_not(void **state)
{
	(void)state;
	incomplete_because(COMPLETE "[Workload x]\nLength=65508\n",
		"[Workload x] Length=65508 with Protocol=udp: expected at most 65507");
	put(NAME, COMPLETE "[Workload x]\nLength=131072\nProtocol=tcp\n"
			   "[Workload y]\nLength=65507\n");
	assert_int_equal(t1s_config_load(root, NULL, true, &config, &error), 0);
	assert_int_equal(config.workloads[0].length_bytes, 131072);
}

static void control_characters_do_not_reach_the_message(void **state)
{
	(void)state;
	text_fails_with("[Sweep]\nStep=1\x1b[2J\n", ":2: [Sweep] Step=1?[2J: expected");
	text_fails_with("[Swe\x07p]\n", ":1: [Swe?p]: unknown section");
}

static void errors_may_be_dropped(void **state)
{
	(void)state;
	put(NAME, "[Sweep]\nStep=1X\nStart=1X\n");
	assert_int_equal(t1s_config_load(root, NULL, false, &config, NULL), -EINVAL);
}

static void choices_have_the_names_of_the_file(void **state)
{
	(void)state;
	assert_string_equal(t1s_order_name(T1S_ORDER_DESCENDING), "descending");
	assert_string_equal(t1s_order_name(T1S_ORDER_ASCENDING), "ascending");
	assert_string_equal(t1s_order_name(T1S_ORDER_SHUFFLED), "shuffled");
	assert_string_equal(t1s_protocol_name(T1S_PROTOCOL_UDP), "udp");
	assert_string_equal(t1s_protocol_name(T1S_PROTOCOL_TCP), "tcp");
	assert_string_equal(t1s_direction_name(T1S_DIRECTION_RECEIVE), "receive");
	assert_string_equal(t1s_direction_name(T1S_DIRECTION_SEND), "send");
	assert_string_equal(t1s_direction_name(T1S_DIRECTION_BOTH), "both");
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(no_file_at_all_gives_the_defaults),
		TEST(the_annotated_file_shows_every_key_with_its_default),
		TEST(every_key_of_the_annotated_file_is_one_of_its_section),
		TEST(the_thorough_example_is_taken_whole),
		TEST(every_key_is_read),
		TEST(a_bad_value_is_told_with_file_line_and_what_is_allowed),
		TEST(each_kind_of_bad_value_is_refused),
		TEST(texts_that_do_not_fit_are_refused_not_cut),
		TEST(an_unknown_key_is_told_with_the_near_one_and_all_there_are),
		TEST(an_unknown_section_is_told_with_the_near_one_and_all_there_are),
		TEST(a_line_that_is_none_is_refused),
		TEST(an_indented_line_is_a_line_of_its_own),
		TEST(crlf_blanks_bom_and_a_missing_last_newline_are_taken),
		TEST(a_byte_of_value_0_is_refused),
		TEST(a_long_line_is_taken_whole_or_refused),
		TEST(a_key_twice_in_one_file_is_refused),
		TEST(the_first_error_is_told_and_the_others_are_counted),
		TEST(drop_ins_override_in_the_order_of_their_names),
		TEST(drop_ins_hold_without_a_main_file),
		TEST(an_error_in_a_drop_in_names_that_file),
		TEST(an_empty_value_takes_back_what_was_set_before),
		TEST(a_link_or_folder_in_place_of_a_file_is_refused),
		TEST(a_file_that_was_named_must_be_there),
		TEST(too_large_a_file_and_too_long_a_path_are_refused),
		TEST(workload_sections_take_the_place_of_the_built_in_one),
		TEST(a_workload_needs_a_usable_name_and_there_are_at_most_eight),
		TEST(a_sweep_needs_the_senders_host_and_user),
		TEST(rate_and_plca_of_the_link_are_the_chip_s_where_not_set),
		TEST(a_chip_that_is_not_known_needs_its_link_rate),
		TEST(a_sweep_needs_keys_that_fit_together),
		TEST(start_below_minimum_does_not_matter_where_points_are_given),
		TEST(rate_of_udp_has_a_default_and_tcp_takes_what_it_gets),
		TEST(a_drop_in_can_take_a_rate_back),
		TEST(a_datagram_must_fit_into_a_packet_a_write_need_not),
		TEST(control_characters_do_not_reach_the_message),
		TEST(errors_may_be_dropped),
		TEST(choices_have_the_names_of_the_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
