# SPDX-License-Identifier: MIT
"""The guest's journal, read from its files: whole, or line by line as it grows."""
import json
import os
import subprocess

from cleanup import run, stop_process

PROGRAM = "t1s-sweep"


def _text(value):
    return bytes(value).decode(errors="replace") if isinstance(value, list) else value


def parse_line(line):
    """One entry as a dictionary of texts."""
    return {key: _text(value) for key, value in json.loads(line).items()}


def read(folder, *matches):
    """Every entry of the journal that matches, oldest first."""
    lines = run("journalctl", "-D", folder, "-o", "json", "--all", "--no-pager", *matches)
    return [parse_line(line) for line in lines.splitlines() if line.startswith("{")]


class Follower:
    """Gives the program's own lines as they come, over all boots."""

    def __init__(self, stack, folder):
        self.process = subprocess.Popen(
            ["journalctl", "-D", str(folder), "-o", "json", "-f", "-n", "0",
             "-t", PROGRAM], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, start_new_session=True)
        os.set_blocking(self.process.stdout.fileno(), False)
        self.rest = b""
        stack.callback(stop_process, self.process)

    def new_entries(self):
        """What has come since the last call."""
        while True:
            data = self.process.stdout.read()
            if not data:
                break
            self.rest += data
        *lines, self.rest = self.rest.split(b"\n")
        return [parse_line(line) for line in lines if line.startswith(b"{")]
