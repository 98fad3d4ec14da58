# SPDX-License-Identifier: MIT
"""Faults of the sender and of the link, with a real sshd, iperf3 and emulated link: in the
measure step of the second point; at the next boot all is well again."""
import contextlib
import os
import threading
import time

from hostile import LiveTree, Peers
from netspace import MANAGEMENT_INTERFACE, T1S
from outcome import Outcome, Run

SWEEP = ("Points=20M 12M\nCollapseBelow=0\nClosingBaseline=no\nAttempts=2\n")
EVENT_S = 20
MEASURED = ("OK", "NO_DATA", "NO_LINK", "FAILED", "DRIVER_DEAD")
REAL = "/usr/bin/iperf3"
VERSION = f"#!/bin/sh\ncase $* in *--version*) exec {REAL} --version;; esac\n"


class LiveMachine(LiveTree):
    points = 2


def in_thread(function):
    thread = threading.Thread(target=function, daemon=True)
    thread.start()
    return thread


def wait_until(condition):
    deadline = time.monotonic() + EVENT_S
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(0.02)
    return False


class Fault:
    """Something that is done before the step, or at an event in it, and undone after it."""

    def __init__(self, name, do, undo=None, at=None, deadline_s=60, end="finished", words=None,
                 status=None, statuses=("OK",)):
        self.name, self.do, self.undo, self.at = name, do, undo, at
        self.deadline_s, self.end, self.words, self.status = deadline_s, end, words, status
        self.statuses = statuses

    def __call__(self, machine, step):
        peers = machine.peers
        if self.at is None:
            self.do(peers)
            return machine.run(step)
        arrived = self.at(peers)
        thread = in_thread(lambda: wait_until(arrived) and self.do(peers))
        status = machine.run(step)
        thread.join(EVENT_S)
        return status

    def mend(self, machine):
        if self.undo:
            self.undo(machine.peers)


# Events

def after_login(peers):
    """The sender has let us in."""
    before = peers.sender.log().count("Accepted publickey")
    return lambda: peers.sender.log().count("Accepted publickey") > before


def after_exec(peers):
    """The sender has begun a command."""
    before = peers.sender.log().count("Starting session")
    return lambda: peers.sender.log().count("Starting session") > before


def in_flood(peers):
    """Datagrams are on their way."""
    before = peers.link.udp_frames()
    return lambda: peers.link.udp_frames() > before + 100


# Deeds

def link_faults(text):
    return lambda peers: peers.link.set_faults(text)


def sound(peers):
    peers.link.set_faults("")


def management(state):
    return lambda peers: peers.netspaces.ip("sender", "link", "set", MANAGEMENT_INTERFACE, state)


def t1s(state):
    def do(peers):
        peers.netspaces.ip("sender", "link", "set", T1S["sender"][0], state)
    return do


def iperf3(script):
    return lambda peers: peers.sender.set_iperf3(script)


def real_iperf3(peers):
    peers.sender.set_iperf3()


def stop_sender(peers):
    peers.sender.stop()


def start_sender(peers):
    if not peers.sender.process:
        peers.sender.start()


def restart_sender(peers):
    peers.sender.stop()
    peers.sender.start()


def kill_client(peers):
    """The control connection goes away with its process."""
    for pid in peers.netspaces.pids("sender"):
        with contextlib.suppress(OSError):
            with open(f"/proc/{pid}/comm", encoding="ascii") as comm:
                name = comm.read().strip()
            if name == "iperf3":
                os.kill(pid, 9)


def change_host_key(peers):
    peers.sender.stop()
    peers.kept = {path: path.read_bytes() for path in peers.sender.folder.glob("host_key*")}
    peers.sender.new_host_key()
    peers.sender.start()


def old_host_key(peers):
    peers.sender.stop()
    for path, content in peers.kept.items():
        path.write_bytes(content)
        path.chmod(0o600)
    peers.sender.start()


