# SPDX-License-Identifier: MIT
"""A whole Raspberry Pi as a folder, for --root: tree in, tree out.

The program's steps run on it for real; between two "boots" the fake firmware merges the
overlay into the live tree and the boot id changes. Nothing outside the folder is touched.
"""
import csv
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import uuid

HERE = pathlib.Path(__file__).resolve().parent
TESTS = HERE.parent
sys.path.insert(0, str(TESTS / "rig"))

import fdt  # noqa: E402
import firmware  # noqa: E402

BUILD = pathlib.Path(os.environ.get("T1S_BUILD", TESTS.parent / "build/debug"))
PROGRAM = pathlib.Path(os.environ.get("T1S_PROGRAM", BUILD / "daemon/t1s-sweep"))
OVERLAYS = BUILD / "overlays"
BASE_TREE = TESTS / "data/dt/pi-base.dts"
OVERLAY_NAME = "BE-IIS-HPP-T1S-I"
OVERLAY_BUILT = "lan8650-spi0-cs0.dtbo"
MOUNTINFO = """\
22 1 179:2 / / rw,noatime shared:1 - ext4 /dev/mmcblk0p2 rw
23 22 179:1 / /boot/firmware rw,relatime shared:2 - vfat /dev/mmcblk0p1 rw,fmask=0022
"""
CONFIGURATION = """\
[Sender]
Host=192.0.2.130
User=pi
WaitTime=1s
[Receiver]
WaitTime=1s
[Sweep]
SettleTime=0
RebootDelay=1s
"""
STEP_TIMEOUT_S = 60


class Tree:
    """The folder, and what can be done with it."""

    base = None  # compiled once

    def __init__(self, configuration="", overlay=OVERLAY_BUILT):
        if Tree.base is None:
            Tree.base = firmware.compile_tree(BASE_TREE)
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="t1s step "))
        self.out = self.said = ""
        self.environment = {}
        self.write("proc/self/mountinfo", MOUNTINFO)
        self.write("proc/cmdline", "console=tty1 root=/dev/mmcblk0p2 rootwait\n")
        self.write("boot/firmware/config.txt", f"dtoverlay={OVERLAY_NAME}\n")
        self.write("etc/t1s-sweep/t1s-sweep.conf", CONFIGURATION + configuration)
        (self.root / "var/lib").mkdir(parents=True)
        self.overlay_path.parent.mkdir()
        shutil.copy(OVERLAYS / overlay, self.overlay_path)
        self.original = self.overlay_path.read_bytes()
        wants = self.path("etc/systemd/system/multi-user.target.wants")
        wants.mkdir(parents=True)
        (wants / "t1s-sweep.service").symlink_to("/usr/lib/systemd/system/t1s-sweep.service")
        self.boot()

    def remove(self):
        shutil.rmtree(self.root, ignore_errors=True)

    def path(self, name):
        return self.root / name

    def write(self, name, text):
        path = self.path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    @property
    def overlay_path(self):
        return self.path(f"boot/firmware/overlays/{OVERLAY_NAME}.dtbo")

    @property
    def pristine_path(self):
        return self.overlay_path.with_name(self.overlay_path.name + ".t1s-orig")

    def boot(self, live_hz=None):
        """A new boot: firmware, new boot id. live_hz: what the live tree shows in spite of
        the overlay (0: no node)."""
        self.write("proc/sys/kernel/random/boot_id", f"{uuid.uuid4()}\n")
        tree = firmware.load(self.path("boot/firmware"), Tree.base)
        self.path("proc/device-tree").mkdir(exist_ok=True)
        firmware.unfold(tree, self.path("proc/device-tree"))
        if live_hz is not None:
            self.set_live(live_hz)

    def live_nodes(self):
        return list(self.path("proc/device-tree").rglob("ethernet@*"))

    def set_live(self, hz):
        for node in self.live_nodes():
            if hz:
                (node / "spi-max-frequency").write_bytes(hz.to_bytes(4, "big"))
            else:
                shutil.rmtree(node)

    def command(self, *arguments):
        return [str(PROGRAM), f"--root={self.root}", *map(str, arguments)]

    def run(self, *arguments):
        """Runs the program and returns its exit status; what it said is in said, out."""
        done = subprocess.run(
            self.command(*arguments), stdin=subprocess.DEVNULL, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=STEP_TIMEOUT_S,
            env={**os.environ, **self.environment}, check=False)
        self.out, self.said = done.stdout, done.stderr
        return done.returncode

    # What is there now

    def overlay_bytes(self):
        return self.overlay_path.read_bytes()

    def overlay_hz(self):
        for _, node in fdt.parse(self.overlay_bytes()).walk():
            if node.cells("spi-max-frequency"):
                return node.cells("spi-max-frequency")[0]
        return None

    def state(self):
        return json.loads(self.path("var/lib/t1s-sweep/state.json").read_text("utf-8"))

    def armed(self):
        return os.path.lexists(
            self.path("etc/systemd/system/multi-user.target.wants/t1s-sweep.service"))

    def results_path(self):
        return self.path(f"var/lib/t1s-sweep/results/{self.state()['sweep_id']}/results.csv")

    def rows(self):
        with open(self.results_path(), newline="", encoding="utf-8") as file:
            return list(csv.DictReader(file))

    # In place of the measure step

    HEADER = ("timestamp,status,receiver_host,overlay,spi_requested_hz,spi_requested_mhz,"
              "udp_target,received_mbit_s,lost_percent,jitter_ms,packets,lost_packets,"
              "test_seconds,omit_seconds,interface,receiver_ip,sender_ip,sender_ssh,note,"
              "sweep_id,point,pass,workload,direction,repeat,attempt\n")

    def add_row(self, status="OK", received=9.5, note="", attempt=1, repeat=1,
                workload="default", direction="receive"):
        """Writes the row that measure would have written for the current point."""
        state = self.state()
        path, point = self.results_path(), state["plan"]["points"][state["point"]]
        new = not path.exists()
        path.parent.mkdir(parents=True, exist_ok=True)
        with open(path, "a", encoding="utf-8") as file:
            if new:
                file.write(self.HEADER)
            file.write(
                f"2026-07-14T22:09:18+01:00,{status},pi1,{OVERLAY_NAME},{point['hz']},"
                f"{point['hz'] / 1e6:.3f},10M,{received},1.5,0.1,100,1,20,3,beiis-t1s0,"
                f"10.10.10.2,10.10.10.1,pi@192.0.2.130,{note},{state['sweep_id']},"
                f"{state['point'] + 1},{point['pass']},{workload},{direction},{repeat},{attempt}\n")

    def stop_note(self, text):
        path = self.results_path().with_name("stop-note")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
