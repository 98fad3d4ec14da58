# SPDX-License-Identifier: MIT
"""A tree (see tree.py) with real peers: sshd and iperf3 in the sender's namespace, the
emulated T1S link between them, and the steps run inside the receiver's namespace."""
import contextlib
import os
import pathlib
import struct
import sys
import unittest

import tree
from cleanup import run, scratch_folder
from netspace import T1S, Link, Netspaces
from sender import Sender

import firmware  # noqa: E402  (path set by tree)

CURVE = tree.TESTS / "rig/curves/reference.csv"
LINK_PROGRAM = os.environ.get("T1S_LINK", tree.BUILD / "tests/rig/link/t1s-link")
SHORT = "[Workload default]\nDuration=1s\nOmit=0\n"


class Peers:
    """Namespaces, link and sender; shared by the trees of one test module."""

    def __init__(self, curve=CURVE):
        self.stack = contextlib.ExitStack()
        try:
            self._set_up(curve)
        except BaseException:
            self.stack.close()
            raise

    def _set_up(self, curve):
        self.folder = pathlib.Path(scratch_folder(self.stack, "t1s-peers."))
        self.netspaces = Netspaces(self.stack, f"t1sstep-{os.getpid()}")
        self.netspaces.add_management()
        self.live_path = self.folder / "live-frequency"
        self.link = Link(self.netspaces, LINK_PROGRAM, self.folder, self.live_path, curve)
        self.link.start()
        self.key = self.folder / "id_ed25519"
        run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "steps", "-f", self.key)
        self.sender = Sender(self.netspaces, self.folder,
                             self.key.with_suffix(".pub").read_text(encoding="ascii"))
        self.sender.start()

    def close(self):
        self.stack.close()


class PeersTest(unittest.TestCase):
    """Tests that share their peers."""

    @classmethod
    def setUpClass(cls):
        if os.geteuid() != 0:
            print("skipped: needs root for network namespaces")
            sys.exit(77)
        cls.peers = Peers()
        cls.addClassCleanup(cls.peers.close)


class LiveTree(tree.Tree):
    """The tree of a receiver that has the peers at its other end."""

    def __init__(self, peers, sweep, rest=SHORT):
        self.peers = peers
        super().__init__(sweep + rest)
        self.write("etc/t1s-sweep/ssh/id_ed25519", peers.key.read_text(encoding="ascii"))
        self.pin(peers.sender.known_hosts_line())
        net = self.path("sys/class/net")
        net.mkdir(parents=True)
        # resolved inside the namespace, whose own /sys this is
        (net / T1S["pi"][0]).symlink_to(f"/sys/class/net/{T1S['pi'][0]}")

    def pin(self, line):
        self.write("etc/t1s-sweep/ssh/known_hosts", line)

    def boot(self, live_hz=None):
        super().boot(live_hz)
        hz = live_hz or firmware.active_frequency(
            firmware.load(self.path("boot/firmware"), tree.Tree.base), "microchip,lan8650", 0)
        new = self.peers.live_path.with_suffix(".new")
        new.write_bytes(struct.pack(">I", hz))
        new.replace(self.peers.live_path)

    def command(self, *arguments):
        return self.peers.netspaces.inside("pi", *super().command(*arguments))

    def sweep(self, boots_max=40):
        """Boots until nothing asks for a reboot any more. Returns the number of boots."""
        for number in range(1, boots_max + 1):
            for step in ("begin", "measure", "advance"):
                if self.run(step) != 0:
                    return number
            if self.state()["phase"] in ("finished", "stopped"):
                return number
            self.boot()
        raise AssertionError(f"no end after {boots_max} boots")
