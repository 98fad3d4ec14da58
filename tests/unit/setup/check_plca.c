/* SPDX-License-Identifier: MIT */
#include "setup/checking.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define MAX 4

struct said {
	struct t1s_check_item items[MAX];
	size_t count;
};

static void note(const struct t1s_check_item *item, void *data)
{
	struct said *s = data;

	assert_true(s->count < MAX);
	s->items[s->count++] = *item;
}

static struct t1s_plca on(int64_t id, int64_t count, int64_t operating)
{
	struct t1s_plca p;

	t1s_plca_init(&p);
	p.state = T1S_PLCA_ON;
	p.node_id = id;
	p.node_count = count;
	p.operating = operating;
	return p;
}

static struct t1s_plca in_state(enum t1s_plca_state state)
{
	struct t1s_plca p;

	t1s_plca_init(&p);
	p.state = state;
	return p;
}

struct wanted {
	int here, there, count;
	bool may;
	const char *interface;
};

/* The sender is only asked whether there is one. */
static void check_wanted(const struct t1s_plca *here, const struct t1s_plca *there,
	const struct wanted *w, struct said *said)
{
	static char a_sender;
	struct t1s_checking c = {.fn = note, .data = said};

	*said = (struct said){.count = 0};
	c.config.plca_node_id = w->here;
	c.config.sender_plca_node_id = w->there;
	c.config.plca_node_count = w->count;
	(void)snprintf(c.config.sender_interface, sizeof(c.config.sender_interface), "%s",
		w->interface);
	(void)snprintf(c.config.sender_user, sizeof(c.config.sender_user), "pi");
	(void)snprintf(c.config.sender_host, sizeof(c.config.sender_host), "sender");
	(void)snprintf(
		c.config.receiver_interface, sizeof(c.config.receiver_interface), "t1s0");
	(void)snprintf(c.config.match.compatible, sizeof(c.config.match.compatible),
		"microchip,lan8650");
	c.sender = there ? (struct t1s_sender *)(void *)&a_sender : NULL;
	t1s_check_plca(&c, here, there ? there : here, "eth1", w->may);
}

static void check(
	const struct t1s_plca *here, const struct t1s_plca *there, struct said *said)
{
	static const struct wanted nothing = {-1, -1, -1, false, ""};

	check_wanted(here, there, &nothing, said);
}

/* Of the last item. */
static void assert_last(const struct said *s, const char *name, enum t1s_check_mark mark,
	const char *found, const char *remedy)
{
	const struct t1s_check_item *last = &s->items[s->count - 1];

	assert_string_equal(last->name, name);
	assert_int_equal(last->mark, mark);
	if (!strstr(last->found, found))
		fail_msg("\"%s\" does not say \"%s\"", last->found, found);
	assert_string_equal(last->remedy, remedy);
}

#define DRIVER_WORDS "dmesg | grep -i -e t1s0 -e lan86"
#define SET_HERE "sudo ethtool --set-plca-cfg t1s0 enable on node-id 1 node-cnt 2"
#define SET_THERE                                                                        \
	"ssh -t pi@sender sudo ethtool --set-plca-cfg eth1 enable on node-id 0 "         \
	"node-cnt 2"

static void a_coordinator_and_a_follower_are_good(void **state)
{
	const struct t1s_plca follower = on(1, 8, 1), coordinator = on(0, 2, 1);
	struct said said;

	(void)state;
	check(&follower, &coordinator, &said);
	assert_int_equal(said.count, 3);
	for (size_t i = 0; i < said.count; i++)
		assert_int_equal(said.items[i].mark, T1S_CHECK_GOOD);
	assert_last(&said, "plca-ids", T1S_CHECK_GOOD, "node 1 here, 0 there", "");
	check(&coordinator, &follower, &said);
	assert_last(&said, "plca-ids", T1S_CHECK_GOOD, "node 0 here, 1 there", "");
}

static void equal_ids_are_bad_and_the_remedy_changes_the_end_that_is_wrong(void **state)
{
	const struct t1s_plca zero = on(0, 2, 1), one = on(1, 2, 1), two = on(2, 4, 1);
	struct said said;

	(void)state;
	check(&zero, &zero, &said);
	assert_last(&said, "plca-ids", T1S_CHECK_BAD, "both ends are node 0", SET_HERE);
	check(&one, &one, &said);
	assert_last(&said, "plca-ids", T1S_CHECK_BAD, "both ends are node 1", SET_THERE);
	check(&two, &two, &said);
	assert_last(&said, "plca-ids", T1S_CHECK_BAD, "both ends are node 2", SET_HERE);
}