# A client has ten seconds beyond its test, its session ten more; after five lost sessions the
# step gives up, and each try to log in again is bounded by WaitTime.
CLIENT_S, SESSION_S = 14, 24
FAULTS = [
    Fault("sender down", stop_sender, start_sender, words="the next boot tries again", status=1),
    Fault("management network cut", management("down"), management("up"),
          words="the next boot tries again", status=1),
    Fault("session stalls after the login", management("down"), management("up"),
          at=after_login, deadline_s=2 * SESSION_S),
    Fault("session stalls after a command began", management("down"), management("up"),
          at=after_exec, deadline_s=2 * SESSION_S),
    Fault("session stalls in mid-run", management("down"), management("up"), at=in_flood,
          deadline_s=2 * SESSION_S),
    Fault("sshd started again in mid-run", restart_sender, start_sender, at=in_flood),
    Fault("sshd gone in mid-run", stop_sender, start_sender, at=in_flood, status=1,
          words="the next boot tries again"),
    Fault("another host key", change_host_key, old_host_key, end="stopped", words="host key"),
    Fault("iperf3 missing", iperf3(""), real_iperf3, end="stopped", words="apt install iperf3"),
    Fault("iperf3 without an answer", iperf3("#!/bin/sh\nexec sleep 600\n"), real_iperf3,
          end="stopped", deadline_s=60),
    Fault("iperf3 wedged in the run", iperf3(VERSION + "exec sleep 600\n"), real_iperf3,
          deadline_s=2 * CLIENT_S + 20, statuses=("OK", "NO_DATA")),
    Fault("iperf3 floods its output", iperf3(VERSION + "exec yes\n"), real_iperf3,
          statuses=("OK", "FAILED")),
    Fault("iperf3 floods its errors", iperf3(VERSION + "exec yes >&2\n"), real_iperf3,
          statuses=("OK", "FAILED")),
    Fault("iperf3 says nothing", iperf3(VERSION + "exit 0\n"), real_iperf3,
          statuses=("OK", "FAILED")),
    Fault("control connection cut in mid-run", kill_client, at=in_flood, status=0),
    Fault("link silent", link_faults("silent=both\n"), sound, deadline_s=2 * CLIENT_S + 20,
          statuses=("OK", "NO_DATA")),
    Fault("link deaf to the receiver", link_faults("silent=ba\n"), sound,
          deadline_s=2 * CLIENT_S + 20, statuses=("OK", "NO_DATA")),
    Fault("link deaf to the sender", link_faults("silent=ab\n"), sound,
          deadline_s=2 * CLIENT_S + 20, statuses=("OK", "NO_DATA")),
    Fault("link flaps", link_faults("flap=150,150\n"), sound, deadline_s=2 * CLIENT_S + 20,
          statuses=MEASURED),
    Fault("link silent from mid-run on", link_faults("silent=both\n"), sound, at=in_flood,
          deadline_s=3 * CLIENT_S + 20, statuses=MEASURED),
    Fault("link duplicates", link_faults("duplicate=1\n"), sound, statuses=("OK", "FAILED"),
          words="FAILED"),
    Fault("link reorders", link_faults("reorder=3\n"), sound, status=0),
    Fault("link corrupts", link_faults("corrupt=4\n"), sound, statuses=MEASURED, status=0),
    Fault("sender's T1S interface down", t1s("down"), t1s("up"), deadline_s=2 * CLIENT_S + 20,
          statuses=MEASURED),
    Fault("sender's T1S interface down from mid-run on", t1s("down"), t1s("up"), at=in_flood,
          deadline_s=3 * CLIENT_S + 20, statuses=MEASURED),
]
SHARED = {}


def peers():
    """The peers that all lines share."""
    if "peers" not in SHARED:
        SHARED["peers"] = Peers()
    return SHARED["peers"]


def close():
    if "peers" in SHARED:
        SHARED.pop("peers").close()


def _go(outcome, fault):
    machine = LiveMachine(peers(), SWEEP)
    try:
        return Run(machine, outcome, fault, deadline_s=fault.deadline_s, end=fault.end,
                   words=fault.words, status=fault.status, statuses=fault.statuses,
                   mend=fault.mend).go()
    finally:
        machine.remove()


def lines():
    """Every line of this part."""
    if os.geteuid() != 0:
        return
    for fault in FAULTS:
        yield lambda o=Outcome("measure", fault.name), f=fault: _go(o, f)
