# SPDX-License-Identifier: MIT
"""Network namespaces of the rig: a receiver (pi) and a sender, and what joins them.

Two links, as in the real set-up: the T1S link, emulated by t1s-link between two TAPs,
and a management network, a plain veth pair.
"""
import contextlib
import json
import os
import pathlib
import signal
import subprocess
import time

from cleanup import RigError, run, stop_process

T1S = {"pi": ("beiis-t1s0", "10.10.10.2/24"), "sender": ("t1s0", "10.10.10.1/24")}
MANAGEMENT = {"pi": "192.0.2.131/24", "sender": "192.0.2.130/24"}
MANAGEMENT_INTERFACE = "mgmt0"
KILL_ROUNDS = 50


class Netspaces:
    """The two namespaces; the stack takes them away again. Where the receiver is a virtual
    machine there is only the sender's."""

    def __init__(self, stack, tag=None, ends=("pi", "sender")):
        self.stack = stack
        self.tag = tag or f"t1srig-{os.getpid()}"
        for end in ends:
            run("ip", "netns", "add", self.name(end))
            stack.callback(self._remove, end)
            self.ip(end, "link", "set", "lo", "up")

    def name(self, end):
        return f"{self.tag}-{end}"

    def path(self, end):
        return f"/run/netns/{self.name(end)}"

    def ip(self, end, *arguments):
        return run("ip", "-n", self.name(end), *arguments)

    def inside(self, end, *command):
        """The command line that runs a command in a namespace."""
        return ["ip", "netns", "exec", self.name(end), *map(str, command)]

    def add_management(self):
        """Joins both ends by the management network."""
        self.ip("pi", "link", "add", MANAGEMENT_INTERFACE, "type", "veth", "peer", "name",
                MANAGEMENT_INTERFACE, "netns", self.name("sender"))
        for end, address in MANAGEMENT.items():
            self.ip(end, "addr", "add", address, "dev", MANAGEMENT_INTERFACE)
            self.ip(end, "link", "set", MANAGEMENT_INTERFACE, "up")

    def end_processes(self, end):
        """Kills whatever still runs in a namespace: all of it was started by the rig."""
        for _ in range(KILL_ROUNDS):
            pids = self.pids(end)
            if not pids:
                return
            for pid in pids:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            time.sleep(0.02)

    def pids(self, end):
        """The processes that run in a namespace."""
        done = subprocess.run(["ip", "netns", "pids", self.name(end)], check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        return [int(pid) for pid in done.stdout.split()]

    def _remove(self, end):
        self.end_processes(end)
        subprocess.run(["ip", "netns", "del", self.name(end)], check=False,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


class Link:
    """The emulated T1S link. Sound until faults are set. ends: interface and address of
    each; socket: what stands for the pi's end, where that is a virtual machine."""

    def __init__(self, netspaces, program, folder, live, curve, wire_limit=None, ends=None,
                 socket=None):
        self.netspaces = netspaces
        self.program, self.live, self.curve = program, live, curve
        self.stats_path = pathlib.Path(folder, "link-stats.json")
        self.faults_path = pathlib.Path(folder, "link-faults")
        self.wire_limit = wire_limit
        self.ends, self.socket = ends or T1S, socket
        self.process = None
        netspaces.stack.callback(self.stop)

    def _end(self, end):
        if end in self.ends:
            return f"{self.netspaces.name(end)}:{self.ends[end][0]}"
        return f"fd:{self.socket.fileno()}"

    def start(self):
        """Starts the emulator and sets up its interfaces; one that runs is ended first."""
        self.stop()
        # else the counts of the one before would be taken for this one's
        self.stats_path.unlink(missing_ok=True)
        reader, writer = os.pipe()
        command = [self.program, "--a", self._end("sender"), "--b", self._end("pi"),
                   "--live", self.live, "--curve", self.curve, "--stats", self.stats_path,
                   "--faults", self.faults_path, "--ready-fd", writer]
        if self.wire_limit:
            command += ["--wire-limit", self.wire_limit]
        inherited = [writer] + ([self.socket.fileno()] if self.socket else [])
        self.process = subprocess.Popen(
            [str(part) for part in command], stdin=subprocess.DEVNULL, pass_fds=inherited,
            start_new_session=True)
        os.close(writer)
        with open(reader, encoding="ascii") as ready:
            if ready.readline() != "ready\n":
                raise RigError("t1s-link did not start; its words are above")
        for end, (interface, address) in self.ends.items():
            self.netspaces.ip(end, "addr", "add", address, "dev", interface)
            self.netspaces.ip(end, "link", "set", interface, "up")

    def stop(self):
        """Takes the link away; both interfaces go with it."""
        if self.process:
            stop_process(self.process)
            self.process = None

    def set_faults(self, text):
        """Sets faults as t1s-link's --faults file has them; "" is a sound link."""
        new = self.faults_path.with_suffix(".new")
        new.write_text(text, encoding="ascii")
        new.replace(self.faults_path)

    def stats(self):
        """What the emulator has counted, at most some 50 ms old."""
        with contextlib.suppress(FileNotFoundError):
            return json.loads(self.stats_path.read_text(encoding="ascii"))
        return None

    def udp_frames(self):
        """Frames of UDP that the sender has offered to the link; 0 while it is away."""
        return (self.process and self.stats() or {"ab": {"udp_frames": 0}})["ab"]["udp_frames"]
