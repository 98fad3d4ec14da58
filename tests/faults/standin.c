/* SPDX-License-Identifier: MIT */
/*
 * The program with a link that is always there and answers at once: linked with --wrap,
 * so that everything but the two peers is the program's own code. For tests that need
 * many sweeps and no link.
 */
#include "base/cleanup.h"
#include "base/file.h"
#include "link/iface.h"
#include "link/receiver.h"
#include "link/sender.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>

#define SAMPLE_MAX_BYTES ((size_t)1024 * 1024)
#define BYTES_A_RUN UINT64_C(100000000) /* more than any sample's payload */

int __wrap_t1s_iface_wait(const char *root, const char *name, const char *address,
	uint64_t deadline_us, struct t1s_error *e);
int __wrap_t1s_iface_counters(const char *root, const char *name,
	struct t1s_iface_counters *ret, struct t1s_error *e);
int __wrap_t1s_sender_open(const struct t1s_sender_config *c, uint64_t deadline_us,
	struct t1s_sender **ret, enum t1s_sender_failure *ret_failure,
	struct t1s_error *e);
void __wrap_t1s_sender_close(struct t1s_sender *s);
int __wrap_t1s_sender_run(struct t1s_sender *s, const char *command, size_t max_bytes,
	uint64_t deadline_us, int (*tick)(void *), void *tick_data,
	struct t1s_sender_output *ret, struct t1s_error *e);
int __wrap_t1s_receiver_start(const struct t1s_receiver_config *c, uint64_t deadline_us,
	struct t1s_receiver *ret, struct t1s_error *e);
int __wrap_t1s_receiver_finish(struct t1s_receiver *r, uint64_t deadline_us);

int __wrap_t1s_iface_wait(const char *root, const char *name, const char *address,
	uint64_t deadline_us, struct t1s_error *e)
{
	(void)root, (void)name, (void)address, (void)deadline_us, (void)e;
	return 0;
}

int __wrap_t1s_iface_counters(const char *root, const char *name,
	struct t1s_iface_counters *ret, struct t1s_error *e)
{
	static uint64_t bytes;

	(void)root, (void)name, (void)e;
	bytes += BYTES_A_RUN;
	*ret = (struct t1s_iface_counters){.rx_bytes = bytes, .tx_bytes = bytes};
	return 0;
}

int __wrap_t1s_sender_open(const struct t1s_sender_config *c, uint64_t deadline_us,
	struct t1s_sender **ret, enum t1s_sender_failure *ret_failure,
	struct t1s_error *e)
{
	(void)c, (void)deadline_us, (void)e;
	*ret = NULL;
	*ret_failure = T1S_SENDER_OK;
	return 0;
}

void __wrap_t1s_sender_close(struct t1s_sender *s)
{
	(void)s;
}

static int read_sample(
	const char *end, bool both, char **ret, size_t *ret_size, struct t1s_error *e)
{
	char path[PATH_MAX];

	(void)snprintf(path, sizeof(path), "%s/workloads/%s-3.12-udp-%s.json",
		T1S_TEST_DATA, end, both ? "both" : "receive");
	return t1s_read_file(path, SAMPLE_MAX_BYTES, ret, ret_size, e);
}

int __wrap_t1s_sender_run(struct t1s_sender *s, const char *command, size_t max_bytes,
	uint64_t deadline_us, int (*tick)(void *), void *tick_data,
	struct t1s_sender_output *ret, struct t1s_error *e)
{
	struct t1s_sender_output out = {.err = strdup("")};
	int r = 0;

	(void)s, (void)max_bytes, (void)deadline_us, (void)tick, (void)tick_data;
	if (strstr(command, " -c "))
		r = read_sample(
			"cli", strstr(command, "--bidir"), &out.out, &out.out_size, e);
	else
		out.out = strdup(strstr(command, "--version") ? "iperf 3.12\n" : "");
	if (out.out && !out.out_size)
		out.out_size = strlen(out.out);
	*ret = out;
	return r;
}

/* As the server's process leaves the file: made anew, and written at the end. */
int __wrap_t1s_receiver_start(const struct t1s_receiver_config *c, uint64_t deadline_us,
	struct t1s_receiver *ret, struct t1s_error *e)
{
	cleanup_free char *text = NULL;
	cleanup_close int fd = -1;
	size_t size = 0;
	int r = read_sample("srv", strstr(c->json_file, "-both-"), &text, &size, e);

	(void)deadline_us;
	if (r < 0)
		return r;
	(void)unlink(c->json_file);
	fd = open(c->json_file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	if (fd < 0)
		return t1s_error_set(e, errno, "cannot make %s", c->json_file);
	*ret = (struct t1s_receiver){0};
	r = t1s_write_all(fd, text, size);
	return r < 0 ? t1s_error_set(
			       e, -r, "cannot write %s: %s", c->json_file, strerror(-r))
		     : 0;
}

int __wrap_t1s_receiver_finish(struct t1s_receiver *r, uint64_t deadline_us)
{
	(void)r, (void)deadline_us;
	return 0;
}
