/* SPDX-License-Identifier: MIT */
#include "link/netlink.h"

#include "base/clock.h"

#include <errno.h>
#include <sys/socket.h>
#include <sys/time.h>

#define ANSWER_S 1
#define ANSWER_MAX_BYTES 32768
#define SEQUENCE 1U /* a socket of its own for each question */

struct answer {
	t1s_netlink_fn fn;
	void *data;
};

static int on_message(const struct nlmsghdr *message, void *data)
{
	const struct answer *a = data;

	if (a->fn)
		a->fn(message, a->data);
	return MNL_CB_OK;
}

/* Until the acknowledgement, which comes last, and says whether the kernel agrees. */
static int take_answer(struct mnl_socket *s, struct answer *a)
{
	const uint64_t deadline_us = t1s_now_us() + ANSWER_S * T1S_USEC_PER_SEC;
	char text[ANSWER_MAX_BYTES] __attribute__((aligned(8)));
	int r = MNL_CB_OK;

	while (r > MNL_CB_STOP) {
		ssize_t n = mnl_socket_recvfrom(s, text, sizeof(text));

		if (n < 0 && errno == EINTR && t1s_now_us() < deadline_us)
			continue;
		if (n < 0)
			return errno == EAGAIN || errno == EINTR ? -ETIMEDOUT : -errno;
		r = mnl_cb_run(text, (size_t)n, SEQUENCE, mnl_socket_get_portid(s),
			on_message, a);
		if (r < 0)
			return -errno;
		if (t1s_now_us() >= deadline_us)
			return -ETIMEDOUT;
	}
	return 0;
}

static int ask(struct mnl_socket *s, struct nlmsghdr *request, struct answer *a)
{
	const struct timeval wait = {.tv_sec = ANSWER_S};

	if (mnl_socket_bind(s, 0, MNL_SOCKET_AUTOPID) < 0 ||
		setsockopt(mnl_socket_get_fd(s), SOL_SOCKET, SO_RCVTIMEO, &wait,
			sizeof(wait)) < 0)
		return -errno;
	request->nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK;
	request->nlmsg_seq = SEQUENCE;
	if (mnl_socket_sendto(s, request, request->nlmsg_len) < 0)
		return -errno;
	return take_answer(s, a);
}

int t1s_netlink_ask(int protocol, struct nlmsghdr *request, t1s_netlink_fn fn, void *data)
{
	struct answer a = {.fn = fn, .data = data};
	struct mnl_socket *s = mnl_socket_open2(protocol, SOCK_CLOEXEC);
	int r;

	if (!s)
		return -errno;
	r = ask(s, request, &a);
	(void)mnl_socket_close(s);
	return r;
}

struct table {
	const uint16_t *sizes;
	const struct nlattr **found;
	size_t count;
};

static bool fits(const struct nlattr *attribute, uint16_t size)
{
	return size > 0 ? mnl_attr_get_payload_len(attribute) == size
			: mnl_attr_validate(attribute, MNL_TYPE_NUL_STRING) == 0;
}

static int on_attribute(const struct nlattr *attribute, void *data)
{
	const struct table *t = data;
	const uint16_t type = mnl_attr_get_type(attribute);

	if (type < t->count && fits(attribute, t->sizes[type]))
		t->found[type] = attribute;
	return MNL_CB_OK;
}

void t1s_netlink_attributes(const struct nlmsghdr *message, size_t header_bytes,
	const uint16_t *sizes, const struct nlattr **ret, size_t count)
{
	struct table t = {.sizes = sizes, .found = ret, .count = count};

	for (size_t i = 0; i < count; i++)
		ret[i] = NULL;
	if (mnl_nlmsg_get_payload_len(message) >= header_bytes)
		(void)mnl_attr_parse(
			message, (unsigned int)header_bytes, on_attribute, &t);
}