static void no_coordinator_is_bad_unless_a_third_node_is_one(void **state)
{
	const struct t1s_plca silent_one = on(1, 2, 0), silent_two = on(2, 4, 0);
	const struct t1s_plca one = on(1, 2, 1), two = on(2, 4, 1);
	struct said said;

	(void)state;
	check(&silent_one, &silent_two, &said);
	assert_last(&said, "plca-ids", T1S_CHECK_BAD, "no coordinator", SET_THERE);
	check(&one, &two, &said);
	assert_last(&said, "plca-ids", T1S_CHECK_GOOD, "node 1 here, 2 there", "");
}

static void a_node_beyond_the_coordinator_s_count_is_bad(void **state)
{
	const struct t1s_plca five = on(5, 8, 1), coordinator = on(0, 2, 1);
	struct said said;

	(void)state;
	check(&five, &coordinator, &said);
	assert_last(&said, "plca-ids", T1S_CHECK_BAD, "node 5 never gets its turn",
		SET_THERE);
	check(&coordinator, &five, &said);
	assert_last(&said, "plca-ids", T1S_CHECK_BAD, "counts 2 nodes", SET_HERE);
}

static void a_beacon_that_is_not_heard_is_bad(void **state)
{
	const struct t1s_plca deaf = on(1, 2, 0), coordinator = on(0, 2, 1);
	struct said said;

	(void)state;
	check(&deaf, &coordinator, &said);
	assert_last(
		&said, "plca-ids", T1S_CHECK_BAD, "this end does not hear", DRIVER_WORDS);
	check(&coordinator, &deaf, &said);
	assert_last(&said, "plca-ids", T1S_CHECK_BAD, "the sender does not hear",
		DRIVER_WORDS);
}

static void one_end_that_is_off_is_bad_and_both_are_a_note(void **state)
{
	const struct t1s_plca off = in_state(T1S_PLCA_OFF), coordinator = on(0, 2, 1);
	struct said said;

	(void)state;
	check(&off, &coordinator, &said);
	assert_last(&said, "plca-ids", T1S_CHECK_BAD, "collide", SET_HERE);
	check(&coordinator, &off, &said);
	assert_last(&said, "plca-ids", T1S_CHECK_BAD, "collide", SET_THERE);
	check(&off, &off, &said);
	assert_int_equal(said.count, 2);
	assert_last(&said, "sender-plca", T1S_CHECK_NOTE, "CSMA/CD", SET_THERE);
	assert_int_equal(said.items[0].mark, T1S_CHECK_NOTE);
	assert_string_equal(said.items[0].remedy, SET_HERE);
}

static void what_cannot_be_known_is_a_note_and_no_more_is_made_of_it(void **state)
{
	const struct t1s_plca none = in_state(T1S_PLCA_UNSUPPORTED);
	const struct t1s_plca unknown = in_state(T1S_PLCA_UNKNOWN);
	const struct t1s_plca coordinator = on(0, 2, 1);
	struct said said;

	(void)state;
	check(&none, &coordinator, &said);
	assert_int_equal(said.count, 2);
	assert_int_equal(said.items[0].mark, T1S_CHECK_NOTE);
	check(&coordinator, &unknown, &said);
	assert_int_equal(said.count, 2);
	assert_last(&said, "sender-plca", T1S_CHECK_NOTE, "not known",
		"ssh -t pi@sender sudo apt install ethtool");
	check(&unknown, NULL, &said);
	assert_int_equal(said.count, 1);
}

static void what_each_boot_sets_is_good_whatever_it_is_now(void **state)
{
	static const struct wanted both = {1, 0, 2, true, "eth1"};
	const struct t1s_plca off = in_state(T1S_PLCA_OFF), zero = on(0, 8, 1);
	const struct t1s_plca follower = on(1, 2, 1), coordinator = on(0, 2, 1);
	struct said said;

	(void)state;
	check_wanted(&off, &zero, &both, &said);
	assert_int_equal(said.count, 3);
	assert_string_equal(
		said.items[0].found, "will be node 1 of 2: each boot of a sweep sets it");
	assert_string_equal(
		said.items[1].found, "will be node 0 of 2: each boot of a sweep sets it");
	assert_last(&said, "plca-ids", T1S_CHECK_GOOD, "node 1 here, 0 there", "");
	check_wanted(&follower, &coordinator, &both, &said);
	assert_string_equal(said.items[0].found, "on, node 1");
	assert_string_equal(said.items[1].found, "on, node 0, the coordinator");
	assert_last(&said, "plca-ids", T1S_CHECK_GOOD, "node 1 here, 0 there", "");
}

