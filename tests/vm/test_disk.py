# SPDX-License-Identifier: MIT
"""What the VM rig says of a disk: which sector is whose, and what a power cut leaves."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import blocklog
import fat

SECTOR = blocklog.SECTOR_BYTES
IMAGE_MIB = 40
FIRST_SECTOR = 2048


def sector_of(byte):
    return bytes([byte]) * SECTOR


def request(first, data=b"", flags=0):
    return (blocklog.ENTRY.pack(first, len(data) // SECTOR, flags, 0).ljust(SECTOR, b"\0")
            + data)


def record(*requests):
    head = blocklog.SUPER.pack(blocklog.MAGIC, blocklog.VERSION, len(requests), SECTOR)
    return head.ljust(SECTOR, b"\0") + b"".join(requests)


class DiskTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="t1s-disk.")
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)

    def read_record(self, data):
        path = self.folder / "record"
        path.write_bytes(data)
        return list(blocklog.read(path))


class BlocklogTest(DiskTest):
    # written and flushed, then: lost, forced, lost, kept
    REQUESTS = (request(1, sector_of(1)), request(0, b"", blocklog.FLUSH),
                request(2, sector_of(2) + sector_of(3)),
                request(4, sector_of(4), blocklog.FUA), request(1, sector_of(5)))

    def test_requests_come_in_order_with_their_sectors(self):
        writes = self.read_record(record(*self.REQUESTS))
        self.assertEqual([write.flush for write in writes], [False, True, False, False, False])
        self.assertEqual(list(writes[2].sectors()), [(2, sector_of(2)), (3, sector_of(3))])

    def test_a_record_cut_short_ends_before_the_request_that_is_not_whole(self):
        whole = record(*self.REQUESTS)
        self.assertEqual(len(self.read_record(whole[:-1])), len(self.REQUESTS) - 1)
        self.assertEqual(self.read_record(b""), [])

    def test_what_is_no_record_is_an_error(self):
        with self.assertRaises(blocklog.LogError):
            self.read_record(bytes(SECTOR))

    def test_a_power_cut_keeps_what_was_flushed_or_forced(self):
        writes = self.read_record(record(*self.REQUESTS))
        kept = blocklog.after_power_cut(writes, lambda write: False)
        self.assertEqual([write.number for write in kept], [0, 3])
        kept = blocklog.after_power_cut(writes, lambda write: write.first_sector == 1)
        self.assertEqual([write.number for write in kept], [0, 3, 4])
        kept = blocklog.after_power_cut(writes[:1], lambda write: False)
        self.assertEqual(kept, [])

    def test_writes_are_done_on_the_disk_in_order(self):
        disk = self.folder / "disk"
        disk.write_bytes(bytes(6 * SECTOR))
        with open(disk, "r+b") as file:
            blocklog.replay((write for write in self.read_record(record(*self.REQUESTS))
                             if write.data), file)
        self.assertEqual(disk.read_bytes(), b"".join(map(sector_of, (0, 5, 2, 3, 4, 0))))


class FatTest(DiskTest):
    def setUp(self):
        super().setUp()
        self.image = self.folder / "image"
        with open(self.image, "wb") as file:
            file.truncate(IMAGE_MIB << 20)
        tool = {"check": True, "stdout": subprocess.DEVNULL,
                "env": {**os.environ, "MTOOLS_SKIP_CHECK": "1"}}
        subprocess.run(["mkfs.vfat", "-F", "32", "-s", "1", f"--offset={FIRST_SECTOR}",
                        self.image, str((IMAGE_MIB << 10) - FIRST_SECTOR // 2)],
                       stderr=subprocess.DEVNULL, **tool)
        self.content = b"".join(map(sector_of, range(3)))
        (self.folder / "file").write_bytes(self.content)
        partition = f"{self.image}@@{FIRST_SECTOR * SECTOR}"
        subprocess.run(["mmd", "-i", partition, "::/a folder"], **tool)
        subprocess.run(["mcopy", "-i", partition, self.folder / "file",
                        "::/a folder/A long name.dtbo"], **tool)
        self.layout = fat.Fat32(self.image, FIRST_SECTOR)

    def sectors_of(self, use):
        return [sector + FIRST_SECTOR for sector, owner in self.layout.owners.items()
                if owner == use]

    def test_sectors_of_a_file_are_those_that_hold_it(self):
        sectors = self.sectors_of("file /a folder/A long name.dtbo")
        data = self.image.read_bytes()
        self.assertEqual(b"".join(data[at * SECTOR:(at + 1) * SECTOR] for at in sectors),
                         self.content)

    def test_each_kind_of_sector_is_told(self):
        reserved, table = self.layout.reserved, self.layout.fat_sectors
        uses = {0: "boot sector", 1: "free-space sector", 6: "boot sector",
                2: "reserved sector", reserved: "FAT", reserved + 2 * table - 1: "FAT",
                reserved + 2 * table: "folder /", reserved + 2 * table + 1000: "free cluster"}
        for sector, use in uses.items():
            self.assertEqual(self.layout.use_of(FIRST_SECTOR + sector), use)
        self.assertIsNone(self.layout.use_of(FIRST_SECTOR - 1))
        self.assertEqual(len(self.sectors_of("folder /a folder")), 1)

    def test_changes_are_told_by_byte_and_time_field(self):
        folder, = self.sectors_of("folder /a folder")
        old = self.image.read_bytes()[folder * SECTOR:(folder + 1) * SECTOR]
        new = bytearray(old)
        new[32 + 22] ^= 1
        writes = [blocklog.Write(0, folder, bytes(new), False, False),
                  blocklog.Write(1, folder, old, False, False),
                  blocklog.Write(2, FIRST_SECTOR - 1, old, False, False)]
        found = fat.changes(self.image, FIRST_SECTOR, IMAGE_MIB << 11, writes)
        self.assertEqual([change.bytes for change in found], [[54], [54]])
        self.assertEqual(found[0].fields(), {"modified"})


if __name__ == "__main__":
    if not shutil.which("mcopy") or not shutil.which("mkfs.vfat"):
        print("skipped: no mtools or no mkfs.vfat")
        sys.exit(77)
    sys.exit(unittest.main())
