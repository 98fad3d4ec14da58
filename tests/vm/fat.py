# SPDX-License-Identifier: MIT
"""Tells what each sector of a FAT32 partition is for, and what was changed in it."""
import struct

from blocklog import SECTOR_BYTES

ENTRY_BYTES = 32
ATTRIBUTE_LONG_NAME, ATTRIBUTE_VOLUME, ATTRIBUTE_FOLDER = 0x0F, 0x08, 0x10
END_OF_CHAIN = 0x0FFFFFF8
CLUSTER_MASK = 0x0FFFFFFF
# Fields of a directory entry that hold times, as (first byte, one past the last)
TIME_FIELDS = {"accessed": (18, 20), "modified": (22, 26)}
# What a mount sets in the boot sector and an unmount takes back
DIRTY_FLAG_AT = 0x41


class _Entry:
    def __init__(self, name, attributes, cluster, size):
        self.name, self.attributes = name, attributes
        self.cluster, self.size = cluster, size


def _long_name_part(entry):
    text = entry[1:11] + entry[14:26] + entry[28:32]
    return text.decode("utf-16-le").split("\0")[0].rstrip("\uffff")


def _short_name(entry):
    name, extension = (entry[a:b].decode("ascii").rstrip() for a, b in ((0, 8), (8, 11)))
    return f"{name}.{extension}" if extension else name


def _entries(data):
    long_name = ""
    for at in range(0, len(data), ENTRY_BYTES):
        entry = data[at:at + ENTRY_BYTES]
        if entry[0] == 0:
            return
        if entry[0] == 0xE5:
            long_name = ""
        elif entry[11] == ATTRIBUTE_LONG_NAME:
            long_name = _long_name_part(entry) + long_name
        else:
            high, low, size = struct.unpack("<20xH4xHI", entry)
            yield _Entry(long_name or _short_name(entry), entry[11], high << 16 | low, size)
            long_name = ""


class Fat32:
    """The layout of a partition in an image, as it was when this was made."""

    def __init__(self, image_path, first_sector):
        self.first_sector = first_sector
        with open(image_path, "rb") as self.file:
            boot = self._read(0, 1)
            sector_bytes, self.cluster_sectors, self.reserved, self.fats = struct.unpack_from(
                "<HBHB", boot, 11)
            self.fat_sectors, root_cluster = struct.unpack_from("<I4xI", boot, 36)
            if sector_bytes != SECTOR_BYTES or boot[510:] != b"\x55\xaa":
                raise ValueError(f"{image_path}: no FAT32 partition at {first_sector}")
            self.info_sector, self.backup_sector = struct.unpack_from("<HH", boot, 48)
            self.data_at = self.reserved + self.fats * self.fat_sectors
            self.table = struct.unpack(
                f"<{self.fat_sectors * SECTOR_BYTES // 4}I",
                self._read(self.reserved, self.fat_sectors))
            self.owners = {}
            self._walk("", root_cluster)

    def _read(self, sector, count):
        self.file.seek((self.first_sector + sector) * SECTOR_BYTES)
        return self.file.read(count * SECTOR_BYTES)

    def _chain(self, cluster):
        seen = set()
        while 2 <= cluster < END_OF_CHAIN and cluster not in seen:
            seen.add(cluster)
            yield cluster
            cluster = self.table[cluster] & CLUSTER_MASK

    def _claim(self, cluster, owner):
        """Notes whose a chain of clusters is, and returns its content."""
        data = b""
        for number in self._chain(cluster):
            first = self.data_at + (number - 2) * self.cluster_sectors
            for i in range(self.cluster_sectors):
                self.owners[first + i] = owner
            data += self._read(first, self.cluster_sectors)
        return data

    def _walk(self, path, cluster):
        for entry in _entries(self._claim(cluster, f"folder {path or '/'}")):
            here = f"{path}/{entry.name}"
            if entry.attributes & ATTRIBUTE_VOLUME or entry.name in (".", ".."):
                continue
            if entry.attributes & ATTRIBUTE_FOLDER:
                self._walk(here, entry.cluster)
            else:
                self._claim(entry.cluster, f"file {here}")

    def use_of(self, disk_sector):
        """What a sector of the disk is for; None outside the partition's used part."""
        sector = disk_sector - self.first_sector
        if sector < 0:
            return None
        if sector in (0, self.backup_sector):
            return "boot sector"
        if sector == self.info_sector:
            return "free-space sector"
        if sector < self.reserved:
            return "reserved sector"
        if sector < self.data_at:
            return "FAT"
        return self.owners.get(sector, "free cluster")


class Change:
    """A sector that was written: what it is for, and which bytes became what."""

    def __init__(self, disk_sector, use, old, new):
        self.disk_sector, self.use = disk_sector, use
        self.bytes = [i for i in range(SECTOR_BYTES) if old[i] != new[i]]
        self.old, self.new = old, new

    def fields(self):
        """Of a directory's sector: the names of the times that changed; "other" for any
        other byte."""
        def name(byte):
            for field, (begin, end) in TIME_FIELDS.items():
                if begin <= byte % ENTRY_BYTES < end:
                    return field
            return "other"
        return {name(byte) for byte in self.bytes}

    def __repr__(self):
        return f"<{self.use}, sector {self.disk_sector}: {len(self.bytes)} bytes changed>"


def changes(image_path, first_sector, sector_count, writes):
    """Every write of a sector of the partition, in order, against what the sector held
    before it. image_path: the disk before the first of the writes."""
    layout, now, found = Fat32(image_path, first_sector), {}, []
    with open(image_path, "rb") as file:
        for write in writes:
            for sector, new in write.sectors():
                if not first_sector <= sector < first_sector + sector_count:
                    continue
                if sector not in now:
                    file.seek(sector * SECTOR_BYTES)
                    now[sector] = file.read(SECTOR_BYTES)
                found.append(Change(sector, layout.use_of(sector), now[sector], new))
                now[sector] = new
    return found
