# SPDX-License-Identifier: MIT
"""Faults of the machine itself, on the stand-in's trees."""
import contextlib
import fcntl
import json

from matrix_disk import PRELOAD, STATE, DiskMachine
from outcome import STEPS, Outcome, Run
from tree import MOUNTINFO

import fdt  # noqa: E402  (path set by tree)

STEP_S = 30
YEAR_S = 365 * 24 * 3600
BOOT_CPU = 31  # in the blob's head: of no meaning in an overlay


def run_with(change, back=lambda machine: None, when=lambda machine: True):
    """A step before which the machine is changed; back undoes it before the next boot."""
    def faulty(machine, step):
        if not when(machine):
            return None
        change(machine)
        return machine.run(step)
    faulty.mend = back
    return faulty


def file_fault(path, change, lasting=False):
    """A step with a file changed, which is as before at the next boot unless it is to last."""
    kept = {}

    def spoil(machine):
        file = machine.path(path)
        kept[path] = file.read_bytes()
        content = change(kept[path])
        if content is None:
            file.unlink()
        else:
            file.write_bytes(content)

    def mend(machine):
        if not lasting:
            machine.path(path).write_bytes(kept[path])
    return run_with(spoil, mend)


def clock(shift_s):
    """A step with a clock that is this far off, as it stays from then on."""
    def shift(machine):
        machine.environment = {"LD_PRELOAD": str(PRELOAD), "T1S_CLOCK_SHIFT_S": str(shift_s),
                               "ASAN_OPTIONS": "detect_leaks=0:verify_asan_link_order=0"}
    return run_with(shift)


def held_lock(machine, step):
    """A step while another one is at work."""
    with open(machine.path("var/lib/t1s-sweep/lock"), "wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        return machine.run(step)


def killed(call, number):
    """A step that is killed as it enters a call for the n-th time."""
    def faulty(machine, step):
        status = machine.under(["strace", "-qq", "-o", "/dev/null", "-e", f"trace={call}",
                                "-e", f"inject={call}:signal=KILL:when={number}"], step)
        if status not in (-9, 137):
            return None
        machine.said = "(killed)"
        return 1  # the service ends here
    return faulty


def newer(content):
    state = json.loads(content)
    state["version"] = 99
    return json.dumps(state).encode()


def mounts(text):
    return file_fault("proc/self/mountinfo", lambda _: text.encode())


def break_live_tree(machine):
    machine.set_live(7000000)


def swap_overlay(machine):
    blob = bytearray(machine.overlay_bytes())
    blob[BOOT_CPU] ^= 1
    machine.overlay_path.write_bytes(blob)


def put_overlay_back(machine):
    """As a person would who is told that it was changed."""
    machine.overlay_path.write_bytes(machine.original)


def set_hz(hz):
    def change(machine):
        blob = bytearray(machine.overlay_bytes())
        for _, node in fdt.parse(bytes(blob)).walk():
            if node.cells("spi-max-frequency"):
                at = node.properties["spi-max-frequency"].offset
                blob[at:at + 4] = hz.to_bytes(4, "big")
        machine.overlay_path.write_bytes(blob)
    return change


# step, fault, how, what must be said, how the sweep ends
FAULTS = [
    *((step, f"killed in a {call}", killed(call, number), None, "finished")
      for step in STEPS for call, number in (("write", 1), ("fsync", 2), ("openat", 20))),
    *((step, f"clock {years:+} years", clock(years * YEAR_S), None, "finished")
      for step in STEPS for years in (-30, 10)),
    ("begin", "another one at work", held_lock, "another t1s-sweep is at work", "finished"),
    ("advance", "another one at work", held_lock, "another t1s-sweep is at work", "finished"),
    ("begin", "state of a newer version", file_fault(STATE, newer), "99", "finished"),
    ("advance", "state of a newer version", file_fault(STATE, newer), "99", "finished"),
    ("begin", "state empty", file_fault(STATE, lambda _: b"", True), "previous copy", "finished"),
    ("begin", "state of zeros", file_fault(STATE, lambda c: bytes(len(c)), True), "previous copy",
     "finished"),
    ("begin", "state cut off", file_fault(STATE, lambda c: c[:len(c) // 2], True), "previous copy",
     "finished"),
    ("begin", "configuration with an unknown key",
     file_fault("etc/t1s-sweep/t1s-sweep.conf", lambda c: c + b"[Sweep]\nNoSuchKey=1\n"),
     "NoSuchKey", "finished"),
    ("advance", "configuration with an unknown key",
     file_fault("etc/t1s-sweep/t1s-sweep.conf", lambda c: c + b"[Sweep]\nNoSuchKey=1\n"),
     "NoSuchKey", "finished"),
    ("begin", "configuration gone", file_fault("etc/t1s-sweep/t1s-sweep.conf", lambda _: None),
     "t1s-sweep.conf", "finished"),
    ("begin", "boot id gone", file_fault("proc/sys/kernel/random/boot_id", lambda _: None),
     "boot_id", "finished"),
    ("begin", "boot partition not mounted", mounts(MOUNTINFO.splitlines()[0] + "\n"),
     "mounted", "stopped"),
    ("begin", "boot partition read-only",
     mounts(MOUNTINFO.replace("/boot/firmware rw,", "/boot/firmware ro,")
            .replace("mmcblk0p1 rw", "mmcblk0p1 ro")), "read-only", "stopped"),
    ("begin", "root that forgets", mounts(MOUNTINFO.replace("ext4 /dev/mmcblk0p2", "overlay overlay")),
     "overlay", "stopped"),
    ("begin", "live tree with another frequency", run_with(break_live_tree),
     "frequency not as expected", "stopped"),
    ("begin", "overlay changed by somebody", run_with(swap_overlay, put_overlay_back), "changed",
     "stopped"),
    ("advance", "overlay changed by somebody", run_with(swap_overlay, put_overlay_back), "changed",
     "stopped"),
    ("advance", "overlay set to a value that is no point", run_with(set_hz(3210000), put_overlay_back),
     "3.21", "stopped"),
]


def _go(outcome, faulty, words, end):
    machine = DiskMachine()
    with contextlib.ExitStack() as stack:
        stack.callback(machine.remove)
        return Run(machine, outcome, faulty, deadline_s=STEP_S, end=end, words=words,
                   mend=getattr(faulty, "mend", lambda _: None)).go()


def lines():
    """Every line of this part."""
    for step, fault, faulty, words, end in FAULTS:
        yield lambda o=Outcome(step, fault), f=faulty, w=words, e=end: _go(o, f, w, e)
