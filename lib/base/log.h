/* SPDX-License-Identifier: MIT */
/*
 * The log: lines for people, with structured fields beside them for machines. Under
 * systemd they go to the journal by its own protocol, elsewhere to standard error. The
 * log is the program's only global state.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <syslog.h>

/* Message ids of the events; the catalogue in units/ explains each. */
#define T1S_MESSAGE_SWEEP_BEGUN "e6fe449a66be42dbac3753ad61dab5a7"
#define T1S_MESSAGE_POINT_MEASURED "1c660ea484734b96a928264df6c423ee"
#define T1S_MESSAGE_OVERLAY_SET "c1bb5ad46a83478591f8ae35e651d512"
#define T1S_MESSAGE_REBOOT_ASKED "8816ea9d610c432f842c6be503f5e93b"
#define T1S_MESSAGE_SWEEP_FINISHED "d7722e88ab21450ba91f7418c94696d8"
#define T1S_MESSAGE_SWEEP_STOPPED "f5b959a784c449948618c3c07cf397ad"

#define T1S_LOG_FIELDS_MAX 24

/* Structured fields of one event; start from {0}. */
struct t1s_log_fields {
	size_t count;
	char text[T1S_LOG_FIELDS_MAX][160];
};

/*
 * Chooses where lines go: the journal if standard error is connected to it
 * ($JOURNAL_STREAM, see sd-journal(3)), else standard error. @force_stderr: never the
 * journal (used with --root, where nothing outside the tree is touched).
 */
void t1s_log_open(bool force_stderr);

/* One line; @priority is syslog's LOG_ERR, LOG_WARNING, LOG_NOTICE, LOG_INFO or
 * LOG_DEBUG. Control characters in the text are shown as '?'. Debug lines go out only if
 * $DEBUG is set. */
void t1s_log(int priority, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Adds a field "NAME=value"; the 25th and later are dropped, long ones cut. */
void t1s_log_field(struct t1s_log_fields *f, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* One line with a message id and fields. @f may be NULL. */
void t1s_log_event(int priority, const char *message_id, const struct t1s_log_fields *f,
	const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Replaces control characters (C0, DEL, C1) and what is not UTF-8 by '?', byte by byte
 * and in place, so that text from elsewhere can be shown on a terminal and stands in
 * JSON. */
void t1s_printable(char *text);

/*
 * Tells the service manager in one line what is being done (sd_notify STATUS=) and, if
 * @extend_s is not 0, that up to so many seconds may pass before the next word (sd_notify
 * EXTEND_TIMEOUT_USEC=). Does nothing where no manager listens.
 */
void t1s_notify(unsigned int extend_s, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
