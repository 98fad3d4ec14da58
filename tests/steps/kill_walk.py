#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Kills the program's steps at their system calls and sees the sweep end all the same.

A sweep of four points is first run whole under strace, which lists each write, sync,
rename, link, removal, creation and connect that every step of every boot makes: these
are the places. Then, for each place, a sweep is run in which the step is killed there
(SIGKILL as it enters the call), and started again: in the same boot at even places, after
a power cycle at odd ones. Each sweep must end with the same rows, none lost, none twice,
and the original overlay; after the kill the overlay must be a sound blob with a planned
frequency.

    kill_walk.py --all                 every place (an hour or so)
    kill_walk.py --search …            the same for a search for the knee
    kill_walk.py --workloads …         the same for several workloads and directions
    kill_walk.py --sample 12 --seed 7  that many, spread over all, the seed shifts them
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys

from live import SHORT, LiveTree, Peers

import fdt  # noqa: E402  (path set by tree)

STEPS = ("begin", "measure", "advance")
CALLS = ("write", "pwrite64", "writev", "fsync", "fdatasync", "rename", "renameat2", "link",
         "linkat", "unlink", "unlinkat", "mkdir", "ftruncate", "connect", "sendto")
CREATION = re.compile(r"^openat\(.*O_CREAT")
KILLED = -9


class Case:
    """A sweep, its points, and how many runs each has at least."""

    def __init__(self, sweep, boots_mhz, runs):
        self.sweep, self.rest = sweep + "ClosingBaseline=no\n", SHORT
        self.points_hz = [mhz * 1000000 for mhz in boots_mhz]
        self.runs, self.boots = runs, len(boots_mhz) + 1

    def fits(self, rows):
        """None lost, none twice, none out of order. A busy machine's scatter can make a
        search want more runs than the fewest."""
        points = {}
        for row in rows:
            points.setdefault((int(row["point"]), int(row["spi_requested_hz"])), []).append(
                int(row["repeat"]))
        return (list(points) == list(enumerate(self.points_hz, 1)) and
                all(repeats == list(range(1, len(repeats) + 1)) and
                    (len(repeats) == self.runs or len(repeats) > self.runs > 1)
                    for repeats in points.values()))


class WorkloadsCase(Case):
    """Two points, at each a run in one direction and two in both."""

    RUNS = [("one", "receive", "1"), ("both", "receive", "1"), ("both", "send", "1"),
            ("both", "receive", "2"), ("both", "send", "2")]

    def __init__(self):
        super().__init__("Points=20M 10M\nCollapseBelow=0\n", (20, 10), 1)
        self.rest = "".join(
            f"[Workload {name}]\nDuration=1s\nOmit=0\n{more}" for name, more in
            (("one", ""), ("both", "Direction=both\nRepeats=2\n")))

    def fits(self, rows):
        found = [(row["point"], row["workload"], row["direction"], row["repeat"])
                 for row in rows]
        return found == [(point, *run) for point in "12" for run in self.RUNS]


def settled(rows):
    """Without attempts that failed and were made again: on a busy machine a run may break,
    which leaves a row for each attempt and is no row twice. Two that are OK would be."""
    def run(row):
        return tuple(row[key] for key in ("point", "pass", "workload", "direction", "repeat"))

    last = {run(row): int(row["attempt"]) for row in rows}
    return [row for row in rows
            if row["status"] == "OK" or int(row["attempt"]) == last[run(row)]]


SWEEP = Case("Points=20M 15M 12M 10M\nCollapseBelow=0\n", (20, 15, 12, 10), 1)
# 13 MHz is full and 9 MHz far from it: no run is repeated for being undecided
SEARCH = Case("Points=20M 13M 9M\nSearch=knee\n", (20, 13, 9, 9, 13), 3)
WORKLOADS = WorkloadsCase()


class Place:
    """The n-th call of a kind in one step of one boot."""

    def __init__(self, boot, step, call, n):
        self.boot, self.step, self.call, self.n = boot, step, call, n

    def __str__(self):
        return f"boot {self.boot}, {self.step}, {self.call} {self.n}"


