# SPDX-License-Identifier: MIT
"""The guest's journal, read from its files: whole, or piece by piece as it grows."""
import json
import subprocess
import time

PROGRAM = "t1s-sweep"
LOOK_S = 0.5
TIMEOUT_S = 30


def _text(value):
    return bytes(value).decode(errors="replace") if isinstance(value, list) else value


def read(folder, *arguments):
    """Entries of the journal as dictionaries of texts, oldest first; arguments are
    journalctl's. A journal that is not there yet has none."""
    done = subprocess.run(
        ["journalctl", "-D", str(folder), "-o", "json", "--all", "--no-pager", *arguments],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        timeout=TIMEOUT_S, check=False)
    return [{key: _text(value) for key, value in json.loads(line).items()}
            for line in done.stdout.splitlines() if line.startswith(b"{")]


class Follower:
    """Gives the program's own lines as they come, over all boots. Not by journalctl -f:
    that follows the boot of the machine it runs on."""

    def __init__(self, folder):
        self.folder, self.cursor, self.looked = folder, None, 0.0

    def new_entries(self, now=False):
        """What has come since the last call; looks only so often unless told to."""
        if not now and time.monotonic() - self.looked < LOOK_S:
            return []
        self.looked = time.monotonic()
        after = [f"--after-cursor={self.cursor}"] if self.cursor else []
        entries = read(self.folder, "-t", PROGRAM, *after)
        if entries:
            self.cursor = entries[-1]["__CURSOR"]
        return entries
