/* SPDX-License-Identifier: MIT */
/* The verb table: what can be typed, what it is for, and who does it. */
#include "base/cleanup.h"
#include "base/error.h"
#include "base/log.h"
#include "verb.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Options that not every verb takes; as getopt's values they must be no letters. */
enum option_bit {
	OPTION_JSON = 1 << 8,
	OPTION_SET = 1 << 9,
	OPTION_CONTROLLER = 1 << 10,
	OPTION_FINGERPRINT = 1 << 11,
	OPTION_KEY = 1 << 12,
	OPTION_FORMAT = 1 << 13,
	OPTION_OUTPUT = 1 << 14,
	OPTION_WATCH = 1 << 15,
	OPTION_TRIAL = 1 << 16,
	OPTION_WORKLOAD = 1 << 17,
};

/* Where an option's value goes: a bool where it takes none, else a text. */
static const struct {
	int bit;
	size_t offset; /* in struct t1s_args */
} verb_options[] = {
	{OPTION_JSON, offsetof(struct t1s_args, json)},
	{OPTION_SET, offsetof(struct t1s_args, set)},
	{OPTION_CONTROLLER, offsetof(struct t1s_args, controller)},
	{OPTION_FINGERPRINT, offsetof(struct t1s_args, fingerprint)},
	{OPTION_KEY, offsetof(struct t1s_args, key)},
	{OPTION_FORMAT, offsetof(struct t1s_args, format)},
	{OPTION_OUTPUT, offsetof(struct t1s_args, output)},
	{OPTION_WATCH, offsetof(struct t1s_args, watch)},
	{OPTION_TRIAL, offsetof(struct t1s_args, trial)},
	{OPTION_WORKLOAD, offsetof(struct t1s_args, workload)},
};

static const struct verb {
	const char *name;
	int (*run)(const struct t1s_args *a);
	int operands_min, operands_max; /* -1: any number */
	unsigned int options;
	const char *usage, *help, *more;
} verbs[] = {
	{"begin", verb_begin, 0, 0, 0, "begin", "first step of a boot: may we measure?",
		"Run by t1s-sweep.service as root. Begins a sweep if none is under "
		"way; else compares\nstate, overlay, live device tree and boot id."},
	{"measure", verb_measure, 0, 0, 0, "measure",
		"second step: measure the current point",
		"Run by t1s-sweep.service as user t1s-sweep. Does nothing unless begin "
		"allowed it."},
	{"advance", verb_advance, 0, 0, 0, "advance",
		"third step: set the next point and reboot",
		"Run by t1s-sweep.service as root. Sets the overlay and asks for the "
		"reboot, or puts\nthe original back and ends the sweep."},
	{"pair", verb_pair, 1, 1, OPTION_FINGERPRINT | OPTION_KEY, "pair USER@HOST",
		"make the sender ours: keys, login, configuration",
		"Makes a key, shows and pins the sender's host key, installs the key "
		"there for a\nsweep's commands only (asks for the password once), and "
		"writes the sender into the\nconfiguration. What is done already is left "
		"alone. Needs root.\n"
		"  --fingerprint=SHA256:...  of the sender's host key; else you are "
		"asked\n"
		"  --key=FILE                log in by this private key, not by a "
		"password"},
	{"check", verb_check, 0, 0, OPTION_JSON | OPTION_TRIAL, "check",
		"is everything right for a sweep? what is not, and what to do",
		"Looks at the configuration, both ends of the link, overlay and boot "
		"partition, power\nand service. Run it as root: an ordinary user may not "
		"see everything. Changes nothing.\nExit status 0 if nothing is wrong.\n"
		"  --trial  send one second of traffic over the link, too"},
	{"plan", verb_plan, 0, 0, OPTION_JSON, "plan",
		"the points, and the time they will take",
		"Shows each requested frequency with its predicted SCLK and ceilings. "
		"Changes nothing."},
	{"status", verb_status, 0, 0, OPTION_JSON | OPTION_WATCH, "status",
		"where the sweep stands",
		"Changes nothing, and needs no rights.\n"
		"  --watch[=TIME]  look again every 2 s, or so often (5s, 1min), until the "
		"sweep\n                  ends or Ctrl-C"},
	{"report", verb_report, 0, -1,
		OPTION_JSON | OPTION_CONTROLLER | OPTION_FORMAT | OPTION_OUTPUT |
			OPTION_WORKLOAD,
		"report [FILE...]", "what the link carried at which frequency",
		"FILE is a results.csv; without one, the latest sweep's. Several are laid "
		"over each other.\n"
		"  --format=FORMAT          text, json, markdown, html; openmetrics, junit, "
		"lava;\n                           or the plot alone: svg, png\n"
		"  --output=FILE            write there instead of to standard output\n"
		"  --workload=NAME          of several, this one only\n"
		"  --controller=COMPATIBLE  predict the SCLK by this SPI controller "
		"where the results hold\n                           none "
		"(brcm,bcm2835-spi or snps,dw-apb-ssi)"},
	{"restore", verb_restore, 0, 0, 0, "restore",
		"put the original overlay back, end the sweep", "Does not reboot."},
	{"overlay", verb_overlay, 1, 1, OPTION_JSON | OPTION_SET,
		"overlay FILE [--set=HZ]", "show or set the frequency in an overlay blob",
		"  --set=HZ  set it, in place (20M, 12500k, …). [DeviceTree] "
		"Compatible= and ChipSelect=\n            choose the node where there "
		"are several."},
	{"explain", verb_explain, 1, 1, OPTION_JSON, "explain FILE",
		"how one raw iperf3 result is read, and why",
		"FILE is an iperf3 JSON result as kept under raw/ beside results.csv."},
};

