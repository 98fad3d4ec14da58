/* SPDX-License-Identifier: MIT */
#include "base/log.h"

#include "base/cleanup.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <systemd/sd-daemon.h>
#include <systemd/sd-journal.h>

#define LINE_MAX_BYTES 2048

static bool to_journal;

void t1s_log_open(bool force_stderr)
{
	const char *stream = getenv("JOURNAL_STREAM");
	uintmax_t dev, ino;
	struct stat st;
	char *end;

	to_journal = false;
	if (force_stderr || !stream || fstat(STDERR_FILENO, &st) < 0)
		return;
	dev = strtoumax(stream, &end, 10);
	if (*end != ':')
		return;
	ino = strtoumax(end + 1, &end, 10);
	to_journal = *end == '\0' && dev == (uintmax_t)st.st_dev &&
		     ino == (uintmax_t)st.st_ino;
}

/* Length of the well-formed UTF-8 sequence at @p (RFC 3629), 0 if there is none. */
static size_t utf8_sequence(const unsigned char *p)
{
	size_t n;

	if (p[0] < 0x80)
		return 1;
	if (p[0] < 0xc2 || p[0] > 0xf4)
		return 0;
	n = p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : 4;
	for (size_t i = 1; i < n; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	/* longer than need be, a surrogate half, or beyond the last character */
	if ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] > 0x9f) ||
		(p[0] == 0xf0 && p[1] < 0x90) || (p[0] == 0xf4 && p[1] > 0x8f))
		return 0;
	return n;
}

static bool is_control(const unsigned char *p)
{
	return *p < 0x20 || *p == 0x7f || (*p == 0xc2 && p[1] <= 0x9f);
}

void t1s_printable(char *text)
{
	size_t n;

	for (unsigned char *p = (unsigned char *)text; *p; p += n) {
		n = utf8_sequence(p);
		if (n == 0)
			n = 1;
		else if (!is_control(p))
			continue;
		memset(p, '?', n);
	}
}

static void send_to_journal(
	int priority, const char *message_id, const struct t1s_log_fields *f, char *line)
{
	char prio[32], id[64];
	struct iovec iov[T1S_LOG_FIELDS_MAX + 3];
	int n = 0;

	(void)snprintf(prio, sizeof(prio), "PRIORITY=%d", priority);
	iov[n++] = (struct iovec){.iov_base = line, .iov_len = strlen(line)};
	iov[n++] = (struct iovec){.iov_base = prio, .iov_len = strlen(prio)};
	if (message_id) {
		(void)snprintf(id, sizeof(id), "MESSAGE_ID=%s", message_id);
		iov[n++] = (struct iovec){.iov_base = id, .iov_len = strlen(id)};
	}
	for (size_t i = 0; f && i < f->count; i++)
		iov[n++] = (struct iovec){
			.iov_base = (void *)f->text[i], .iov_len = strlen(f->text[i])};
	(void)sd_journal_sendv(iov, n);
}

__attribute__((format(printf, 4, 0))) static void emit(int priority,
	const char *message_id, const struct t1s_log_fields *f, const char *format,
	va_list ap)
{
	char line[LINE_MAX_BYTES] = "MESSAGE=";
	const size_t head = strlen(line);

	if (priority == LOG_DEBUG && !getenv("DEBUG"))
		return;
	(void)vsnprintf(line + head, sizeof(line) - head, format, ap);
	t1s_printable(line);
	if (to_journal)
		send_to_journal(priority, message_id, f, line);
	else
		(void)fprintf(stderr, "%s\n", line + head);
}

void t1s_log(int priority, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	emit(priority, NULL, NULL, format, ap);
	va_end(ap);
}

void t1s_log_field(struct t1s_log_fields *f, const char *format, ...)
{
	va_list ap;

	if (f->count >= T1S_LOG_FIELDS_MAX)
		return;
	va_start(ap, format);
	(void)vsnprintf(f->text[f->count], sizeof(f->text[0]), format, ap);
	va_end(ap);
	t1s_printable(f->text[f->count]);
	f->count++;
}

void t1s_log_event(int priority, const char *message_id, const struct t1s_log_fields *f,
	const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	emit(priority, message_id, f, format, ap);
	va_end(ap);
}

void t1s_notify(unsigned int extend_s, const char *format, ...)
{
	char status[LINE_MAX_BYTES];
	va_list ap;

	va_start(ap, format);
	(void)vsnprintf(status, sizeof(status), format, ap);
	va_end(ap);
	t1s_printable(status);
	if (extend_s > 0)
		(void)sd_notifyf(0, "STATUS=%s\nEXTEND_TIMEOUT_USEC=%" PRIu64, status,
			(uint64_t)extend_s * 1000000U);
	else
		(void)sd_notifyf(0, "STATUS=%s", status);
}
