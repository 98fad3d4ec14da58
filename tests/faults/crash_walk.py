#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Finds the states of the disk that a power cut may leave, and sees the sweep end from each.

A sweep is run whole under strace, which records what each step does to the files
(oplog.py). From that record every content of root and boot partition is built that a power
cut at any instant may leave (disk.py): what was not synced is lost, torn or zeros, names
are there or not. From each of them the machine boots on: the sweep must end finished, each
point measured exactly once, every row's raw file whole, the original overlay back and the
unit disabled; and in that state the overlay must be a sound blob with a planned frequency.

The steps are the program's, linked to a link that answers at once (standin.c).

    crash_walk.py                     every state (minutes)
    crash_walk.py --again             and of each boot that puts such a state right, the
                                      states that a second power cut may leave
    crash_walk.py --workloads         several workloads and directions
    crash_walk.py --search            a search for the knee
    crash_walk.py --sample 100 --seed 7
    crash_walk.py --without PATTERN   as if the program did not sync the paths that match
    crash_walk.py --syncs             of each path that is synced: what goes wrong if it
                                      is not
"""
import argparse
import hashlib
import json
import os
import pathlib
import posixpath
import random
import re
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "steps"))

import tree  # noqa: E402
from disk import Disk, Link  # noqa: E402
from oplog import record  # noqa: E402

import fdt  # noqa: E402  (path set by tree)
import firmware  # noqa: E402

STANDIN = pathlib.Path(os.environ.get(
    "T1S_STANDIN", tree.BUILD / "tests/faults/t1s-sweep-standin"))
STEPS = ("begin", "measure", "advance")
AREAS = ("var/lib", "boot/firmware", "etc/systemd")
BOOTS_MAX = 40
SECONDS_OF_ONE = 5
RESULTS = "var/lib/t1s-sweep/results/"


class Case:
    """A sweep: its configuration, its points, and the runs of each."""

    def __init__(self, sweep, points_mhz, workloads="[Workload default]\nDuration=2s\nOmit=0\n",
                 runs=(("default", "receive", 1),)):
        self.configuration = sweep + workloads
        self.points_hz, self.runs = [mhz * 1000000 for mhz in points_mhz], list(runs)

    def expected(self):
        return [(i, hz, *run) for i, hz in enumerate(self.points_hz, 1) for run in self.runs]


SWEEP = Case("Points=20M 15M 10M\nCollapseBelow=0\n", (20, 15, 10, 20))
WORKLOADS = Case(
    "Points=20M 10M\nCollapseBelow=0\nClosingBaseline=no\n", (20, 10),
    "[Workload one]\nDuration=2s\nOmit=0\n"
    "[Workload both]\nDirection=both\nRepeats=2\nDuration=2s\nOmit=0\n",
    [("one", "receive", 1), *(("both", direction, repeat) for repeat in (1, 2)
                              for direction in ("receive", "send"))])
# the link answers alike at every frequency: all points are full, and the lowest decides
SEARCH = Case("Points=20M 10M\nSearch=knee\nClosingBaseline=no\n", (20, 10),
              runs=[("default", "receive", repeat) for repeat in (1, 2, 3)])


class Machine(tree.Tree):
    """A tree whose files can be taken out and put back."""

    def __init__(self, case):
        self.unfolded, self.trees = None, {}
        super().__init__(case.configuration)
        self.case = case

    def command(self, *arguments):
        return [str(STANDIN), *super().command(*arguments)[1:]]

    def boot(self, live_hz=None):
        """As Tree.boot, but a tree that was merged once is not merged again."""
        self.write("proc/sys/kernel/random/boot_id", f"{tree.uuid.uuid4()}\n")
        blob = self.overlay_bytes() if self.overlay_path.exists() else b""
        if blob not in self.trees:
            self.trees[blob] = firmware.load(self.path("boot/firmware"), tree.Tree.base,
                                             log=lambda _: None)
        if blob != self.unfolded:
            self.path("proc/device-tree").mkdir(exist_ok=True)
            firmware.unfold(self.trees[blob], self.path("proc/device-tree"))
            self.unfolded = blob

    def contents(self):
        found = {posixpath.dirname(area): None for area in AREAS}
        for area in AREAS:
            for path in (self.path(area), *self.path(area).rglob("*")):
                name = str(path.relative_to(self.root))
                if path.is_symlink():
                    found[name] = Link(os.readlink(path))
                else:
                    found[name] = None if path.is_dir() else path.read_bytes()
        return found

    def put(self, contents):
        for area in AREAS:
            tree.shutil.rmtree(self.path(area))
        for name, content in sorted(contents.items()):
            path = self.path(name)
            if content is None:
                path.mkdir(parents=True, exist_ok=True)
            elif isinstance(content, Link):
                path.symlink_to(content)
            else:
                path.write_bytes(content)

    # What must hold

    def check_blob(self):
        blob = self.overlay_bytes()
        fdt.parse(blob)
        if len(blob) != len(self.original) or self.overlay_hz() not in self.case.points_hz:
            raise AssertionError("the overlay is no sound blob with a planned value")

    def check_end(self):
        state = self.state()
        if state["phase"] != "finished":
            raise AssertionError(f"ended {state['phase']}: {state['reason']}")
        if self.overlay_bytes() != self.original or self.armed():
            raise AssertionError("overlay or unit not put back")
        results = list(self.path(RESULTS).glob("*/results.csv"))
        rows = self.rows()
        found = [(int(row["point"]), int(row["spi_requested_hz"]), row["workload"],
                  row["direction"], int(row["repeat"])) for row in rows]
        if len(results) != 1 or found != self.case.expected():
            raise AssertionError(f"{len(results)} results, rows {found}")
        for row in rows:
            raw = self.results_path().with_name("raw") / pathlib.Path(row["raw"]).name
            if row["status"] != "OK" or not json.loads(raw.read_bytes()):
                raise AssertionError(f"row {row['point']}: {row['status']}, {raw.name}")


class State:
    """A content of the disk, and where it comes from."""

    def __init__(self, contents, where):
        self.contents, self.where = contents, where

    def key(self):
        digest = hashlib.sha256()
        for name, content in sorted(self.contents.items()):
            digest.update(repr((name, content)).encode())
        return digest.digest()


def name_of_sync(op):
    """A path that is the same in every sweep."""
    return re.sub(r"results/[^/]+", "results/ID", op.path)


class Walk:
    """Records sweeps and boots on from what power cuts leave of them."""

    def __init__(self, case):
        # a folder in memory where there is one: nothing here is to last
        memory = pathlib.Path("/dev/shm")
        tempfile.tempdir = str(memory) if os.access(memory, os.W_OK) else None
        self.machine = Machine(case)
        self.log = tempfile.NamedTemporaryFile(prefix="t1s strace ")

    def close(self):
        self.machine.remove()
        self.log.close()
        tempfile.tempdir = None

    def _record_boot(self, name):
        """What was there before, and the operations of a boot with their places."""
        self.machine.boot()
        before, ops = self.machine.contents(), []
        for step in STEPS:
            status, said, done = record(self.machine.command(step), self.machine.root,
                                        self.log.name)
            if status != 0:
                raise AssertionError(f"{step}: {said}")
            ops += [(f"{name}, {step}, operation {i} ({op.kind} {op.path})", op)
                    for i, op in enumerate(done, 1)]
        disk = Disk(before)
        for _, op in ops:
            disk.apply(op)
        if disk.contents() != self.machine.contents():
            raise AssertionError(f"{name}: the record does not give what is there")
        return before, ops

    def record_sweep(self):
        """The records of the boots of an undisturbed sweep."""
        boots = []
        while self.machine.armed():
            if len(boots) == BOOTS_MAX:
                raise AssertionError("an undisturbed sweep does not end")
            boots.append(self._record_boot(f"boot {len(boots) + 1}"))
        self.machine.check_end()
        return boots

    @staticmethod
    def states(boots, without=None):
        """Every state that a power cut may leave, by its key. without: a pattern of paths
        whose syncs are taken for not made."""
        found = {}
        for before, ops in boots:
            disk = Disk(before)
            for where, op in ops:
                if without and op.kind == "sync" and re.search(without, name_of_sync(op)):
                    continue
                disk.apply(op)
                for contents in disk.states():
                    state = State(contents, where)
                    found.setdefault(state.key(), state)
        return found

    def states_after(self, state):
        """Every state that a power cut in the boot after this state may leave."""
        self.machine.put(state.contents)
        if not self.machine.armed():
            return {}
        return self.states([self._record_boot(f"{state.where}; next boot")])

    def go_on(self, state):
        """Boots on from a state until the sweep has ended. Raises AssertionError."""
        self.machine.put(state.contents)
        try:
            self.machine.check_blob()
            for _ in range(BOOTS_MAX):
                if not self.machine.armed():
                    break
                self.machine.boot()
                for step in STEPS:
                    if self.machine.run(step) != 0:
                        break
            self.machine.check_end()
        except (AssertionError, OSError, ValueError, fdt.FdtError) as error:
            raise AssertionError(f"{state.where}: {error}; last words: "
                                 f"{self.machine.said.strip()}") from error

    def sample(self, boots, count, seed):
        """States, a third of them after a second power cut, drawn by the seed."""
        draw = random.Random(seed)
        states = list(self.states(boots).values())
        chosen = draw.sample(states, min(count - count // 3, len(states)))
        wanted = len(chosen) + count // 3
        while len(chosen) < wanted:
            after = list(self.states_after(draw.choice(states)).values())
            chosen += draw.sample(after, min(SECONDS_OF_ONE, len(after), wanted - len(chosen)))
        return len(states), chosen

    def failures(self, states, log=lambda _: None, stop_at=None):
        """Goes on from each; returns the texts of those that failed."""
        failed = []
        for number, state in enumerate(states, 1):
            try:
                self.go_on(state)
            except AssertionError as error:
                failed.append(str(error))
                log(f"FAILED {error}")
                if len(failed) == stop_at:
                    break
            if number % 100 == 0:
                log(f"{number} of {len(states)}")
        return failed

    def missed(self, boots, pattern):
        """What goes wrong first if the paths that match are not synced, or None."""
        sound = self.states(boots)
        broken = [state for key, state in self.states(boots, pattern).items()
                  if key not in sound]
        return next(iter(self.failures(broken, stop_at=1)), None), len(broken)


def choose(walk, arguments, log):
    """The states that the command line asks for."""
    boots = walk.record_sweep()
    if arguments.sample:
        total, states = walk.sample(boots, arguments.sample, arguments.seed)
        log(f"{len(states)} states drawn with seed {arguments.seed}; of one cut there are "
            f"{total}")
        return states
    found = walk.states(boots, arguments.without)
    log(f"{sum(len(ops) for _, ops in boots)} operations, {len(found)} states after one cut")
    if arguments.again:
        for state in list(found.values()):
            for key, second in walk.states_after(state).items():
                found.setdefault(key, second)
        log(f"{len(found)} states after one or two cuts")
    return list(found.values())


def judge_syncs(walk, log):
    """What each path that is synced would miss."""
    boots = walk.record_sweep()
    names = {name_of_sync(op) for _, ops in boots for _, op in ops if op.kind == "sync"}
    for name in sorted({re.sub(r"/p\d+-", "/pNNNN-", name) for name in names}):
        pattern = f"^{re.escape(name).replace('pNNNN', 'p[0-9]+')}$"
        failure, count = walk.missed(boots, pattern)
        log(f"{name}: {count} more states; " + (f"FAILS {failure}" if failure else "none fails"))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--workloads", action="store_true")
    parser.add_argument("--search", action="store_true")
    parser.add_argument("--sample", type=int, default=0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--without")
    parser.add_argument("--syncs", action="store_true")
    arguments = parser.parse_args()
    walk = Walk(WORKLOADS if arguments.workloads else SEARCH if arguments.search else SWEEP)

    def log(text):
        print(text, flush=True)

    try:
        if arguments.syncs:
            judge_syncs(walk, log)
            return 0
        states = choose(walk, arguments, log)
        failed = walk.failures(states, log)
        log(f"{len(states)} states tried, {len(failed)} failed")
        return 1 if failed else 0
    finally:
        walk.close()


if __name__ == "__main__":
    sys.exit(main())
