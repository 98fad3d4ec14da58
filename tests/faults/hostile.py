# SPDX-License-Identifier: MIT
"""An attacker in the sender's place: whoever logs in with the program's key gets what a
script of ours answers, whatever command was asked for."""
import os
import pathlib
import subprocess
import sys
import threading

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "steps"))

from live import LiveTree, Peers, PeersTest  # noqa: E402,F401
from netspace import T1S  # noqa: E402  (path set by live)

SWEEP = "Points=20M 10M\nCollapseBelow=0\nClosingBaseline=no\nAttempts=1\n"
HONEST = 'eval "$SSH_ORIGINAL_COMMAND"'
SCRIPT = """#!/bin/sh
case $SSH_ORIGINAL_COMMAND in
*--version*) {version} ;;
*' -c '*) {client} ;;
*) {facts} ;;
esac
"""
# speaks iperf3's control protocol as far as wanted, and not as wanted
CONTROL = """
import json, socket, struct, sys, time
s = socket.create_connection(("{to}", 5201), source_address=("{sender}", 0), timeout=8)
s.sendall(b"a" * 36 + b"\\0")
def tell(text, size=None):
    data = text.encode()
    s.sendall(struct.pack(">I", len(data) if size is None else size) + data)
parameters = {{"udp": True, "omit": 0, "time": 1, "num": 0, "blockcount": 0, "parallel": 1,
              "len": 1448, "bandwidth": 10000000, "pacing_timer": 1000,
              "client_version": "3.12"}}
"""


class Attack:
    """The peers, of which the sender is hostile."""

    def __init__(self, peers):
        self.peers, self.sender = peers, peers.sender
        self.key = peers.key.with_suffix(".pub").read_text(encoding="ascii")
        self.folder = self.sender.folder

    def answer(self, client=HONEST, version=HONEST, facts=HONEST):
        """What the shell runs in place of what was asked for."""
        path = self.folder / "attack"
        path.write_text(SCRIPT.format(version=version, client=client, facts=facts),
                        encoding="utf-8")
        path.chmod(0o755)
        self.sender.allow_key(f'command="{path}" {self.key}')

    def file(self, name, content):
        """A file that the attacker's commands can read; its quoted name."""
        path = self.folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        path.chmod(0o644)
        return f"'{path}'"

    def control(self, script, name="control.py"):
        """The command that speaks to the iperf3 server as the script does."""
        head = CONTROL.format(to=T1S["pi"][1].split("/")[0], sender=T1S["sender"][1].split("/")[0])
        return f"exec python3 {self.file(name, head + script)}"

    def stop(self):
        self.sender.allow_key(self.key)


class HostileTree(LiveTree):
    """A tree whose measuring is watched."""

    def __init__(self, peers, sweep=SWEEP):
        super().__init__(peers, sweep)
        self.peak_kb = None

    def measure(self, timeout_s=60):
        """Runs the measure step; its exit status. peak_kb is the memory it took."""
        with open(self.root / "said", "wb") as said:
            process = subprocess.Popen(
                self.command("measure"), stdin=subprocess.DEVNULL, stdout=said, stderr=said,
                start_new_session=True)
            timer = threading.Timer(timeout_s, process.kill)
            timer.start()
            _, status, usage = os.wait4(process.pid, 0)
            timer.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        self.peak_kb = usage.ru_maxrss
        self.said = (self.root / "said").read_bytes().decode("utf-8", errors="surrogateescape")
        return process.returncode
