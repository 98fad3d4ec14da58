/* SPDX-License-Identifier: MIT */
#include "link/gate.h"

#include "base/cleanup.h"
#include "base/digest.h"
#include "gate_sh.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#define COMMENT_MAX 64

/* A text that is made piece by piece; too long a one is only noted. */
struct text {
	char *data;
	size_t size, used;
	bool cut;
};

static void put(struct text *t, const char *data, size_t n)
{
	if (n >= t->size - t->used) {
		t->cut = true;
		return;
	}
	memcpy(t->data + t->used, data, n);
	t->used += n;
	t->data[t->used] = '\0';
}

/* As authorized_keys wants it between double quotes. */
static void put_escaped(struct text *t, const char *data, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (data[i] == '"')
			put(t, "\\", 1);
		put(t, data + i, 1);
	}
}

static bool is_plain(const char *iperf3)
{
	return iperf3[0] && iperf3[0] != '-' &&
	       iperf3[strspn(iperf3, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXY"
				     "Z0123456789._/+-")] == '\0';
}

/* One line of the script, with what stands for our values put in. */
static void put_line(
	struct text *t, const char *line, size_t n, const char *iperf3, const char *id)
{
	static const char iperf3_mark[] = "@IPERF3@", id_mark[] = "@ID@";

	for (size_t i = 0; i < n;) {
		if (strncmp(line + i, iperf3_mark, strlen(iperf3_mark)) == 0) {
			put_escaped(t, iperf3, strlen(iperf3));
			i += strlen(iperf3_mark);
		} else if (strncmp(line + i, id_mark, strlen(id_mark)) == 0) {
			put_escaped(t, id, strlen(id));
			i += strlen(id_mark);
		} else {
			put_escaped(t, line + i++, 1);
		}
	}
}

/* The script as one line, without its comments and indentation. */
static void put_script(struct text *t, const char *iperf3, const char *id)
{
	bool first = true;

	for (const char *line = gate_sh; *line;) {
		const size_t whole = strcspn(line, "\n");
		const size_t indent = strspn(line, "\t");

		if (indent < whole && line[indent] != '#') {
			if (!first)
				put(t, " ", 1);
			put_line(t, line + indent, whole - indent, iperf3, id);
			first = false;
		}
		line += whole + (line[whole] == '\n');
	}
}

int t1s_gate_id(const char *iperf3, char ret[T1S_GATE_ID_MAX], struct t1s_error *e)
{
	char script[T1S_GATE_LINE_MAX], digest[T1S_SHA256_HEX_MAX];
	struct text t = {.data = script, .size = sizeof(script)};

	if (!is_plain(iperf3))
		return t1s_error_set(e, EINVAL,
			"[Sender] Iperf3=%.100s: for a key that may run nothing else, a "
			"name of letters, digits and . _ / + - is expected",
			iperf3);
	put_script(&t, iperf3, "");
	if (t1s_sha256_hex(script, t.used, digest) < 0)
		return t1s_error_set(e, EIO, "cannot make a SHA-256");
	memcpy(ret, digest, T1S_GATE_ID_MAX - 1);
	ret[T1S_GATE_ID_MAX - 1] = '\0';
	return 0;
}

static void put_comment(struct text *t, const char *comment)
{
	for (size_t i = 0; i < COMMENT_MAX && comment[i]; i++)
		if (isalnum((unsigned char)comment[i]) || strchr("@._-", comment[i]))
			put(t, comment + i, 1);
}

static void put_text(struct text *t, const char *text)
{
	put(t, text, strlen(text));
}

int t1s_gate_line(const char *iperf3, const char *public_key, const char *comment,
	char ret[T1S_GATE_LINE_MAX], struct t1s_error *e)
{
	struct text t = {.data = ret, .size = T1S_GATE_LINE_MAX};
	char id[T1S_GATE_ID_MAX] = "";
	int r = t1s_gate_id(iperf3, id, e);

	if (r < 0)
		return r;
	/* by sh itself: the account's own shell may be another */
	put_text(&t, "restrict,command=\"exec /bin/sh -c '");
	put_script(&t, iperf3, id);
	put_text(&t, "'\" ");
	put_text(&t, public_key);
	put_text(&t, " ");
	put_comment(&t, comment);
	return t.cut ? t1s_error_set(e, ENAMETOOLONG,
			       "the line for authorized_keys is too long")
		     : 0;
}

int t1s_gate_answer(const char *output, char ret[T1S_GATE_ID_MAX])
{
	char id[T1S_GATE_ID_MAX];
	int end = 0;

	if (sscanf(output, T1S_GATE_QUESTION " %16[0-9a-f]%n", id, &end) != 1 ||
		strcmp(output + end, "\n") != 0)
		return -ENOENT;
	memcpy(ret, id, sizeof(id));
	return 0;
}

int t1s_gate_may(const char *command, char *ret, size_t size)
{
	static const char may[] = "t1s-sweep may ";
	struct text t = {.data = ret, .size = size};

	/* for each of the commands in it */
	for (const char *p = command; *p;) {
		const size_t n = strcspn(p, ";");

		put_text(&t, may);
		put(&t, p, n);
		p += n;
		if (*p == ';') {
			put_text(&t, "; ");
			p += 1 + strspn(p + 1, " ");
		}
	}
	return t.cut ? -ENAMETOOLONG : 0;
}

bool t1s_gate_allowed(const char *output)
{
	size_t n = 0;

	while (strncmp(output + n, "yes\n", 4) == 0)
		n += 4;
	return n > 0 && output[n] == '\0';
}
