/* SPDX-License-Identifier: MIT */
/* The kernel's answers are made here: no driver on a test machine has PLCA. */
#include "link/plca.h"

#include "base/cleanup.h"
#include "link/netlink.h"

#include <errno.h>
#include <linux/genetlink.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define FAMILY 21
#define GET_CFG 39
#define GET_STATUS 41
#define SET_CFG 40

/* As include/uapi/linux/ethtool_netlink.h of Linux 6.3 numbers them. */
enum {
	HEADER = 1,
	VERSION,
	ENABLED,
	STATUS,
	NODE_CNT,
	NODE_ID,
	TO_TMR,
	BURST_CNT,
	BURST_TMR
};

static struct {
	int family_error, cfg_error, status_error, set_error;
	bool no_family_id, wrong_sizes, cut;
	uint8_t enabled, status;
	bool has_enabled;
	char interface[32];
	unsigned int questions;
	char set[256]; /* the request, from its attributes on */
	size_t set_size;
} kernel;

static uint8_t command_of(const struct nlmsghdr *request)
{
	return ((const struct genlmsghdr *)mnl_nlmsg_get_payload(request))->cmd;
}

static struct nlmsghdr *begin_answer(void *buffer, uint8_t command)
{
	struct nlmsghdr *m = mnl_nlmsg_put_header(buffer);
	struct genlmsghdr *g = mnl_nlmsg_put_extra_header(m, sizeof(*g));

	g->cmd = command;
	return m;
}

static void answer_family(struct nlmsghdr *m)
{
	mnl_attr_put_strz(m, CTRL_ATTR_FAMILY_NAME, "ethtool");
	if (!kernel.no_family_id)
		mnl_attr_put_u16(m, CTRL_ATTR_FAMILY_ID, FAMILY);
}

static void answer_cfg(struct nlmsghdr *m)
{
	struct nlattr *nest = mnl_attr_nest_start(m, HEADER);

	mnl_attr_put_strz(m, 2, "t1s0");
	mnl_attr_nest_end(m, nest);
	mnl_attr_put_u16(m, VERSION, 0x0a10);
	if (kernel.wrong_sizes) {
		mnl_attr_put_u32(m, ENABLED, 1);
		mnl_attr_put_u8(m, NODE_ID, 3);
		mnl_attr_put_u16(m, NODE_CNT, 3);
		return;
	}
	if (kernel.has_enabled)
		mnl_attr_put_u8(m, ENABLED, kernel.enabled);
	mnl_attr_put_u32(m, NODE_ID, 1);
	mnl_attr_put_u32(m, NODE_CNT, 8);
	mnl_attr_put_u32(m, TO_TMR, 32);
	mnl_attr_put_u32(m, BURST_CNT, 0);
	mnl_attr_put_u32(m, BURST_TMR, 128);
	mnl_attr_put_u32(m, BURST_TMR + 1, 1); /* of a kernel to come */
}

static void note_interface(const struct nlmsghdr *request)
{
	const struct nlattr *nest = mnl_nlmsg_get_payload_offset(request, GENL_HDRLEN);
	const struct nlattr *name = mnl_attr_get_payload(nest);

	assert_int_equal(mnl_attr_get_type(nest), HEADER);
	assert_true(nest->nla_type & NLA_F_NESTED);
	assert_int_equal(mnl_attr_get_type(name), 2);
	(void)snprintf(
		kernel.interface, sizeof(kernel.interface), "%s", mnl_attr_get_str(name));
}

static int take_set(const struct nlmsghdr *request, t1s_netlink_fn fn)
{
	assert_null(fn); /* it is only acknowledged */
	kernel.set_size = mnl_nlmsg_get_payload_len(request) - GENL_HDRLEN;
	assert_true(kernel.set_size <= sizeof(kernel.set));
	memcpy(kernel.set, mnl_nlmsg_get_payload_offset(request, GENL_HDRLEN),
		kernel.set_size);
	return kernel.set_error;
}

int __wrap_t1s_netlink_ask(
	int protocol, struct nlmsghdr *request, t1s_netlink_fn fn, void *data);
