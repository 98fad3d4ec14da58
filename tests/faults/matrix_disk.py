# SPDX-License-Identifier: MIT
"""Faults of files: each call on each file of the product fails once, with each error that
a card may give; writes that come half through. On the stand-in's trees, by strace."""
import os
import pathlib
import shutil
import subprocess

from crash_walk import SWEEP, Machine
from outcome import Outcome, Run

PRELOAD = pathlib.Path(os.environ.get(
    "T1S_PRELOAD", pathlib.Path(os.environ.get("T1S_BUILD", ".")) / "tests/faults/libpreload.so"))
ERRORS = ("ENOSPC", "EROFS", "EIO")
STATE = "var/lib/t1s-sweep/state.json"
OVERLAY = "boot/firmware/overlays/BE-IIS-HPP-T1S-I.dtbo"
STEP_S = 30

# step, the file's name in the table, its path (ID: the sweep's), calls, first boot
FILES = [
    ("begin", "state", STATE + ".new", ("openat", "write", "fsync", "rename"), 2),
    ("begin", "previous state", STATE + ".previous.new", ("link", "rename"), 2),
    ("begin", "state's folder", "var/lib/t1s-sweep", ("fsync",), 2),
    ("begin", "lock", "var/lib/t1s-sweep/lock", ("openat",), 2),
    ("begin", "state", STATE, ("read",), 2),
    ("begin", "overlay", OVERLAY, ("openat", "read"), 2),
    ("begin", "copy of the overlay", OVERLAY + ".t1s-orig", ("openat", "write", "fsync"), 1),
    ("advance", "copy of the overlay", OVERLAY + ".t1s-orig", ("unlink",), 2),
    ("measure", "results' folder", "var/lib/t1s-sweep/results", ("mkdir",), 1),
    ("measure", "raw folder", "var/lib/t1s-sweep/results/ID/raw", ("mkdir", "fsync"), 1),
    ("measure", "results", "var/lib/t1s-sweep/results/ID/results.csv",
     ("openat", "write", "fsync"), 2),
    ("measure", "results", "var/lib/t1s-sweep/results/ID/results.csv", ("read",), 2),
    ("measure", "raw result", "var/lib/t1s-sweep/results/ID/raw/p0002-default-r1-a1.json",
     ("openat", "write", "fsync"), 2),
    ("measure", "sender's raw result",
     "var/lib/t1s-sweep/results/ID/raw/p0002-default-r1-a1.sender.json.new",
     ("openat", "write", "fsync", "rename"), 2),
    ("measure", "state", STATE, ("read",), 2),
    ("advance", "state", STATE + ".new", ("openat", "write", "fsync", "rename"), 2),
    ("advance", "state's folder", "var/lib/t1s-sweep", ("fsync",), 2),
    ("advance", "results", "var/lib/t1s-sweep/results/ID/results.csv", ("read",), 2),
    ("advance", "overlay", OVERLAY, ("openat", "pwrite64", "fdatasync", "pread64"), 2),
    ("advance", "unit's link",
     "etc/systemd/system/multi-user.target.wants/t1s-sweep.service", ("unlink",), 2),
]
# an overlay that cannot be written ends the sweep; where that is not so, it is tried again
STOPPED_BY = ("overlay",)
SHORT = [("begin", STATE + ".new", 2), ("advance", STATE + ".new", 2),
         ("begin", ".t1s-orig", 1), ("measure", "results.csv", 2),
         ("measure", "r1-a1.json", 2), ("measure", ".sender.json.new", 2)]


class DiskMachine(Machine):
    points = len(SWEEP.points_hz)

    def __init__(self):
        super().__init__(SWEEP)

    def under(self, tool, step):
        """A step under a tool; what it said, with the tool's words, is in said."""
        done = subprocess.run([*tool, *self.command(step)], stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120,
                              env={**os.environ, **self.environment}, check=False)
        self.out, self.said = done.stdout.decode(), done.stderr.decode(errors="replace")
        return done.returncode

    def full_path(self, path):
        if "/ID" in path:
            path = path.replace("/ID", f"/{self.state()['sweep_id']}")
        return str(self.path(path))


def inject(path, call, error):
    """A step of which the first such call on the path fails."""
    def faulty(machine, step):
        log = machine.root / "strace.log"
        tool = ["strace", "-qq", "-o", str(log), "-P", machine.full_path(path), "-e",
                f"trace=?{call},?{call}at", "-e",
                f"inject=?{call},?{call}at:error={error}:when=1"]
        status = machine.under(tool, step)
        return status if "(INJECTED)" in log.read_text("ascii", errors="replace") else None
    return faulty


def write_short(word):
    """A step that has room for half of a write."""
    def faulty(machine, step):
        machine.environment = {"LD_PRELOAD": str(PRELOAD), "T1S_SHORT_WRITE": word,
                               "ASAN_OPTIONS": "detect_leaks=0:verify_asan_link_order=0"}
        status = machine.under([], step)
        machine.environment = {}
        met = "(INJECTED)" in machine.said
        machine.said = machine.said.replace("(INJECTED)\n", "")
        return status if met else None
    return faulty


def _go(outcome, faulty, boot, end):
    machine = DiskMachine()
    try:
        return Run(machine, outcome, faulty, boot=boot, deadline_s=STEP_S, end=end).go()
    finally:
        machine.remove()


def lines():
    """Every line of this part: a name, and what gives its outcome."""
    if not shutil.which("strace"):
        return
    for step, name, path, calls, boot in FILES:
        for call in calls:
            for error in ERRORS:
                end = "stopped" if name in STOPPED_BY else "finished"
                yield (lambda o=Outcome(step, f"{call} of the {name}: {error}"), p=path, c=call,
                       e=error, b=boot, end=end: _go(o, inject(p, c, e), b, end))
    for step, word, boot in SHORT:
        yield (lambda o=Outcome(step, f"half a write to {pathlib.Path(word).name}, then full"),
               w=word, b=boot: _go(o, write_short(w), b, "finished"))
