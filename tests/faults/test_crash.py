# SPDX-License-Identifier: MIT
"""A sample of what crash_walk.py does in full, and whether it would see a missing fsync."""
import os
import shutil
import sys
import unittest

from crash_walk import SWEEP, WORKLOADS, Walk
from disk import Disk
from oplog import Op

SAMPLE = int(os.environ.get("T1S_CRASH_SAMPLE", "16"))
SEED = int(os.environ.get("T1S_SEED", "0"))
NEEDED = ("^var/lib$", "^var/lib/t1s-sweep$", "/results$", "/raw$", "^etc/systemd/")


def after(disk, *ops):
    """The contents that a power cut may leave after these operations, of one path."""
    for op in ops:
        disk.apply(op)
    return list(disk.states())


class DiskTest(unittest.TestCase):
    """The rules that the walk goes by."""

    FILE, NEW = "var/file", "var/file.new"
    VFAT, VFAT_NEW = "boot/firmware/file", "boot/firmware/file.new"

    def disk(self, **more):
        return Disk({"var": None, "boot": None, "boot/firmware": None, **more})

    def test_what_was_synced_with_its_folder_is_there(self):
        states = after(self.disk(), Op("create", self.FILE), Op("write", self.FILE, data=b"new"),
                       Op("sync", self.FILE), Op("sync", "var"))
        self.assertEqual([state[self.FILE] for state in states], [b"new"])

    def test_a_name_may_be_lost_until_its_folder_is_synced(self):
        states = after(self.disk(), Op("create", self.FILE), Op("write", self.FILE, data=b"new"),
                       Op("sync", self.FILE))
        self.assertEqual({state.get(self.FILE) for state in states}, {None, b"new"})

    def test_what_was_not_synced_may_be_empty_torn_or_zeros(self):
        states = after(self.disk(), Op("create", self.FILE), Op("sync", "var"),
                       Op("write", self.FILE, data=b"abcd"))
        self.assertLessEqual({b"", b"a", b"ab\0\0", b"\0\0\0\0", b"abcd"},
                             {state[self.FILE] for state in states})

    def test_a_file_renamed_over_another_without_its_fsync_may_be_empty(self):
        ops = [Op("create", self.NEW), Op("write", self.NEW, data=b"new"),
               Op("rename", self.NEW, self.FILE), Op("sync", "var")]
        states = after(self.disk(**{self.FILE: b"old"}), *ops)
        self.assertIn(b"", [state[self.FILE] for state in states])
        states = after(self.disk(**{self.FILE: b"old"}), *ops[:2], Op("sync", self.NEW),
                       *ops[2:])
        self.assertEqual([state[self.FILE] for state in states], [b"new"])

    def test_on_vfat_a_renamed_file_may_be_empty_though_all_was_synced(self):
        ops = [Op("create", self.VFAT_NEW), Op("write", self.VFAT_NEW, data=b"new"),
               Op("sync", self.VFAT_NEW), Op("rename", self.VFAT_NEW, self.VFAT),
               Op("sync", "boot/firmware")]
        states = after(self.disk(**{self.VFAT: b"old"}), *ops)
        self.assertEqual({state[self.VFAT] for state in states}, {b"", b"new"})

    def test_four_bytes_in_one_sector_are_there_or_not(self):
        states = after(self.disk(**{self.VFAT: b"0123456789"}),
                       Op("write", self.VFAT, offset=4, data=b"abcd"))
        self.assertEqual({state[self.VFAT] for state in states},
                         {b"0123456789", b"0123abcd89"})

    def test_a_row_over_a_page_border_may_be_there_behind_it_only(self):
        states = after(self.disk(**{self.FILE: b"x" * 4095}),
                       Op("write", self.FILE, offset=None, data=b"abc"))
        self.assertIn(b"x" * 4095 + b"\0bc", [state[self.FILE] for state in states])


class CrashTest(unittest.TestCase):
    def walk(self, case):
        walk = Walk(case)
        self.addCleanup(walk.close)
        return walk, walk.record_sweep()

    def sample(self, case, count):
        walk, boots = self.walk(case)
        total, states = walk.sample(boots, count, SEED)
        self.assertGreater(total, 200)
        print(f"{len(states)} of {total} states and those after a second cut, seed {SEED}")
        self.assertEqual(walk.failures(states), [])

    def test_from_whatever_a_power_cut_leaves_the_sweep_ends_whole(self):
        self.sample(SWEEP, SAMPLE)

    def test_with_several_workloads_too(self):
        self.sample(WORKLOADS, SAMPLE // 2)

    def test_a_missing_sync_is_seen(self):
        walk, boots = self.walk(SWEEP)
        for pattern in NEEDED:
            with self.subTest(pattern):
                self.assertIsNotNone(walk.missed(boots, pattern)[0])


if __name__ == "__main__":
    if not shutil.which("strace"):
        print("skipped: needs strace")
        sys.exit(77)
    unittest.main()