int __wrap_t1s_netlink_ask(
	int protocol, struct nlmsghdr *request, t1s_netlink_fn fn, void *data)
{
	char buffer[1024] __attribute__((aligned(8)));
	const uint8_t command = command_of(request);
	struct nlmsghdr *m = begin_answer(buffer, command);
	int error;

	assert_int_equal(protocol, NETLINK_GENERIC);
	kernel.questions++;
	if (request->nlmsg_type == GENL_ID_CTRL) {
		assert_int_equal(command, CTRL_CMD_GETFAMILY);
		error = kernel.family_error;
		answer_family(m);
	} else {
		assert_int_equal(request->nlmsg_type, FAMILY);
		note_interface(request);
		error = command == GET_CFG ? kernel.cfg_error : kernel.status_error;
		if (command == GET_CFG)
			answer_cfg(m);
		else if (command == GET_STATUS)
			mnl_attr_put_u8(m, STATUS, kernel.status);
		else if (command == SET_CFG)
			return take_set(request, fn);
		else
			fail_msg("command %d", command);
	}
	if (error < 0)
		return error;
	if (kernel.cut)
		m->nlmsg_len = NLMSG_HDRLEN + 2;
	fn(m, data);
	return 0;
}

static int fresh_kernel(void **state)
{
	(void)state;
	memset(&kernel, 0, sizeof(kernel));
	kernel.has_enabled = true;
	return 0;
}

static struct t1s_plca get(void)
{
	struct t1s_plca p;

	assert_int_equal(t1s_plca_get("t1s0", &p, NULL), 0);
	return p;
}

static void is_unknown(const struct t1s_plca *p)
{
	assert_int_equal(p->state, T1S_PLCA_UNKNOWN);
	assert_int_equal(p->node_id, -1);
	assert_int_equal(p->node_count, -1);
	assert_int_equal(p->to_timer_bits, -1);
	assert_int_equal(p->burst_count, -1);
	assert_int_equal(p->operating, -1);
}

static void settings_and_status_are_read(void **state)
{
	struct t1s_plca p;

	(void)state;
	kernel.enabled = kernel.status = 1;
	p = get();
	assert_int_equal(p.state, T1S_PLCA_ON);
	assert_int_equal(p.node_id, 1);
	assert_int_equal(p.node_count, 8);
	assert_int_equal(p.to_timer_bits, 32);
	assert_int_equal(p.burst_count, 0);
	assert_int_equal(p.operating, 1);
	assert_string_equal(kernel.interface, "t1s0");
}

static void switched_off_is_off(void **state)
{
	const struct t1s_plca p = get();

	(void)state;
	assert_int_equal(p.state, T1S_PLCA_OFF);
	assert_int_equal(p.operating, 0);
}

static void a_driver_without_plca_is_unsupported_and_no_error(void **state)
{
	struct t1s_plca p;

	(void)state;
	kernel.cfg_error = -EOPNOTSUPP;
	p = get();
	assert_int_equal(p.state, T1S_PLCA_UNSUPPORTED);
	assert_int_equal(p.node_id, -1);
	assert_int_equal(kernel.questions, 2);
}

static void a_kernel_without_ethtool_netlink_is_unsupported(void **state)
{
	(void)state;
	kernel.family_error = -ENOENT;
	assert_int_equal(get().state, T1S_PLCA_UNSUPPORTED);
	kernel.family_error = 0;
	kernel.no_family_id = true;
	assert_int_equal(get().state, T1S_PLCA_UNSUPPORTED);
}

static void a_missing_interface_is_an_error_and_named(void **state)
{
	struct t1s_error e = {""};
	struct t1s_plca p;

	(void)state;
	kernel.cfg_error = -ENODEV;
	assert_int_equal(t1s_plca_get("t1s0", &p, &e), -ENODEV);
	assert_non_null(strstr(e.text, "t1s0"));
	is_unknown(&p);
	assert_int_equal(t1s_plca_get("a-name-of-16-chr", &p, &e), -ENODEV);
	is_unknown(&p);
}

static void only_the_status_is_missing_where_it_is_not_told(void **state)
{
	struct t1s_plca p;

	(void)state;
	kernel.enabled = 1;
	kernel.status_error = -EOPNOTSUPP;
	p = get();
	assert_int_equal(p.state, T1S_PLCA_ON);
	assert_int_equal(p.operating, -1);
}

static void values_of_another_size_are_unknown(void **state)
{
	struct t1s_plca p;

	(void)state;
	kernel.wrong_sizes = true;
	p = get();
	p.operating = -1;
	is_unknown(&p);
}

static void an_answer_cut_short_tells_nothing(void **state)
{
	(void)state;
	kernel.cut = true;
	assert_int_equal(get().state, T1S_PLCA_UNSUPPORTED); /* no family number in it */
}

static void whether_it_is_on_is_unknown_where_the_driver_does_not_tell(void **state)
{
	struct t1s_plca p;

	(void)state;
	kernel.has_enabled = false;
	p = get();
	assert_int_equal(p.state, T1S_PLCA_UNKNOWN);
	assert_int_equal(p.node_id, 1);
}