static void ids_are_compared_as_they_will_be(void **state)
{
	static const struct wanted here_only = {1, -1, -1, false, ""};
	const struct t1s_plca off = in_state(T1S_PLCA_OFF), one = on(1, 2, 1);
	const struct t1s_plca few = on(0, 1, 1);
	struct said said;

	(void)state;
	check_wanted(&off, &one, &here_only, &said);
	assert_last(&said, "plca-ids", T1S_CHECK_BAD, "both ends are node 1", SET_THERE);
	check_wanted(&off, &few, &here_only, &said);
	assert_last(&said, "plca-ids", T1S_CHECK_BAD, "counts 1 nodes", SET_THERE);
	check_wanted(&off, &off, &here_only, &said);
	assert_last(&said, "plca-ids", T1S_CHECK_BAD, "collide", SET_THERE);
}

static void what_is_proposed_goes_with_what_the_other_end_will_be(void **state)
{
	static const struct wanted here_coordinates = {0, -1, 2, false, ""};
	static const struct wanted there_follows = {-1, 3, 4, true, "eth1"};
	const struct t1s_plca off = in_state(T1S_PLCA_OFF);
	struct said said;

	(void)state;
	check_wanted(&off, &off, &here_coordinates, &said);
	assert_last(&said, "plca-ids", T1S_CHECK_BAD, "collide",
		"ssh -t pi@sender sudo ethtool --set-plca-cfg eth1 enable on node-id 1 "
		"node-cnt 2");
	check_wanted(&off, &off, &there_follows, &said);
	assert_last(&said, "plca-ids", T1S_CHECK_BAD, "collide",
		"sudo ethtool --set-plca-cfg t1s0 enable on node-id 0 node-cnt 4");
}

static void an_account_that_may_not_set_it_is_bad_unless_it_is_set_so(void **state)
{
	static const struct wanted there_only = {-1, 0, -1, false, "eth1"};
	static const struct wanted nowhere = {-1, 0, -1, false, ""};
	const struct t1s_plca off = in_state(T1S_PLCA_OFF), coordinator = on(0, 2, 1);
	struct said said;

	(void)state;
	check_wanted(&off, &off, &there_only, &said);
	assert_last(&said, "sender-plca", T1S_CHECK_BAD, "may not set it",
		"ssh -t pi@sender \"echo 'pi ALL=(root) NOPASSWD: /usr/sbin/ethtool "
		"--set-plca-cfg *' | sudo tee /etc/sudoers.d/t1s-sweep\"");
	check_wanted(&off, &off, &nowhere, &said);
	assert_last(&said, "sender-plca", T1S_CHECK_BAD, "not on which interface",
		"sudo t1s-sweep pair pi@sender");
	check_wanted(&coordinator, &coordinator, &there_only, &said);
	assert_int_equal(said.items[1].mark, T1S_CHECK_GOOD);
}

static void keys_without_a_driver_for_them_are_said_to_have_no_effect(void **state)
{
	static const struct wanted both = {1, 0, 2, true, "eth1"};
	const struct t1s_plca none = in_state(T1S_PLCA_UNSUPPORTED);
	struct said said;

	(void)state;
	check_wanted(&none, &none, &both, &said);
	assert_int_equal(said.count, 2);
	assert_last(&said, "sender-plca", T1S_CHECK_NOTE, "has no effect", "");
	assert_non_null(strstr(said.items[0].found, "has no effect"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_each_boot_sets_is_good_whatever_it_is_now),
		cmocka_unit_test(ids_are_compared_as_they_will_be),
		cmocka_unit_test(what_is_proposed_goes_with_what_the_other_end_will_be),
		cmocka_unit_test(
			an_account_that_may_not_set_it_is_bad_unless_it_is_set_so),
		cmocka_unit_test(
			keys_without_a_driver_for_them_are_said_to_have_no_effect),
		cmocka_unit_test(a_coordinator_and_a_follower_are_good),
		cmocka_unit_test(
			equal_ids_are_bad_and_the_remedy_changes_the_end_that_is_wrong),
		cmocka_unit_test(no_coordinator_is_bad_unless_a_third_node_is_one),
		cmocka_unit_test(a_node_beyond_the_coordinator_s_count_is_bad),
		cmocka_unit_test(a_beacon_that_is_not_heard_is_bad),
		cmocka_unit_test(one_end_that_is_off_is_bad_and_both_are_a_note),
		cmocka_unit_test(
			what_cannot_be_known_is_a_note_and_no_more_is_made_of_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
