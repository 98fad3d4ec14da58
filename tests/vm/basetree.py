# SPDX-License-Identifier: MIT
"""The tree the firmware starts from: that of QEMU's board, which the kernel needs to boot,
and in it the nodes of a Raspberry Pi that overlays refer to.

The Pi's devices do not exist in this machine, so nothing may be probed: their bus has a
name that no driver knows, and their interrupt controller is switched off.
"""
import pathlib
import subprocess
import tempfile

import firmware
from cleanup import run

# What is written last holds: the board's own root properties, then these.
PATCH = """
/ {
	/delete-node/ memory@0;
	soc { compatible = "rig-bus"; };
};
&gicv2 { status = "disabled"; };
"""


def _source_of(blob_path):
    return run("dtc", "-q", "-I", "dtb", "-O", "dts", blob_path)


def build(pi_source, dump_command):
    """The merged tree as a blob. dump_command: gives QEMU's command line that writes the
    board's blob into a file."""
    with tempfile.TemporaryDirectory(prefix="t1s-basetree.") as folder:
        board = pathlib.Path(folder, "board.dtb")
        subprocess.run(dump_command(board), stdin=subprocess.DEVNULL, check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=60)
        merged = pathlib.Path(folder, "merged.dts")
        merged.write_text(
            pathlib.Path(pi_source).read_text(encoding="ascii")
            + _source_of(board).replace("/dts-v1/;", "") + PATCH, encoding="ascii")
        return firmware.compile_tree(merged)
