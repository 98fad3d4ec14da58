# SPDX-License-Identifier: MIT
"""What the guest wrote to its disk in one boot, in order, with the flushes between, as
QEMU's blklogwrites records it (the format of the kernel's dm-log-writes).

From the disk before the boot and this record comes the disk after a power cut at any
write, with what a drive's own cache loses.
"""
import struct

SECTOR_BYTES = 512
MAGIC = 0x6A736677736872
VERSION = 1
FLUSH, FUA, DISCARD = 1, 2, 4
SUPER = struct.Struct("<QQQI")
ENTRY = struct.Struct("<QQQQ")


class LogError(Exception):
    """The record is none, or of another kind."""


class Write:
    """One request: sectors from first_sector on, or a flush of all before it (no data)."""

    def __init__(self, number, first_sector, data, flush, forced):
        self.number, self.first_sector, self.data = number, first_sector, data
        self.flush, self.forced = flush, forced  # forced: on the medium when it is done

    def sectors(self):
        """The sectors written, as (number, content)."""
        for at in range(0, len(self.data), SECTOR_BYTES):
            yield self.first_sector + at // SECTOR_BYTES, self.data[at:at + SECTOR_BYTES]


def read(path):
    """The requests of one boot, in the order in which they were recorded."""
    with open(path, "rb") as file:
        head = file.read(SECTOR_BYTES)
        if not head:
            return
        magic, version, entries, sector_bytes = SUPER.unpack_from(head)
        if (magic, version, sector_bytes) != (MAGIC, VERSION, SECTOR_BYTES):
            raise LogError(f"{path}: no record of writes in sectors of {SECTOR_BYTES} bytes")
        for number in range(entries):
            header = file.read(SECTOR_BYTES)
            if len(header) < SECTOR_BYTES:
                return  # cut off with the machine
            first, count, flags, _ = ENTRY.unpack_from(header)
            size = 0 if flags & DISCARD else count * SECTOR_BYTES
            data = file.read(size)
            if len(data) < size:
                return
            yield Write(number, first, data, bool(flags & FLUSH), bool(flags & FUA))


def after_power_cut(writes, keep):
    """What of these requests is on the medium after a cut behind the last of them: all that
    a later flush confirmed or that was forced; of the rest, what keep(write) says."""
    writes = list(writes)
    last_flush = max((i for i, write in enumerate(writes) if write.flush), default=-1)
    return [write for i, write in enumerate(writes)
            if write.data and (i < last_flush or write.forced or keep(write))]


def replay(writes, disk):
    """Does the writes on a disk image that is open for writing."""
    for write in writes:
        disk.seek(write.first_sector * SECTOR_BYTES)
        disk.write(write.data)
