# SPDX-License-Identifier: MIT
"""The guest's disk: partitioned as a Raspberry Pi's card, made and read without mounting.

Sector 2048: the boot partition, vfat, of the size and cluster size Raspberry Pi OS has.
Behind it the root file system, ext4.
"""
import os
import pathlib
import shutil

from cleanup import run

SECTOR_BYTES = 512
BOOT_FIRST_SECTOR = 2048
BOOT_MIB, ROOT_MIB = 512, 448
SECTORS_PER_MIB = (1 << 20) // SECTOR_BYTES
ROOT_FIRST_SECTOR = BOOT_FIRST_SECTOR + BOOT_MIB * SECTORS_PER_MIB
TOOL_TIMEOUT_S = 300

PARTITIONS = f"""\
label: dos
label-id: 0x74317377
start={BOOT_FIRST_SECTOR}, size={BOOT_MIB * SECTORS_PER_MIB}, type=c
start={ROOT_FIRST_SECTOR}, size={ROOT_MIB * SECTORS_PER_MIB}, type=83
"""


def make(path, root_folder, scratch):
    """Makes the image; root_folder becomes the root file system."""
    path, table = pathlib.Path(path), pathlib.Path(scratch, "partitions")
    path.unlink(missing_ok=True)
    with open(path, "wb") as file:
        file.truncate((ROOT_FIRST_SECTOR // SECTORS_PER_MIB + ROOT_MIB + 1) << 20)
    table.write_text(PARTITIONS, encoding="ascii")
    with open(table, "rb") as script:
        run("sfdisk", "-q", path, stdin=script)
    run("mkfs.vfat", "-F", "32", "-s", "8", "-n", "bootfs", f"--offset={BOOT_FIRST_SECTOR}",
        path, BOOT_MIB << 10)
    run("mke2fs", "-q", "-F", "-t", "ext4", "-L", "rootfs", "-d", root_folder, "-E",
        f"offset={ROOT_FIRST_SECTOR * SECTOR_BYTES},nodiscard", path, f"{ROOT_MIB}M",
        timeout=TOOL_TIMEOUT_S)


def copy(source, target):
    """A copy of an image, sparse as it is."""
    run("cp", "--sparse=always", "--reflink=auto", source, target, timeout=TOOL_TIMEOUT_S)


class Disk:
    """An image of a machine that is off."""

    def __init__(self, path):
        self.path = pathlib.Path(path)
        self.boot = f"{self.path}@@{BOOT_FIRST_SECTOR * SECTOR_BYTES}"
        self.environment = {**os.environ, "MTOOLS_SKIP_CHECK": "1"}

    def _mtool(self, tool, *arguments):
        run(tool, "-i", self.boot, *arguments, env=self.environment)

    def put_on_boot(self, local_path, name):
        """Copies a file or a folder to the boot partition."""
        self._mtool("mcopy", "-s", "-o", local_path, f"::/{name}")

    def make_boot_folder(self, name):
        """Makes a folder on the boot partition."""
        self._mtool("mmd", f"::/{name}")

    def pull_boot(self, folder):
        """Replaces a folder's content by that of the boot partition."""
        shutil.rmtree(folder, ignore_errors=True)
        pathlib.Path(folder).mkdir(parents=True)
        self._mtool("mcopy", "-s", "-n", "-m", "::*", folder)

    def pull_root(self, path, folder):
        """Replaces folder/path by what the root file system has there; nothing where it has
        nothing. Only what was written back is seen: for a machine that was shut down."""
        target = pathlib.Path(folder, path.lstrip("/"))
        shutil.rmtree(target, ignore_errors=True)
        target.parent.mkdir(parents=True, exist_ok=True)
        run("debugfs", "-R", f'rdump "{path}" "{target.parent}"',
            f"{self.path}?offset={ROOT_FIRST_SECTOR * SECTOR_BYTES}")

    def exists_in_root(self, path):
        """Whether the root file system has a file, folder or link of this name."""
        found = run("debugfs", "-R", f'stat "{path}"',
                    f"{self.path}?offset={ROOT_FIRST_SECTOR * SECTOR_BYTES}")
        return "Inode:" in found
