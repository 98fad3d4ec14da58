# SPDX-License-Identifier: MIT
"""PLCA on the sender, which measure sets over a real sshd. ethtool and sudo are stand-ins
there: no machine that tests run on has a PHY with PLCA."""
import unittest

from live import SHORT, LiveTree, PeersTest

POINT = ("Points=20M\nCollapseBelow=0\nClosingBaseline=no\nAttempts=1\n"
         "[Sender]\nInterface=t1s0\n")
LINK = "[Link]\nSenderPlcaNodeId=0\nPlcaNodeCount=2\n"
# what was set is in a file, each call is a line of another
ETHTOOL = """#!/bin/sh
state={folder}/plca
case "$1 $2" in
"--get-plca-cfg t1s0")
	set -- $(cat $state)
	printf 'PLCA settings for t1s0:\\n\\tEnabled: %s\\n' $1
	printf '\\tlocal node ID: %s\\n\\tNode count: %s\\n' $2 $3 ;;
"--get-plca-status t1s0")
	printf 'PLCA status of t1s0:\\n\\tStatus: on\\n' ;;
"--set-plca-cfg t1s0")
	echo "$*" >>{folder}/calls
	[ "$BY_SUDO" ] || {{ echo "netlink error: Operation not permitted" >&2; exit 1; }}
	{refuses}
	echo Yes $6 $8 >$state ;;
esac
"""
SUDO = """#!/bin/sh
[ "$1" = -n ] || exit 1
shift
{refuses}
[ "$1" != -l ] || exit 0
BY_SUDO=1 exec "$@"
"""
NO_PASSWORD = "echo 'sudo: a password is required' >&2; exit 1"


class PlcaTest(PeersTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.folder = cls.peers.sender.folder / "home"

    def setUp(self):
        self.put_programs()
        self.set_state("No 255 8")
        (self.folder / "calls").unlink(missing_ok=True)

    def put_programs(self, ethtool="", sudo=""):
        """Each may have commands by which it refuses."""
        for name, text, refuses in (("ethtool", ETHTOOL, ethtool), ("sudo", SUDO, sudo)):
            path = self.peers.sender.folder / "bin" / name
            path.unlink(missing_ok=True)
            path.write_text(text.format(folder=self.folder, refuses=refuses), "ascii")
            path.chmod(0o755)

    def set_state(self, text):
        path = self.folder / "plca"
        path.write_text(f"{text}\n", "ascii")
        path.chmod(0o666)

    def calls(self):
        path = self.folder / "calls"
        return path.read_text("ascii").splitlines() if path.exists() else []

    def measure(self, rest=LINK):
        """One boot. Returns its row."""
        tree = LiveTree(self.peers, POINT, rest=rest + SHORT)
        self.addCleanup(tree.remove)
        tree.boot()
        for step in ("begin", "measure"):
            self.assertEqual(tree.run(step), 0, tree.said)
        row, = tree.rows()
        self.assertEqual(row["status"], "OK", row)
        self.said = tree.said
        return row

    def test_it_is_set_before_the_first_run(self):
        row = self.measure()
        self.assertEqual(self.calls(),
                         ["--set-plca-cfg t1s0 enable on node-id 0 node-cnt 2"])
        self.assertEqual([row["sender_plca"], row["sender_plca_node_id"],
                          row["sender_plca_node_count"]], ["on", "0", "2"])
        self.assertIn("PLCA set on the sender: node 0", self.said)

    def test_what_is_so_already_is_left_alone(self):
        self.set_state("Yes 0 2")
        self.measure()
        self.assertEqual(self.calls(), [])
        self.measure("[Link]\nSenderPlcaNodeId=0\n")
        self.assertEqual(self.calls(), [])

    def test_without_the_keys_it_is_only_recorded(self):
        row = self.measure("")
        self.assertEqual(self.calls(), [])
        self.assertEqual(row["sender_plca"], "off")
        row = self.measure("[Link]\nPlcaNodeId=1\nPlcaNodeCount=2\n")
        self.assertEqual(self.calls(), [])

    def test_an_account_that_may_not_is_told_what_would_let_it(self):
        self.put_programs(sudo=NO_PASSWORD)
        row = self.measure()
        self.assertEqual(self.calls(), [])
        self.assertEqual(row["sender_plca"], "off")
        self.assertIn("pi ALL=(root) NOPASSWD: /usr/sbin/ethtool --set-plca-cfg *", self.said)

    def test_a_driver_without_plca_is_said_and_is_no_error(self):
        self.put_programs(
            ethtool="echo 'netlink error: Operation not supported' >&2; exit 1")
        self.measure()
        self.assertIn("do not support PLCA; [Link] SenderPlcaNodeId= has no effect", self.said)

    def test_an_ethtool_that_hangs_costs_seconds_and_no_row(self):
        self.put_programs(ethtool="sleep 60")
        row = self.measure()
        self.assertEqual(row["sender_plca"], "off")
        self.assertIn("measuring with PLCA as it is", self.said)

    def test_check_tells_whether_the_account_may_and_sets_nothing(self):
        for refuses, mark in (("", "✓ sender-plca    will be node 0 of 2"),
                              (NO_PASSWORD, "✗ sender-plca")):
            self.put_programs(sudo=refuses)
            tree = LiveTree(self.peers, POINT, rest=LINK + SHORT)
            self.addCleanup(tree.remove)
            tree.boot()
            tree.run("check")
            self.assertIn(mark, tree.out)
        self.assertEqual(self.calls(), [])


if __name__ == "__main__":
    unittest.main()