static const struct option options[] = {
	{"root", required_argument, NULL, 'r'},
	{"config", required_argument, NULL, 'c'},
	{"json", no_argument, NULL, OPTION_JSON},
	{"set", required_argument, NULL, OPTION_SET},
	{"controller", required_argument, NULL, OPTION_CONTROLLER},
	{"fingerprint", required_argument, NULL, OPTION_FINGERPRINT},
	{"key", required_argument, NULL, OPTION_KEY},
	{"format", required_argument, NULL, OPTION_FORMAT},
	{"output", required_argument, NULL, OPTION_OUTPUT},
	{"watch", optional_argument, NULL, OPTION_WATCH},
	{"trial", no_argument, NULL, OPTION_TRIAL},
	{"workload", required_argument, NULL, OPTION_WORKLOAD},
	{"help", no_argument, NULL, 'h'},
	{"version", no_argument, NULL, 'V'},
	{NULL, 0, NULL, 0},
};

static void print_help(void)
{
	(void)printf(
		"t1s-sweep [--root=DIR] [--config=FILE] [--json] VERB\n\n"
		"Finds the lowest SPI clock at which an SPI Ethernet MAC-PHY keeps its "
		"throughput.\n\nVerbs:\n");
	for (size_t i = 0; i < T1S_ELEMENTSOF(verbs); i++)
		(void)printf("  %-26s %s\n", verbs[i].usage, verbs[i].help);
	(void)printf(
		"\nOptions:\n"
		"  --root=DIR     work on the tree below DIR instead of the "
		"running system\n"
		"  --config=FILE  instead of /etc/t1s-sweep/t1s-sweep.conf\n"
		"  --json         output for programs\n"
		"  --help         this text; behind a verb, the verb's\n"
		"  --version\n\n"
		"To start a sweep: sudo systemctl enable t1s-sweep && sudo reboot. See "
		"t1s-sweep(8).\n");
}

static void print_verb_help(const struct verb *v)
{
	(void)printf("t1s-sweep [--root=DIR] [--config=FILE]%s %s\n\n%s\n",
		v->options & OPTION_JSON ? " [--json]" : "", v->usage, v->help);
	if (v->more)
		(void)printf("\n%s\n", v->more);
}

static const struct verb *find_verb(const char *name)
{
	for (size_t i = 0; i < T1S_ELEMENTSOF(verbs); i++)
		if (strcmp(verbs[i].name, name) == 0)
			return &verbs[i];
	return NULL;
}

