# SPDX-License-Identifier: MIT
"""Faults that tests of their own try: on the boot rig, with a bus, or with real peers. Each
line runs its test."""
import os
import pathlib
import subprocess
import sys
import time

from outcome import Outcome, last_words

TESTS = pathlib.Path(__file__).resolve().parent.parent
BUILD = pathlib.Path(os.environ.get("T1S_BUILD", TESTS.parent / "build/debug"))
TEST_S = 600

# step, fault, the test's file (or program of a unit test), its name
FAULTS = [
    ("all", "power cut at any instant (a sample)", "faults/test_crash.py", "CrashTest"),
    ("all", "killed at any call (a sample)", "steps/test_kill.py", "KillTest"),
    ("all", "power cut while measuring", "rig/test_board_faults.py",
     "power_cut_while_measuring"),
    ("begin", "state that cannot be read", "rig/test_board_faults.py",
     "a_state_that_cannot_be_read_never_starts_again_at_point_1"),
    ("begin", "state that is lost", "rig/test_board_faults.py",
     "a_state_that_is_lost_ends_with_everything_as_it_was"),
    ("begin", "boot partition read-only", "rig/test_board_faults.py",
     "a_read_only_boot_partition_begins_nothing"),
    ("begin", "chip's node comes late", "rig/test_board_faults.py",
     "a_node_that_a_boot_service_brings_late_is_waited_for"),
    ("measure", "card full", "rig/test_board_faults.py",
     "a_card_that_fills_up_stops_without_a_reboot_loop"),
    ("measure", "stopped and started again", "rig/test_interruptions.py", "stopped_in_mid"),
    ("measure", "session that breaks off", "rig/test_interruptions.py", "session_that_breaks"),
    ("measure", "port taken by another program", "rig/test_interruptions.py", "port_that_is_taken"),
    ("advance", "reboot cancelled by a person", "rig/test_board_faults.py",
     "cancelled_reboot_goes_on"),
    ("advance", "a lock against the reboot", "rig/test_interruptions.py",
     "a_lock_against_the_reboot_is_waited_for"),
    ("advance", "no bus, no logind, slow logind, inhibitors", "board-power", ""),
]


def command_of(file, test):
    if file.endswith(".py"):
        return [sys.executable, "-B", str(TESTS / file), "-k", test]
    return [str(BUILD / "tests/unit" / file.split("-")[0] / file)]


def _go(outcome, file, test):
    begun = time.monotonic()
    done = subprocess.run(command_of(file, test), stdin=subprocess.DEVNULL, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=TEST_S,
                          cwd=(TESTS / file).parent if file.endswith(".py") else "/",
                          check=False)
    outcome.status, outcome.seconds = done.returncode, time.monotonic() - begun
    outcome.said, outcome.rows = last_words(done.stdout), "(in the test)"
    outcome.end = f"{file} {test}"
    if done.returncode != 0 or "Ran 0 tests" in done.stdout:
        outcome.problems.append(done.stdout[-2000:])
    return outcome


def lines():
    """Every line of this part."""
    for step, fault, file, test in FAULTS:
        yield lambda o=Outcome(step, fault), f=file, t=test: _go(o, f, t)
