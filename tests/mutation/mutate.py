#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Breaks each guard of guards.py in a copy of the sources and sees that a test notices.

Usage: mutate.py [--only WORD] [--keep]
A guard whose loss no test notices is a failure, and so is one that cannot be broken any
more because the line has changed.
"""
import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

from guards import GUARDS

SOURCE = pathlib.Path(__file__).resolve().parents[2]
BUILD_TIMEOUT_S = 900
TEST_TIMEOUT_S = 300


def copy_sources(to):
    names = subprocess.run(
        ["git", "-C", SOURCE, "ls-files", "-co", "--exclude-standard", "-z"], check=True,
        stdout=subprocess.PIPE).stdout.decode().split("\0")
    for name in filter(None, names):
        if (SOURCE / name).is_file():
            (to / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(SOURCE / name, to / name)


class Copy:
    """A copy of the project with a build of its own."""

    def __init__(self, folder):
        self.source = folder / "source"
        self.build = folder / "build"
        copy_sources(self.source)
        self.run("cmake", "-S", self.source, "-B", self.build, "-G", "Ninja",
                 "-DCMAKE_BUILD_TYPE=Debug")

    def run(self, *command, timeout=BUILD_TIMEOUT_S, **kwargs):
        """Runs a command; returns whether it succeeded, and what it said."""
        done = subprocess.run(
            [str(word) for word in command], stdin=subprocess.DEVNULL, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=timeout, check=False,
            **kwargs)
        return done.returncode == 0, done.stdout

    def make(self):
        good, said = self.run("ninja", "-C", self.build)
        if not good:
            raise RuntimeError(f"does not build:\n{said[-3000:]}")

    def passes(self, test):
        """Whether a test of guards.py passes; one that does not exist is an error."""
        kind, _, rest = test.partition(":")
        if kind == "unit":
            good, said = self.run("ctest", "--test-dir", self.build, "-R", f"^{rest}$",
                                  "--no-tests=error", timeout=TEST_TIMEOUT_S)
            ran = "tests passed" in said
        else:
            module, _, word = rest.partition(":")
            good, said = self.run(
                sys.executable, "-B", module, "-k", word, timeout=TEST_TIMEOUT_S,
                cwd=self.source / "tests/steps",
                env={**os.environ, "T1S_BUILD": str(self.build),
                     "T1S_LINK": str(self.build / "tests/rig/link/t1s-link")})
            ran = "Ran 0 tests" not in said and "\nRan " in said
        if not ran:
            raise RuntimeError(f"{test} did not run:\n{said[-3000:]}")
        return good

    def replace(self, name, old, new):
        """Returns the whole text as it was."""
        path = self.source / name
        text = path.read_text(encoding="utf-8")
        if text.count(old) != 1:
            raise RuntimeError(f"{name} holds {old!r} {text.count(old)} times, expected once")
        path.write_text(text.replace(old, new), encoding="utf-8")
        return text


def try_guard(copy, guard):
    """Returns whether some test notices that the guard is gone."""
    _, name, old, new, tests = guard
    text = copy.replace(name, old, new)
    try:
        copy.make()
        return not all([copy.passes(test) for test in tests])
    finally:
        (copy.source / name).write_text(text, encoding="utf-8")


def walk(copy, guards):
    copy.make()
    for test in sorted({test for guard in guards for test in guard[4]}):
        if not copy.passes(test):
            print(f"{test} fails with all guards in place")
            return 1
    missed = 0
    for number, guard in enumerate(guards, 1):
        noticed = try_guard(copy, guard)
        missed += not noticed
        print(f"{number:3}/{len(guards)} {'noticed' if noticed else 'NOT NOTICED'}: "
              f"{guard[0]} ({guard[1]})", flush=True)
    print(f"{len(guards)} guards broken, {len(guards) - missed} noticed")
    return 1 if missed or not guards else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--only", default="", help="guards with this word in them")
    parser.add_argument("--keep", action="store_true", help="keep the copy")
    arguments = parser.parse_args()
    if os.geteuid() != 0:
        print("skipped: the tests it runs need root")
        return 77
    folder = pathlib.Path(tempfile.mkdtemp(prefix="t1s-mutation."))
    try:
        return walk(Copy(folder), [guard for guard in GUARDS
                                   if arguments.only in guard[0] + guard[1]])
    finally:
        if arguments.keep:
            print(f"kept: {folder}")
        else:
            shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