static int __attribute__((format(printf, 1, 2))) usage_error(const char *format, ...)
{
	char text[1024];
	va_list ap;

	va_start(ap, format);
	(void)vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	t1s_log(LOG_ERR, "%s", text);
	t1s_log(LOG_ERR, "see: t1s-sweep --help");
	return T1S_EXIT_USAGE;
}

int t1s_verb_failed(int r, const struct t1s_error *e)
{
	t1s_log(LOG_ERR, "%s", t1s_error_text(e));
	return r == -EINVAL ? T1S_EXIT_USAGE : T1S_EXIT_FAILED;
}

/* A root is used as a prefix: absolute, real, without a slash at its end. */
static int set_root(const char *text, char **ret)
{
	struct stat st;
	char *root = realpath(text, NULL);

	if (!root || stat(root, &st) < 0 || !S_ISDIR(st.st_mode)) {
		free(root);
		return usage_error("--root=%s: no such folder", text);
	}
	if (strcmp(root, "/") == 0)
		root[0] = '\0';
	free(*ret);
	*ret = root;
	return 0;
}

static int check_verb(const struct verb *v, unsigned int given, const struct t1s_args *a)
{
	for (const struct option *o = options; o->name; o++)
		if (given & ~v->options & (unsigned int)o->val)
			return usage_error(
				"\"%s\" does not take --%s%s; usage: t1s-sweep %s",
				v->name, o->name,
				o->has_arg == required_argument ? "=" : "", v->usage);
	if (a->count < v->operands_min)
		return usage_error("too few operands; usage: t1s-sweep %s", v->usage);
	if (v->operands_max >= 0 && a->count > v->operands_max)
		return usage_error("too many operands; usage: t1s-sweep %s", v->usage);
	return 0;
}

/* With one of them closed, the next file opened would get its number, and the log would
 * be written into that. */
static int open_standard_descriptors(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDWR);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd < 0)
		return -errno;
	(void)close(fd);
	return 0;
}

static void take_option(const struct option *o, struct t1s_args *a)
{
	for (size_t i = 0; i < T1S_ELEMENTSOF(verb_options); i++) {
		void *member = (char *)a + verb_options[i].offset;

		if (verb_options[i].bit != o->val)
			continue;
		if (o->has_arg == no_argument)
			*(bool *)member = true;
		else
			*(const char **)member = optarg ? optarg : "";
	}
}

int main(int argc, char **argv)
{
	cleanup_free char *root = NULL;
	struct t1s_args a = {.root = ""};
	unsigned int given = 0;
	const struct verb *v;
	bool help = false;
	int c, r, at = 0;

	if (open_standard_descriptors() < 0)
		return T1S_EXIT_FAILED;
	t1s_log_open(false);
	while ((c = getopt_long(argc, argv, "", options, &at)) >= 0) {
		switch (c) {
		case 'r':
			r = set_root(optarg, &root);
			if (r != 0)
				return r;
			break;
		case 'c':
			a.config = optarg;
			break;
		case 'h':
			help = true;
			break;
		case 'V':
			(void)printf("t1s-sweep " T1S_VERSION "\n");
			return T1S_EXIT_OK;
		case '?':
			return T1S_EXIT_USAGE;
		default:
			take_option(&options[at], &a);
			given |= (unsigned int)c;
		}
	}
	if (root) {
		a.root = root;
		t1s_log_open(root[0] != '\0');
	}
	if (optind >= argc) {
		print_help();
		return help ? T1S_EXIT_OK : T1S_EXIT_USAGE;
	}
	v = find_verb(argv[optind]);
	if (!v)
		return usage_error("unknown verb \"%s\"", argv[optind]);
	if (help) {
		print_verb_help(v);
		return T1S_EXIT_OK;
	}
	a.count = argc - optind - 1;
	a.operands = argv + optind + 1;
	r = check_verb(v, given, &a);
	return r != 0 ? r : v->run(&a);
}