static void states_have_names(void **state)
{
	(void)state;
	assert_null(t1s_plca_state_name(T1S_PLCA_UNKNOWN));
	assert_string_equal(t1s_plca_state_name(T1S_PLCA_UNSUPPORTED), "unsupported");
	assert_string_equal(t1s_plca_state_name(T1S_PLCA_OFF), "off");
	assert_string_equal(t1s_plca_state_name(T1S_PLCA_ON), "on");
	assert_null(t1s_plca_state_name((enum t1s_plca_state)99));
}

/* Attributes: length and type, each 16 bits of the machine's order, and the value, filled
 * up to four bytes. */
struct plain_request {
	uint16_t header_size, header_type;
	uint16_t name_size, name_type;
	char name[8];
	uint16_t enabled_size, enabled_type;
	uint8_t enabled, fill[3];
	uint16_t first_size, first_type;
	uint32_t first;
	uint16_t second_size, second_type;
	uint32_t second;
};

static void setting_sends_the_bytes_that_the_kernel_documents(void **state)
{
	const struct plain_request expected = {16, HEADER | NLA_F_NESTED, 9, 2, "t1s0", 5,
		ENABLED, 1, {0}, 8, NODE_CNT, 2, 8, NODE_ID, 1};
	struct plain_request without_count = expected;

	(void)state;
	assert_int_equal(t1s_plca_set("t1s0", 1, 2, NULL), 0);
	assert_int_equal(kernel.set_size, sizeof(expected));
	assert_memory_equal(kernel.set, &expected, sizeof(expected));
	without_count.first_type = NODE_ID;
	without_count.first = 254;
	assert_int_equal(t1s_plca_set("t1s0", 254, -1, NULL), 0);
	assert_int_equal(kernel.set_size, offsetof(struct plain_request, second_size));
	assert_memory_equal(kernel.set, &without_count, kernel.set_size);
}

static void a_driver_that_cannot_be_set_is_told_from_one_that_refuses(void **state)
{
	struct t1s_error e = {""};

	(void)state;
	kernel.set_error = -EOPNOTSUPP;
	assert_int_equal(t1s_plca_set("t1s0", 1, 2, &e), -EOPNOTSUPP);
	assert_string_equal(
		e.text, "interface t1s0: driver or kernel do not support PLCA");
	kernel.set_error = -EPERM;
	assert_int_equal(t1s_plca_set("t1s0", 1, 2, &e), -EPERM);
	assert_non_null(strstr(e.text, "cannot set PLCA of interface t1s0"));
	kernel.family_error = -ENOENT;
	assert_int_equal(t1s_plca_set("t1s0", 1, 2, NULL), -EOPNOTSUPP);
	assert_int_equal(t1s_plca_set("", 1, 2, NULL), -ENODEV);
	assert_int_equal(t1s_plca_set("a-name-of-16-chr", 1, 2, NULL), -ENODEV);
}

static void it_is_as_wanted_if_on_with_id_and_the_count_that_was_given(void **state)
{
	struct t1s_plca p = {T1S_PLCA_ON, 1, 8, 32, 0, 1};

	(void)state;
	assert_true(t1s_plca_is(&p, 1, 8));
	assert_true(t1s_plca_is(&p, 1, -1));
	assert_false(t1s_plca_is(&p, 1, 2));
	assert_false(t1s_plca_is(&p, 0, 8));
	p.state = T1S_PLCA_OFF;
	assert_false(t1s_plca_is(&p, 1, 8));
}

#define FRESH(f) cmocka_unit_test_setup(f, fresh_kernel)

int main(void)
{
	const struct CMUnitTest tests[] = {
		FRESH(settings_and_status_are_read),
		FRESH(switched_off_is_off),
		FRESH(a_driver_without_plca_is_unsupported_and_no_error),
		FRESH(a_kernel_without_ethtool_netlink_is_unsupported),
		FRESH(a_missing_interface_is_an_error_and_named),
		FRESH(only_the_status_is_missing_where_it_is_not_told),
		FRESH(values_of_another_size_are_unknown),
		FRESH(an_answer_cut_short_tells_nothing),
		FRESH(whether_it_is_on_is_unknown_where_the_driver_does_not_tell),
		FRESH(states_have_names),
		FRESH(setting_sends_the_bytes_that_the_kernel_documents),
		FRESH(a_driver_that_cannot_be_set_is_told_from_one_that_refuses),
		FRESH(it_is_as_wanted_if_on_with_id_and_the_count_that_was_given),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