class Walk:
    """Runs sweeps against the same peers."""

    def __init__(self, peers, case=SWEEP):
        self.peers, self.case = peers, case
        self.tree = None

    def strace(self, step, *options):
        """Runs a step under strace; its exit status is the program's."""
        inside = self.tree.command(step)
        at = inside.index(next(word for word in inside if word.endswith("t1s-sweep")))
        done = subprocess.run(
            [*inside[:at], "strace", "-qq", *options, *inside[at:]],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
            timeout=60, check=False, text=True)
        self.tree.said = done.stderr
        return done.returncode

    def list_places(self):
        """Every place of an undisturbed sweep."""
        places = []
        log = pathlib.Path(self.peers.folder, "strace.log")

        def traced(boot, step):
            status = self.strace(step, "-o", str(log), "-e", f"trace={','.join(CALLS)},openat")
            places.extend(self._read_log(log, boot, step))
            return status

        self._sweep(traced)
        return places

    @staticmethod
    def _read_log(log, boot, step):
        counts, opens = {}, 0
        for line in log.read_text(encoding="utf-8", errors="replace").splitlines():
            call = line.partition("(")[0].strip()
            if call == "openat":
                opens += 1
                if CREATION.match(line):
                    yield Place(boot, step, "openat", opens)
            elif call in CALLS:
                counts[call] = counts.get(call, 0) + 1
                yield Place(boot, step, call, counts[call])

    def kill_at(self, place, power_cycle):
        """One sweep with one kill. Returns whether the place was reached."""
        killed = []

        def step_or_kill(boot, step):
            if killed or (boot, step) != (place.boot, place.step):
                return self.tree.run(step)
            status = self.strace(
                step, "-o", "/dev/null", "-e", f"trace={place.call}", "-e",
                f"inject={place.call}:signal=KILL:when={place.n}")
            if status in (KILLED, 128 + 9):
                killed.append(True)
                self._check_blob(place)
                return KILLED
            return status

        self._sweep(step_or_kill, power_cycle)
        self._check_end(place)
        return bool(killed)

    def _sweep(self, run_step, power_cycle=False):
        """Boots until the sweep has ended. A killed step is followed by the three steps in
        the same boot, or by the next boot."""
        if self.tree:
            self.tree.remove()
        self.tree = LiveTree(self.peers, self.case.sweep, self.case.rest)
        self.tree.boot()
        boot = 1
        while boot <= 3 * self.case.boots:
            killed = self._boot(run_step, boot)
            if killed and not power_cycle:
                self._boot(run_step, boot)
            if not killed and self.tree.path("var/lib/t1s-sweep/state.json").exists() and \
                    self.tree.state()["phase"] in ("finished", "stopped"):
                return
            self.tree.boot()
            boot += 1
        raise AssertionError(f"no end after {boot - 1} boots; last words: {self.tree.said}")

    def _boot(self, run_step, boot):
        for step in STEPS:
            status = run_step(boot, step)
            if status == KILLED:
                return True
            if status != 0:
                return False
        return False

    def _check_blob(self, place):
        blob = self.tree.overlay_bytes()
        fdt.parse(blob)
        hz = self.tree.overlay_hz()
        if len(blob) != len(self.tree.original) or hz not in self.case.points_hz:
            raise AssertionError(f"{place}: the overlay is no sound blob with a planned value")

    def _check_end(self, place):
        state, rows = self.tree.state(), self.tree.rows()
        if state["phase"] != "finished" or not self.case.fits(settled(rows)):
            keys = ("point", "spi_requested_hz", "workload", "direction", "repeat",
                    "attempt", "status", "note")
            raise AssertionError(
                f"{place}: ended {state['phase']} ({state['reason']}) with rows "
                f"{[tuple(row[key] for key in keys) for row in rows]}")
        if any(row["status"] != "OK" for row in settled(rows)):
            raise AssertionError(f"{place}: {[row['status'] for row in rows]}")
        if self.tree.overlay_bytes() != self.tree.original or self.tree.armed():
            raise AssertionError(f"{place}: overlay or unit not put back")

    def close(self):
        if self.tree:
            self.tree.remove()


def spread(places, count, seed):
    """count places at even distances; the seed shifts where they begin."""
    if count >= len(places):
        return places
    shift = seed % len(places)
    return [places[(shift + i * len(places) // count) % len(places)] for i in range(count)]


def walk_places(walk, chosen, log=print):
    """Kills at each; returns how many places were reached."""
    reached = 0
    for number, place in enumerate(chosen, 1):
        hit = walk.kill_at(place, power_cycle=number % 2 == 1)
        reached += hit
        log(f"{number}/{len(chosen)} {place}: {'killed, resumed' if hit else 'not reached'}")
    return reached


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--search", action="store_true")
    parser.add_argument("--workloads", action="store_true")
    parser.add_argument("--sample", type=int, default=12)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    peers = Peers()
    walk = Walk(peers, SEARCH if arguments.search else
                WORKLOADS if arguments.workloads else SWEEP)
    try:
        places = walk.list_places()
        chosen = places if arguments.all else spread(places, arguments.sample, arguments.seed)
        print(f"{len(places)} places, {len(chosen)} chosen", flush=True)
        reached = walk_places(walk, chosen, lambda text: print(text, flush=True))
        print(f"{reached} of {len(chosen)} places reached; every sweep ended whole")
    finally:
        walk.close()
        peers.close()
    return 0


if __name__ == "__main__":
    sys.exit(main() if os.geteuid() == 0 else "kill_walk.py needs root")
