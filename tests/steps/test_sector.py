# SPDX-License-Identifier: MIT
"""Setting the frequency on a vfat partition writes one sector of it, and no other until
the partition is unmounted."""
import contextlib
import os
import pathlib
import subprocess
import sys
import unittest

from tree import OVERLAY_BUILT, OVERLAYS, PROGRAM, TESTS  # says where the rigs' code is

sys.path.insert(0, str(TESTS / "vm"))

# pylint: disable=wrong-import-position
from cleanup import mount, run, scratch_folder
from fat import DIRTY_FLAG_AT, Change, Fat32, SECTOR_BYTES
from guest import boot_partition_kind

IMAGE_MIB = 64
NEW_HZ = 12000000


def why_not():
    """Why this cannot be tested here; "" if it can."""
    if os.geteuid() != 0:
        return "mounting needs root"
    if boot_partition_kind() != "vfat":
        return "no vfat here (the kernel's module, and mkfs.vfat of dosfstools)"
    return ""


class SectorTest(unittest.TestCase):
    def setUp(self):
        self.stack = contextlib.ExitStack()
        self.addCleanup(self.stack.close)
        self.folder = pathlib.Path(scratch_folder(self.stack, "t1s-sector."))
        self.image, self.point = self.folder / "image", self.folder / "boot"
        with open(self.image, "wb") as file:
            file.truncate(IMAGE_MIB << 20)
        run("mkfs.vfat", "-F", "32", "-s", "1", self.image)
        self.point.mkdir()
        self.mount()
        self.overlay = self.point / "overlays/x.dtbo"
        self.overlay.parent.mkdir()
        self.overlay.write_bytes((OVERLAYS / OVERLAY_BUILT).read_bytes())
        os.utime(self.overlay, (1e9, 1e9))  # so that the time of the change is another
        run("umount", self.point)

    def mount(self):
        mount(self.stack, "-o", "loop", self.image, target=self.point)

    def differences(self, old, new):
        layout = Fat32(self.image, 0)
        return [Change(at // SECTOR_BYTES, layout.use_of(at // SECTOR_BYTES),
                       old[at:at + SECTOR_BYTES], new[at:at + SECTOR_BYTES])
                for at in range(0, len(old), SECTOR_BYTES)
                if old[at:at + SECTOR_BYTES] != new[at:at + SECTOR_BYTES]]

    def test_setting_the_frequency_writes_one_sector(self):
        self.mount()
        run("sync", "-f", self.point)
        mounted = self.image.read_bytes()
        subprocess.run([PROGRAM, "overlay", self.overlay, f"--set={NEW_HZ}"], check=True,
                       stdout=subprocess.DEVNULL)
        done = self.image.read_bytes()
        run("umount", self.point)
        unmounted = self.image.read_bytes()

        change, = self.differences(mounted, done)
        self.assertEqual(change.use, "file /overlays/x.dtbo")
        at = change.old.index((20000000).to_bytes(4, "big"))
        self.assertEqual(change.new[at:at + 4], NEW_HZ.to_bytes(4, "big"))
        self.assertLessEqual(set(change.bytes), set(range(at, at + 4)))
        for change in self.differences(done, unmounted):
            if change.use == "boot sector":
                self.assertEqual(change.bytes, [DIRTY_FLAG_AT])
            else:
                self.assertEqual(change.use, "folder /overlays")
                self.assertLessEqual(change.fields(), {"accessed", "modified"})


if __name__ == "__main__":
    reason = why_not()
    if reason:
        print(f"skipped: {reason}")
        sys.exit(77)
    sys.exit(unittest.main())
